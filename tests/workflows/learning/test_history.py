"""Thresholds tried on what people reviewed: pure counts, a stored summary, and a page that saves them as the policy."""

import json
from typing import Any
from unittest import mock

import pytest
from django.urls import reverse

from config.brokers import queues
from config.errors import Refused, Unavailable
from projects.settings import queries as project_queries
from projects.settings.items import Project
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.pump import Pump
from tests.workflows.decided import decided_run, field, project
from workflows.learning import collecting, history, tasks
from workflows.learning.forms import ThresholdForm
from workflows.learning.history import History, PastDocument, PastValue
from workflows.runs.items import Run
from workflows.storage import files
from workflows.storage.objects import DocumentFiles, SiteFiles

SITE = "default"
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
PAST = History(
    "2026-11-22T12:00:00+00:00",
    (
        PastDocument(False, (PastValue("total", 0.95, True), PastValue("company", 0.9, True))),
        PastDocument(False, (PastValue("total", 0.85, False), PastValue("company", 0.9, True))),
        PastDocument(False, (PastValue("total", 0.6, True), PastValue("company", 0.7, False))),
        PastDocument(False, (PastValue("total", 0.99, True), PastValue("company", None, False))),
        PastDocument(True, (PastValue("total", 0.99, False),)),
    ),
)


def test_a_threshold_says_who_is_looked_at_and_what_passes() -> None:
    now = history.simulate_thresholds(PAST, 0.8, {})
    assert (now.documents, now.reviewed, now.errors, now.passing_errors) == (5, 2, 4, 2)
    assert [(one.name, one.values, one.asked, one.passing_errors) for one in now.fields] == [
        ("total", 5, 1, 2),
        ("company", 4, 1, 1),
    ]
    higher = history.simulate_thresholds(PAST, 0.8, {"total": 0.9})
    assert (higher.reviewed, higher.passing_errors, higher.fields[0].threshold) == (3, 1, 0.9)
    lower = history.simulate_thresholds(PAST, 0.0, {})
    assert (lower.review_rate, lower.passing_errors) == (0.2, 3)
    assert round(history.save_hours(now, lower, 90), 2) == 5.0
    assert history.simulate_thresholds(History("", ()), 0.8, {}).review_rate == 0.0


def reviewed(project_id: str, confidence: float, truth: str | None, *codes: str) -> Run:
    fields = [field("total", "amount", "12.00") | {"confidence": confidence}, field("company", "text", None)]
    run = decided_run(project_id, fields, {} if truth is None else {"total": truth})
    reasons = {"reasons": [{"field": None, "code": code, "text": ""} for code in codes]}
    store = DocumentFiles(SITE, project_id, run.document_id)
    store.write(files.assessment(run.workflow_id), json.dumps(reasons).encode(), "application/json")
    return run


def test_what_the_error_limit_sends_to_review_goes_there_under_any_threshold() -> None:
    project_id = project()
    for proof, limit in (("", None), ("", 0.95), ("sums", None), ("", 0.85)):
        fields = [field("total", "amount", "12.00") | {"confidence": 0.9, "proof": proof, "limit": limit}]
        decided_run(project_id, fields, {})
    history.collect_history(SITE, project_id)
    past = history.load_history(SITE, project_id)
    assert past
    assert [one.always for one in reversed(past.documents)] == [True, True, False, False]
    assert history.simulate_thresholds(past, 0.0, {}).always == 2


def test_reviews_are_collected_as_numbers_and_again_as_the_same() -> None:
    project_id = project()
    assert history.load_history(SITE, project_id) is None
    reviewed(project_id, 0.7, None, "low_confidence")
    reviewed(project_id, 0.9, "13.00", "missing")
    history.collect_history(SITE, project_id)
    first = history.load_history(SITE, project_id)
    assert first
    assert first.documents == (
        PastDocument(True, (PastValue("total", 0.9, False),)),
        PastDocument(False, (PastValue("total", 0.7, True),)),
    )
    history.collect_history(SITE, project_id)
    again = history.load_history(SITE, project_id)
    assert again
    assert again.documents == first.documents
    assert b"12.00" not in SiteFiles(SITE).read(files.review_history(project_id))


def address(project_id: str, name: str = "show-thresholds") -> str:
    return reverse(f"workflows:{name}", args=[project_id])


def stored(project_id: str) -> Project:
    return project_queries.get_project(SITE, project_id)


def test_the_page_says_that_reviews_are_collected_until_they_are(pump: Pump) -> None:
    project_id, admin, htmx = project(), signed_in(alice()), signed_in(alice(), htmx=True)
    reviewed(project_id, 0.7, "13.00")
    for _ in range(2):  # the second press joins the first
        assert admin.post(address(project_id, "collect-reviews")).status_code == 302
    page = one_line(admin.get(address(project_id)).content)
    assert "Collecting reviews. Runs started earlier go first." in page
    assert ("<h2>Collecting reviews</h2>" in page, "Nothing collected yet" in page) == (True, False)
    waits = f"{address(project_id)}?collecting=first"
    assert waits in page
    assert waits in one_line(htmx.get(waits).content)
    pump.hold = lambda message: not message.task.endswith("collect_history")
    pump.run(lambda: pump.ran("collect_history") == 1)
    pump.run(idle=0.3)
    assert pump.ran("collect_history") == 1
    assert htmx.get(waits)["HX-Refresh"] == "true"
    page = one_line(admin.get(address(project_id)).content)
    assert ("1 reviewed document, collected" in page, "Collecting" in page) == (True, False)
    admin.post(address(project_id, "collect-reviews"))
    again = f"{address(project_id)}?collecting=again"
    assert again in one_line(admin.get(address(project_id)).content)
    pump.run(lambda: pump.ran("collect_history") == 2)
    done = one_line(htmx.get(again).content)
    assert ("Reviews collected." in done, "hx-trigger" in done) == (True, False)


def test_the_page_says_why_reviews_were_not_collected() -> None:
    project_id, admin = project(), signed_in(alice())
    with mock.patch.object(queues, "enqueue", side_effect=Unavailable("Away")):
        admin.post(address(project_id, "collect-reviews"))
    assert "No worker is available. Nothing was collected" in one_line(admin.get(address(project_id)).content)
    first = collecting.begin_collecting(SITE, project_id)
    with mock.patch.object(history, "collect_history", side_effect=Refused("Too many.")):
        tasks.collect_history(site=SITE, project_id=project_id, order_id=first)
    assert "Too many." in one_line(admin.get(address(project_id)).content)
    lost = collecting.begin_collecting(SITE, project_id)
    assert not collecting.begin_collecting(SITE, project_id)
    with mock.patch.object(collecting, "LONGEST_SECONDS", 0):
        assert "its worker was lost" in one_line(admin.get(address(project_id)).content)
        assert collecting.begin_collecting(SITE, project_id)
    collecting.end_collecting(SITE, project_id, lost)
    assert collecting.find_collecting(SITE, project_id).is_under_way


def test_the_page_simulates_by_get_and_saves_what_it_simulated() -> None:
    project_id, admin = project(), signed_in(alice())
    assert "Nothing collected yet" in one_line(admin.get(address(project_id)).content)
    reviewed(project_id, 0.7, "13.00")
    reviewed(project_id, 0.9, None)
    history.collect_history(SITE, project_id)
    with count_calls() as calls:
        page = one_line(admin.get(address(project_id)).content)
    assert sorted(calls.names()) == ["dynamodb.GetItem", "dynamodb.GetItem", "s3.GetObject"]
    assert "50 % <small>now 50 %</small>" in page
    lower = one_line(
        admin.get(address(project_id), {"threshold": "60", "was": "80", "slide": "80", "seconds": "72"}).content
    )
    assert "0 % <small>now 50 %</small>" in lower
    assert "1 <small>of 1, now 0</small>" in lower
    assert "Hours of review saved" in lower
    assert "10.0 <small>for 1,000 documents</small>" in lower
    own = {"threshold": "60", "field-total": "95", "seconds": "72"}
    higher = one_line(admin.get(address(project_id), own).content)
    assert "100 % <small>now 50 %</small>" in higher
    assert "Hours of review added" in higher
    wrong = admin.get(address(project_id), {"threshold": "many", "seconds": "72"})
    assert wrong.status_code == 422
    assert "Enter a number from 0 to 100" in one_line(wrong.content)
    seen = higher.split('name="seen" value="')[1].split('"')[0]
    saved = admin.post(address(project_id, "save-thresholds"), {**own, "seen": seen})
    assert saved.status_code == 302
    settings = stored(project_id).settings
    assert settings.default_threshold == 0.6
    assert {one.name: one.threshold for one in settings.fields if one.threshold} == {"total": 0.95}
    clash = admin.post(address(project_id, "save-thresholds"), {**own, "threshold": "70", "seen": seen})
    assert clash.status_code == 409
    assert "changed Review threshold" in one_line(clash.content)
    assert signed_in(bob()).get(address(project_id)).status_code == 403


def test_of_slider_and_number_the_one_that_moved_counts() -> None:
    settings = stored(project()).settings

    def chosen(**typed: str) -> Any:
        return ThresholdForm({"seconds": "90", **typed}, settings)["threshold"].value()

    assert chosen(threshold="80", was="80", slide="65") == "65"
    assert chosen(threshold="85.5", was="85.5", slide="86") == "85.5"
    assert chosen(threshold="70", was="80", slide="80") == "70"
    assert chosen(threshold="nothing", was="80", slide="80") == "nothing"


def test_a_field_has_a_slider_and_follows_the_default_until_it_is_moved() -> None:
    settings = stored(project()).settings

    def chosen(**typed: str) -> tuple[Any, Any, Any]:
        form = ThresholdForm(
            {"seconds": "90", **{name.replace("_", "-"): one for name, one in typed.items()}}, settings
        )
        return tuple(form[name].value() for name in ("threshold", "field-total", "slide-total"))

    shown = {"threshold": "80", "was": "80", "slide": "80", "field_total": "", "was_total": ""}
    assert chosen(**shown, slide_total="80") == ("80", "", "80")
    assert chosen(**shown, slide_total="95") == ("80", "95", "95")
    assert chosen(**{**shown, "slide": "60"}, slide_total="80") == ("60", "", "60")
    own = {**shown, "field_total": "95", "was_total": "95"}
    assert chosen(**own, slide_total="90") == ("80", "90", "90")
    assert chosen(**{**own, "field_total": "70"}, slide_total="95") == ("80", "70", "70")
    assert chosen(**{**own, "field_total": ""}, slide_total="95") == ("80", "", "80")
    assert chosen(**{**own, "field_total": "92.5", "was_total": "92.5"}, slide_total="92") == ("80", "92.5", "92")

"""A personal value is in no answer to who may not see it: every address is asked, of a review and of a result."""

import io
import json
from dataclasses import replace
from typing import Any

import pytest
from django.http.response import HttpResponseBase
from django.test import Client
from PIL import Image, ImageDraw

from projects.audit.events import Actor
from projects.settings import actions as project_actions
from projects.settings import merging
from projects.settings import queries as project_queries
from projects.settings.values import FieldSetting
from projects.sites import api_keys
from projects.sites.actions import Grant, save_grants
from projects.sites.permissions import EVERYTHING, NOTHING, Permission
from tests.factories import sample_files
from tests.flow.test_url_roles import TABLE
from tests.flow.urls import pages, world
from tests.people import alice, charlie, person, signed_in
from tests.pump import Pump
from tests.workflows.search import published
from workflows.runs.actions import segments
from workflows.runs.items import Run
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.django_db
MARKER = "Quagmire4711"
SITE, BY = "default", Actor("1", "Rosa Marin")
WIDTH, HEIGHT = 400, 200
BOX = [0.25, 0.4, 0.5, 0.5]  # of the word on the page
AGAIN = [0.6, 0.8, 0.9, 0.9]  # where it stands once more


def fields(*, personal: bool) -> tuple[FieldSetting, ...]:
    return (FieldSetting("company", "Company", "text", personal=personal), FieldSetting("total", "Total", "amount"))


def save(project_id: str, *wanted: FieldSetting) -> None:
    stored = project_queries.get_project(SITE, project_id)
    settings = replace(stored.settings, fields=wanted)
    seen = merging.digest_settings(stored.settings, stored.version)
    project_actions.update_project(SITE, project_id, settings, seen=seen, by=BY)


def mark(project_id: str, *, personal: bool = True) -> None:
    save(project_id, *fields(personal=personal))


@pytest.fixture
def known(pump: Pump) -> dict[str, Any]:
    found = world(SITE, company=MARKER)
    mark(found["project_id"])
    save_grants(SITE, [Grant("clerks", NOTHING, EVERYTHING - {Permission.PERSONAL}, 0)], by=BY)
    return found


@pytest.fixture
def run(known: dict[str, Any]) -> Run:
    """A published one of the same project."""
    run = published.publish(f"Dear {MARKER}, you owe 33.90.", project_id=known["project_id"])
    store = DocumentFiles(SITE, run.project_id, run.document_id)
    company = {
        "name": "company", "label": "Company", "type": "text", "value": f"{MARKER} Ltd", "raw": f"{MARKER} LTD",
        "confidence": 0.9, "page": 0, "box": BOX, "source": "reviewer", "extracted": f"{MARKER}s",
    }  # fmt: skip
    total = {**company, "name": "total", "label": "Total", "type": "amount", "value": "33.90", "raw": "33.90"}
    total |= {"extracted": None, "source": "rules", "box": None}
    change = {"field": "company", "label": "Company", "before": f"{MARKER}s", "after": f"{MARKER} Ltd"}
    change |= {"by": {"id": "1", "name": "Rosa"}, "at": "2026-11-23T12:00:00+00:00"}
    result = {"fields": [{**company, "value": f"{MARKER}s"}, total]}
    output = {"fields": [company, total], "decision": {"changes": [change], "unseen": []}}
    words = [{"text": "Dear", "box": [0, 0.4, 0.2, 0.5]}, {"text": f"{MARKER},", "box": BOX}]
    words.append({"text": MARKER.upper(), "box": AGAIN})
    segment = {"segment_index": 0, "text_content": f"Dear {MARKER}, you owe 33.90.", "words": words, "image_uri": "x"}
    summary = {"document_summary": f"A letter to {MARKER}."}
    quoted = [{"segment_index": 0, "qa_index": 0, "context": f"Dear {MARKER}, you owe 33.90."}]
    named = {"id": "e1", "name": MARKER, "type": "person", "mentions": 1, "mentioned_in": quoted}
    graph = {"entities": [named, {**named, "id": "e2", "name": "33.90", "type": "amount"}], "relations": []}
    for name, content in (
        (files.result(run.workflow_id), result), (files.output(run.workflow_id), output), (files.segment(0), segment),
        (files.SUMMARY, summary), (files.GRAPH, graph),
    ):  # fmt: skip
        store.write(name, json.dumps(content).encode(), "application/json")
    store.write(files.page_image(0), picture(), "image/png")
    segments.write(run, 1)
    published.hear(run)
    return run


def picture() -> bytes:
    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(image)
    for left, top, right, bottom in (BOX, AGAIN, [0, 0.4, 0.2, 0.5]):
        draw.rectangle((left * WIDTH, top * HEIGHT, right * WIDTH, bottom * HEIGHT), fill="red")
    made = io.BytesIO()
    image.save(made, "PNG")
    return made.getvalue()


def clerk() -> Client:
    """May do everything but see personal data."""
    return signed_in(person("clara", "Clerk", "clerks"))


def body_of(answer: HttpResponseBase) -> bytes:
    return b"".join(answer) if answer.streaming else answer.content  # type: ignore[attr-defined]


def leaks(browser: Client, known: dict[str, Any], *, method: str = "GET") -> list[str]:
    found = []
    for page in pages():
        if method not in TABLE[page.name] or page.name.startswith(("admin", "api", "logout")):
            continue
        for headers in ({}, {"hx-request": "true"}):
            path = page.path(known | ({"field": "company"} if page.name == "workflows:export-table" else {}))
            answer = browser.generic(method, path, content_type="application/x-www-form-urlencoded", headers=headers)
            if MARKER.encode() in body_of(answer):
                found.append(f"{method} {page.name} {answer.status_code} {headers}")
    return found


@pytest.mark.wide
def test_no_page_shows_a_personal_value_of_a_review_to_who_may_not_see_it(known: dict[str, Any]) -> None:
    assert leaks(clerk(), known) == []
    assert leaks(signed_in(charlie()), known) == []
    assert leaks(clerk(), known, method="POST") == []


@pytest.mark.wide
def test_no_page_shows_a_personal_value_of_a_result_to_who_may_not_see_it(known: dict[str, Any], run: Run) -> None:
    known |= {"document_id": run.document_id, "workflow_id": run.workflow_id, "run_id": run.workflow_id}
    assert leaks(clerk(), known) == []
    assert leaks(signed_in(charlie()), known) == []
    assert leaks(clerk(), known, method="POST") == []


@pytest.mark.wide
def test_who_may_see_it_sees_it_and_every_page_would_be_found(known: dict[str, Any], run: Run) -> None:
    known |= {"document_id": run.document_id, "workflow_id": run.workflow_id, "run_id": run.workflow_id}
    seen = {line.split()[1] for line in leaks(signed_in(alice()), known)}
    assert {"workflows:show-segment", "workflows:show-about"} <= seen
    assert "workflows:show-result" not in seen  # masked until it is asked for


def at(run: Run, more: str = "") -> str:
    return f"/workflows/{run.document_id}/{run.workflow_id}/{more}"


def test_what_is_masked_is_there_without_its_length(run: Run) -> None:
    text = clerk().get(at(run, "result/")).content.decode()
    assert text.count("•••") == 3  # the value, and before and after of its change
    assert "33.90" in text
    assert "Dear •••, you owe 33.90." in clerk().get(at(run, "segments/0/")).content.decode()
    assert "A letter to •••." in clerk().get(at(run, "about/")).content.decode()


def test_values_are_shown_on_request_and_that_is_recorded(run: Run) -> None:
    ada = signed_in(alice())
    assert "Show personal data" in ada.get(at(run, "result/")).content.decode()
    assert ada.get(at(run, "result/personal/")).status_code == 405
    answer = ada.post(at(run, "result/personal/"))
    assert f"{MARKER} Ltd" in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    activity = ada.get(f"/documents/{run.document_id}/activity/").content.decode()
    assert "Personal data shown by Alice Novak" in " ".join(activity.split())
    assert "Company: hidden → <b>shown</b>" in " ".join(activity.split())
    refused = clerk().post(at(run, "result/personal/"))
    assert (refused.status_code, MARKER in refused.content.decode()) == (403, False)


def test_the_audit_is_masked_until_it_is_asked_for(known: dict[str, Any]) -> None:
    ada, url = signed_in(alice()), f"/settings/audit/?document={known['document_id']}"
    text = ada.get(url).content.decode()
    assert (MARKER in text, "•••" in text, "Show personal data" in text) == (False, True, True)
    assert MARKER in ada.post(url).content.decode()
    assert "Personal data shown" in ada.get(url).content.decode()
    assert clerk().post(url).status_code == 403
    assert MARKER not in body_of(ada.get("/settings/audit/export.csv")).decode()


def test_a_search_finds_no_masked_value(run: Run) -> None:
    for query in (MARKER, MARKER[:5], "owe", f'"{MARKER} Ltd"'):
        for path in (f"/search/?q={query}", f"/api/v1/search?q={query}"):
            browser = program(Permission.READ) if "api" in path else clerk()
            text = browser.get(path).content.decode()
            assert run.document_id not in text, path
    name = sample_files()[0].stem
    assert run.document_id in clerk().get(f"/search/?q={name}").content.decode()


def test_a_search_shows_no_personal_value_to_who_may_see_them_as_that_is_not_recorded(run: Run) -> None:
    page = signed_in(alice()).get(f"/search/?q={MARKER}").content.decode()
    assert run.document_id in page
    assert "Matches may be personal data" in page
    assert MARKER not in page.partition("search-results")[2]
    (hit,) = program(Permission.READ, Permission.PERSONAL).get(f"/api/v1/search?q={MARKER}").json()["items"]
    assert hit["document_id"] == run.document_id
    assert {(one["text"], *one["found"]) for one in hit["places"]} == {("•••",)}
    name = sample_files()[0].stem
    assert f"<mark>{name}</mark>" in signed_in(alice()).get(f"/search/?q={name}").content.decode()


def program(*permissions: Permission) -> Client:
    _, key = api_keys.create_api_key(SITE, "Scanner", permissions, by=BY)
    return Client(headers={"Authorization": f"Bearer {key}"})


def test_a_program_sees_personal_values_if_its_key_may(run: Run) -> None:
    path = f"/api/v1/documents/{run.document_id}/runs/{run.workflow_id}/result"
    company, total = program(Permission.READ).get(path).json()["fields"]
    assert (company["value"], company["masked"], company["box"]) == ("•••", True, None)
    assert (total["value"], total["masked"]) == ("33.90", False)
    company, _ = program(Permission.READ, Permission.PERSONAL).get(path).json()["fields"]
    assert (company["value"], company["masked"]) == (f"{MARKER} Ltd", False)
    testsets = f"/api/v1/projects/{run.project_id}/test-sets"
    assert program(Permission.READ, Permission.ADMIN).get(testsets).status_code == 403


def colours(answer: HttpResponseBase) -> list[tuple[int, int, int]]:
    """In the middle of the word, of the word where it stands again, and of another word."""
    image = Image.open(io.BytesIO(body_of(answer))).convert("RGB").resize((WIDTH, HEIGHT))
    return [
        image.getpixel((int((x0 + x1) / 2 * WIDTH), int((y0 + y1) / 2 * HEIGHT)))  # type: ignore[misc]
        for x0, y0, x1, y1 in (BOX, AGAIN, [0, 0.4, 0.2, 0.5])
    ]


@pytest.mark.wide
@pytest.mark.parametrize("size", ["", "?size=page", "?size=zoom", "?size=thumb"])
def test_a_page_image_is_painted_over_wherever_the_words_stand(run: Run, size: str) -> None:
    url = f"/workflows/{run.project_id}/{run.document_id}/pages/0.png{size}"
    mine = clerk().get(url)
    word, again, other = colours(mine)
    assert max(word) < 90
    assert max(again) < 90
    assert other[0] > 200
    assert mine["Cache-Control"] == "private, no-store"
    whole = signed_in(alice()).get(url)
    assert all(one[0] > 200 for one in colours(whole))


def test_a_page_image_is_closed_while_it_is_not_known_what_is_personal(known: dict[str, Any], run: Run) -> None:
    url = f"/workflows/{known['project_id']}/{known['document_id']}/pages/0.png"
    assert clerk().get(url).status_code == 403  # its result is not published
    save(run.project_id, *fields(personal=True), FieldSetting("ssn", "SSN", "text", personal=True))
    assert clerk().get(f"/workflows/{run.project_id}/{run.document_id}/pages/0.png").status_code == 403


def test_a_field_that_was_removed_stays_personal(known: dict[str, Any], run: Run) -> None:
    save(run.project_id, *fields(personal=True)[1:])
    assert project_queries.get_project(SITE, run.project_id).personal_fields == {"company"}
    assert MARKER not in clerk().get(at(run, "result/")).content.decode()
    mark(run.project_id, personal=False)
    assert MARKER in clerk().get(at(run, "result/")).content.decode()


def test_who_may_not_see_them_reviews_no_document_with_personal_fields(known: dict[str, Any]) -> None:
    browser = clerk()
    at_desk = f"/review/{known['document_id']}/{known['review_id']}/"
    assert browser.get(at_desk).status_code == 403
    assert browser.post(f"{at_desk}claim/").status_code == 403
    assert browser.post("/review/next/")["Location"] == "/review/"
    queue = browser.get("/review/?text=55").content.decode()
    assert known["review_id"] not in queue  # a reason may repeat a value: none is searched
    assert "Personal data: you cannot review this" in browser.get("/review/").content.decode()

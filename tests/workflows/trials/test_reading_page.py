"""A page is read by several OCR models: each once, beside each other, and nothing of it becomes a run or an event."""

import datetime as dt
import json
import re
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest

from config import aws, clock
from config.brokers import queues
from config.errors import Conflict, Refused, Unavailable
from projects.models import actions as model_actions
from projects.models import setup
from projects.models.spec import BUILT_IN_OCR, OcrSpec
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.projects.models.catalogue import ADA
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.workflows.providers.test_page_engines import model, served
from tests.workflows.trials.reading import SITE, read_run
from workflows.providers import actions as provider_actions
from workflows.providers import page_readers
from workflows.runs import queries as run_queries
from workflows.runs.items import Run
from workflows.stages.pages.layout import Line, Word
from workflows.storage import files
from workflows.trials import actions, queries, trying
from workflows.trials.items import Trial
from workflows.trials.queries import PageRef, TrialRef
from workflows.trials.readings import Reading, compare_readings, find_differing, order_lines

pytestmark = [pytest.mark.usefixtures("table"), pytest.mark.django_db]


@pytest.fixture(autouse=True)
def forgotten() -> None:
    provider_actions.forget_provider_state()


def add_fine(**changes: Any) -> OcrSpec:
    spec = replace(BUILT_IN_OCR["pp-ocrv5"], **{"id": "fine", "name": "Fine <b>", "dpi": 200, **changes})
    model_actions.create_model(SITE, spec, by=ADA)
    return spec


def at(run: Run, rest: str = "") -> str:
    return f"/projects/{run.project_id}/read-page/{rest}"


def start(run: Run, *specs: OcrSpec) -> TrialRef:
    return actions.start_reading(SITE, run.project_id, PageRef(run.document_id, 0), specs, by=ADA)


@pytest.mark.wide
def test_a_second_press_joins_the_reading_that_is_under_way(pump: Pump) -> None:
    run, fine = read_run(pump), add_fine()
    first = start(run, fine)
    actions.claim_trial(first, owner="m1")
    assert (start(run, fine), queries.get_trial(first).owner) == (first, "m1")
    assert start(run, BUILT_IN_OCR["pp-ocrv5"], fine) != first
    with mock.patch.object(trying, "read_page_once", wraps=trying.read_page_once) as read:
        trying.do_trial(first, owner="m1")
        assert start(run, fine) == first  # it has ended: begun anew, and what was read is given again
        trying.do_trial(first, owner="m2")
    assert (read.call_count, queries.get_trial(first).status) == (1, "done")
    again = [
        signed_in(alice()).post(
            at(run, "start/"), {"document": run.document_id, "page": "1", "models": ["fine", "pp-ocrv5"]}
        )
        for _ in range(2)
    ]
    assert again[0]["Location"] == again[1]["Location"]


def reading_of(ref: TrialRef, run: Run, model_id: str) -> Reading:
    name = queries.get_trial(ref).readings.as_dict()[model_id]
    return queries.read_reading(ref, run.document_id, name)


@pytest.mark.wide
def test_readings_stand_beside_each_other_with_the_words_that_differ(pump: Pump, settings: Any) -> None:
    run, browser = read_run(pump), signed_in(alice())
    add_fine()
    with model((200, served(("Total due", "9.OO"), ((100, 200, 380, 240), (100, 300, 200, 340))))) as (url, asked):
        settings.OCR_ENDPOINT_URL = url
        started = browser.post(
            at(run, "start/"),
            {"document": run.document_id, "page": "1", "models": ["pp-ocrv5", "fine", "endpoint"]},
        )
        address = started["Location"]
        waiting = one_line(browser.get(address).content)
        assert "Waiting for a worker" in waiting
        assert 'hx-trigger="every 2s"' in waiting
        pump.run(lambda: "every 2s" not in one_line(browser.get(address).content), seconds=120)
        done = one_line(browser.get(address).content)
    assert len(asked) == 1
    for words in ("read by 3 models", "Alder &amp; Quill", "<mark>9.OO</mark>", "200 dpi", "free", "no price set",
                  "Fine &lt;b&gt;", "Words of PP-OCR (built-in)"):  # fmt: skip
        assert words in done
    assert "Words of Custom model endpoint" in one_line(browser.get(f"{address}?boxes=endpoint").content)
    assert url.split("/")[2] not in done


@pytest.mark.wide
def test_nothing_of_it_becomes_a_run_or_an_event_and_the_same_is_read_once(pump: Pump) -> None:
    run = read_run(pump)
    before = _traces(run)
    first, second = (start(run, BUILT_IN_OCR["pp-ocrv5"], add_fine()), start(run, BUILT_IN_OCR["pp-ocrv5"]))
    trying.do_trial(first, owner="m1")
    with mock.patch.object(trying, "read_page_once", side_effect=AssertionError):
        trying.do_trial(second, owner="m2")
        trying.do_trial(first, owner="m1")  # delivered twice
    assert queries.get_trial(second).status == "done"
    assert reading_of(first, run, "pp-ocrv5") == reading_of(second, run, "pp-ocrv5")
    assert _traces(run) == before


def _traces(run: Run) -> list[list[str]]:
    runs = [str(one.SK) for one in run_queries.document_workflows(SITE, run.document_id).rows]
    return [runs, [str(one.SK) for one in run_queries.lineage(SITE, run.document_id).rows]]


@pytest.mark.wide
def test_a_model_that_cannot_read_says_so_and_the_others_read(pump: Pump, settings: Any) -> None:
    settings.OCR_ENDPOINT_URL = ""
    run = read_run(pump)
    ref = start(run, BUILT_IN_OCR["endpoint"], BUILT_IN_OCR["pp-ocrv5"])
    trying.do_trial(ref, owner="m1")
    assert "COUNTERSIGN_OCR_ENDPOINT_URL" in reading_of(ref, run, "endpoint").problem
    assert reading_of(ref, run, "pp-ocrv5").words
    page = one_line(signed_in(alice()).get(at(run, f"{ref.trial_id}/")).content)
    assert "COUNTERSIGN_OCR_ENDPOINT_URL" in page
    assert "Total" in page


@pytest.mark.wide
def test_a_worker_that_was_lost_leaves_what_it_read_to_the_next(pump: Pump) -> None:
    run = read_run(pump)
    ref = start(run, BUILT_IN_OCR["pp-ocrv5"], add_fine())
    inner, asked = page_readers.read_page_once, []

    def once(*args: Any, **kwargs: Any) -> Any:
        asked.append(1)
        if len(asked) == 2:
            raise Unavailable("S3 does not answer.")
        return inner(*args, **kwargs)

    with mock.patch.object(trying, "read_page_once", once):
        with pytest.raises(Unavailable):
            trying.do_trial(ref, owner="m1")
        trying.do_trial(ref, owner="m2")  # another message: it is not free
        assert len(asked) == 2
        trying.do_trial(ref, owner="m1")
    assert len(asked) == 3
    with pytest.raises(Conflict):
        actions.record_reading(ref, "fine", "x", owner="m2")


@pytest.mark.wide
def test_it_is_charged_to_the_projects_month(pump: Pump, settings: Any) -> None:
    settings.PRICES = {"endpoint": {"*": {"page": 0.5}}}
    run = read_run(pump)
    with model((200, served())) as (url, _):
        settings.OCR_ENDPOINT_URL = url
        ref = start(run, BUILT_IN_OCR["endpoint"], BUILT_IN_OCR["pp-ocrv5"])
        trying.do_trial(ref, owner="m1")
    assert reading_of(ref, run, "endpoint").money == "$0.50"


def test_a_page_and_models_are_chosen(pump: Pump, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aws, "provider_credentials", lambda: True)
    settings.OCR_ENDPOINT_URL = "http://127.0.0.1:1"
    run, browser = read_run(pump), signed_in(alice())
    page = one_line(browser.get(f"{at(run)}?document={run.document_id}&page=1").content)
    for words in ("PP-OCR (built-in) · free", "Amazon Textract · $0.07", "Custom model endpoint · no price set"):
        assert words in page
    typed = {"document": run.document_id, "page": "1", "models": ["pp-ocrv5", "tesseract"]}
    for changes, words in (
        ({"models": []}, "Select 2 to 4 models."),
        ({"models": ["pp-ocrv5"]}, "Select 2 to 4 models."),
        ({"models": ["pp-ocrv5", "evil"]}, "Select models from the list."),
        ({"page": "9"}, "This document has 1 page."),
        ({"page": "²"}, "Enter a page number."),
    ):
        answer = browser.post(at(run, "start/"), {**typed, **changes})
        assert answer.status_code == 422
        assert words in one_line(answer.content)
    assert "No documents match" in one_line(browser.get(f"{at(run)}?find=nothing+so").content)


@pytest.mark.wide
@pytest.mark.parametrize(
    ("installed", "own", "selected"),
    [
        (True, False, ["pp-ocrv5", "tesseract"]),
        (False, False, ["pp-ocrv5"]),  # Textract would cost something
        (False, True, ["pp-ocrv5", "fine"]),
    ],
)
def test_what_is_selected_first_is_there_and_costs_nothing(
    pump: Pump, settings: Any, installed: bool, own: bool, selected: list[str]
) -> None:
    settings.OCR_ENDPOINT_URL = ""
    run = read_run(pump)
    if own:
        add_fine()
    with mock.patch.object(setup.shutil, "which", return_value="/usr/bin/tesseract" if installed else None):
        page = one_line(signed_in(alice()).get(at(run)).content)
    boxes = re.findall(r"<input type=.checkbox[^>]*>", page)
    assert [one for one in boxes if " checked" in one] == [
        one for one in boxes if any(f'value="{name}"' in one for name in selected)
    ]
    disabled = [one for one in boxes if " disabled" in one]
    unready = [*([] if installed else ["tesseract"]), "textract", "endpoint"]
    assert [re.findall(r'value="(.*?)"', one) for one in disabled] == [[one] for one in unready]
    assert "Amazon Textract · credentials missing" in page
    assert "Select 2 to 4 models." not in page
    assert "Custom model endpoint · endpoint not set up" in page
    assert ("Tesseract (built-in) · not installed" in page) is not installed


def test_on_workers_elsewhere_only_pp_ocr_is_known_to_be_there(settings: Any) -> None:
    settings.ON_LAPTOP = False
    sure = [one.id for one in BUILT_IN_OCR.values() if setup.surely_reads_here(one)]
    assert sure == ["pp-ocrv5"]


def test_the_page_of_a_run_leads_to_it_for_admins_alone(pump: Pump) -> None:
    run = read_run(pump)
    address = f"/workflows/{run.document_id}/{run.workflow_id}/segments/0/"
    link = f"{at(run)}?document={run.document_id}&amp;page=1"
    segment = signed_in(alice()).get(address)
    assert segment.status_code == 200, address
    assert link in one_line(segment.content)
    assert link not in one_line(signed_in(bob()).get(address).content)


def test_what_has_no_page_image_is_refused(pump: Pump) -> None:
    run = read_run(pump)
    page = trying.open_page(SITE, run.project_id, PageRef(run.document_id, 0))
    page.store.write(files.page_image(0), b"torn", "image/png")
    ref = start(run, BUILT_IN_OCR["pp-ocrv5"], BUILT_IN_OCR["textract"])
    trying.do_trial(ref, owner="m1")
    assert "page image cannot be read" in str(queries.get_trial(ref).error)
    with (
        mock.patch.object(trying.file_kinds, "has_pages", return_value=False),  # as of a text
        pytest.raises(Refused, match="no page images yet"),
    ):
        trying.open_page(SITE, run.project_id, PageRef(run.document_id, 0))


def test_other_people_projects_and_sites_see_nothing_of_it(pump: Pump) -> None:
    run = read_run(pump)
    ref = start(run, BUILT_IN_OCR["pp-ocrv5"], BUILT_IN_OCR["textract"])
    assert signed_in(bob()).get(at(run, f"{ref.trial_id}/")).status_code == 403
    Trial.change(ref.key, [Trial.purpose.set("extract")], Trial.status == "asked")  # of a prompt
    assert signed_in(alice()).get(at(run, f"{ref.trial_id}/")).status_code == 404
    Trial.change(ref.key, [Trial.purpose.set(queries.READ)], Trial.status == "asked")
    other = make_project()
    admin = signed_in(alice())
    assert admin.get(f"/projects/{other.id}/read-page/{ref.trial_id}/").status_code == 404
    assert admin.get(f"/projects/{other.id}/read-page/?document={run.document_id}").status_code == 404
    typed = {"document": run.document_id, "page": "1", "models": ["pp-ocrv5", "textract"]}
    assert admin.post(f"/projects/{other.id}/read-page/start/", typed).status_code in {404, 422}


def test_a_lost_worker_and_a_missing_queue_are_said(pump: Pump, monkeypatch: pytest.MonkeyPatch) -> None:
    run, browser = read_run(pump), signed_in(alice())

    def refuse(*_: Any) -> None:
        raise Unavailable("The queue does not answer.")

    monkeypatch.setattr(queues, "enqueue", refuse)
    typed = {"document": run.document_id, "page": "1", "models": ["pp-ocrv5", "textract"]}
    assert "No worker is available" in one_line(browser.post(at(run, "start/"), typed, follow=True).content)
    ref = start(run, BUILT_IN_OCR["pp-ocrv5"], BUILT_IN_OCR["textract"])
    long_ago = clock.iso(clock.now() - dt.timedelta(seconds=queries.LONGEST_SECONDS + 1))
    Trial.change(ref.key, [Trial.created_at.set(long_ago)], Trial.status == "asked")
    assert "its worker was lost" in one_line(browser.get(at(run, f"{ref.trial_id}/")).content)


def _reading(*texts: str, problem: str = "") -> Reading:
    lines = tuple(
        Line(0, tuple(Word(word, (0.1 * i, 0.1 * row, 0.1 * i + 0.05, 0.1 * row + 0.05), 0.9)
                      for i, word in enumerate(text.split())))
        for row, text in enumerate(texts)
    )  # fmt: skip
    return Reading(lines, 1.0, 0, problem)


def test_words_are_compared_with_the_first_reading() -> None:
    first, second, failed, third = compare_readings(
        [_reading("Total 9.00", "Thanks"), _reading("Total 9.OO", "Thanks"), _reading(problem="No."), None]
    )
    assert first is not None
    assert second is not None
    assert failed is not None
    assert third is None
    marked = [[word.text for line in one.lines for word in line.words if word.differs] for one in (first, second)]
    assert marked == [["9.00"], ["9.OO"]]
    assert (first.differing, failed.differing) == (1, 0)


def test_pages_that_repeat_a_word_too_often_are_compared_without_its_place() -> None:
    many = ["the"] * 700
    assert find_differing([*many, "a"], [*many, "b"]) == ({700}, {700})


def test_lines_are_ordered_as_a_person_reads() -> None:
    (low, high) = _reading("High", "Low").lines[::-1]
    assert [line.text for line in order_lines([low, high], 0.0)] == ["High", "Low"]
    assert json.dumps(order_lines([], 0.0)) == "[]"


def test_the_models_page_leads_to_it_by_way_of_a_project() -> None:
    browser = signed_in(alice())
    assert 'href="/read-page/"' in one_line(browser.get("/settings/models/").content)
    assert "No projects yet" in one_line(browser.get("/read-page/").content)
    first = make_project("First")
    assert browser.get("/read-page/")["Location"] == f"/projects/{first.id}/read-page/"
    second = make_project("Second <b>")
    page = one_line(browser.get("/read-page/").content)
    for one, name in ((first, "First"), (second, "Second &lt;b&gt;")):
        assert f'<a class="truncate" href="/projects/{one.id}/read-page/">{name}</a>' in page
    assert signed_in(bob()).get("/read-page/").status_code == 403

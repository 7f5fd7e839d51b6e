import datetime as dt
from types import SimpleNamespace

import pytest
from django.core.cache import cache
from django.http import QueryDict

from config import clock
from config.transaction import EXISTS
from projects.documents.items import DocumentStatus
from tests.aws_faults import count_calls
from tests.each import each
from tests.factories import PROJECT_ID, start_run
from tests.html import one_line
from tests.people import charlie, dora, signed_in
from tests.projects.make_queues import make_queue
from tests.workflows.advancing import waiting
from tests.workflows.insight.rollups import add_figures
from workflows.engine import joins
from workflows.insight.figures import bucket_of, join_name
from workflows.insight.queries import Scope
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.items import WorkflowSteps
from workflows.runs.views.runs import Filters, find_cause, list_details
from workflows.stages.base import SliceResult

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


@pytest.fixture(autouse=True)
def nothing_is_usual():
    cache.clear()


def read(url: str) -> str:
    return one_line(signed_in(charlie()).get(url).content)


def run_url(run) -> str:
    return f"/workflows/{run.document_id}/{run.workflow_id}/"


def test_machine_work_and_waiting_reviews_stand_apart_the_longest_first():
    first, second, asked = start_run(), start_run(), waiting(start_run())
    running, needs = read("/?state=running"), read("/?state=in_review")
    assert running.index(run_url(first)) < running.index(run_url(second))
    assert run_url(asked) not in running
    assert run_url(asked) in needs
    assert run_url(first) not in needs
    assert "Segment Prep" in running
    assert 'hx-trigger="every 4s"' in running
    assert "every 4s" not in needs


@pytest.mark.wide
def test_a_list_costs_a_query_its_documents_and_boards_its_count_and_the_queues():
    start_run(), waiting(start_run())
    browser = signed_in(charlie())
    calls = {}
    for name, state in (("first", "running"), ("running", "running"), ("waiting", "in_review")):
        with count_calls() as seen:
            browser.get(f"/?state={state}&project={PROJECT_ID}")
        calls[name] = seen.names()
    assert calls["running"] == ["dynamodb.Query", "dynamodb.BatchGetItem", "dynamodb.Query", "dynamodb.Query"]
    assert calls["first"] == [*calls["running"], "dynamodb.Query"]  # what is usual, once a minute
    assert calls["waiting"] == calls["running"]


def test_boards_of_a_list_have_the_state_of_the_steps_that_are_asked_for():
    run = waiting(start_run())
    named = [run.workflow_id], [run.document_id]
    whole = queries.board(run.site, run.workflow_id)
    step = str(whole.current_step)
    boards = queries.read_around(run.site, *named, {step}).boards
    assert boards[run.workflow_id].data.as_dict() == {step: whole.data.as_dict()[step]}


def test_a_run_that_moved_on_since_its_list_was_read_is_shown_since_its_last_change():
    run = waiting(start_run())
    row = queries.board(run.site, run.workflow_id)
    began = row.data.as_dict()[str(row.current_step)]["started_at"]
    assert list_details(run.site, [row], {run.workflow_id})[run.workflow_id].step_since == began
    row.current_step = "segment_prep_of_before"
    assert list_details(run.site, [row], {run.workflow_id})[run.workflow_id].step_since == row.updated_at


def test_a_row_names_who_uploaded_its_document():
    start_run(), waiting(start_run())
    for state in ("running", "in_review"):
        (row,) = signed_in(charlie()).get(f"/?state={state}").context["rows"]
        assert row.owner == "test"


def test_waiting_reviews_stand_on_the_overview_and_machine_work_apart_from_them():
    waiting(start_run())
    asked = 'hx-get="/review/waiting/" hx-trigger="load, every 60s"'
    assert asked in read("/")
    assert asked in read("/?state=in_review")
    assert asked not in read("/?state=running")


@each(
    ("asked", "there"),
    [
        ("", True), ("&step=segment_prep", True), ("&step=publish", False), ("&older=10m", False),
        (f"&project={PROJECT_ID}", True), ("&project=proj_other", False), ("&older=never&step=odd", True),
    ],
)  # fmt: skip
def test_filters_are_kept_in_the_address(asked, there):
    run = start_run()
    page = read(f"/?state=running{asked}")
    assert (run_url(run) in page) is there
    assert ("No runs match" in page) is not there


def test_a_form_shows_what_is_chosen_and_a_way_back():
    start_run()
    page = read("/?state=running&older=1d")
    assert '<option value="1d" selected>1 day</option>' in page
    assert '<a class="button quiet" href="/?state=running">Clear</a>' in page


def test_what_the_address_cannot_ask_for_is_not_asked():
    filters = Filters.from_query(QueryDict("state=running&step=publish&older=1h&project=p"))
    assert Filters.from_query(QueryDict(filters.url.partition("?")[2])) == filters
    assert Filters.from_query(QueryDict("state=odd&step=publish")) == Filters()


def test_figures_lead_to_what_they_count():
    start_run(), waiting(start_run())
    page = read("/")
    for url in ("/?state=running", "/?state=in_review"):
        assert f'href="{url}"' in page


def test_it_is_for_those_who_may_look():
    assert signed_in(dora()).get("/?state=running").status_code == 403


def test_ages_count_from_the_change_of_the_status():
    run = start_run()
    (row,) = queries.documents_with_status("default", DocumentStatus.IN_PROGRESS).rows
    assert row.document_id == run.document_id
    assert Filters("running", older="10m").is_old_enough(clock.now() - dt.timedelta(minutes=11))
    assert not Filters("running", older="10m").is_old_enough(clock.now() - dt.timedelta(minutes=9))


def ago(minutes: int) -> str:
    return clock.iso(clock.now() - dt.timedelta(minutes=minutes))


@each(
    ("stored", "minutes", "join", "words"),
    [
        ({}, 2, None, ""),
        ({}, 12, None, "Longer than a step usually takes (10 min). It is retried automatically; see Operations."),
        ({"waits_for": "textract"}, 2, None, ""),
        ({"waits_for": "textract"}, 12, None, "Waiting for Amazon Textract."),
        ({"waits_for": "textract", "waits_why": "paused"}, 2, None, "Waiting for Amazon Textract: paused"),
        ({}, 300, SimpleNamespace(stalls=0), ""),
        ({}, 300, SimpleNamespace(stalls=2), "None of its pages was finished since the last check."),
    ],
)
def test_a_run_that_does_not_go_on_says_why(stored, minutes, join, words):
    assert find_cause({"started_at": ago(minutes), **stored}, ago(minutes), join) == words


@each(
    ("p90", "minutes", "stuck"),
    [(2.0, 0.5, ""), (2.0, 1.5, "p90 2 s"), (600.0, 25, ""), (600.0, 35, "p90 10 min"), (None, 9, "")],
)
def test_stuck_is_what_takes_far_longer_than_usual(p90, minutes, stuck):
    said = find_cause({"started_at": ago(minutes)}, ago(minutes), None, p90)
    assert stuck in said
    assert bool(said) == bool(stuck)


def test_what_is_usual_is_said_once_enough_runs_tell():
    start_run()
    assert "usually takes" not in read("/?state=running")
    cache.clear()
    name = join_name("step", "document-analysis", "segment_prep", bucket_of(12))
    add_figures(Scope("default"), clock.now().date(), **{name: 20})
    assert "usually takes up to 11.6 s (p90)" in read("/?state=running")


def test_a_queue_is_chosen_by_those_whom_it_lets_in():
    run, queue, secret = waiting(start_run()), make_queue(), make_queue("Secret", ["finance"])
    page = read("/?state=in_review")
    assert f'<option value="{queue.id}">Payables</option>' in page
    assert "Secret" not in page
    assert run_url(run) in read("/?state=in_review&queue=default")
    assert run_url(run) not in read(f"/?state=in_review&queue={queue.id}")
    assert secret.id not in page


def test_the_first_page_says_since_when_and_why_a_run_is_stuck(monkeypatch):
    run, asked = start_run(), waiting(start_run())
    browser = signed_in(charlie())
    with count_calls() as fresh:
        assert "Stuck" not in one_line(browser.get("/").content)
    later = clock.now() + dt.timedelta(minutes=12)
    monkeypatch.setattr(clock, "now", lambda: later)
    with count_calls() as seen:
        answer = browser.get("/")
    stuck = {row.board.workflow_id: row.detail.stuck for row in answer.context["rows"]}
    assert "Longer than a step usually takes" in stuck[run.workflow_id].why
    assert stuck[asked.workflow_id] is None
    page = one_line(answer.content)
    assert "Stuck" in page
    assert f"</time>. {stuck[run.workflow_id].why}" in page
    assert seen.names() == ["dynamodb.Query", "dynamodb.BatchGetItem", "dynamodb.Query"]
    assert len(fresh.names()) == len(seen.names()) + 1  # what is usual, once a minute


def test_the_first_page_tells_pages_done_the_usual_time_and_the_owner_in_four_calls():
    name = join_name("step", "document-analysis", "segment_prep", bucket_of(12))
    add_figures(Scope("default"), clock.now().date(), **{name: 20})
    run, asked, browser = start_run(), waiting(start_run()), signed_in(charlie())
    WorkflowSteps.change(advance.board_key(run), [WorkflowSteps.page_count.set(3000)], EXISTS)
    joins.begin(run, "segment_prep", step=1, attempt=1, slices=60, planned=3000, slots=8, token=None)
    joins.count(joins.Join.load(joins.join_key(run, "segment_prep", 1)), 7, 7, SliceResult(), slots=8)
    with count_calls() as seen:
        answer = browser.get("/")
    assert len(seen.names()) <= 4
    details = {row.board.workflow_id: row.detail for row in answer.context["rows"]}
    assert (details[run.workflow_id].pages, details[run.workflow_id].usual) == ("50 of 3,000", "11.6 s")
    assert {one.owner for one in details.values()} == {"test"}
    assert details[asked.workflow_id].step_since
    page = one_line(answer.content)
    assert "50 of 3,000" in page
    assert "usually takes up to 11.6 s (p90)" in page

"""What runs used: priced, counted once in the transaction that moves the run on, summed over shards and by project."""

import csv
import io
import json

import pytest

from config import clock
from config.errors import Conflict, StageFailed
from tests.aws_faults import count_calls
from tests.each import each
from tests.factories import PROJECT_ID, start_run
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.projects.projects import make_project
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import step_outcome
from workflows.engine.step_work import StepOrder, StepWork
from workflows.operations import costs
from workflows.runs import prices, queries
from workflows.runs.actions import spending
from workflows.runs.items import Run
from workflows.stages.base import StageResult
from workflows.stages.usage import Usage, is_metered_by_call

pytestmark = pytest.mark.django_db

NOVA = "eu.amazon.nova-lite-v1:0"
USED = (
    Usage("local", "PP-OCRv6 small (rapidocr)", pages=2, ms=3100),
    Usage("textract", "Amazon Textract", pages=3, calls=1),
    Usage("bedrock", NOVA, pages=2, calls=2, tokens_in=2_000_000, tokens_out=500_000),
    Usage("bedrock", "some.other-model", calls=1, tokens_in=10),
)
PAGE = 70_000  # micros of a Textract page


@pytest.fixture(autouse=True)
def listed(settings):
    settings.PRICES = {
        "textract": {"*": {"page": 0.07}},
        "bedrock": {"*nova-lite*": {"million_in": 0.06, "million_out": 0.24}},
        "transcribe": {"*": {"minute": 0.024}},
    }


def this_month() -> str:
    return spending.month_of(clock.iso(clock.now()))


def conclude(run: Run, used=USED, step: int = 1):
    with spending.meter_calls(run) as note:
        for one in used:
            if is_metered_by_call(one.service):
                note(one)
    return moved_on(run, used, step)


def moved_on(run: Run, used=USED, step: int = 1):
    execution = queries.execution(run)
    order = StepOrder(run, step, 1)
    result = StageResult("completed", facts={"pages": 3}, used=used)
    document = queries.document_of(run)
    work = StepWork(order, DOCUMENT_ANALYSIS, DOCUMENT_ANALYSIS.step(step), execution, document)
    return step_outcome.conclude(work, result)


@each(
    ("used", "micros"),
    [
        (Usage("local", "anything", pages=1000, ms=10**6), 0),
        (Usage("textract", "Amazon Textract", pages=3, calls=1), 3 * PAGE),
        (Usage("bedrock", NOVA, tokens_in=1_000_000, tokens_out=1_000_000), 300_000),
        (Usage("bedrock", NOVA, calls=1, tokens_in=1), 0),
        (Usage("transcribe", "Amazon Transcribe", ms=90_000), 36_000),
        (Usage("bedrock", "some.other-model", tokens_in=10), None),
        (Usage("endpoint", "Model endpoint", pages=1), None),
    ],
)
def test_a_use_costs_what_the_settings_say(used, micros):
    assert prices.cost(used) == micros


def test_a_step_says_what_it_used_and_its_month_counts_it(table):
    run = start_run()
    answer = conclude(run)
    assert "used" not in answer  # the engine does not carry it about
    board = queries.board(run.site, run.workflow_id).data.as_dict()["segment_prep"]
    assert [(one["model"], one.get("micros")) for one in board["used"]] == [
        ("PP-OCRv6 small (rapidocr)", 0),
        ("Amazon Textract", 3 * PAGE),
        (NOVA, 240_000),
        ("some.other-model", None),
    ]
    (transition,) = queries.transitions(run.site, run.workflow_id).rows
    assert transition.data.as_dict()["used"] == board["used"]
    month = costs.costs_of_month(run.site, this_month())
    assert [(one.model, one.steps, one.pages, one.calls, one.micros) for one in month.rows] == [
        (NOVA, 1, 2, 2, 240_000),
        ("Amazon Textract", 1, 3, 1, 3 * PAGE),
        ("some.other-model", 1, 0, 1, 0),
        ("PP-OCRv6 small (rapidocr)", 1, 2, 0, 0),
    ]
    assert (month.total.micros, month.total.unpriced, month.total.ms) == (450_000, 1, 3100)


def test_a_step_that_is_concluded_twice_is_counted_once(table):
    run = start_run()
    conclude(run)
    with pytest.raises(Conflict):
        moved_on(run)
    assert costs.costs_of_month(run.site, this_month()).total.steps == 4


def test_it_is_counted_in_the_transaction_that_moves_the_run(table):
    run = start_run()
    with count_calls() as calls:
        moved_on(run)
    assert calls.names().count("dynamodb.TransactWriteItems") == 1
    assert "dynamodb.UpdateItem" not in calls.names()


def of_run(run: Run) -> int:
    return int(queries.document_workflow(run.site, run.document_id, run.workflow_id).micros or 0)


def fail_after_a_call(run: Run):
    with spending.meter_calls(run) as note:
        note(USED[2])
        raise StageFailed("No answer can be used.")


def test_calls_are_counted_though_the_work_fails_and_not_again_by_the_step(table):
    run = start_run()
    with pytest.raises(StageFailed):
        fail_after_a_call(run)
    assert (of_run(run), costs.costs_of_month(run.site, this_month()).total.micros) == (240_000, 240_000)
    moved_on(run, used=(USED[2],))
    assert (of_run(run), costs.costs_of_month(run.site, this_month()).total.micros) == (240_000, 240_000)


def test_what_called_nobody_writes_nothing(table):
    with count_calls() as calls, spending.meter_calls(start_run()):
        pass
    assert "costs#" not in json.dumps([one.params for one in calls.of("dynamodb", "TransactWriteItems")], default=str)


def test_calls_of_a_run_that_was_purged_meanwhile_stay_in_the_month(table):
    run = start_run()
    with spending.meter_calls(run) as note:
        note(USED[2])
        queries.document_workflow(run.site, run.document_id, run.workflow_id).delete()
    assert costs.costs_of_month(run.site, this_month()).total.micros == 240_000


def test_a_step_that_used_nothing_writes_nothing_more(table):
    run = start_run()
    with count_calls() as calls:
        conclude(run, used=())
    (written,) = calls.of("dynamodb", "TransactWriteItems")
    assert "costs#" not in json.dumps(written.params, default=str)


def test_many_documents_meet_in_shards_and_are_summed(table):
    for _ in range(6):
        conclude(start_run(), used=(Usage("textract", "Amazon Textract", pages=1),))
    (row,) = costs.costs_of_month("default", this_month()).rows
    assert (row.steps, row.pages, row.micros) == (6, 6, 6 * PAGE)


def test_a_month_is_one_query_and_another_site_sees_nothing(table):
    conclude(start_run())
    with count_calls() as calls:
        costs.costs_of_month("default", this_month())
    assert calls.names() == ["dynamodb.Query"]
    assert costs.costs_of_month("acme", this_month()).rows == ()
    assert costs.costs_of_month("default", "1999-01").rows == ()
    assert costs.costs_of_month("default", "a#b").rows == ()
    assert costs.costs_of_month("default", this_month(), project_id="proj_other").rows == ()
    assert len(costs.costs_of_month("default", this_month(), project_id=PROJECT_ID).rows) == 4


def spent(project):
    conclude(start_run(project_id=project.id))


def test_the_costs_page_names_projects_models_and_what_has_no_price(table):
    project = make_project("Leases & rents")
    spent(project)
    page = one_line(signed_in(alice()).get("/settings/costs/").content)
    assert "Months are in UTC." in page
    for words in ("Leases &amp; rents", "$0.45", "$0.21", NOVA, "no price", "3.1 s", "1 use without a price"):
        assert words in page, words


def test_the_costs_page_of_a_month_without_any(table):
    page = one_line(signed_in(alice()).get("/settings/costs/?month=2024-02").content)
    assert "No usage in February 2024" in page
    assert signed_in(alice()).get("/settings/costs/?month=soon").status_code == 404


def test_a_project_that_is_gone_keeps_its_costs(table):
    conclude(start_run())
    assert PROJECT_ID in one_line(signed_in(alice()).get("/settings/costs/").content)


def test_the_export_has_a_line_a_project_and_model(table):
    spent(make_project('=cmd("x")'))
    answer = signed_in(alice()).get(f"/settings/costs/{this_month()}.csv")
    assert answer["Content-Type"] == "text/csv"
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [(row["model"], row["pages"], row["usd"]) for row in rows] == [
        (NOVA, "2", "0.240000"),
        ("Amazon Textract", "3", "0.210000"),
        ("some.other-model", "0", ""),
        ("PP-OCRv6 small (rapidocr)", "2", "0.000000"),
    ]
    assert rows[0]["project"] == '\'=cmd("x")'  # no spreadsheet takes it for a formula


def test_the_export_has_what_the_page_has_not_room_for(table, monkeypatch):
    monkeypatch.setattr(costs, "_MOST", 2)
    spent(make_project())
    page = signed_in(alice()).get("/settings/costs/")
    assert page.context["month"].partial
    answer = signed_in(alice()).get(f"/settings/costs/{this_month()}.csv")
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert len(rows) == len(USED)


def test_a_project_shows_its_month_to_its_admins(table):
    project = make_project()
    spent(project)
    url = f"/settings/costs/projects/{project.id}/"
    fragment = one_line(signed_in(alice()).get(url, headers={"HX-Request": "true"}).content)
    assert f">Costs in {costs.write_month(this_month())}</h2>" in fragment
    assert "Months are in UTC." in fragment
    assert "$0.45" in fragment
    assert "<html" not in fragment
    assert "<html" in one_line(signed_in(alice()).get(url).content)
    assert signed_in(bob()).get(url).status_code == 403
    assert url in one_line(signed_in(alice()).get(f"/projects/{project.id}/").content)
    assert url not in one_line(signed_in(bob()).get(f"/projects/{project.id}/").content)


def test_the_run_page_says_who_did_the_work_and_what_it_cost(table):
    run = start_run()
    conclude(run)
    page = one_line(signed_in(bob()).get(f"/workflows/{run.document_id}/{run.workflow_id}/").content)
    assert "Cost so far: at least $0.45, some prices not set" in page
    assert "Amazon Textract: 3 pages, 1 call, $0.21" in page
    assert f"{NOVA}: 2 pages, 2 calls, 2,000,000 tokens in, 500,000 out, $0.24" in page
    assert "PP-OCRv6 small (rapidocr): 2 pages, 3.1 s" in page
    assert "some.other-model: 1 call, 10 tokens in, 0 out, no price set" in page


def test_a_documents_runs_say_what_each_cost_and_all_together(table):
    run = start_run()
    conclude(run)
    with count_calls() as calls:
        page = one_line(signed_in(bob()).get(f"/documents/{run.document_id}/runs/").content)
    assert "Cost: at least $0.45, some prices not set" in page
    assert [name for name in calls.of_page() if "Query" in name or "Batch" in name] == ["dynamodb.Query"]
    assert "Cost:" not in one_line(signed_in(bob()).get(f"/documents/{start_run().document_id}/runs/").content)

"""A run whose fields models on Bedrock find, the cheaper one first; both are metered, and the page names them."""

import json
from typing import Any

import pytest

from config import clock
from projects.audit.events import Actor
from tests.factories import PROJECT, start_run
from tests.flow.protocol import ended
from tests.html import one_line
from tests.outside import Outside, answering
from tests.people import alice, bob, signed_in
from tests.pump import Pump
from workflows.documents import reanalysis
from workflows.documents.actions import reruns
from workflows.documents.reanalysis import AnalysisRequest
from workflows.operations import costs
from workflows.providers import actions as provider_actions
from workflows.runs import queries, run_cost, run_settings
from workflows.runs.actions import spending
from workflows.runs.items import Run
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.django_db

CHEAP, STRONG = "eu.amazon.nova-lite-v1:0", "eu.amazon.nova-pro-v1:0"
SAID = {"company": "Alder & Quill Stationers Ltd", "date": "2024-03-12", "total": "510.24"}


@pytest.fixture(autouse=True)
def forgotten() -> None:
    provider_actions.forget_provider_state()


def said(confidence: float, **changes: str) -> Any:
    """An answer that gives every field of the sample with this confidence."""
    values = {**SAID, **changes}
    fields = {name: {"value": value, "raw": value, "confidence": confidence} for name, value in values.items()}
    use = {"toolUseId": "t", "name": "record_page", "input": {"description": "An invoice.", "fields": fields}}
    return {
        "output": {"message": {"role": "assistant", "content": [{"toolUse": use}]}},
        "stopReason": "tool_use",
        "usage": {"inputTokens": 1_000_000, "outputTokens": 100_000, "totalTokens": 1_100_000},
        "metrics": {"latencyMs": 1},
    }


def finished(pump: Pump, *answers: Any) -> tuple[Run, Outside]:
    left = list(answers)
    run = start_run(project={**PROJECT, "analyzer": "model"})
    with answering("bedrock-runtime", Converse=lambda _: left.pop(0)) as outside:
        pump.run(lambda: queries.board(run.site, run.workflow_id).current_step not in {"segment_prep", *BEFORE})
    return run, outside


BEFORE = ("format_parser", "paddleocr_processor", "segment_builder", "segment_analyzer", "assess")


def fields_of(run: Run) -> dict[str, Any]:
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    return {one["name"]: one for one in json.loads(store.read(files.result(run.workflow_id)))["fields"]}


@pytest.mark.wide
def test_the_cheaper_model_is_enough_where_it_is_sure(pump: Pump) -> None:
    run, outside = finished(pump, said(0.95))
    assert [asked["modelId"] for _, asked in outside.asked] == [CHEAP]
    (content,) = [message["content"] for message in outside.asked[0][1]["messages"]]
    assert content[0]["image"]["source"]["bytes"].startswith(b"\x89PNG")
    found = fields_of(run)
    assert found["total"]["source"] == CHEAP
    assert found["total"]["value"] == "510.24"
    page = one_line(signed_in(bob()).get(f"/workflows/{run.document_id}/{run.workflow_id}/").content)
    assert f"{CHEAP}: 1 page, 1 call, 1,000,000 tokens in, 100,000 out" in page
    assert "Cost so far: $0.08" in page


def test_half_a_letter_of_a_models_answer_fails_no_run(pump: Pump) -> None:
    run, _ = finished(pump, said(0.95, company="Alder \ud83d"))
    assert fields_of(run)["company"]["value"] == "Alder ?"
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    assert b"Alder ?" in store.read(files.model_call(run.workflow_id, "extract", 0))


def test_a_german_projects_pages_are_sent_as_german(pump: Pump) -> None:
    left = [said(0.95)]
    run = start_run(project={**PROJECT, "analyzer": "model", "language": "de"})
    with answering("bedrock-runtime", Converse=lambda _: left.pop(0)) as outside:
        pump.run(lambda: queries.board(run.site, run.workflow_id).current_step not in {"segment_prep", *BEFORE})
    ((_, asked),) = outside.asked
    assert "The document is most likely in German. Write the description in German." in asked["system"][0]["text"]


PROMPTED = {**PROJECT, "document_prompt": "Receipts of a café."}
NOT_USED = "Document prompt not used"


@pytest.mark.wide
def test_a_run_whose_prompt_no_model_read_says_so(pump: Pump) -> None:
    run = start_run(project=PROMPTED)
    pump.run(lambda: ended(run))
    address = f"/workflows/{run.document_id}/{run.workflow_id}/"
    page = one_line(signed_in(alice()).get(address).content)
    assert NOT_USED in page
    assert f'/projects/{run.project_id}/edit/#id_analyzer"' in page
    assert "#id_analyzer" not in one_line(signed_in(bob()).get(address).content)
    history = signed_in(bob()).get(f"{address}lineage/").content.decode()
    assert "document prompt not used: built-in rules take none" in history


@pytest.mark.wide
def test_a_run_whose_prompt_a_model_read_does_not(pump: Pump) -> None:
    run = start_run(project={**PROMPTED, "analyzer": "model"})
    with answering("bedrock-runtime", Converse=lambda _: said(0.95)) as outside:
        pump.run(lambda: ended(run))
    assert "Receipts of a café." in outside.asked[0][1]["system"][0]["text"]
    page = one_line(signed_in(bob()).get(f"/workflows/{run.document_id}/{run.workflow_id}/").content)
    assert NOT_USED not in page


@pytest.mark.wide
def test_below_the_confidence_the_stronger_one_answers_and_both_are_paid(pump: Pump) -> None:
    run, outside = finished(pump, said(0.69), said(0.96))
    assert [asked["modelId"] for _, asked in outside.asked] == [CHEAP, STRONG]
    assert fields_of(run)["total"]["source"] == STRONG
    page = one_line(signed_in(bob()).get(f"/workflows/{run.document_id}/{run.workflow_id}/").content)
    assert "Cost so far: $1.20" in page  # 0.084 and 1.12


def test_answers_of_which_nothing_can_be_used_are_paid_and_go_to_a_person(pump: Pump) -> None:
    nonsense = said(0.9) | {"output": {"message": {"role": "assistant", "content": [{"text": "It is a bill."}]}}}
    run, outside = finished(pump, *[nonsense] * 4)
    link = queries.document_workflow(run.site, run.document_id, run.workflow_id)
    board = queries.board(run.site, run.workflow_id)
    assert (board.outcome, board.current_step, len(outside.asked)) == (None, "human_review", 4)
    note = "The model gave no usable answer for page 1; built-in rules were used"
    assert board.data["segment_analyzer"]["reason"] == note
    assert {one["source"] for one in fields_of(run).values()} == {"rules"}
    month = costs.costs_of_month(run.site, spending.month_of(clock.iso(clock.now())))
    assert {one.model: (one.calls, one.pages) for one in month.rows if one.service == "bedrock"} == {
        CHEAP: (2, 0),
        STRONG: (2, 0),
    }
    assert int(link.micros) == month.total.micros == 2 * 84_000 + 2 * 1_120_000
    assert str(run_cost.of_link(link)) == "$2.41"


def test_a_run_that_failed_at_its_model_shows_what_was_asked(pump: Pump) -> None:
    run = start_run(project={**PROJECT, "analyzer": "model"})
    with answering("bedrock-runtime", Converse="ValidationException"):
        pump.run(lambda: ended(run))
    assert queries.execution(run).outcome == "failed"
    address = f"/workflows/{run.document_id}/{run.workflow_id}/"
    assert f"{address}models/" in one_line(signed_in(alice()).get(address).content)
    assert f"{address}models/" not in one_line(signed_in(bob()).get(address).content)
    calls = one_line(signed_in(alice()).get(f"{address}models/").content)
    assert "Not accepted: This model rejected the page" in calls
    assert "0 tokens in, 0 out, free" in calls


def test_a_run_that_did_not_come_to_its_model_shows_no_calls(pump: Pump) -> None:
    """Its summary would be written by a model, after the review."""
    run = start_run(always_review=True, project={**PROJECT, "analyzer": "rules", "summarizer": "model"})
    pump.run(lambda: queries.board(run.site, run.workflow_id).current_step == "human_review")
    address = f"/workflows/{run.document_id}/{run.workflow_id}/"
    admin = signed_in(alice())
    assert f"{address}models/" not in one_line(admin.get(address).content)
    assert "Summarize documents: <a" in one_line(admin.get(f"{address}models/").content)


def test_what_a_model_invents_goes_to_a_person(pump: Pump) -> None:
    run, _ = finished(pump, said(0.95, total="9999.99"), said(0.95, total="9999.99"))
    total = fields_of(run)["total"]
    assert (total["value"], total["box"]) == ("9999.99", None)
    assert total["confidence"] < 0.05  # the rules are sure of another
    assert queries.board(run.site, run.workflow_id).current_step == "human_review"


@pytest.mark.wide
def test_an_analysis_by_another_model_follows_an_instruction_and_stands_beside_the_first(pump: Pump) -> None:
    run = start_run()
    pump.run(lambda: ended(run))
    before, store = fields_of(run), DocumentFiles(run.site, run.project_id, run.document_id)
    page = store.read(files.segment(0))
    wish = AnalysisRequest(instruction="The total is the amount due.", analyzer="model", model="bedrock-strong")
    pinned = reanalysis.merge_wish(run.site, run.project_id, run_settings.freeze(PROJECT), wish)
    with answering("bedrock-runtime", Converse=lambda _: said(0.95)) as outside:
        new = reruns.analyse_again(run, pinned, by=Actor("1", "Rosa Marin"))
        pump.run(lambda: ended(new) or queries.board(new.site, new.workflow_id).current_step == "human_review")
    ((_, asked),) = outside.asked
    assert asked["modelId"] == STRONG
    assert "What a person asks for this document:\nThe total is the amount due." in asked["system"][0]["text"]
    assert fields_of(new)["total"]["source"] == STRONG
    assert (fields_of(run), store.read(files.segment(0))) == (before, page)
    shown = one_line(signed_in(bob()).get(f"/documents/{run.document_id}/compare/").content)
    for words in ("The total is the amount due.", "Language model", "$1.12"):
        assert words in shown

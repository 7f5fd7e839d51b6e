"""A trial asks draft and production once each, says why it cannot, and changes nothing of its document or project."""

import logging
import time
from typing import Any

import pytest
from django.conf import settings

from config import aws, clock
from config.errors import Conflict, NotFound, Refused
from config.logs import JsonFormatter
from projects.audit.events import Actor
from projects.prompts import actions as prompt_actions
from projects.prompts.prompt import Prompt
from projects.prompts.queries import PromptRef
from tests.aws_faults import before_each
from tests.flow.test_models import said
from tests.outside import Outside, answering
from tests.pump import Pump
from tests.workflows.trials.reading import SITE, read_run
from workflows.providers import actions as provider_actions
from workflows.runs.items import Run
from workflows.storage.objects import DocumentFiles
from workflows.trials import actions, queries, tasks, trying
from workflows.trials.items import Trial, TrialStatus
from workflows.trials.queries import Draft, TrialRef

pytestmark = [pytest.mark.usefixtures("table"), pytest.mark.django_db]
BY = Actor("1", "Alice Novak")
MESSAGE = "{{page_text}}\nRecord it.\n"


@pytest.fixture(autouse=True)
def forgotten() -> None:
    provider_actions.forget_provider_state()


def start(run: Run, instructions: str = "Mine.", *, model: str = "bedrock", document_id: str = "") -> TrialRef:
    draft = Draft(Prompt("extract", instructions, MESSAGE))
    prompt = PromptRef(SITE, run.project_id, "extract")
    return actions.start_trial(prompt, draft, document_id or run.document_id, model, by=BY)


def do(ref: TrialRef, *, owner: str = "m1", total: str = "510.24") -> Outside:
    with answering("bedrock-runtime", Converse=lambda _: said(0.95, total=total)) as outside:
        trying.do_trial(ref, owner=owner)
    return outside


def answer(run: Run, name: str | None) -> queries.Answer:
    assert name
    return queries.read_answer(SITE, run.project_id, run.document_id, name)


def told(outside: Outside) -> list[str]:
    return [asked["system"][0]["text"][:5] for _, asked in outside.asked]


def rows_of_others() -> list[str]:
    """All rows but trials, the costs of the month and how the service did."""
    found = aws.dynamodb_client().scan(TableName=settings.TABLE_NAME)["Items"]
    return sorted(repr(row) for row in found if not row["PK"]["S"].startswith(("trials#", "costs#", "PROVIDERS")))


@pytest.mark.wide
def test_draft_and_production_are_each_asked_once(pump: Pump) -> None:
    run = read_run(pump)
    before = rows_of_others()
    ref = start(run)
    outside = do(ref)
    assert told(outside) == ["Mine.", "You r"]
    trial = queries.get_trial(ref)
    assert trial.status == TrialStatus.DONE
    draft, production = (answer(run, name) for name in (trial.draft_answer, trial.production_answer))
    assert {one.name: one.value for one in draft.outcome.fields}["total"] == "510.24"
    assert draft.outcome.calls[0]["instructions"] == "Mine."
    assert [size.index for size in draft.pages] == [0]
    assert (draft.outcome.money, draft.outcome.tokens_in) == ("$0.08", 1_000_000)
    assert production.outcome.calls[0]["instructions"].startswith("You read one page")
    # The same again is asked of no one; another draft is asked alone.
    assert told(do(start(run))) == []
    assert told(do(start(run, "Else."))) == ["Else."]
    assert [row for row in rows_of_others() if row not in before] == []


def test_a_message_that_comes_twice_asks_no_one_again(pump: Pump) -> None:
    run = read_run(pump)
    ref = start(run)
    do(ref)
    before = queries.get_trial(ref).attribute_values
    assert do(ref).asked == []
    assert do(ref, owner="m2").asked == []
    assert queries.get_trial(ref).attribute_values == before


def test_two_presses_in_one_moment_are_one_trial(pump: Pump) -> None:
    run = read_run(pump)
    first: list[TrialRef] = []
    with before_each("dynamodb", "UpdateItem", lambda: first.append(start(run))):
        ref = start(run)
    assert first == [ref]
    assert start(run, "Else.") != ref
    for _ in range(2):
        tasks.order_trial(ref)
    with answering("bedrock-runtime", Converse=lambda _: said(0.95)) as outside:
        pump.run(lambda: pump.ran("try_prompt") == 2)
    assert outside.count() == {"Converse": 2}
    assert queries.get_trial(ref).status == TrialStatus.DONE


def test_a_trial_under_way_is_joined_and_one_that_ended_or_was_lost_begins_anew(
    pump: Pump, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = read_run(pump)
    ref = start(run)
    actions.claim_trial(ref, owner="m1")
    before = queries.get_trial(ref).attribute_values
    assert start(run) == ref
    assert queries.get_trial(ref).attribute_values == before
    actions.settle_trial(ref, owner="m1", error="Away.")
    assert start(run) == ref
    trial = queries.get_trial(ref)
    assert (trial.status, trial.owner, trial.error) == (TrialStatus.ASKED, None, None)
    later = clock.in_seconds(queries.LONGEST_SECONDS + 1)
    monkeypatch.setattr(clock, "now", lambda: later)
    start(run)
    assert not queries.is_lost(queries.get_trial(ref))


@pytest.mark.wide
def test_a_worker_that_was_lost_is_followed_by_its_message_alone(pump: Pump) -> None:
    run = read_run(pump)
    ref = start(run)
    actions.claim_trial(ref, owner="m1")
    with pytest.raises(Conflict):
        actions.claim_trial(ref, owner="m2")
    with pytest.raises(Conflict):
        actions.record_answer(ref, "draft", "x", owner="m2")
    with pytest.raises(Conflict):
        actions.settle_trial(ref, owner="m2")
    with pytest.raises(Conflict):
        actions.fail_unsent(ref, "No.")
    assert len(do(ref).asked) == 2
    assert queries.get_trial(ref).status == TrialStatus.DONE


def test_a_trial_without_end_is_lost_and_not_begun_again(pump: Pump, monkeypatch: pytest.MonkeyPatch) -> None:
    run = read_run(pump)
    ref = start(run)
    assert not queries.is_lost(queries.get_trial(ref))
    later = clock.in_seconds(queries.LONGEST_SECONDS + 1)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert queries.is_lost(queries.get_trial(ref))
    assert do(ref).asked == []


@pytest.mark.wide
def test_what_cannot_be_done_is_said(pump: Pump) -> None:
    run = read_run(pump)
    gone = start(run, model="nothing")
    do(gone)
    assert queries.get_trial(gone).error == "This model is not in the catalogue."
    missing = start(run, document_id="00000000-0000-0000-0000-000000000000")
    do(missing)
    assert queries.get_trial(missing).error == "Document not found."
    refusing = start(run)
    with answering("bedrock-runtime", Converse="ValidationException"):
        trying.do_trial(refusing, owner="m1")
    trial = queries.get_trial(refusing)
    assert trial.status == TrialStatus.DONE
    assert "rejected the page" in answer(run, trial.draft_answer).outcome.problem
    assert told(do(start(run))) == ["Mine.", "You r"]  # a failure is no answer to keep


def test_a_draft_with_problems_or_without_its_question_is_not_tried(pump: Pump) -> None:
    run = read_run(pump)
    prompt = PromptRef(SITE, run.project_id, "extract")
    with pytest.raises(Refused, match="is not a placeholder"):
        actions.start_trial(prompt, Draft(Prompt("extract", "{{x}}", MESSAGE)), run.document_id, "bedrock", by=BY)
    ask = PromptRef(SITE, run.project_id, "answer")
    draft = Draft(Prompt("answer", "Answer.", "{{page_text}} {{question}}"), " ")
    with pytest.raises(Refused, match="Enter a question"):
        actions.start_trial(ask, draft, run.document_id, "bedrock", by=BY)


def test_production_is_what_it_was_when_the_trial_began(pump: Pump) -> None:
    run = read_run(pump)
    ref = start(run)
    prompt = PromptRef(SITE, run.project_id, "extract")
    saved = prompt_actions.save_version(prompt, Prompt("extract", "New.", MESSAGE), based_on=1, note="", by=BY)
    prompt_actions.move_production(prompt, saved.version, expected=1, reason="Better", by=BY)
    assert told(do(ref)) == ["Mine.", "You r"]
    assert told(do(start(run))) == ["New."]


@pytest.mark.wide
def test_it_goes_with_its_document_and_by_itself(pump: Pump) -> None:
    run = read_run(pump)
    ref = start(run)
    do(ref)
    trial = queries.get_trial(ref)
    assert 6 * 86_400 < int(trial.TimeToLive) - time.time() < 8 * 86_400
    assert {"Mine.", "510.24"}.isdisjoint(str(value) for value in trial.attribute_values.values())
    DocumentFiles(SITE, run.project_id, run.document_id).destroy(lambda: None)
    with pytest.raises(NotFound, match="is over"):
        answer(run, trial.draft_answer)


@pytest.mark.wide
def test_what_was_tried_and_answered_is_in_no_log(
    pump: Pump, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = "Quagmire4711"
    run = read_run(pump)
    caplog.set_level(logging.DEBUG)
    done = start(run, f"Read {marker}.")
    do(done, total=marker)  # no amount: the answer is refused, with its words
    do(done, owner="m2")
    do(start(run, f"Of {marker}.", model="nothing"))

    def fail(_: Any) -> Any:
        raise ValueError(marker)

    with answering("bedrock-runtime", Converse=fail):  # a page may raise anything
        trying.do_trial(start(run, f"{marker}!"), owner="m3")
    written = [JsonFormatter().format(record) for record in caplog.records]
    assert any(done.trial_id in line for line in written)
    assert any("page failed" in line for line in written)
    assert [line for line in written if marker in line] == []


@pytest.mark.wide
def test_a_model_that_does_not_answer_ends_the_trial_with_a_sentence(pump: Pump) -> None:
    ref = start(read_run(pump))
    pump.sends_again = True
    tasks.order_trial(ref)
    with answering("bedrock-runtime", Converse="ThrottlingException"):
        pump.run(lambda: queries.get_trial(ref).status == TrialStatus.FAILED)
    assert queries.get_trial(ref).error == "Amazon Bedrock is not responding (ThrottlingException)."


@pytest.mark.wide
def test_a_worker_does_it_from_the_queue_and_a_queue_that_is_away_is_said(
    pump: Pump, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = read_run(pump)
    ref = start(run)
    tasks.order_trial(ref)
    with answering("bedrock-runtime", Converse=lambda _: said(0.95)) as outside:
        pump.run(lambda: queries.get_trial(ref).status == TrialStatus.DONE)
    assert outside.count() == {"Converse": 2}

    def away(*_: Any) -> None:
        raise Refused("Away.")

    monkeypatch.setattr("config.brokers.queues.enqueue", away)
    unsent = start(run)
    tasks.order_trial(unsent)
    assert queries.get_trial(unsent).error.startswith("No worker is available")
    assert isinstance(queries.get_trial(unsent), Trial)

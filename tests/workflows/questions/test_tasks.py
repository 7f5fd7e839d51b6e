"""The task that answers: locally, by a model, twice, and where nobody answers."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest
from celery.exceptions import Retry

from config.errors import ProviderPaused
from tests.aws_faults import fail
from tests.workflows.providers.language_models.test_bedrock import CHEAP
from tests.workflows.providers.language_models.test_bedrock import model as make_bedrock_model
from tests.workflows.providers.services import stubbed
from tests.workflows.questions.made import BY, read_run
from workflows.providers.language_models import answer_tool, pinned_models
from workflows.questions import actions as question_actions
from workflows.questions import queries, tasks
from workflows.questions.queries import QuestionRef
from workflows.runs import queries as run_queries
from workflows.runs import run_settings
from workflows.runs.items import DocumentWorkflow, Run
from workflows.stages.services import PageInquiry, PageInquiryReply
from workflows.stages.usage import Note, Usage, ignore_usage
from workflows.storage import files
from workflows.storage.objects import DocumentFiles


class Model:
    """Answers what it is told to, or fails as it is told."""

    def __init__(self, *answers: PageInquiryReply | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[PageInquiry] = []
        self.note: Note = ignore_usage

    def inquire(self, inquiry: PageInquiry) -> PageInquiryReply:
        self.asked.append(inquiry)
        found = self.answers.pop(0)
        if isinstance(found, Exception):
            raise found
        for one in found.usage:
            self.note(one)
        return found

    def noting(self, note: Note) -> "Model":
        self.note = note
        return self


REPLY = PageInquiryReply("It is 120.", "total DUE: 120.00", CHEAP, (Usage("bedrock", CHEAP, calls=1, tokens_in=9),))


@pytest.fixture
def run(table: str) -> Run:
    return read_run()


def by_bedrock(run: Run, monkeypatch: pytest.MonkeyPatch, *answers: PageInquiryReply | Exception) -> Model:
    link = run_queries.document_workflow(run.site, run.document_id, run.workflow_id)
    settings = dataclasses.replace(run_settings.from_json(link.settings), analyzer="model")
    link.update(actions=[DocumentWorkflow.settings.set(run_settings.to_json(settings))])
    model = Model(*answers)
    monkeypatch.setattr(pinned_models, "make_inquirer", lambda _run, _settings, note: model.noting(note))
    return model


def answer(ref: QuestionRef, generation: int = 1) -> None:
    kwargs = {**dataclasses.asdict(ref.run), "segment": ref.segment, "number": ref.number, "generation": generation}
    tasks.answer.apply(kwargs=kwargs, throw=True)


def asked(run: Run, text: str = "What is the total due?") -> QuestionRef:
    return question_actions.ask_question(run, 0, text, by=BY)


def test_on_this_machine_it_is_quoted_from_the_page_with_its_place(run: Run) -> None:
    ref = asked(run)
    answer(ref)
    row = queries.get_question(ref)
    assert (row.status, row.content, row.source) == ("answered", "Total: 120.00", "local")
    found = row.found.as_dict()
    assert found["passage"] == "Total due 120.00"
    assert found["box"][1] == pytest.approx(0.15)


def test_delivered_twice_it_is_answered_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    model = by_bedrock(run, monkeypatch, REPLY)
    ref = asked(run)
    answer(ref)
    answer(ref)
    assert len(model.asked) == 1
    words = [one.type for one in run_queries.lineage(run.site, run.document_id).rows]
    assert words.count("QUESTION_ANSWERED") == 1


def test_a_model_is_shown_the_page_and_its_quote_is_found_on_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    model = by_bedrock(run, monkeypatch, REPLY)
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    store.write(files.page_image(0), b"PNG", "image/png")
    ref = asked(run)
    answer(ref)
    (inquiry,) = model.asked
    assert (inquiry.question, inquiry.image) == ("What is the total due?", b"PNG")
    assert "Total due 120.00" in inquiry.text
    row = queries.get_question(ref)
    assert (row.content, row.source) == ("It is 120.", CHEAP)
    assert row.found.as_dict()["box"][1] == pytest.approx(0.15)
    link = run_queries.document_workflow(run.site, run.document_id, run.workflow_id)
    assert int(link.micros or 0) + int(link.unpriced or 0) > 0


def test_what_was_asked_again_or_deleted_meanwhile_is_not_answered(run: Run) -> None:
    ref = asked(run)
    question_actions.ask_again(ref, generation=1, by=BY)
    answer(ref)
    assert queries.get_question(ref).status == "asked"
    question_actions.delete_question(ref, by=BY)
    answer(ref, 2)
    assert queries.get_question(ref).status == "deleted"
    answer(QuestionRef(run, 0, 40))


def test_a_service_that_does_not_answer_is_waited_for_and_then_given_up(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    paused = ProviderPaused("Amazon Bedrock does not answer.", provider="bedrock", seconds=3)
    by_bedrock(run, monkeypatch, paused, paused)
    ref = asked(run)
    with pytest.raises(Retry):
        answer(ref)
    assert queries.get_question(ref).status == "asked"
    monkeypatch.setattr(tasks, "_MOST_WAITS", 0)
    answer(ref)
    row = queries.get_question(ref)
    assert (row.status, row.error) == ("failed", "Amazon Bedrock does not answer.")


def test_a_page_that_is_not_read_yet_says_so(table: str) -> None:
    ref = asked(read_run(status="analyzing"))
    answer(ref)
    assert "not processed yet" in str(queries.get_question(ref).error)


def test_where_no_queue_answers_the_question_says_so(run: Run) -> None:
    ref = asked(run)
    with fail("sqs", "SendMessage", error_code="connection", times=9):
        tasks.order_answer(ref, 1)
    assert "No worker is available" in str(queries.get_question(ref).error)


def test_neither_question_nor_answer_is_in_a_log(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG", logger="workflows"):
        answer(asked(run))
    text = " ".join(f"{one.getMessage()} {one.__dict__}" for one in caplog.records)
    assert "total due" not in text.casefold()


def replies(*given: dict[str, Any]) -> Sequence[dict[str, Any]]:
    return [
        {
            "output": {
                "message": {
                    "role": "assistant",
                    "content": [{"toolUse": {"toolUseId": "t", "name": answer_tool.TOOL, "input": one}}],
                }
            },
            "stopReason": "tool_use",
            "usage": {"inputTokens": 5, "outputTokens": 2, "totalTokens": 7},
            "metrics": {"latencyMs": 1},
        }
        for one in given
    ]


def test_bedrock_is_asked_by_a_tool_and_told_where_it_gave_nothing() -> None:
    requests: list[dict[str, Any]] = []
    with stubbed("bedrock-runtime") as (client, stubber):
        event = "before-parameter-build.bedrock-runtime.Converse"
        client.meta.events.register(event, lambda params, **_: requests.append(params))
        for one in replies({"answer": " "}, {"answer": "120.00", "quote": "Total due 120.00"}):
            stubber.add_response("converse", one)
        found = make_bedrock_model(client).inquire(PageInquiry("Total?", "Total due 120.00", b"PNG"))
    assert (found.content, found.quote, len(found.usage)) == ("120.00", "Total due 120.00", 2)
    assert "<question>\nTotal?\n</question>" in requests[0]["messages"][0]["content"][1]["text"]
    assert "answer has to be a text." in str(requests[1]["messages"][-1])

"""What models were asked in a run: pages, parts and questions, each by its own number."""

import dataclasses
from typing import Any

import pytest

from projects.models.choice import choose_models
from tests.html import one_line
from tests.outside import answering
from tests.people import alice, signed_in
from tests.workflows.providers.language_models.test_bedrock import tool_reply
from tests.workflows.questions.made import BY, read_run
from workflows.providers import actions as provider_actions
from workflows.questions import actions as question_actions
from workflows.questions import queries as question_queries
from workflows.questions import tasks
from workflows.questions.queries import QuestionRef
from workflows.runs import queries, run_settings
from workflows.runs.items import DocumentWorkflow, Run

pytestmark = [pytest.mark.django_db]


@pytest.fixture
def run(table: str) -> Run:
    provider_actions.forget_provider_state()
    run = read_run()
    link = queries.document_workflow(run.site, run.document_id, run.workflow_id)
    settings = dataclasses.replace(run_settings.from_json(link.settings), analyzer="model")
    settings = run_settings.with_prompts(run.site, run.project_id, settings, choose_models(run.site, {}))
    link.update(actions=[DocumentWorkflow.settings.set(run_settings.to_json(settings))])
    return run


def shown(run: Run, query: str) -> str:
    return one_line(signed_in(alice()).get(f"/workflows/{run.document_id}/{run.workflow_id}/models/{query}").content)


def ask(run: Run, text: str, answer: Any) -> QuestionRef:
    ref = question_actions.ask_question(run, 0, text, by=BY)
    kwargs = {**dataclasses.asdict(run), "segment": 0, "number": ref.number, "generation": 1}
    with answering("bedrock-runtime", Converse=lambda _: answer):
        tasks.answer.apply(kwargs=kwargs, throw=True)
    return ref


@pytest.mark.parametrize(
    ("query", "labels"),
    [
        ("", ["Page"]),
        ("?purpose=summarize&page=²", ["Part"]),
        ("?purpose=classify&page=7", []),
        ("?purpose=answer", ["Page", "Question"]),
    ],
)
def test_what_is_counted_is_called_by_its_name(run: Run, query: str, labels: list[str]) -> None:
    page = shown(run, query)
    assert [one for one in ("Page", "Part", "Question") if f">{one}</label>" in page] == labels
    assert "Nothing asked" in page


def test_each_question_about_a_page_shows_its_call_until_it_is_deleted(run: Run) -> None:
    first = ask(run, "What is due?", tool_reply("record_answer", {"answer": "It is 120.", "quote": ""}))
    second = ask(run, "Whose goods?", tool_reply("record_answer", {"answer": " ", "quote": ""}))
    assert question_queries.get_question(second).status == "failed"
    page = shown(run, "?purpose=answer&page=1&question=1")
    assert "What is due?" in page
    assert "It is 120." in page
    page = shown(run, "?purpose=answer&page=1&question=2")
    assert "Whose goods?" in page
    assert page.count("Not accepted: answer has to be a text.") == 2
    assert page.count("This cannot be recorded. answer has to be a text. Correct it") == 1
    question_actions.delete_question(first, by=BY)
    page = shown(run, "?purpose=answer&page=1&question=1")
    assert "What is due?" not in page
    assert "as question 1 about page 1" in page

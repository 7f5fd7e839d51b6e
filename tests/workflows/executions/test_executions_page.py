"""Pages of executions without a document: started, looked at, cancelled and purged by whom they concern."""

import json
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from projects.queues.actions import create_queue
from tests.aws_faults import count_calls
from tests.factories import SITE
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.workflows.executions.onboarding import BY, make_execution, onboarding
from workflows.executions import actions, queries
from workflows.executions.views import _lines, name_result
from workflows.runs.items import Transition

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("machines", "table")]
LIST, NEW = "/executions/", "/executions/new/"


def read(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return unescape(one_line(response.content))


def page(execution_id: str, view: str = "show") -> str:
    return reverse(f"workflows:{view}-execution", args=[execution_id])


def test_without_such_a_workflow_the_list_says_where_one_is_made() -> None:
    assert "No workflow runs on data yet" in read(signed_in(charlie()), LIST)


def test_a_form_starts_one_execution_however_often_it_is_sent() -> None:
    onboarding()
    client = signed_in(bob())
    form = {"workflow": "onboarding", "title": "Jane", "input": '{"contract": {"salary": 9000}}', "form_id": "1"}
    where = client.post(NEW, form)["Location"]
    assert client.post(NEW, form)["Location"] == where
    text = read(client, where)
    assert "Jane" in text
    assert "contract.salary" in text
    assert "Running" in text
    assert "Manager" in read(client, LIST)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"input": "{"}, "not valid JSON at line 1"),
        ({"title": "x" * 121}, "at most 120 printable"),
        ({"workflow": "document-analysis"}, "runs on documents"),
        ({"workflow": "none"}, "No such workflow"),
    ],
)
def test_what_cannot_be_started_is_told_beside_what_was_typed(changed: dict[str, str], told: str) -> None:
    onboarding()
    answer = signed_in(bob()).post(NEW, {"workflow": "onboarding", "title": "Jane", "input": "17", **changed})
    assert answer.status_code == 422
    assert told in unescape(one_line(answer.content))
    assert queries.list_executions(SITE, "onboarding").rows == []


def test_it_is_cancelled_and_purged_on_its_page() -> None:
    execution = make_execution()
    client = signed_in(alice())
    assert "Purge" not in read(client, page(execution.executionId))
    client.post(page(execution.executionId, "cancel"))
    assert client.post(page(execution.executionId, "cancel")).status_code == 409
    assert "Cancelled" in read(client, page(execution.executionId))
    assert client.post(page(execution.executionId, "purge")).status_code == 422
    gone = client.post(page(execution.executionId, "purge"), {"sure": "yes"})
    assert gone["Location"] == "/executions/?workflow=onboarding"
    assert client.get(page(execution.executionId)).status_code == 404


def test_an_approval_in_a_closed_queue_closes_it_to_all_but_who_started_it() -> None:
    create_queue(SITE, "Heads", ["heads"], by=BY, queue_id="01K000000000000000000000Q1")
    mine = signed_in(bob())
    started = mine.post(NEW, {"workflow": onboarding().name, "input": json.dumps({"name": "Jane"})})["Location"]
    assert mine.get(started).status_code == 200
    assert signed_in(charlie()).get(started).status_code == 404
    assert "Manager" not in read(signed_in(charlie()), LIST)


def test_the_page_is_three_calls() -> None:
    execution, client = make_execution(), signed_in(charlie())
    client.get(page(execution.executionId))
    with count_calls() as calls:
        client.get(page(execution.executionId))
    assert calls.names() == ["dynamodb.GetItem", "dynamodb.Query", "dynamodb.GetItem"]


def test_a_workflow_of_data_leads_to_its_executions() -> None:
    definition, client = onboarding(), signed_in(alice())
    assert client.get("/workflows/?definition=onboarding")["Location"] == "/executions/?workflow=onboarding"
    assert "/executions/?workflow=onboarding" in read(client, f"/settings/definitions/{definition.id}/")


def test_a_workflow_of_data_is_composed_and_tried_on_a_page() -> None:
    client = signed_in(alice())
    plan = client.post("/settings/definitions/new/", {"name": "orders", "runs_on": "data"})["Location"]
    shown = read(client, plan)
    assert "Try on data" in shown
    assert "Set a tag" not in shown
    assert "Build the knowledge graph" not in shown
    form = {
        "version": "1", "blocks-TOTAL_FORMS": "1", "blocks-INITIAL_FORMS": "0", "blocks-0-kind": "approval",
        "blocks-0-label": "Large order", "blocks-0-key_1": "order.total", "blocks-0-operator_1": "GT",
        "blocks-0-value_1": "1000",
    }  # fmt: skip
    tried = client.post(plan, {**form, "order": "try", "document": '{"order": {"total": 1200}}'})
    assert "Asks for approval" in tried.content.decode()
    tried = client.post(plan, {**form, "order": "try", "document": '{"order": {"total": 12}}'})
    assert "Asks for approval" not in tried.content.decode()
    assert "not valid JSON" in client.post(plan, {**form, "order": "try", "document": "{"}).content.decode()
    assert client.post(plan, {**form, "order": "publish"})["Location"] == "/settings/definitions/orders.v1/"
    assert "Being deployed" in read(client, "/settings/definitions/orders.v1/")


def test_what_moves_comes_alone_while_it_runs() -> None:
    execution = make_execution()
    fragment = signed_in(charlie(), htmx=True).get(page(execution.executionId)).content.decode()
    assert "<html" not in fragment
    assert "hx-trigger" in fragment
    actions.cancel_execution(SITE, execution.executionId, by=BY)
    assert "hx-trigger" not in signed_in(charlie(), htmx=True).get(page(execution.executionId)).content.decode()


def test_the_end_is_told_with_its_reason_in_the_language_of_the_page() -> None:
    execution = make_execution()
    actions.cancel_execution(SITE, execution.executionId, by=BY)
    shown = signed_in(charlie()).get(page(execution.executionId), headers={"Accept-Language": "de"}).content.decode()
    assert shown.count(f"Von {BY.name} abgebrochen.") == 2  # the banner and the history


def test_the_history_tells_results_in_the_language_of_the_page() -> None:
    words = {"de": ("Abgeschlossen", "Andernfalls"), "en": ("Completed", "Otherwise")}
    for language, (completed, otherwise) in words.items():
        with translation.override(language):
            assert (name_result("completed"), name_result("otherwise")) == (completed, otherwise)
    assert name_result("above_1000") == "Above 1000"


@pytest.mark.parametrize(
    ("result", "to", "words"),
    [("otherwise", 3, "Applies → High salary"), ("not_1", 4, "Does not apply → Provision accounts")],
)
def test_the_history_tells_which_way_a_choice_led(result: str, to: int, words: str) -> None:
    move = Transition("P", "S", fromStep=2, toStep=to, result=result, occurredAt="2026-01-01")
    assert [(line.label, line.result) for line in _lines(onboarding(), [move])] == [("High salary?", words)]

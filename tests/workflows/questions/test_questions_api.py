"""Questions about a page by API: asked, answered, asked again, deleted; by whom, and of which page."""

import json
from typing import Any

import pytest
from django.test import Client

from projects.sites.permissions import Permission
from tests.workflows.questions.made import read_run
from tests.workflows.test_api import API, problem, program
from workflows.questions import actions, queries, tasks
from workflows.questions.actions import Answer
from workflows.runs.items import Run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
ALL = (Permission.READ, Permission.WRITE, Permission.PERSONAL)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Number and generation of each that a worker is to answer."""
    found: list[tuple[int, int]] = []
    monkeypatch.setattr(tasks, "order_answer", lambda ref, generation: found.append((ref.number, generation)))
    return found


def url(run: Run, more: str = "", page: int = 0) -> str:
    return f"{API}/documents/{run.document_id}/runs/{run.workflow_id}/pages/{page}/questions{more}"


def post(client: Client, address: str, **body: Any) -> Any:
    return client.post(address, json.dumps(body), content_type="application/json")


def test_a_question_is_asked_answered_and_asked_again(sent: list[tuple[int, int]]) -> None:
    run, client = read_run(), program(*ALL)
    asked = post(client, url(run), question="What  is the total?")
    assert (asked.status_code, asked.json()["number"], asked.json()["status"]) == (201, 1, "asked")
    ref = queries.QuestionRef(run, 0, 1)
    actions.record_answer(ref, Answer("120.00", "local", "Total due 120.00", (0.1, 0.2, 0.3, 0.25), 0.9), generation=1)
    (found,) = client.get(url(run)).json()["items"]
    assert (found["question"], found["answer"], found["status"]) == ("What is the total?", "120.00", "answered")
    assert (found["passage"], found["box"], found["confidence"]) == ("Total due 120.00", [0.1, 0.2, 0.3, 0.25], 0.9)
    again = post(client, url(run, "/1/again"), generation=1).json()
    assert (again["generation"], again["status"], again["answer"]) == (2, "asked", "120.00")
    problem(post(client, url(run, "/1/again"), generation=1), 409)
    assert sent == [(1, 1), (1, 2)]


def test_a_deleted_question_leaves_nothing(sent: list[tuple[int, int]]) -> None:
    run, client = read_run(), program(*ALL)
    post(client, url(run), question="Who signed?")
    assert client.delete(url(run, "/1")).status_code == 204
    assert client.delete(url(run, "/1")).status_code == 204
    assert client.get(url(run)).json()["items"] == []
    problem(post(client, url(run, "/1/again"), generation=1), 404)
    problem(client.delete(url(run, "/9")), 404)


def test_what_cannot_be_asked_is_refused(sent: list[tuple[int, int]]) -> None:
    run, client = read_run(), program(*ALL)
    problem(post(client, url(run), question=" "), 422)
    for page in (7, -1):
        problem(post(client, url(run, page=page), question="Who signed?"), 404)
        problem(client.get(url(run, page=page)), 404)
    problem(post(program(Permission.READ), url(run), question="Who signed?"), 403)
    assert program(Permission.READ).get(url(run)).status_code == 200
    assert sent == []

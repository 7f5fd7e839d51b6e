"""The API of executions without a document: one key starts one, and it is followed to its end."""

import pytest
from django.test import Client

from config.item import Page
from projects.queues.actions import create_queue
from projects.sites.permissions import Permission
from tests.factories import SITE
from tests.workflows.executions.onboarding import BY, make_execution, onboarding
from tests.workflows.test_api import API, problem, program
from workflows.executions import queries

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("machines", "table")]
URL = f"{API}/executions"
WISH = {"workflow": "onboarding", "title": "Jane", "input": {"name": "Jane", "contract": {"salary": 9000}}}


@pytest.fixture
def client() -> Client:
    onboarding()
    return program(Permission.READ, Permission.WRITE, Permission.DELETE)


def test_an_execution_is_started_once_followed_cancelled_and_purged(client: Client) -> None:
    key = {"Idempotency-Key": "order 17"}
    started = client.post(URL, WISH, content_type="application/json", headers=key)
    assert started.status_code == 201
    again = client.post(URL, WISH, content_type="application/json", headers=key)
    assert (again.status_code, again.json()["id"]) == (200, started.json()["id"])
    other = client.post(URL, {**WISH, "input": 17}, content_type="application/json", headers=key)
    assert other.status_code == 422
    one = f"{URL}/{started.json()['id']}"
    shown = client.get(one).json()
    assert shown["input"] == WISH["input"]
    assert (shown["status"], shown["step"]) == ("running", "approval_1")
    listed = client.get(f"{URL}?workflow=onboarding").json()["items"]
    assert [(row["run_id"], row["document_id"], row["name"]) for row in listed] == [(shown["id"], None, "Jane")]
    assert client.get(f"{one}/transitions").json() == {"items": []}
    assert client.delete(one).status_code == 422
    cancelled = client.post(f"{one}/cancel").json()
    assert (cancelled["status"], cancelled["step"], cancelled["waits_until"]) == ("cancelled", None, None)
    assert cancelled["reason"].startswith("Cancelled by ")
    (move,) = client.get(f"{one}/transitions").json()["items"]
    assert (move["step"], move["to"], move["result"]) == ("approval_1", None, "cancelled")
    assert client.post(f"{one}/cancel").status_code == 409
    assert client.delete(one).status_code == 204
    assert client.get(one).status_code == 404
    told = [row["type"] for row in client.get(f"{API}/events").json()["items"]]
    assert told in ([], ["execution.started", "execution.ended"])  # an event appears after some seconds


@pytest.mark.parametrize(
    ("wish", "where"),
    [
        ({**WISH, "workflow": "document-analysis"}, "workflow"),
        ({**WISH, "workflow": "none"}, "workflow"),
        ({**WISH, "input": "x" * 20_000}, "input"),
        ({**WISH, "input": [[[[[[[[[[[[[1]]]]]]]]]]]]]}, "input"),
        ({"workflow": "onboarding"}, "input"),
        ({**WISH, "title": "\u202e"}, "title"),
        ([WISH], "body"),
    ],
)
def test_what_cannot_be_started_is_refused_by_the_name_that_was_sent(client: Client, wish: object, where: str) -> None:
    told = problem(client.post(URL, wish, content_type="application/json"), 422)
    assert [one["where"] for one in told["errors"]] == [where]


def test_who_may_not_write_or_delete_is_refused() -> None:
    onboarding()
    reader = program(Permission.READ)
    assert reader.post(URL, WISH, content_type="application/json").status_code == 403
    one = program(Permission.READ, Permission.WRITE)
    made = one.post(URL, WISH, content_type="application/json").json()["id"]
    assert one.delete(f"{URL}/{made}").status_code == 403
    assert reader.post(f"{URL}/{made}/cancel").status_code == 403


def test_a_page_whose_rows_are_all_hidden_is_not_told_as_an_empty_one(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_queue(SITE, "Heads", ["heads"], by=BY, queue_id="01K000000000000000000000Q1")
    first = client.post(URL, WISH, content_type="application/json").json()["id"]
    hidden = [make_execution(f"Of others {number}").executionId for number in range(2)]
    rows = queries.list_executions(SITE, "onboarding").rows
    pages = {None: Page(rows[:2], "more"), "more": Page(rows[2:], None)}
    monkeypatch.setattr(queries, "list_executions", lambda *_, cursor: pages[cursor])
    page = client.get(f"{URL}?workflow=onboarding").json()
    assert ([row["run_id"] for row in page["items"]], page["next"]) == ([first], None)
    assert client.get(f"{URL}/{hidden[0]}").status_code == 404

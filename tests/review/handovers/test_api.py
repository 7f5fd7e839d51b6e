"""A program asks a person and fetches the answer."""

import json

import pytest
from django.test import Client

from projects.queues import actions as queue_actions
from projects.sites.permissions import Permission
from review.handovers import delivery
from review.handovers.actions import ref_of
from review.status import Decision
from tests.each import each
from tests.factories import review_of
from tests.projects.make_sites import BY, make_site
from tests.review.handovers.asking import FIELDS, decide, hand_over, no_undo
from tests.review.reviews import pass_deadline
from tests.workflows.test_api import API, problem, program

pytestmark = pytest.mark.usefixtures("desk")
QUESTION = {"id": "loan 17", "title": "Loan 17", "fields": FIELDS, "text": "Please decide."}


def ask(client: Client, **changes):
    return client.post(f"{API}/reviews", json.dumps({**QUESTION, **changes}), content_type="application/json")


def show(client: Client, review_id: str):
    return client.get(f"{API}/reviews/{review_id}")


def test_a_question_is_asked_decided_and_fetched() -> None:
    client = program()
    answer = ask(client)
    made = answer.json()
    assert (answer.status_code, made["status"], made["fields"]) == (201, "waiting", None)
    ref = ref_of("default", made["id"])
    assert made["url"].endswith(f"/review/{ref.document_id}/{ref.review_id}/")
    assert review_of(ref).caller == "API key Scanner"
    decision_id = decide(ref, amount="12.34")
    assert show(client, made["id"]).json()["status"] == "waiting"  # it can still be taken back
    no_undo(ref)
    delivery.deliver_answer(ref, decision_id)
    found = show(client, made["id"]).json()
    assert (found["status"], found["decision_id"], found["delivery"]) == ("approved", decision_id, "to_fetch")
    assert {"name": "amount", "value": "12.34", "corrected": True} in found["fields"]


def test_a_rejection_comes_with_its_reason_and_the_callers_own_values() -> None:
    client = program()
    ref = ref_of("default", ask(client).json()["id"])
    decision_id = decide(ref, Decision.REJECT)
    no_undo(ref)
    delivery.deliver_answer(ref, decision_id)
    found = show(client, ref.review_id).json()
    assert (found["status"], found["reason"]) == ("rejected", "Not ours")
    assert not any(one["corrected"] for one in found["fields"])


def test_nobody_decided() -> None:
    client = program()
    ref = ref_of("default", ask(client).json()["id"])
    pass_deadline(ref)
    delivery.expire_handover(ref, review_of(ref))
    assert show(client, ref.review_id).json()["status"] == "expired"


def test_the_same_id_is_the_same_review_and_other_content_is_refused() -> None:
    client = program()
    first, again = ask(client), ask(client)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"]
    assert "different content" in problem(ask(client, title="Loan 18"), 422)["detail"]
    assert problem(ask(client, id=None), 422)["errors"][0]["where"] == "id"


@each(
    "changes",
    [{"title": ""}, {"token": "t"}, {"fields": [{"name": "a", "confidence": 7}]}, {"text": "\x00"}, {"queue": "none"},
     {"text": "\u202e21.00"},
     {"pages": ["http://169.254.169.254/"]}, {"deadline_seconds": 5}, {"site": "acme"}, {"fields": "x"}],
)  # fmt: skip
def test_what_cannot_be_reviewed_is_a_problem(changes) -> None:
    answer = ask(program(), **changes)
    problem(answer, 422)


def test_what_is_no_json_is_a_problem() -> None:
    client = program()
    problem(client.post(f"{API}/reviews", "{", content_type="application/json"), 400)


def test_asking_needs_write_and_fetching_read() -> None:
    reader, writer = program(Permission.READ), program(Permission.WRITE)
    problem(ask(reader), 403)
    review_id = ask(writer).json()["id"]
    problem(show(writer, review_id), 403)
    assert show(reader, review_id).status_code == 200


def test_the_site_is_the_keys() -> None:
    make_site("acme")
    ours, theirs = program(), program(site="acme")
    review_id = ask(ours).json()["id"]
    problem(show(theirs, review_id), 404)
    made = ask(theirs).json()
    assert made["id"] != review_id
    assert "/s/acme/review/" in made["url"]


def test_a_queue_for_certain_groups_is_closed_to_other_programs() -> None:
    queue_actions.create_queue("default", "Loans", ["admins"], by=BY, queue_id="loans-q")
    client, other = program(), program()
    review_id = ask(client, queue="loans-q").json()["id"]
    assert show(client, review_id).status_code == 200
    problem(show(other, review_id), 404)


@each("review_id", ["none", "0" * 26, "A" * 26, "a%23b", "desk-1"])
def test_what_is_not_there_is_not_found(review_id: str) -> None:
    problem(show(program(), review_id), 404)


def test_what_a_machine_asked_can_be_looked_at_too() -> None:
    ref = hand_over().ref
    assert show(program(Permission.READ), ref.review_id).json()["title"] == "Loan 17"

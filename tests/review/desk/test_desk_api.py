"""Reviews by API: a person's token does what the person does at the desk, and a program's key decides nothing."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from config import table
from projects.audit.events import actor_of
from projects.sites.api_keys import create_api_key
from projects.sites.permissions import EVERYTHING, Permission
from review.identity import ReviewRef
from review.items.reviews import ReviewDecision
from review.queries import get_review
from review.status import ReviewStatus
from tests.people import alice, bob, charlie
from tests.projects.make_sites import BY
from tests.review.desk.test_checking import invoice
from tests.review.reviews import open_review
from tests.workflows.test_api import API, problem, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def token(user: User) -> Client:
    _, key = create_api_key("default", "Script", EVERYTHING, by=actor_of(user), personal=True)
    return Client(headers={"Authorization": f"Bearer {key}"})


def post(client: Client, ref: ReviewRef, what: str, **body: Any):
    address = f"{API}/documents/{ref.document_id}/reviews/{ref.review_id}/{what}"
    send = client.put if what == "draft" else client.post
    return send(address, body, content_type="application/json")


@pytest.fixture
def ref() -> ReviewRef:
    return open_review("note.pdf")[1]


def unsure(found: dict[str, Any]) -> list[str]:
    return [one["name"] for one in found["fields"] if one["must_check"]]


def test_a_review_is_found_claimed_drafted_decided_and_undone(ref: ReviewRef, settings: Any) -> None:
    settings.REVIEW_UNDO_SECONDS = 60
    client = token(bob())
    listed = client.get(f"{API}/reviews").json()["items"]
    assert [(one["id"], one["holder"]) for one in listed] == [(ref.review_id, None)]
    assert client.get(f"{API}/queues").json()["items"][0] == {
        "id": "", "name": "Review", "archived": False, "waiting": 1,
    }  # fmt: skip
    free = client.get(f"{API}/documents/{ref.document_id}/reviews/{ref.review_id}").json()
    assert (free["state"], free["ticket"]) == ("free", None)
    mine = post(client, ref, "claim").json()
    assert mine["state"] == "mine"
    doubt = unsure(mine)
    assert doubt
    refused = problem(post(client, ref, "decide", ticket=mine["ticket"], decision="approve"), 422)
    assert [one["where"] for one in refused["errors"]] == ["checked"] * len(doubt)
    draft = post(client, ref, "draft", ticket=mine["ticket"], values={doubt[0]: "34.10"})
    assert draft.json()["lease_until"]
    again = client.get(f"{API}/documents/{ref.document_id}/reviews/{ref.review_id}").json()
    assert next(one["value"] for one in again["fields"] if one["name"] == doubt[0]) == "34.10"
    wish = {"ticket": again["ticket"], "decision": "approve", "values": {doubt[0]: "34.10"}, "checked": doubt[1:]}
    decided = [post(client, ref, "decide", **wish) for _ in range(2)]
    assert [one.status_code for one in decided] == [200, 200]
    review = get_review(ref)
    assert (review.status, review.reviewer) == (ReviewStatus.DECIDED, str(bob().pk))
    assert review.decision_id == decided[1].json()["decision_id"]
    undone = post(client, ref, "undo", decision_id=review.decision_id).json()
    assert (undone["state"], get_review(ref).status) == ("mine", ReviewStatus.CLAIMED)
    assert post(client, ref, "release").json()["state"] == "free"


def test_each_check_that_a_field_fails_is_listed() -> None:
    failed = ["Total 120.00 is not 90.00", "Total 120.00 is not on the page"]
    checks = [{"field": "total", "text": one} for one in failed]
    _, ref = open_review(found={**invoice(due_date="1990-01-01"), "checks": checks})
    found = {one["name"]: one for one in post(token(bob()), ref, "claim").json()["fields"]}
    told = ["Due date 1990-01-01 is more than 30 years ago", "Due date 1990-01-01 is before Date 2024-03-31"]
    due = found["due_date"]
    assert (due["reasons"], due["warnings"], due["warning"]) == (told[:1], told, told[0])
    total, vat = found["total"], found["vat"]
    assert (total["reasons"], total["reason"]) == (failed, failed[0])
    assert (vat["reasons"], vat["reason"], vat["warnings"], vat["warning"]) == ([], None, [], None)


def test_a_rejection_confirms_only_what_was_asked(ref: ReviewRef) -> None:
    client = token(bob())
    mine = post(client, ref, "claim").json()
    asked, names = unsure(mine), [one["name"] for one in mine["fields"]]
    assert set(names) > set(asked)
    wish = {"ticket": mine["ticket"], "decision": "reject", "reason": "Unreadable", "checked": names}
    decision_id = post(client, ref, "decide", **wish).json()["decision_id"]
    parts = {"document_id": ref.document_id, "review_id": ref.review_id, "decision_id": decision_id}
    told = ReviewDecision.load(table.REVIEW_DECISION.key("default", **parts)).confirmed
    labels = [one["label"] for one in mine["fields"] if one["name"] in asked]
    assert sorted(told or ()) == sorted(labels)


def test_who_comes_second_is_told_who_was_first(ref: ReviewRef) -> None:
    first, second = token(bob()), token(alice())
    ticket = post(first, ref, "claim").json()["ticket"]
    assert "has claimed this" in problem(post(second, ref, "claim"), 409)["detail"]
    assert (
        "another review or user"
        in problem(post(second, ref, "decide", ticket=ticket, decision="reject"), 422)["detail"]
    )
    reason = problem(post(first, ref, "decide", ticket=ticket, decision="reject"), 422)["errors"]
    assert reason[0]["where"] == "reason"
    assert post(first, ref, "decide", ticket=ticket, decision="reject", reason="Unreadable").status_code == 200
    assert "Bob Ito" in problem(post(second, ref, "claim"), 409)["detail"]


def test_only_people_who_may_review_decide(ref: ReviewRef) -> None:
    _, key = create_api_key("default", "Robot", EVERYTHING, by=BY)
    robot = Client(headers={"Authorization": f"Bearer {key}"})
    assert "Only people decide" in problem(post(robot, ref, "claim"), 403)["detail"]
    reads = program(Permission.READ)  # a key cannot be given REVIEW: asking an admin for it would help nobody
    assert "Only people decide" in problem(post(reads, ref, "claim"), 403)["detail"]
    problem(robot.get(f"{API}/documents/{ref.document_id}/reviews/{ref.review_id}"), 403)
    assert len(robot.get(f"{API}/reviews").json()["items"]) == 1
    problem(post(token(charlie()), ref, "claim"), 403)
    problem(token(bob()).get(f"{API}/reviews", {"queue": "none"}), 404)


def test_own_lists_of_reviews_are_those_of_the_page(ref: ReviewRef) -> None:
    client = token(bob())

    def listed(client: Client, **asked: str) -> list[str]:
        return [one["id"] for one in client.get(f"{API}/reviews", asked).json()["items"]]

    assert listed(client, view="mine") == []
    post(client, ref, "claim")
    assert listed(client, view="mine") == [ref.review_id]
    assert listed(client, view="asked") == []
    assert listed(token(alice()), view="mine") == []
    assert listed(program(Permission.READ), view="mine") == []
    assert listed(program(Permission.READ)) == [ref.review_id]
    problem(client.get(f"{API}/reviews", {"view": "all"}), 422)

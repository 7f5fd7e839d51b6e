"""The form that splits a document, and the API's operation: what they ask for, refuse and decide."""

import json

import pytest
from django.urls import reverse

from review.decide import claims, quorum
from review.items.reviews import Review
from review.queries import get_review
from review.status import ReviewStatus
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.review.desk.test_desk_api import post, token
from tests.review.reviews import open_review, person, result, url
from tests.workflows.test_api import problem
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("desk")


def of_pages(count: int, **more: object):
    found = result()
    found["pages"] = [{**found["pages"][0], "index": index, **more} for index in range(count)]
    run, ref = open_review("scan.pdf", found=found)
    claims.claim_review(ref, run, by=person(bob()))
    return run, ref


def decision_object(run, review):
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    return json.loads(store.read_pinned(store.name_of(review.decision_uri), review.decision_sha256))


def test_marked_pages_split_the_document_and_the_receipt_says_so(settings):
    settings.REVIEW_UNDO_SECONDS = 60
    run, ref = of_pages(3)
    browser = signed_in(bob())
    assert url("split", ref) in one_line(browser.get(url("show-review", ref)).content)
    page = browser.get(url("split", ref))
    assert one_line(page.content).count("New document starts here") == 2
    form = {"ticket": page.context["ticket"], "starts": ["3"], "type-1": "", "type-2": "ignored"}
    sent = [browser.post(url("split", ref), form) for _ in range(2)]
    assert [one.status_code for one in sent] == [302, 302]
    assert "Split" in one_line(browser.get(sent[0]["Location"]).content)
    review = get_review(ref)
    assert (review.status, review.decision) == (ReviewStatus.DECIDED, "reject")
    decided = decision_object(run, review)
    assert [(one["first"], one["last"]) for one in decided["parts"]] == [(1, 2), (3, 3)]
    assert decided["reason"] == "Pages 1–2; Page 3"
    listed = one_line(browser.get("/review/decided/").content)
    assert "Split" in listed
    shown = one_line(signed_in(alice()).get(url("show-review", ref)).content)
    assert "Bob Ito split this at" in shown
    assert "Each part is processed as a document." in shown
    assert reverse("documents:show-document", args=[ref.document_id]) in shown
    assert ("rejected this" in shown, "The run ends as rejected" in shown) == (False, False)


def test_without_a_mark_or_with_a_type_that_is_gone_it_asks_again():
    _, ref = of_pages(3)
    browser = signed_in(bob())
    ticket = browser.get(url("split", ref)).context["ticket"]
    for form, said in (
        ({}, "Mark at least one page"),
        ({"starts": ["4", "x", "1"]}, "Mark at least one page"),
        ({"starts": ["2"], "type-2": "gone"}, "no longer exists"),
    ):
        answer = browser.post(url("split", ref), {"ticket": ticket, **form})
        assert (answer.status_code, said in one_line(answer.content)) == (422, True)
    assert "checked" in one_line(answer.content)  # what was marked stays
    assert get_review(ref).status == ReviewStatus.CLAIMED


def test_one_page_and_what_another_holds_are_not_offered():
    _, ref = of_pages(1)
    browser = signed_in(bob())
    assert url("split", ref) not in one_line(browser.get(url("show-review", ref)).content)
    refused = browser.get(url("split", ref))
    assert (refused.status_code, "Only PDF and TIFF" in one_line(refused.content)) == (422, True)
    run, other = of_pages(2)
    assert signed_in(alice()).get(url("split", other)).status_code == 409
    ticket = browser.get(url("split", other)).context["ticket"]
    claims.release_claim(other, run, by=person(bob()))
    assert browser.post(url("split", other), {"ticket": ticket, "starts": ["2"]}).status_code == 409


def test_pages_of_text_are_not_offered():
    _, ref = of_pages(3, image=None)
    assert url("split", ref) not in one_line(signed_in(bob()).get(url("show-review", ref)).content)


def test_by_api_with_a_persons_token(settings):
    settings.REVIEW_UNDO_SECONDS = 60
    _, ref = of_pages(3)
    client = token(bob())
    ticket = client.get(f"/api/v1/documents/{ref.document_id}/reviews/{ref.review_id}").json()["ticket"]
    wrong = post(client, ref, "split", ticket=ticket, parts=[{"first": 1, "last": 1}, {"first": 3, "last": 3}])
    assert "every page once" in problem(wrong, 422)["detail"]
    parts = [{"first": 1, "last": 1}, {"first": 2, "last": 3}]
    done = post(client, ref, "split", ticket=ticket, parts=parts)
    assert done.status_code == 200
    assert get_review(ref).decision_id == done.json()["decision_id"]
    undone = post(client, ref, "undo", decision_id=done.json()["decision_id"]).json()
    assert undone["state"] == "mine"


def test_as_one_of_several_blind_decisions_it_is_kept_and_counted():
    _, ref = of_pages(2)
    Review.change(ref.key, [Review.quorum.set("2/2")], Review.PK.exists())
    browser = signed_in(bob())
    ticket = browser.get(url("split", ref)).context["ticket"]
    assert browser.post(url("split", ref), {"ticket": ticket, "starts": ["2"]}).status_code == 302
    assert quorum.count_vote(ref, get_review(ref).decision_id, may_undo=False) is None
    assert (get_review(ref).status, len(get_review(ref).votes)) == (ReviewStatus.PENDING, 1)

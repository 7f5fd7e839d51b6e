"""The desk's page of what another system asks: its fields, its text or pages, its name, and where the answer went."""

import pytest
from django.urls import reverse

from projects.queues import actions as queue_actions
from review.handovers import delivery
from review.items.reviews import Review
from review.status import Decision
from tests.aws_faults import answered
from tests.factories import review_of
from tests.foreign import BUCKET, make_bucket, picture, put
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.projects.make_sites import BY
from tests.review.handovers.asking import ask, decide, hand_over, no_undo
from tests.review.reviews import open_review, pass_deadline, url

pytestmark = pytest.mark.usefixtures("desk")


def page(ref, user=None) -> str:
    answer = signed_in(user or bob()).get(url("show-review", ref))
    assert answer.status_code == 200
    return one_line(answer.content)


def test_fields_text_reason_and_caller_are_on_the_page() -> None:
    ref = hand_over(text="Dear <bank>,\nplease", reason="Above 30").ref
    html = page(ref)
    assert "Requested by loans" in html
    assert "Dear &lt;bank&gt;,\nplease" in signed_in(bob()).get(url("show-review", ref)).content.decode()
    assert "Above 30" in html
    assert "no confidence" in html
    assert "data-zoom" not in html
    assert "0 pages" not in html


def test_only_fields_say_so() -> None:
    assert "Loans sent fields only" in page(hand_over().ref)


def test_pages_are_shown_to_whoever_may_see_the_review(settings) -> None:
    settings.INTAKE_SOURCES = {"default": ((BUCKET, ""),)}
    make_bucket()
    queue_actions.create_queue("default", "Loans", ["reviewers"], by=BY, queue_id="loans-q")
    ref = hand_over(pages=[put("a.png", picture())], queue="loans-q", text="And a text").ref
    at = reverse("review:show-page", args=[ref.document_id, ref.review_id, 0])
    html = page(ref)
    assert at in html
    assert "And a text" in html
    image = signed_in(bob()).get(at)
    assert (image.status_code, image["Content-Type"]) == (200, "image/png")
    assert b"".join(image.streaming_content).startswith(b"\x89PNG")
    assert signed_in(charlie()).get(at).status_code == 404
    assert signed_in(bob()).get(at.replace("/0/", "/1/")).status_code == 404
    assert signed_in(alice()).get(at.replace(ref.review_id + "/pages", "0" * 26 + "/pages")).status_code == 404


def test_a_documents_own_review_has_no_pages_here() -> None:
    _, ref = open_review()
    at = reverse("review:show-page", args=[ref.document_id, ref.review_id, 0])
    assert signed_in(bob()).get(at).status_code == 404


def test_a_question_is_claimed_corrected_and_approved_by_hand() -> None:
    ref, client = hand_over().ref, signed_in(bob())
    client.post(url("claim", ref))
    ticket = client.get(url("show-review", ref)).context["ticket"]
    typed = {"field-amount": "12.34", "field-purpose": "shop", "field-applicant": "A"}
    answer = client.post(url("decide", ref), {"ticket": ticket, "decision": "approve", **typed})
    assert answer.status_code == 302
    review = review_of(ref)
    assert (review.status, review.decision) == ("DECIDED", "approve")
    assert "Loan 17" in one_line(client.get(answer["Location"]).content)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("delivered", "Loans received the decision."),
        ("uncertain", "Delivery to loans could not be confirmed"),
        ("undelivered", "Loans stopped waiting"),
        (None, "Delivering the decision to loans"),
    ],
)
def test_where_the_answer_went_is_said(how, words: str) -> None:
    ref = hand_over().ref
    decision_id = decide(ref, Decision.REJECT)
    no_undo(ref)
    with answered("stepfunctions", "SendTaskSuccess", {}):
        delivery.deliver_answer(ref, decision_id)
    change = Review.delivery.set(how) if how else Review.delivery.remove()
    Review.change(ref.key, [change], Review.PK.exists())
    assert words in page(ref)


def test_what_a_program_fetches_and_what_nobody_decided() -> None:
    ref = ask().ref
    decision_id = decide(ref)
    no_undo(ref)
    delivery.deliver_answer(ref, decision_id)
    assert "API key Loans can fetch the decision." in page(ref)
    late = hand_over().ref
    pass_deadline(late)
    delivery.expire_handover(late, review_of(late))
    assert "Loans was notified that the review expired" in page(late)


def test_the_audit_leads_to_the_review_and_to_no_document() -> None:
    ref = hand_over().ref
    decide(ref)
    html = signed_in(alice()).get(reverse("audit:show-audit")).content.decode()
    assert url("show-review", ref) in html
    assert f"/documents/{ref.document_id}/" not in html

"""Rejecting with a reason of the project's list, with words of one's own, or with both."""

import json

import pytest

from config import clock, table
from review import queries
from review.decide import claims, redemption
from review.decide.redemption import Application
from review.items.reviews import Review, ReviewDecision
from tests.factories import REVIEW
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.review.desk.pages import form
from tests.review.reviews import open_review, person, url
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.runs import queries as run_queries
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("desk")
REASONS = ["Not ours", "Duplicate <of> another"]


def claimed(reasons=REASONS):
    run, ref = open_review()
    Review.change(ref.key, [Review.reject_reasons.set(reasons)], Review.PK.exists())
    claims.claim_review(ref, run, by=person(bob()))
    return run, ref


def reject(ref, **typed):
    return signed_in(bob()).post(url("decide", ref), form(bob(), ref, decision="reject", **typed))


def decision_of(ref):
    review = queries.get_review(ref)
    key = {"document_id": ref.document_id, "review_id": ref.review_id, "decision_id": review.decision_id}
    return review, ReviewDecision.load(table.REVIEW_DECISION.key(ref.site, **key))


def test_the_list_is_offered_and_words_are_not_needed_beside_it():
    run, ref = claimed()
    page = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert "<option>Not ours</option><option>Duplicate &lt;of&gt; another</option>" in page
    assert reject(ref, reject_reason="Not ours").status_code == 302
    review, row = decision_of(ref)
    assert (row.reject_reason, row.reason) == ("Not ours", None)
    assert {"what": "Rejection reason", "before": None, "after": "Not ours"} in row.tell()
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    decided = json.loads(store.read_pinned(store.name_of(review.decision_uri), review.decision_sha256))
    assert (decided["reject_reason"], decided["reason"]) == ("Not ours", "")
    assert "“Not ours”" in one_line(signed_in(alice()).get(url("show-review", ref)).content)


def test_both_are_kept_and_shown():
    _, ref = claimed()
    reject(ref, reject_reason="Not ours", reason="Meant for Ruhr GmbH")
    _, row = decision_of(ref)
    assert (row.reject_reason, row.reason) == ("Not ours", "Meant for Ruhr GmbH")
    assert "“Not ours: Meant for Ruhr GmbH”" in one_line(signed_in(alice()).get(url("show-review", ref)).content)


@pytest.mark.parametrize("chosen", ["", "Not on the list"])
def test_another_reason_needs_words(chosen):
    _, ref = claimed()
    answer = reject(ref, reject_reason=chosen, reason=" ")
    assert (answer.status_code, "Enter a reason" in one_line(answer.content)) == (422, True)
    assert reject(ref, reject_reason=chosen, reason="Torn").status_code == 302
    _, row = decision_of(ref)
    assert (row.reject_reason, row.reason) == (None, "Torn")


def test_what_was_chosen_stays_chosen_where_the_words_are_too_long():
    _, ref = claimed()
    answer = reject(ref, reject_reason="Not ours", reason="x" * 1001)
    assert (answer.status_code, "<option selected>Not ours</option>" in one_line(answer.content)) == (422, True)


def test_without_a_list_there_is_only_the_box_for_words():
    _, ref = claimed([])
    assert "reject_reason" not in one_line(signed_in(bob()).get(url("show-review", ref)).content)


def test_an_approval_has_no_such_reason():
    _, ref = claimed()
    posted = form(bob(), ref, reject_reason="Not ours", **{"seen-total": "1"})
    answer = signed_in(bob()).post(url("decide", ref), posted)
    assert answer.status_code == 302
    assert decision_of(ref)[1].reject_reason is None


def test_the_runs_history_and_its_event_say_it():
    run, ref = claimed()
    reject(ref, reject_reason="Not ours", reason="Meant for Ruhr GmbH")
    output = redemption.decision_output(queries.get_review(ref)) | {"last": clock.new_ulid()}
    redemption.apply_decision(Application(run, 1, REVIEW, output), DOCUMENT_ANALYSIS)
    rows = {one.type: one for one in run_queries.lineage(run.site, run.document_id).rows}
    assert rows["HUMAN_REVIEW_REJECTED"].facts.as_dict()["rejected_for"] == "Not ours"
    detail = json.loads(rows["HUMAN_REVIEW_APPLIED"].bus_detail)
    assert detail["rejectionReason"] == "Not ours"
    assert "Ruhr GmbH" not in str(detail)  # a person's words stay where they may be read


def test_the_page_of_a_rejected_review_and_its_receipt_tell_how_the_run_ends(settings):
    settings.REVIEW_UNDO_SECONDS = 0
    _, ref = claimed()
    landed = reject(ref, reject_reason="Not ours")["Location"]
    assert "Submitted. The run ends as rejected." in one_line(signed_in(bob()).get(landed).content)
    page = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert "The run ends as rejected. Nothing is published." in page
    assert "The run continues." not in page

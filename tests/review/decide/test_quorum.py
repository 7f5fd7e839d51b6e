"""Several reviewers decide blindly, one after the other: the run goes on once enough agree, or a person decides."""

import json

import pytest

from config.errors import Conflict
from projects.documents.queries import count_waiting_by_queue
from review import queries
from review.decide import claims, decisions, due, quorum, redemption
from review.decide.tasks import redeem
from review.decide.waiting import to_waiting_review
from review.desk.comparison import Draft
from review.desk.question import ask_question
from review.desk.viewer_state import viewer_state_of
from review.identity import Person
from review.items.reviews import Review
from review.status import Decision, ReviewStatus
from tests.factories import MARTA, ROSA, verdict
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.review.quality.checks import decide
from tests.review.quality.test_checks import events_of, figures_of
from tests.review.reviews import open_review, person, url
from tests.workflows.advancing import failed
from workflows.documents.actions import removals
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("desk")
PAUL = Person("3", "Paul Schmidt")


def vote(run, ref, by, decision=Decision.APPROVE, **corrections):
    """Decided and counted; returns the id of the decision that enough agree on, if it is so."""
    return quorum.count_vote(ref, decide(run, ref, by, decision, **corrections))


def decided_object(run, ref):
    review = queries.get_review(ref)
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    name = files.decision(run.workflow_id, review.decision_id, review.decision_sha256)
    return json.loads(store.read_pinned(name, review.decision_sha256))


def test_the_first_decision_is_counted_once_and_the_review_waits_for_another_person():
    run, ref = open_review(quorum="2/2")
    assert queries.get_review(ref).reasons[0] == "Blind review: 2 of 2 reviewers must agree, none has decided"
    before = count_waiting_by_queue(ref.site)
    decision_id = decide(run, ref, ROSA, total="38.90")
    assert quorum.count_vote(ref, decision_id) is None
    review = queries.get_review(ref)
    assert (review.status, review.holder, review.decision_id, review.reviewer) == (
        ReviewStatus.PENDING,
        None,
        None,
        None,
    )
    assert review.reasons[0] == "Blind review: 2 of 2 reviewers must agree, 1 has decided"
    assert count_waiting_by_queue(ref.site) == before
    assert [queries.row_ref(ref.site, one) for one in queries.list_queue(ref.site).rows] == [ref]
    with pytest.raises(Conflict):  # the message came twice
        quorum.count_vote(ref, decision_id)
    redeem(site=ref.site, document_id=ref.document_id, review_id=ref.review_id, decision_id=decision_id)
    assert queries.get_review(ref).votes == review.votes
    assert events_of(ref).count("BLIND_CONTINUED") == 1
    assert "HUMAN_APPROVED" not in events_of(ref)
    with pytest.raises(Conflict):
        claims.claim_review(ref, run, by=ROSA)
    assert claims.claim_next(ref.site, by=ROSA) is None
    assert claims.claim_next(ref.site, by=MARTA) == ref


@pytest.mark.wide
def test_two_who_agree_make_a_decision_that_is_redeemed_and_can_no_longer_be_undone():
    run, ref = open_review(quorum="2/3")
    vote(run, ref, ROSA, total="38.90")
    last = decide(run, ref, MARTA, total="38.9")
    agreed = quorum.count_vote(ref, last)
    review = queries.get_review(ref)
    assert (review.status, review.decision_id, review.quorum) == (ReviewStatus.DECIDED, agreed, None)
    assert review.reviewer_name == "Rosa Marin, Marta Kowalczyk"
    stored = decided_object(run, ref)
    assert (stored["corrections"], stored["judges"]) == ({"total": "38.90"}, [ROSA.id, MARTA.id])
    with pytest.raises(Conflict):  # the loser of two workers
        quorum.count_vote(ref, last)
    for one in (last, agreed):
        with pytest.raises(Conflict):
            decisions.undo_decision(ref, run, decision_id=one, by=MARTA)
    redeem(site=ref.site, document_id=ref.document_id, review_id=ref.review_id, decision_id=last)  # the message again
    assert queries.get_review(ref).decision_id == agreed
    assert events_of(ref).count("BLIND_AGREED") == 1
    assert figures_of(ROSA, ref)["documents|agreed"] == 1
    assert figures_of(MARTA, ref)["documents|agreed"] == 1


def test_each_field_is_what_two_of_three_gave():
    run, ref = open_review(quorum="2/3")
    vote(run, ref, ROSA, total="38.90")
    vote(run, ref, MARTA, company="Grossmarkt")
    assert queries.get_review(ref).reasons[0] == "Blind review: 2 of 3 reviewers must agree, 2 have decided"
    assert vote(run, ref, PAUL, total="38.90", company="Grossmarkt")
    assert decided_object(run, ref)["corrections"] == {"total": "38.90", "company": "Grossmarkt"}


def test_where_too_few_agree_another_person_decides_who_sees_what_they_gave_and_not_who():
    run, ref = open_review(quorum="2/2")
    vote(run, ref, ROSA, total="38.90", company="Grossmarkt")
    assert vote(run, ref, MARTA, total="39.90", company="Grossmarkt") is None
    review = queries.get_review(ref)
    assert (review.status, review.quorum) == (ReviewStatus.PENDING, None)
    assert review.reasons[0] == "Reviewers differ: Total"
    assert not any(one.startswith("Blind review") for one in review.reasons)
    for one in (ROSA, MARTA):
        with pytest.raises(Conflict):
            claims.claim_review(ref, run, by=one)
    claims.claim_review(ref, run, by=PAUL)
    review = queries.get_review(ref)
    sheet = ask_question(ref, review, Draft(), viewer_state_of(review, PAUL)).sheet
    assert list(sheet.asked) == ["total"]  # only what is left to decide
    assert [(one.spec.name, one.change.after) for one in sheet.checked] == [("company", "Grossmarkt")]
    lines = {one.spec.name: one for one in sheet.lines}
    assert lines["total"].reasons[0].text == "Reviewers differ: 38.90, 39.90"
    assert [(one.value, one.by) for one in lines["total"].candidates][:2] == [
        ("38.90", "by a reviewer"), ("39.90", "by a reviewer"),
    ]  # fmt: skip
    assert (lines["total"].value, lines["company"].value) == ("33.90", "Grossmarkt")
    assert lines["total"].change is None
    claims.release_claim(ref, run, by=PAUL)
    decision_id = decide(run, ref, PAUL, total="39.90")
    with pytest.raises(Conflict):  # decided as every other: there is nothing to count
        quorum.count_vote(ref, decision_id)
    assert events_of(ref).count("BLIND_DISPUTED") == 1
    assert figures_of(ROSA, ref)["documents|differed"] == 1


@pytest.mark.parametrize("unseen", [(), ("company",)])
def test_what_reviewers_agree_on_is_not_asked_again_unless_one_of_them_has_not_looked(unseen):
    """The doubts of the extraction are settled by them, as they are where they agree on everything."""
    doubtful = {"company": ("Grossmarkt Ruhr", 0.3), "date": ("2024-03-31", 0.3), "total": ("33.90", 0.55)}
    run, ref = open_review(values=doubtful, quorum="2/2", unseen_allowed=True)
    vote(run, ref, ROSA, total="38.90")
    claims.claim_review(ref, run, by=MARTA)
    chosen = verdict(ref, total="39.90")
    chosen = chosen.__class__(**{**vars(chosen), "is_blind": True, "unseen": unseen})
    decisions.decide_review(ref, run, chosen, by=MARTA, undo_seconds=0)
    assert quorum.count_vote(ref, chosen.decision_id) is None
    claims.claim_review(ref, run, by=PAUL)
    review = queries.get_review(ref)
    question = ask_question(ref, review, Draft(), viewer_state_of(review, PAUL))
    assert list(question.ticket.asked) == ["total", *unseen]
    assert [one.spec.name for one in question.sheet.checked] == [*(() if unseen else ("company",)), "date"]
    assert "date" not in [one.spec.name for one in (*question.sheet.sure, *question.sheet.not_found)]


def test_it_is_counted_after_its_undo_window_and_not_before():
    run, ref = open_review(quorum="2/2")
    claims.claim_review(ref, run, by=ROSA)
    chosen = verdict(ref)
    chosen = chosen.__class__(**{**vars(chosen), "is_blind": True})
    decisions.decide_review(ref, run, chosen, by=ROSA)
    with pytest.raises(Conflict):
        quorum.count_vote(ref, chosen.decision_id)
    decisions.undo_decision(ref, run, decision_id=chosen.decision_id, by=ROSA)
    with pytest.raises(Conflict):
        quorum.count_vote(ref, chosen.decision_id)
    assert {"BLIND_DECIDED", "BLIND_UNDONE"} <= set(events_of(ref))
    assert queries.get_review(ref).holder == ROSA.id


def test_a_page_from_before_the_others_differed_decides_nothing():
    run, ref = open_review(quorum="2/2")
    vote(run, ref, ROSA, total="38.90")
    claims.claim_review(ref, run, by=MARTA)
    old = verdict(ref)  # not as one of several
    with pytest.raises(Conflict):
        decisions.decide_review(ref, run, old, by=MARTA)


def test_no_one_is_shown_what_another_decided_while_it_is_not_yet_counted():
    run, ref = open_review(quorum="2/2")
    claims.claim_review(ref, run, by=person(bob()))
    chosen = verdict(ref, total="38.90")
    chosen = chosen.__class__(**{**vars(chosen), "is_blind": True})
    decisions.decide_review(ref, run, chosen, by=person(bob()))
    seen = one_line(signed_in(alice()).get(url("show-review", ref)).content)
    assert "decided this at" in seen
    assert "approved" not in seen
    assert 'value="38.90"' not in seen
    own = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert "You approved this at" in own
    assert "It is compared with other reviewers&#x27; decisions" in own


def test_the_sweeper_counts_what_no_message_did():
    run, ref = open_review(quorum="2/2")
    decide(run, ref, ROSA)
    review = Review.load(ref.key)
    due.drive_review(ref.site, review)
    assert queries.get_review(ref).status == ReviewStatus.PENDING
    with pytest.raises(Conflict):  # another sweeper, with what it had read
        due.drive_review(ref.site, review)


def test_a_deleted_document_comes_into_no_queue_until_it_is_restored():
    run, ref = open_review(quorum="2/2")
    decision_id = decide(run, ref, ROSA)
    failed(run)
    removals.delete_document(ref.site, ref.document_id, by=ROSA)
    with pytest.raises(Conflict):
        quorum.count_vote(ref, decision_id)
    assert queries.list_queue(ref.site).rows == []
    removals.restore_document(ref.site, ref.document_id, by=ROSA)
    quorum.count_vote(ref, decision_id)
    assert [queries.row_ref(ref.site, one) for one in queries.list_queue(ref.site).rows] == [ref]


def test_what_was_said_meanwhile_is_shown_to_its_writer_and_once_they_are_through():
    run, ref = open_review(quorum="2/2")
    bobs = signed_in(bob())
    claims.claim_review(ref, run, by=person(bob()))
    bobs.post(url("comment", ref), {"text": "The total is 38.90", "message_id": ""}, follow=True)
    assert "The total is 38.90" in one_line(bobs.get(url("show-review", ref)).content)
    assert "The total is 38.90" not in one_line(signed_in(alice()).get(url("show-review", ref)).content)


def test_a_machine_that_starts_again_waits_for_the_others_and_does_not_go_on_with_one_decision():
    run, ref = open_review(quorum="2/2")
    decide(run, ref, ROSA)
    assert to_waiting_review(queries.get_review(ref)).decision is None
    quorum.count_vote(ref, queries.get_review(ref).decision_id)
    quorum.count_vote(ref, decide(run, ref, MARTA))
    assert to_waiting_review(queries.get_review(ref)).decision["decision"] == "approve"


@pytest.mark.parametrize("undo_seconds", [0, 60])
def test_at_the_machines_timeout_one_decision_of_two_ends_nothing_but_in_expiry(undo_seconds):
    run, ref = open_review(quorum="2/2")
    claims.claim_review(ref, run, by=ROSA)
    chosen = verdict(ref)
    chosen = chosen.__class__(**{**vars(chosen), "is_blind": True})
    decisions.decide_review(ref, run, chosen, by=ROSA, undo_seconds=undo_seconds)
    assert redemption.expire_review(run, attempt=1) == {"expired": True}
    assert queries.get_review(ref).status == ReviewStatus.EXPIRED
    assert count_waiting_by_queue(ref.site).get("review", 0) == 0


def test_at_the_machines_timeout_two_who_agree_are_taken():
    run, ref = open_review(quorum="2/2")
    vote(run, ref, ROSA, total="38.90")
    decide(run, ref, MARTA, total="38.90")
    assert redemption.expire_review(run, attempt=1)["decision_id"] == queries.get_review(ref).decision_id
    assert decided_object(run, ref)["judges"] == [ROSA.id, MARTA.id]

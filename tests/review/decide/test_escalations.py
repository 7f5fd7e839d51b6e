"""A deadline comes near: everybody is told once, the review goes on waiting, and only then it ends."""

import datetime as dt

import pytest

from config import clock
from config.due import sweeper
from config.errors import Conflict
from review.decide import claims, decisions, escalations, opening
from review.decide.due import drive_review
from review.identity import ReviewRef
from review.status import ReviewStatus
from tests.aws_faults import audit_refused
from tests.factories import MARTA, ROSA, review_of, verdict
from tests.flow.protocol import kinds
from tests.review.handovers.asking import hand_over
from tests.review.reviews import open_review
from workflows.runs import queries
from workflows.runs.items import DocumentEvent, Run

pytestmark = pytest.mark.usefixtures("machines", "table")
DAY = dt.timedelta(days=1)


def move_clock(monkeypatch: pytest.MonkeyPatch, to: dt.datetime) -> None:
    monkeypatch.setattr(clock, "now", lambda: to)


def due_at(ref: ReviewRef) -> dt.datetime:
    return clock.parse(str(review_of(ref).GSI2SK).partition("#")[0])


def near_the_end(ref: ReviewRef, monkeypatch: pytest.MonkeyPatch) -> None:
    move_clock(monkeypatch, due_at(ref) + dt.timedelta(seconds=1))


def test_a_review_is_due_a_day_before_its_deadline_and_a_short_one_in_its_last_quarter() -> None:
    now = clock.now()
    assert opening.escalates_at(now + 7 * DAY, since=now) == now + 6 * DAY
    assert opening.escalates_at(now + DAY, since=now) == now + DAY * 3 / 4
    assert opening.escalates_at(now - DAY, since=now) == now - DAY


def test_it_is_told_once_and_then_due_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    run, ref = open_review(timeout=7 * 86_400)
    deadline = clock.parse(review_of(ref).deadline)
    assert due_at(ref) == deadline - DAY
    near_the_end(ref, monkeypatch)
    sweeper.sweep()
    sweeper.sweep()
    review = review_of(ref)
    assert (review.status, bool(review.escalated_at)) == (ReviewStatus.PENDING, True)
    assert due_at(ref) == opening.expires_at(ref, deadline)
    assert kinds(run).count("HUMAN_REVIEW_ESCALATED") == 1
    (told,) = [one for one in lineage(run) if one.type == "HUMAN_REVIEW_ESCALATED"]
    assert (told.bus_type, told.GSI2PK) == ("document.review.escalated", None)  # it is on the bus


def lineage(run: Run) -> list[DocumentEvent]:
    return list(queries.lineage(run.site, run.document_id).rows)


def test_claim_and_draft_stay_and_it_can_be_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    run, ref = open_review()
    near_the_end(ref, monkeypatch)
    claims.claim_review(ref, run, by=ROSA)
    drive_review(ref.site, review_of(ref))
    assert review_of(ref).holder == ROSA.id
    decisions.decide_review(ref, run, verdict(ref), by=ROSA)
    assert review_of(ref).status == ReviewStatus.DECIDED


def test_who_decides_meanwhile_is_first(monkeypatch: pytest.MonkeyPatch) -> None:
    run, ref = open_review()
    seen = review_of(ref)
    claims.claim_review(ref, run, by=ROSA)
    decisions.decide_review(ref, run, verdict(ref), by=ROSA)
    with pytest.raises(Conflict):
        escalations.escalate_review(ref, run, seen)
    assert "HUMAN_REVIEW_ESCALATED" not in kinds(run)


def test_a_second_sweep_is_second() -> None:
    run, ref = open_review()
    seen = review_of(ref)
    escalations.escalate_review(ref, run, seen)
    with pytest.raises(Conflict):
        escalations.escalate_review(ref, run, seen)
    assert kinds(run).count("HUMAN_REVIEW_ESCALATED") == 1


def test_without_its_event_nothing_is_marked() -> None:
    run, ref = open_review()
    with audit_refused(), pytest.raises(Exception, match="Too many simultaneous changes"):
        escalations.escalate_review(ref, run, review_of(ref))
    assert review_of(ref).escalated_at is None


@pytest.mark.parametrize("before", [True, False])
def test_an_undone_decision_is_due_for_what_is_still_to_come(*, before: bool) -> None:
    run, ref = open_review(timeout=7 * 86_400)
    if not before:
        escalations.escalate_review(ref, run, review_of(ref))
    claims.claim_review(ref, run, by=MARTA)
    shown = verdict(ref)
    decisions.decide_review(ref, run, shown, by=MARTA)
    decisions.undo_decision(ref, run, decision_id=shown.decision_id, by=MARTA)
    deadline = clock.parse(review_of(ref).deadline)
    assert due_at(ref) == (deadline - DAY if before else opening.expires_at(ref, deadline))


def test_when_its_time_is_over_it_ends_also_where_nobody_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    run, ref = open_review()
    move_clock(monkeypatch, clock.now() + 30 * DAY)
    sweeper.sweep()
    assert review_of(ref).status == ReviewStatus.EXPIRED
    assert "HUMAN_REVIEW_ESCALATED" not in kinds(run)


def test_another_system_s_question_is_escalated_too(monkeypatch: pytest.MonkeyPatch) -> None:
    ref = hand_over().ref
    near_the_end(ref, monkeypatch)
    sweeper.sweep()
    review = review_of(ref)
    assert review.escalated_at
    assert due_at(ref) == clock.parse(review.deadline)
    move_clock(monkeypatch, clock.parse(review.deadline) + dt.timedelta(seconds=1))
    sweeper.sweep()
    assert review_of(ref).status == ReviewStatus.EXPIRED

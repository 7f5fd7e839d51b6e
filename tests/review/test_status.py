"""The table of moves against the conditions in the actions: every action from every status."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from config import clock
from config.errors import Conflict, StaleAttempt
from config.transaction import EXISTS, Change, transact
from review import queries, status
from review.decide import assignments, claims, decisions, postponements, questions, quorum, redemption
from review.decide.questions import Question
from review.decide.redemption import Application
from review.identity import ReviewRef
from review.items.reviews import Review
from review.messages.items import ReviewMessage
from review.status import MOVES, Move, ReviewStatus
from tests.each import each
from tests.factories import MARTA, REVIEW, ROSA, verdict
from tests.review.reviews import open_review
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import driver
from workflows.runs.items import Run
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("desk")

DECISION = "01JD0000000000000000000000"
Act = Callable[["Case"], object]


def orphaning(ref: ReviewRef) -> list[Change]:
    return redemption.plan_close(ref, status.ORPHAN, queries.get_review(ref), held=False)


@dataclass
class Case:
    """A review of which everything but the status suits the action."""

    run: Run
    ref: ReviewRef
    output: dict[str, str]


def put_into(ref: ReviewRef, state: ReviewStatus) -> None:
    Review.change(ref.key, [Review.status.set(state)], EXISTS)


def case(*, lapsed: bool = False, undo_window: bool = False) -> Case:
    run, ref = open_review()
    body = b'{"decision": "approve", "judges": ["1"], "reviewer": {"id": "1", "name": "Rosa Marin"}}'
    store = DocumentFiles(ref.site, run.project_id, ref.document_id)
    sha256 = files.sha256(body)
    uri = store.write(files.decision(run.workflow_id, DECISION, sha256), body, "application/json")
    seconds = 60
    facts = [
        Review.holder.set(ROSA.id),
        Review.holder_name.set(ROSA.name),
        Review.lease_until.set(clock.iso(clock.in_seconds(-seconds if lapsed else seconds))),
        Review.postponed_until.set(clock.iso(clock.in_seconds(seconds))),
        Review.reviewer.set(ROSA.id),
        Review.decision_id.set(DECISION),
        Review.decision.set("approve"),
        Review.decision_uri.set(uri),
        Review.decision_sha256.set(sha256),
        Review.redeem_after.set(clock.iso(clock.in_seconds(seconds if undo_window else -seconds))),
    ]
    Review.change(ref.key, facts, EXISTS)
    output = {"review_id": ref.review_id, "decision": "approve", "decision_id": DECISION, "uri": uri}
    return Case(run, ref, {**output, "sha256": sha256, "last": DECISION})


def applied(c: Case) -> object:
    return redemption.apply_decision(Application(c.run, 1, REVIEW, c.output), DOCUMENT_ANALYSIS)


def ask(c: Case, question_id: str) -> None:
    question = Question(question_id, "Paid?", [MARTA.id], MARTA.name, clock.in_seconds(600))
    questions.ask_question(c.ref, c.run, queries.get_review(c.ref), question, by=ROSA)


def as_asked(c: Case) -> Review:
    """The review as it is, had Rosa asked Marta."""
    question_id = clock.new_ulid()
    facts = {"kind": "question", "text": "Paid?", "by_id": ROSA.id, "by_name": ROSA.name, "at": "2026"}
    ReviewMessage(*c.ref.message_key(question_id), **facts).save()
    Review.change(c.ref.key, [Review.question_id.set(question_id), Review.question_to.set({MARTA.id})], EXISTS)
    return queries.get_review(c.ref)


def answer(c: Case) -> None:
    questions.answer_question(c.ref, c.run, as_asked(c), "Yes.", by=MARTA)


def take(c: Case) -> None:
    questions.take_asked(c.ref, c.run, as_asked(c), by=MARTA)


def count_blind(c: Case) -> None:
    Review.change(c.ref.key, [Review.quorum.set("2/2")], EXISTS)
    quorum.count_vote(c.ref, DECISION)


ACTIONS: dict[str, tuple[tuple[Move, ...], dict[str, bool], Act]] = {
    "claim a free or lapsed one": (
        (status.TAKE, status.TAKE_OVER), {"lapsed": True}, lambda c: claims.claim_review(c.ref, c.run, by=MARTA),
    ),
    "claim what is assigned": (
        (status.TAKE, status.TAKE_ASSIGNED, status.RENEW), {}, lambda c: claims.claim_review(c.ref, c.run, by=ROSA),
    ),
    "assign": (
        (status.ASSIGN,), {},
        lambda c: assignments.assign_review(c.ref, c.run, queries.get_review(c.ref), MARTA, by=ROSA),
    ),
    "renew": ((status.RENEW,), {}, lambda c: claims.renew_claim(c.ref, by=ROSA)),
    "release": ((status.RELEASE,), {}, lambda c: claims.release_claim(c.ref, c.run, by=ROSA)),
    "postpone": (
        (status.POSTPONE,), {},
        lambda c: postponements.postpone_review(
            c.ref, c.run, queries.get_review(c.ref), clock.in_seconds(600), by=ROSA
        ),
    ),
    "resume": (
        (status.RESUME,), {}, lambda c: postponements.resume_review(c.ref, c.run, queries.get_review(c.ref), by=ROSA),
    ),
    "ask": ((status.ASK,), {}, lambda c: ask(c, clock.new_ulid())),
    "answer": ((status.ANSWER,), {}, answer),
    "take what was asked": ((status.TAKE_ASKED,), {}, take),
    "decide": ((status.DECIDE,), {}, lambda c: decisions.decide_review(c.ref, c.run, verdict(c.ref), by=ROSA)),
    "undo": (
        (status.UNDO,), {"undo_window": True},
        lambda c: decisions.undo_decision(c.ref, c.run, decision_id=DECISION, by=ROSA),
    ),
    "count one of several": ((status.REOPEN,), {}, count_blind),
    "redeem": ((status.REDEEM,), {}, lambda c: redemption.redeem_decision(c.ref, DECISION)),
    "apply": ((status.APPLY,), {}, applied),
    "expire": ((status.EXPIRE,), {}, lambda c: redemption.expire_review(c.run, attempt=1)),
    "orphan": ((status.ORPHAN,), {}, lambda c: transact(orphaning(c.ref))),
}  # fmt: skip


@pytest.mark.parametrize("name", ACTIONS)
def test_an_action_moves_exactly_the_reviews_that_the_table_allows(name: str) -> None:
    moves, facts, act = ACTIONS[name]
    c = case(**facts)
    for state in ReviewStatus:
        put_into(c.ref, state)
        allowed = any(state in move.sources for move in moves)
        try:
            act(c)
        except (Conflict, StaleAttempt):
            assert not allowed, state
            assert queries.get_review(c.ref).status == state  # and the next state is tried on the same review
        else:
            # Expiring what was decided in time takes the decision and leaves the review alone.
            assert allowed or (name == "expire" and state in status.DECIDED), state
            expected = next((move.to for move in moves if state in move.sources), state)
            assert queries.get_review(c.ref).status == expected, state
            c = case(**facts)


@each("state", ReviewStatus)
def test_a_spent_token_is_noted_only_where_the_review_is_still_being_redeemed(
    state: ReviewStatus, monkeypatch: pytest.MonkeyPatch
) -> None:
    c = case()
    put_into(c.ref, ReviewStatus.DECIDED)
    monkeypatch.setattr(driver, "send_success", lambda *_: put_into(c.ref, state))  # the run moves on meanwhile
    assert redemption.redeem_decision(c.ref, DECISION)
    assert queries.get_review(c.ref).status == (status.SPEND.to if state in status.SPEND.sources else state)


def test_every_move_is_tried_above() -> None:
    tried = {move for moves, _, _ in ACTIONS.values() for move in moves} | {status.SPEND}
    assert tried == set(MOVES)


def test_every_status_is_reached_and_every_open_one_is_left() -> None:
    reached = {move.to for move in MOVES} | {ReviewStatus.PENDING}
    left = {source for move in MOVES for source in move.sources if move.to != source}
    assert reached == set(ReviewStatus)
    assert left == {*status.UNDECIDED, *status.DECIDED}


def test_a_decided_review_never_expires_and_is_never_orphaned() -> None:
    ends = (ReviewStatus.EXPIRED, ReviewStatus.ORPHANED)
    assert not {source for move in MOVES if move.to in ends for source in move.sources} & set(status.DECIDED)

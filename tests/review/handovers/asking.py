"""Questions of other systems, handed over without their machines."""

import uuid
from typing import Any

from django.conf import settings

from config import clock, table
from review.decide import claims, decisions
from review.handovers import actions as handover_actions
from review.handovers.actions import Handover, TakenHandover
from review.handovers.question import Question
from review.identity import ReviewRef
from review.items.reviews import Review
from review.queries import run_of
from review.status import Decision
from tests.factories import ROSA, review_of, verdict

ARN = f"arn:aws:states:{settings.AWS_REGION}:{settings.AWS_ACCOUNT_ID}:execution:loans:e-1"
FIELDS = [
    {"name": "applicant", "label": "Applicant", "value": "Grossmarkt Ruhr", "confidence": 0.97, "required": True},
    {"name": "amount", "type": "amount", "value": "33.90", "confidence": 0.55},
    {"name": "purpose", "value": "Van", "allowed": ["Van", "Shop"]},
]


def asked(**changes: Any) -> dict[str, Any]:
    """As a state machine sends it."""
    question = {"title": "Loan 17", "token": f"token {uuid.uuid4()}", "fields": FIELDS, "execution_arn": ARN, **changes}
    return {name: value for name, value in question.items() if value != ""}


def hand_over(*, entered: str = "", **changes: Any) -> TakenHandover:
    return handover_actions.take_handover(
        handover_actions.from_machine(asked(**changes), entered=entered or clock.iso(clock.now()))
    )


def ask(question_id: str = "q-1", *, by: str = "key:a", site: str = "default", **changes: Any) -> TakenHandover:
    """As a program does through the API."""
    question = Question.model_validate({"title": "Loan 17", "fields": FIELDS, "id": question_id, **changes})
    return handover_actions.take_handover(Handover(site, question, "API key Loans", by, clock.iso(clock.now())))


def decide(ref: ReviewRef, decision: Decision = Decision.APPROVE, **corrections: str | None) -> str:
    run = run_of(ref, review_of(ref))
    claims.claim_review(ref, run, by=ROSA)
    chosen = verdict(ref, decision, **corrections)
    decisions.decide_review(ref, run, chosen, by=ROSA)
    return chosen.decision_id


def no_undo(ref: ReviewRef) -> None:
    """The undo window is over."""
    Review.change(ref.key, [Review.redeem_after.set(clock.iso(clock.in_seconds(-1)))], Review.PK.exists())


def be_due(ref: ReviewRef) -> None:
    """Whatever waits for its time has it now."""
    at = table.due_index(table.REVIEW, clock.iso(clock.in_seconds(-1)), review_id=ref.review_id)
    Review.change(ref.key, [Review.GSI2SK.set(at["GSI2SK"])], Review.GSI2PK.exists())


def kinds(ref: ReviewRef) -> list[str]:
    pk = table.DOCUMENT_EVENT.partition_key(ref.site, document_id=ref.document_id)
    rows = Review.page(pk, sk=Review.SK.startswith(table.DOCUMENT_EVENT.sort_prefix())).rows
    return [row.SK.rsplit("#", 1)[-1] for row in rows]

"""Approvals in executions without a document, handled like review requests of another system."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext

from config import table
from config.errors import Conflict, NotFound, Refused, StaleAttempt
from config.item import Item, translate_store_errors
from config.transaction import Change, transact
from projects.audit.events import Actor
from projects.documents.items import HANDED_OVER
from projects.queues import queries as queue_queries
from review.decide import redemption
from review.handovers import actions as handover_actions
from review.handovers.actions import Handover, TakenHandover, ref_of
from review.handovers.question import Question
from review.identity import ReviewRef
from review.items.reviews import READABLE, Review
from review.status import ORPHAN, UNDECIDED, Bar, Decision, ReviewStatus
from workflows.executions import actions, approvals, data, queries, steps
from workflows.executions.items import InputExecution
from workflows.executions.steps import ExecutionStep
from workflows.runs.items import RunStatus
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

_SCOPE = "execution"


@dataclass(frozen=True)
class Answer:
    """What the engine continues with after a decision."""

    review_id: str
    decision: str
    decision_id: str


def ask_for_approval(work: ExecutionStep, *, entered: str, token: str | None) -> TakenHandover:
    """Open the review; idempotent. A newer token replaces the older one.

    Raises:
        StaleAttempt: a newer attempt drives the execution, or it has left the step.
        Refused: the site has no such queue, or the text cannot be shown.
        Conflict: the execution moved on meanwhile.
        Unavailable: a retry is safe.

    """
    if not steps.is_at(work):
        steps.earlier_answer(work)
    site, execution = work.run.site, work.execution
    asked = Question.model_validate(_question(work, _find_queue(site, work.step.queue)))
    barred = _find_barred(work)
    handover = Handover(site, asked, work.definition.name, _SCOPE, entered, token, barred=barred)
    actions.note_review(execution, handover.ref.review_id, step=work.step.order, attempt=work.attempt)
    taken = handover_actions.take_handover(handover)
    _withdraw_if_ended(site, execution.executionId, handover.ref)
    return taken


def _withdraw_if_ended(site: str, execution_id: str, ref: ReviewRef) -> None:
    """Withdraw the review if the execution was cancelled while it was being opened. Raises: StaleAttempt."""
    now = queries.get_execution(site, execution_id)
    if now.status == RunStatus.RUNNING:
        return
    review = Review.load(ref.key, only=READABLE)
    if review.status in UNDECIDED:
        with suppress(Conflict):
            transact(redemption.plan_close(ref, ORPHAN, review, held=False))
    raise StaleAttempt(gettext("This execution has ended."))


def _question(work: ExecutionStep, queue: str) -> dict[str, object]:
    execution, step = work.execution, work.step
    text = queries.get_input(work.run.site, execution.executionId)
    return {
        "id": f"{execution.executionId}/{step.order}",
        "title": f"{step.label}: {execution.title}"[:200],
        "reason": (step.asks or step.label)[:300],
        "text": data.describe_input(text) or "No data",
        "fields": [
            {"name": name, "label": path, "value": data.read_entry(text, path), "confidence": 1.0}
            for name, path in _name_entries(work).items()
            if data.may_correct(text, path)
        ],
        "queue": queue,
        "deadline_seconds": step.minutes * 60 or settings.REVIEW_TIMEOUT_SECONDS,
    }


def _name_entries(work: ExecutionStep) -> Mapping[str, str]:
    """Return field name → path of correctable entries; field names have no dots."""
    return {f"entry_{number}": path for number, path in enumerate(work.step.corrects, 1)}


def _find_queue(site: str, name: str) -> str:
    """Return the id of the named queue; a fallback would ask the wrong people. Raises: Refused."""
    if not name:
        return ""
    queues = (one for one in queue_queries.all_queues(site) if not one.is_archived)
    found = next((one.id for one in queues if one.name.casefold() == name.casefold()), None)
    if found is None:
        raise Refused(
            gettext("This site has no active queue named %(name)s. Create it, then start the execution again.")
            % {"name": name}
        )
    return found


def _find_barred(work: ExecutionStep) -> Mapping[str, str]:
    """Return those who decided earlier, if another person is required."""
    if not work.step.another:
        return {}
    rows = queries.list_transitions(work.run.site, work.execution.executionId)
    facts = (row.data.as_dict() for row in rows if row.data)
    return {str(one["by_id"]): Bar.DECIDED.value for one in facts if one.get("by_id")}


def apply_approval(work: ExecutionStep, answer: Answer) -> Mapping[str, object]:
    """Leave the approval with what was decided. Raises: StaleAttempt; NotFound, if the review is gone."""
    ref = ref_of(work.run.site, answer.review_id)
    review = Review.load(ref.key, only=READABLE)
    if review.decision_id != answer.decision_id:
        raise NotFound(gettext("This decision belongs to another review."))
    by = Actor(str(review.reviewer), str(review.reviewer_name or review.reviewer))
    approved = answer.decision == Decision.APPROVE
    facts = {"review": ref.review_id, "by_id": by.id, "by": by.name, "decided_at": str(review.reviewedAt or "")}
    decided = _read_decided(ref, review)
    paths = _name_entries(work)
    corrections = {paths[name]: value for name, value in decided["corrections"].items() if name in paths}
    reason = str(decided.get("reason") or decided.get("reject_reason") or "")
    return steps.decide(work, approved=approved, facts=facts, reason=reason, by=by, corrections=corrections)


def _read_decided(ref: ReviewRef, review: Review) -> Mapping[str, Any]:
    """Read the person's comment, corrections or reason for rejection."""
    store = DocumentFiles(ref.site, files.QUESTIONS, ref.document_id)
    found: Mapping[str, Any] = json.loads(
        store.read_pinned(store.name_of(str(review.decision_uri)), str(review.decision_sha256))
    )
    return found


class _Reviews:
    """The interface through which ``workflows.executions`` reaches its reviews."""

    def is_waiting(self, site: str, execution: InputExecution) -> bool:
        """Return whether the review is open, or decided and being delivered by its due row."""
        try:
            review = Review.load(ref_of(site, str(execution.review)).key, only=READABLE)
        except NotFound:
            return False
        return review.status in (*UNDECIDED, ReviewStatus.DECIDED, ReviewStatus.REDEEMING)

    def plan_withdrawal(self, site: str, execution: InputExecution) -> Sequence[Change]:
        ref = ref_of(site, str(execution.review))
        try:
            review = Review.load(ref.key, only=READABLE)
        except NotFound:
            return ()
        return redemption.plan_close(ref, ORPHAN, review, held=False) if review.status in UNDECIDED else ()

    def path(self, review_id: str) -> str:
        return reverse("review:show-review", args=[f"{HANDED_OVER}{review_id}", review_id])

    def forget(self, site: str, execution: InputExecution) -> None:
        for review_id in execution.reviews or ():
            _destroy(ref_of(site, review_id))


def _destroy(ref: ReviewRef) -> None:
    """Delete its rows, except the lineage, and its files; idempotent."""
    pk = table.REVIEW.partition_key(ref.site, document_id=ref.document_id, review_id=ref.review_id)
    lineage = table.DOCUMENT_EVENT.sort_prefix()
    with translate_store_errors(), Item.batch_write() as batch:
        for row in Item.every(pk):
            if not row.SK.startswith(lineage):
                batch.delete(Item(*row.key))
    DocumentFiles(ref.site, files.QUESTIONS, ref.document_id).destroy(lambda: None)


approvals.register_reviews(_Reviews())

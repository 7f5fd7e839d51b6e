"""Writes of second reviews: planned with a decision, opened after its run, settled by the second decision."""

import datetime as dt
import json
import logging
from collections import Counter as Sums
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.conf import settings
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from config import clock, table
from config.due import actions as due_work
from config.errors import Conflict
from config.table import Key
from config.transaction import EXISTS, Change, Check, Delete, Put, Update, transact
from projects.documents import counting
from projects.documents.counting import EVERYTHING, Kind
from projects.queues.items import DEFAULT_QUEUE, checks_of
from review.identity import Person, ReviewRef
from review.items.reviews import READABLE, Review, may_move, stays_postponed
from review.quality import figures
from review.quality.comparison import Comparison, compare_decisions
from review.quality.items import QualityFigures, ReviewCheck
from review.status import APPLY, DECIDED, EXPIRE, PUT_OFF, UNDECIDED, Bar, CheckStatus, ReviewStatus
from workflows.runs import events, queries
from workflows.runs.items import Outcome, Run, RunStatus
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

log = logging.getLogger(__name__)

DAYS = 14  # for a second review; no run waits for it
_CHECKED = (Outcome.PUBLISHED, Outcome.REJECTED)  # how a run ended whose decision can be judged


class FirstDecision(NamedTuple):
    """A stored decision. ``uri`` and ``sha256``: of its object; ``redeem_after``: end of the undo window."""

    id: str
    decision: str
    by: Person
    uri: str
    sha256: str
    at: dt.datetime
    redeem_after: dt.datetime


def check_key(ref: ReviewRef) -> Key:
    """Return the key. ``ref``: the first review."""
    return table.REVIEW_CHECK.key(ref.site, document_id=ref.document_id, review_id=ref.review_id)


def plan_check(ref: ReviewRef, run: Run, first: FirstDecision, *, name: str, queue: str) -> Put:
    """Plan a second review with its first decision; it opens once the run has ended.

    After an undo it replaces the row of the undone decision. ``queue``: in stored form.
    """
    key, look_at = check_key(ref), clock.iso(_after(first.redeem_after))
    row = ReviewCheck(
        *key,
        **ReviewCheck.due_keys(look_at, review_id=ref.review_id),
        review_id=ref.review_id,
        status=CheckStatus.WAITING,
        of_queue=queue or DEFAULT_QUEUE,
        name=name,
        project_id=run.project_id,
        document_id=ref.document_id,
        workflow_id=run.workflow_id,
        first_decision_id=first.id,
        first_decision=first.decision,
        first_id=first.by.id,
        first_name=first.by.name,
        first_uri=first.uri,
        first_sha256=first.sha256,
        created_at=clock.iso(first.at),
    )
    return Put(row, overwrite=True)


def _after(moment: dt.datetime) -> dt.datetime:
    return moment + dt.timedelta(seconds=settings.REPAIR_AFTER_SECONDS)


def open_check(site: str, row: ReviewCheck) -> None:
    """Open the second review if the run ended with the first decision; postpone while the run goes on.

    Idempotent, also with two sweepers. Undone decisions and those replaced by a later approval are not reviewed.

    Raises:
        Conflict: another sweeper was first, or the document was deleted meanwhile.

    """
    ref = ReviewRef(site, row.document_id, str(row.review_id))
    run = Run(site, row.project_id, row.document_id, row.workflow_id)
    review = Review.load(ref.key, only=READABLE)
    decided = review.decision_id == row.first_decision_id
    execution = queries.execution(run) if decided else None
    if decided and (review.status != ReviewStatus.APPLIED or (execution and execution.status == RunStatus.RUNNING)):
        due_work.postpone(row, at=due_work.next_look())
        return
    if not execution or execution.decision_id != row.first_decision_id or execution.outcome not in _CHECKED:
        transact([Delete(row.key, _as_read(row))])
        return
    barred = (review.barred.as_dict() if review.barred else {}) | {str(row.first_id): Bar.DECIDED.value}
    actions: list[Action] = [
        ReviewCheck.status.set(CheckStatus.OPEN),
        ReviewCheck.barred.set(barred),
        ReviewCheck.project_name.set(review.project_name or ""),
        ReviewCheck.updated_at.set(clock.iso(clock.now())),
        *due_work.finish_actions(),
    ]
    queue = checks_of(row.of_queue or DEFAULT_QUEUE)
    changes: list[Change] = [
        _document_is_there(ref),
        Update(row.key, actions, _as_read(row)),
        Put(_second_review(ref.check, review, queue, barred)),
        *counting.apply_tally(site, counting.count_queued(queue, ref.document_id, 1)),
    ]
    transact(changes, events.lineage(run, "CHECK_OPENED", facts={"review": ref.check.review_id}))
    log.info("second review opened", extra={"review": ref.review_id, "run": run.workflow_id})


def _as_read(row: ReviewCheck) -> Condition:
    waits: Condition = ReviewCheck.status == CheckStatus.WAITING
    same: Condition = ReviewCheck.first_decision_id == row.first_decision_id
    unmoved: Condition = due_work.if_not_moved(row) & waits & same
    return unmoved


def _document_is_there(ref: ReviewRef) -> Check:
    """Condition: the document exists. A deletion removes rows from lists one by one, so none may be added meanwhile."""
    return Check(table.DOCUMENT.key(ref.site, document_id=ref.document_id), EXISTS, name="document")


def _second_review(ref: ReviewRef, first: Review, queue: str, barred: Mapping[str, str]) -> Review:
    """Build the second review: the same question, as if unanswered."""
    now, deadline = clock.iso(clock.now()), clock.iso(clock.now() + dt.timedelta(days=DAYS))
    return Review(
        ref.key.pk,
        ref.key.sk,
        **table.REVIEW.gsi1(ref.site, queue=queue, deadline=deadline, review_id=ref.review_id),
        **Review.due_keys(deadline, review_id=ref.review_id),
        reviewId=ref.review_id,
        status=ReviewStatus.PENDING,
        createdAt=now,
        queue=queue,
        name=first.name,
        project_id=first.project_id,
        project_name=first.project_name,
        document_id=ref.document_id,
        workflow_id=first.workflow_id,
        page_count=first.page_count,
        reasons=first.reasons,
        fields_unsure=first.fields_unsure,
        triage=first.triage,
        unseen_allowed=first.unseen_allowed,
        lacking_allowed=first.lacking_allowed,
        copies=first.copies,
        reject_reasons=first.reject_reasons,
        barred=dict(barred),
        deadline=deadline,
        result_sha256=first.result_sha256,
        last_transition=first.last_transition,
        step=first.step,
        definition=first.definition,
        version=1,
        created_at=now,
        updated_at=now,
    )


def settle_check(ref: ReviewRef, decision_id: str) -> None:
    """Compare the second decision with the first after its undo window, and update both reviewers' statistics.

    Raises:
        Conflict: another decision holds, the undo window is open, it is settled already, or the document was deleted.

    """
    review, row = Review.load(ref.key, only=READABLE), ReviewCheck.load(check_key(ref.checked))
    now = clock.now()
    if review.decision_id != decision_id or review.status not in DECIDED or row.status != CheckStatus.OPEN:
        raise Conflict
    found = compare_decisions(*_read_decisions(ref, review, row))
    run = Run(ref.site, row.project_id, row.document_id, row.workflow_id)
    same: Condition = Review.decision_id == decision_id
    due: Condition = Review.redeem_after <= clock.iso(now)
    applied = [Review.status.set(APPLY.to), Review.updated_at.set(clock.iso(now)), *due_work.finish_actions()]
    judged = ReviewCheck.status == CheckStatus.OPEN
    second = Person(str(review.reviewer), str(review.reviewer_name))
    first = Person(str(row.first_id), str(row.first_name))
    changes: list[Change] = [
        _document_is_there(ref),
        Update(ref.key, applied, may_move(APPLY) & same & due),
        Update(row.key, _settle_actions(ref, row, review, found, clock.iso(now)), judged),
        *count_figures(run, zip((first, second), figures.count_comparison(found), strict=True)),
    ]
    kind = "CHECK_AGREED" if found.is_same else "CHECK_DISPUTED"
    transact(changes, events.lineage(run, kind, facts={"review": ref.review_id}))
    log.info("second review settled", extra={"review": ref.review_id, "run": run.workflow_id})


def _read_decisions(
    ref: ReviewRef, review: Review, row: ReviewCheck
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    return (
        read_result(ref, review),
        read_object(ref, row.project_id, str(row.first_uri), str(row.first_sha256)),
        read_object(ref, row.project_id, str(review.decision_uri), str(review.decision_sha256)),
    )


def read_result(ref: ReviewRef, review: Review) -> dict[str, Any]:
    """Raises: NotFound; Tampered."""
    store = DocumentFiles(ref.site, review.project_id, ref.document_id)
    found: dict[str, Any] = json.loads(store.read_pinned(files.result(review.workflow_id), review.result_sha256))
    return found


def read_object(ref: ReviewRef, project_id: str, uri: str, sha256: str) -> dict[str, Any]:
    """Raises: NotFound; Tampered."""
    store = DocumentFiles(ref.site, project_id, ref.document_id)
    found: dict[str, Any] = json.loads(store.read_pinned(store.name_of(uri), sha256))
    return found


def _settle_actions(ref: ReviewRef, row: ReviewCheck, review: Review, found: Comparison, now: str) -> list[Action]:
    barred = row.barred.as_dict() if row.barred else {}
    actions: list[Action] = [
        ReviewCheck.second_decision.set(str(review.decision)),
        ReviewCheck.second_id.set(str(review.reviewer)),
        ReviewCheck.second_name.set(str(review.reviewer_name)),
        ReviewCheck.second_uri.set(str(review.decision_uri)),
        ReviewCheck.second_sha256.set(str(review.decision_sha256)),
        ReviewCheck.updated_at.set(now),
    ]
    if found.is_same:
        return [*actions, ReviewCheck.status.set(CheckStatus.AGREED)]
    labels = [one.label for one in found.differences] if found.is_decided_alike else ["Decision"]
    queue = row.of_queue or DEFAULT_QUEUE
    index = table.REVIEW_CHECK.gsi1(ref.site, queue=queue, disputed_at=now, review_id=ref.checked.review_id)
    return [
        *actions,
        ReviewCheck.status.set(CheckStatus.DISPUTED),
        ReviewCheck.barred.set(barred | {str(review.reviewer): Bar.DECIDED.value}),
        ReviewCheck.reasons.set(labels),
        ReviewCheck.GSI1PK.set(index["GSI1PK"]),
        ReviewCheck.GSI1SK.set(index["GSI1SK"]),
    ]


def count_figures(run: Run, added: Any) -> list[Change]:
    """Add to each person's monthly statistics of site and project. ``added``: person and figures."""
    month = f"{clock.now():%Y-%m}"
    return [
        Update(
            table.QUALITY_FIGURES.key(run.site, kind=kind.value, counted=counted, month=month, user_id=person.id),
            [QualityFigures.user_name.set(person.name), *_add(sums)],
            of=QualityFigures,
        )
        for person, sums in added
        if sums
        for kind, counted in ((Kind.SITE, EVERYTHING), (Kind.PROJECT, run.project_id))
    ]


def _add(sums: Sums[str]) -> Sequence[Action]:
    return [Path([name]).add(number) for name, number in sorted(sums.items())]


def drive_check(ref: ReviewRef, run: Run, review: Review) -> None:
    """Handle a due second review: settle a decided one, end an expired one.

    Raises:
        Conflict: it changed meanwhile.

    """
    if review.status in DECIDED:
        settle_check(ref, str(review.decision_id))
    elif review.status in UNDECIDED:
        _expire_check(ref, run, review)


def _expire_check(ref: ReviewRef, run: Run, review: Review) -> None:
    now = clock.iso(clock.now())
    if review.deadline > now:  # it was due for something done meanwhile
        due_work.postpone(review, at=review.deadline)
        return
    ended: list[Action] = [
        Review.status.set(EXPIRE.to),
        Review.updated_at.set(now),
        Review.GSI1PK.remove(),
        Review.GSI1SK.remove(),
        *due_work.finish_actions(),
    ]
    closed = [ReviewCheck.status.set(CheckStatus.EXPIRED), ReviewCheck.updated_at.set(now)]
    postponed = review.status in PUT_OFF
    tally = counting.count_queued(review.queue, ref.document_id, -1, postponed=postponed)
    late: Condition = may_move(EXPIRE) & stays_postponed(postponed) & (Review.deadline <= now)
    changes: list[Change] = [
        Update(ref.key, ended, late),
        Update(check_key(ref.checked), closed, ReviewCheck.status == CheckStatus.OPEN),
        *counting.apply_tally(ref.site, tally),
    ]
    transact(changes, events.lineage(run, "CHECK_EXPIRED", facts={"review": ref.review_id}))

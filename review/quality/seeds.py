"""Seeded checks: documents with known answers, placed in the queue to measure reviewers.

Such a review, including its id, looks like any other; only the desk's secret tells it apart. No run waits for it and
nothing is published. Their share among a project's reviews is set on the test set that has the answers.
"""

import datetime as dt
import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition

from config import clock, table
from config.due import actions as due_work
from config.errors import Conflict, CountersignError, NotFound, Refused
from config.transaction import EXISTS, Change, Check, Put, RecordAt, Update, transact
from projects.audit.events import Actor, entity_event
from projects.documents import counting
from projects.documents.queries import list_versions
from projects.queues.items import DEFAULT_QUEUE
from review.identity import Person, ReviewRef, seed_id
from review.items.reviews import READABLE, Review, may_move, stays_postponed
from review.quality import figures, sampling
from review.quality.actions import count_figures, read_object, read_result
from review.quality.agreement import lead_reasons
from review.quality.comparison import compare_known
from review.status import APPLY, DECIDED, EXPIRE, PUT_OFF, UNDECIDED, Bar, ReviewStatus
from workflows.runs import queries
from workflows.runs.items import Outcome, Run
from workflows.runs.run_files import files_of
from workflows.stages import results
from workflows.stages.assess import SHOWN
from workflows.stages.assessment.needs_review import Reason
from workflows.stages.assessment.triage import triage_result, write_triage
from workflows.storage import files
from workflows.testsets.cases import TUNING, Case
from workflows.testsets.items import StoredTestSet
from workflows.testsets.queries import SetRef, list_test_sets, load_answers, load_cases

log = logging.getLogger(__name__)

_TRIES = 5  # documents tried to find one that can be asked about
_ENDED = (Outcome.PUBLISHED, Outcome.REJECTED)
_DESK = Actor("system", "Countersign")


def plant_seeds(ref: ReviewRef, run: Run, *, queue: str, deadline: dt.datetime, quorum: str = "") -> list[ReviewRef]:
    """Plant seeded checks beside a newly opened review, one for each test set whose share it falls into.

    Deterministic for a review. ``queue``: in stored form. ``quorum``: copied from the review, since they must look
    alike; one answer settles it.
    """
    planted, place = [], _Place(queue or DEFAULT_QUEUE, clock.iso(deadline), quorum)
    for head in list_test_sets(run.site, run.project_id).rows:
        if not head.sha256 or not sampling.is_sampled(f"{head.testset_id}:{ref.review_id}", float(head.seed_share)):
            continue
        for case in _choose_cases(run, head, ref):
            try:
                planted.append(_open_seed(ref, head, case, place, run.project_id))
                break
            except (Conflict, NotFound, Refused):  # the document was deleted, or has an open review
                continue
    return planted


def _choose_cases(run: Run, head: StoredTestSet, ref: ReviewRef) -> Sequence[Case]:
    cases = load_cases(SetRef(run.site, run.project_id, str(head.testset_id)), str(head.sha256))
    others = [one for one in cases if one.document_id != ref.document_id and one.fields]
    return sorted(others, key=lambda one: hashlib.sha256(f"{ref.review_id}{one.document_id}".encode()).digest())[
        :_TRIES
    ]


@dataclass(frozen=True)
class _Place:
    """A review's queue and deadline, in stored form."""

    queue: str
    deadline: str
    quorum: str = ""


def _open_seed(beside: ReviewRef, head: StoredTestSet, case: Case, place: _Place, project_id: str) -> ReviewRef:
    """Raises: NotFound, Conflict, Refused, if this document cannot be asked about now."""
    row = queries.project_document(beside.site, project_id, case.document_id)
    if row.hidden is not None or row.outcome not in _ENDED:
        raise Refused(gettext("It is under way."))
    own = Run(beside.site, project_id, case.document_id, str(row.workflow_id))
    ref = ReviewRef(beside.site, case.document_id, seed_id(f"{case.document_id}:{beside.review_id}"))
    barred = _find_barred(ref, own)
    seed = _review(ref, own, place)
    seed.name, seed.project_name, seed.barred = str(row.name or case.document_id), row.project_name, barred or None
    seed.seed_of, seed.seed_sha256 = head.testset_id, case.sha256
    changes: list[Change] = [
        Check(table.DOCUMENT.key(ref.site, document_id=ref.document_id), EXISTS, name="document"),
        Put(seed),
        *counting.apply_tally(ref.site, counting.count_queued(place.queue, ref.document_id, 1)),
    ]
    transact(changes, _event(own, seed, "seed_opened"))
    log.info("seeded check opened", extra={"review": ref.review_id})
    return ref


def _find_barred(ref: ReviewRef, run: Run) -> dict[str, str]:
    """Return its uploaders and earlier reviewers, who know it. Raises: Conflict while a review of it is open."""
    pk = table.REVIEW.partition_key(ref.site, document_id=ref.document_id)
    first = Review.SK.startswith(table.REVIEW.sort_prefix())
    rows = Review.page(pk, sk=first, consistent=True).rows
    known = [one for one in rows if one.SK.count("#") == 1]  # without decisions and drafts
    if any(one.status in UNDECIDED for one in known):
        raise Conflict
    uploaders = {one.userId: Bar.UPLOADED.value for one in list_versions(run.site, run.document_id).rows}
    return uploaders | {str(one.reviewer): Bar.DECIDED.value for one in known if one.reviewer}


def _review(ref: ReviewRef, run: Run, place: _Place) -> Review:
    """Build the review as the document's run would ask it today."""
    execution, store = queries.execution(run), files_of(run)
    if not execution.result_sha256 or not execution.last_transition:
        raise NotFound(gettext("Its result is gone."))
    result = json.loads(store.read_pinned(files.result(run.workflow_id), execution.result_sha256))
    reasons = [Reason(**one) for one in json.loads(store.read(files.assessment(run.workflow_id)))["reasons"]]
    definition = queries.definition_of(execution)
    approvals = [one.order for one in definition.steps if one.type == "approval"]
    if not approvals:
        raise NotFound(gettext("No one is asked about it."))
    now = clock.iso(clock.now())
    return Review(
        ref.key.pk,
        ref.key.sk,
        **table.REVIEW.gsi1(ref.site, queue=place.queue, deadline=place.deadline, review_id=ref.review_id),
        **Review.due_keys(place.deadline, review_id=ref.review_id),
        reviewId=ref.review_id,
        status=ReviewStatus.PENDING,
        createdAt=now,
        queue=place.queue,
        name=ref.document_id,
        project_id=run.project_id,
        document_id=ref.document_id,
        workflow_id=run.workflow_id,
        page_count=len(result["pages"]),
        reasons=lead_reasons([one.text for one in reasons], place.quorum)[:SHOWN],
        quorum=place.quorum or None,
        fields_unsure=len({one.field for one in reasons if one.field}),
        triage=write_triage(triage_result(result, results.fields_of(result), reasons)),
        deadline=place.deadline,
        result_sha256=execution.result_sha256,
        last_transition=execution.last_transition,
        step=approvals[0],
        definition=definition.id,
        version=1,
        created_at=now,
        updated_at=now,
    )


def settle_seed(ref: ReviewRef, decision_id: str) -> None:
    """Compare a decision with the known answers after its undo window, and update the person's statistics.

    Raises:
        Conflict: not decided so, still within the undo window, settled before, or the document was deleted.

    """
    review = Review.load(ref.key, only=READABLE)
    if review.decision_id != decision_id or review.status not in DECIDED:
        raise Conflict
    now = clock.iso(clock.now())
    decided = read_object(ref, review.project_id, str(review.decision_uri), str(review.decision_sha256))
    case = Case(ref.document_id, str(review.seed_sha256), TUNING, 0)
    answers = load_answers(ref.site, review.project_id, case)
    known = {one.name: one.value for one in answers.fields}
    found = compare_known(read_result(ref, review), known, decided)
    run = Run(ref.site, review.project_id, ref.document_id, review.workflow_id)
    same: Condition = (Review.decision_id == decision_id) & (Review.redeem_after <= now)
    applied = [Review.status.set(APPLY.to), Review.updated_at.set(now), *due_work.finish_actions()]
    person = Person(str(review.reviewer), str(review.reviewer_name))
    changes: list[Change] = [
        Check(table.DOCUMENT.key(ref.site, document_id=ref.document_id), EXISTS, name="document"),
        Update(ref.key, applied, may_move(APPLY) & same),
        *count_figures(run, [(person, figures.count_known(found))]),
    ]
    transact(changes, _event(run, review, "seed_judged"))
    log.info("seeded check judged", extra={"review": ref.review_id})


def drive_seed(ref: ReviewRef, run: Run, review: Review) -> None:
    """Handle a due seeded check: judge a decided one, end an expired one.

    Raises:
        Conflict: it moved on meanwhile.

    """
    if review.status in DECIDED:
        settle_seed(ref, str(review.decision_id))
        return
    now = clock.iso(clock.now())
    if review.deadline > now:
        due_work.postpone(review, at=review.deadline)
        return
    ended = [
        Review.status.set(EXPIRE.to),
        Review.updated_at.set(now),
        Review.GSI1PK.remove(),
        Review.GSI1SK.remove(),
        *due_work.finish_actions(),
    ]
    postponed = review.status in PUT_OFF
    late: Condition = may_move(EXPIRE) & stays_postponed(postponed) & (Review.deadline <= now)
    tally = counting.count_queued(review.queue or DEFAULT_QUEUE, ref.document_id, -1, postponed=postponed)
    transact(
        [Update(ref.key, ended, late), *counting.apply_tally(ref.site, tally)], _event(run, review, "seed_expired")
    )


def _event(run: Run, review: Review, word: str) -> RecordAt:
    """Record the event on the test set, visible to admins only: the document's history would tell reviewers."""
    payload: dict[str, Any] = {"document": run.document_id, "review": review.reviewId}
    name = f"{run.project_id}.{review.seed_of}"
    return entity_event(run.site, "test_set", name, word, by=_DESK, payload=payload)


def plant_quietly(ref: ReviewRef, run: Run, *, queue: str, deadline: dt.datetime, quorum: str = "") -> None:
    """Plant seeded checks, ignoring failures: the review itself is already open."""
    try:
        plant_seeds(ref, run, queue=queue, deadline=deadline, quorum=quorum)
    except CountersignError as error:
        log.warning("no seeded check", extra={"review": ref.review_id, "error": type(error).__name__})

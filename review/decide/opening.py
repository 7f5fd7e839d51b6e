"""Opening a review when a run pauses: token, reasons and checkpoint; an open review gets the newer token."""

import datetime as dt
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from django.conf import settings
from django.utils.translation import gettext
from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict, NotFound, Refused, Tampered
from config.phrase import Sentence
from config.transaction import NEW, Change, Check, EventAt, Put, Update, transact
from projects.documents import counting
from projects.queues import queries as queue_queries
from projects.queues.items import DEFAULT_QUEUE
from review.changes import last_changes
from review.decide import separation
from review.identity import ReviewRef, checkpoint_key, review_id
from review.items.results import ReviewResult
from review.items.reviews import READABLE, Review
from review.quality.agreement import lead_reasons
from review.status import DECIDED, ReviewStatus
from workflows.definitions import versions
from workflows.definitions.blueprint import ROUTED
from workflows.engine import tokens
from workflows.runs import events, queries
from workflows.runs.actions import advance
from workflows.runs.items import DocumentEvent, Execution, ReviewCheckpoint, Run
from workflows.runs.run_files import files_of
from workflows.stages.assess import SHOWN
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

log = logging.getLogger(__name__)

_NONE, _WEEK = dt.timedelta(), dt.timedelta(days=7)


@dataclass(frozen=True)
class Pause:
    """The message of a waiting machine. ``found``: the assessment's facts; ``timeout``: seconds from ``entered``.

    ``complete_pause`` adds ``reasons`` and ``triage`` from the assessment itself to ``found``.
    """

    run: Run
    attempt: int
    step: int
    definition: str
    token: str | None
    entered: str
    timeout: int
    file_name: str
    project_name: str
    found: Mapping[str, Any]
    # Of another system's question: the review's id, and additional attributes of its row.
    review_id: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)
    result: bytes = b""  # as it is stored; empty: the review is shown without a copy of it

    @property
    def ref(self) -> ReviewRef:
        name = self.review_id or review_id(self.run.workflow_id, self.step, str(self.found["result_sha256"]))
        return ReviewRef(self.run.site, self.run.document_id, name)

    @property
    def queue(self) -> str:
        """The queue pinned at the run's start, or chosen by the routing rule after the analysis."""
        return str(self.found.get("queue") or DEFAULT_QUEUE)

    @property
    def deadline(self) -> dt.datetime:
        """The deadline: some time before the machine's timeout, so that a last-minute decision can be redeemed."""
        seconds = max(self.timeout - settings.REVIEW_MARGIN_SECONDS, 1)
        return clock.parse(self.entered) + dt.timedelta(seconds=seconds)

    @property
    def keep_until(self) -> int:
        """When what only helps to decide may go, in seconds since 1970: a week after the deadline."""
        return int((self.deadline + _WEEK).timestamp())


def expires_at(ref: ReviewRef, deadline: dt.datetime) -> dt.datetime:
    """Return when the due row expires an undecided review."""
    if ref.is_handed_over or ref.is_compared:
        return deadline  # nothing else expires it
    # By then the machine's Catch has expired it; the due row is for a machine that is gone.
    return deadline + dt.timedelta(seconds=settings.REVIEW_MARGIN_SECONDS + settings.REPAIR_AFTER_SECONDS)


def escalates_at(deadline: dt.datetime, *, since: dt.datetime) -> dt.datetime:
    """Return when people are told that the deadline is near; ``since``: when the review was opened."""
    return deadline - min(dt.timedelta(seconds=settings.REVIEW_ESCALATE_SECONDS), max(deadline - since, _NONE) / 4)


def next_look(ref: ReviewRef, deadline: dt.datetime, *, since: dt.datetime, escalated: bool) -> dt.datetime:
    """Return when an undecided review is due: first to be escalated, then to expire."""
    # No run waits for a second review or seeded check, so neither is escalated.
    return expires_at(ref, deadline) if escalated or ref.is_compared else escalates_at(deadline, since=since)


def open_review(pause: Pause) -> str | None:
    """Open the review, or give an open one the newer token; return the decision waiting for that token, if any.

    Raises:
        Conflict: a newer attempt drives the run, or it has left the step; nothing was changed.
        Refused: the approval's queue is not one of this site.

    """
    pause = _read_result(place_pause(complete_pause(pause)))
    guard = Check(advance.execution_key(pause.run), advance.drives(pause.attempt, pause.step), name="run")
    changes, required = plan_review(pause, at=clock.now())
    try:
        written = transact([guard, *changes], required)
    except Conflict as conflict:
        if "run" in conflict.failed:
            raise
        return _newer_token(pause)
    log.info("review opened", extra={"review": pause.ref.review_id, "run": pause.run.workflow_id})
    events.publish_soon(cast("DocumentEvent", written[0]))
    return None


def complete_pause(pause: Pause) -> Pause:
    """Complete the pause from the assessment, or from the table if another step came before it.

    The guard of the following write also covers these reads: a run leaves no step without a new transition.

    Raises:
        Conflict: the run was never assessed, or its files are gone.

    """
    step = versions.find_definition(pause.definition).step(pause.step)
    if "result_sha256" in pause.found:
        found = {**pause.found, **_read_assessment(pause.run)}
        if step.asks and not found["reasons"]:
            found |= {"reasons": [step.asks], "unsure": 0}
        return _bar(replace(pause, found=found), separation.find_barred(pause.run, pause.definition, step))
    execution = queries.execution(pause.run)
    definition = queries.definition_of(execution)
    step = definition.step(pause.step)
    assessed = queries.transition_from(pause.run, definition.named(ROUTED).order)
    if assessed is None or assessed.data is None:
        raise Conflict(gettext("The run has no result to review."))
    found = assessed.data.as_dict() | {"last": str(execution.last_transition)} | _read_assessment(pause.run)
    asks = [step.asks] if step.asks else []
    if not execution.decision_id:
        pause = _bar(pause, separation.find_barred(pause.run, definition.id, step))
        return replace(pause, found=found if found["reasons"] else found | {"reasons": asks, "unsure": 0})
    pointer, changed, judges = _before(pause.run, execution)
    pause = _bar(pause, separation.find_barred(pause.run, definition.id, step, judges))
    # A quorum before this approval has agreed, or there was none.
    found |= {"reasons": [*asks, *changed][:SHOWN], "unsure": len(changed), "quorum": None}
    return replace(pause, found=found, more={**pause.more, **pointer})


def _read_assessment(run: Run) -> dict[str, Any]:
    """Read reasons and triage, which quote values, so never pass through the machine. Raises: Conflict."""
    store = files_of(run)
    try:
        stored = json.loads(store.read(files.assessment(run.workflow_id)))
    except NotFound as error:
        raise Conflict(gettext("The run has no assessment to review.")) from error
    return {"reasons": [one["text"] for one in stored["reasons"][:SHOWN]], "triage": stored.get("triage")}


def _read_result(pause: Pause) -> Pause:
    """Return the pause with its result; unchanged if that has been replaced, which the review's own page will say."""
    try:
        stored = files_of(pause.run).read_pinned(files.result(pause.run.workflow_id), str(pause.found["result_sha256"]))
    except (NotFound, Tampered):
        return pause
    return replace(pause, result=stored)


def place_pause(pause: Pause) -> Pause:
    """Return the pause in the queue that its approval names; costs one Query if it names one.

    A missing queue must not fall back to another: the wrong people would approve.

    Raises:
        Refused: the site has no active queue of that name.

    """
    name = versions.find_definition(pause.definition).step(pause.step).queue
    if not name:
        return pause
    queues = queue_queries.all_queues(pause.run.site)
    found = next((one.id for one in queues if one.name.casefold() == name.casefold() and not one.is_archived), None)
    if found is None:
        raise Refused(
            gettext("This site has no active queue named %(name)s. Create it, then retry the run.") % {"name": name}
        )
    return replace(pause, found={**pause.found, "queue": found})


def _bar(pause: Pause, barred: Mapping[str, str]) -> Pause:
    return replace(pause, more={**pause.more, "barred": dict(barred)}) if barred else pause


def _before(run: Run, execution: Execution) -> tuple[dict[str, Any], list[str], list[str]]:
    """Return the applied decision of the preceding approval, its changes, and the ids of all who decided so far."""
    sha256 = str(execution.decision_sha256)
    store = files_of(run)
    name = files.decision(run.workflow_id, execution.decision_id, sha256)
    decision = json.loads(store.read_pinned(name, sha256))
    pointer = {"before_uri": store.uri(name), "before_sha256": sha256}
    changed: list[str] = [
        Sentence("%(label)s changed by %(by)s").fill(label=one.label, by=one.by)
        for one in last_changes(decision).values()
    ]
    return pointer, changed, [str(one) for one in decision["judges"]]


def plan_review(pause: Pause, *, at: dt.datetime) -> tuple[list[Change], EventAt]:
    """Plan the writes that open a review, and the event that asks for a person."""
    review = _review(pause, clock.iso(at))
    required = events.lineage(
        pause.run,
        "HUMAN_REVIEW_REQUIRED",
        facts={"review": pause.ref.review_id, "reasons": len(review.reasons or ())},
        bus_type=events.REVIEW_REQUIRED,
        bus_detail={"reviewId": pause.ref.review_id, "reasons": list(review.reasons or ())},
    )
    tally = counting.count_queued(pause.queue, pause.run.document_id, 1)
    changes: list[Change] = [_create(pause, review), Put(_checkpoint(pause, review), overwrite=True)]
    if copy := ReviewResult.copy(pause.ref.result_key, pause.result, keep_until=pause.keep_until):
        changes.append(Put(copy, overwrite=True))
    return changes + counting.apply_tally(pause.run.site, tally), required


def _create(pause: Pause, review: Review) -> Update:
    """Create the item by an update that requires its absence: no put can write the token, which the model lacks."""
    named = {attribute.attr_name: attribute for attribute in Review.get_attributes().values()}
    actions: list[Action] = [
        attribute.set(value)
        for name, attribute in named.items()
        if name not in {"PK", "SK"} and (value := getattr(review, name)) is not None
    ]
    if pause.token:
        actions += tokens.attributes(pause.token, attempt=pause.attempt, entered=pause.entered)
    return Update(review.key, actions, NEW)


def _newer_token(pause: Pause) -> str | None:
    """Store the token of a restarted or redelivered wait; review, claim and drafts stay, whatever their status."""
    review = Review.load(pause.ref.key, only=READABLE)
    decided = review.status in DECIDED
    # A redemption in progress used the old token, so this one may be spent at once; within the undo window it may not.
    spent = review.status in (ReviewStatus.REDEEMING, ReviewStatus.REDEEMED)
    more = [Review.redeem_after.set(clock.iso(clock.now()))] if spent else []
    if not pause.token:
        return None
    stored = tokens.store(pause.ref.key, pause.token, attempt=pause.attempt, entered=pause.entered, more=more)
    return review.decision_id if stored and decided else None


def _review(pause: Pause, now: str) -> Review:
    ref = pause.ref
    deadline = clock.iso(pause.deadline)
    look_at = clock.iso(next_look(ref, pause.deadline, since=clock.parse(now), escalated=False))
    found = pause.found
    return Review(
        ref.key.pk,
        ref.key.sk,
        **table.REVIEW.gsi1(ref.site, queue=pause.queue, deadline=deadline, review_id=ref.review_id),
        **Review.due_keys(look_at, review_id=ref.review_id),
        reviewId=ref.review_id,
        status=ReviewStatus.PENDING,
        createdAt=now,
        queue=pause.queue,
        name=pause.file_name,
        project_id=pause.run.project_id,
        project_name=pause.project_name,
        document_id=ref.document_id,
        workflow_id=pause.run.workflow_id,
        page_count=found.get("pages"),
        reasons=lead_reasons(found.get("reasons") or (), found.get("quorum") or "")[:SHOWN],
        fields_unsure=found.get("unsure"),
        triage=found.get("triage"),
        lacking_allowed=bool(found.get("lacking_allowed")) or None,
        copies=found.get("copies"),
        reject_reasons=found.get("reject_reasons"),
        check_share=found.get("check_share"),
        quorum=found.get("quorum"),
        unseen_allowed=bool(found.get("unseen_allowed")) or None,
        deadline=deadline,
        result_sha256=found["result_sha256"],
        last_transition=found["last"],
        step=pause.step,
        definition=pause.definition,
        version=1,
        created_at=now,
        updated_at=now,
        **pause.more,
    )


def _checkpoint(pause: Pause, review: Review) -> ReviewCheckpoint:
    """The checkpoint row (seed 001): pointers to everything the paused run needs, so that resuming repeats nothing."""
    store = DocumentFiles(pause.run.site, pause.run.project_id, pause.run.document_id)
    state = {
        "workflow_id": pause.run.workflow_id,
        "project_id": pause.run.project_id,
        "step": pause.step,
        "review_id": review.reviewId,
        "result": store.uri(files.result(pause.run.workflow_id)),
        "result_sha256": review.result_sha256,
        "assessment": store.uri(files.assessment(pause.run.workflow_id)),
    }
    return ReviewCheckpoint(
        *checkpoint_key(pause.ref),
        document_id=pause.run.document_id,
        tenant_id=pause.run.site,
        status="pending_review",
        warranty_state=json.dumps(state),
        created_at=review.createdAt,
    )

"""Lines of a batch: each takes a slot, becomes a document with a run, and releases the slot when its work is done."""

import functools
import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress

from django.utils.translation import gettext

from config.errors import Conflict, CountersignError, NotFound, Refused
from config.phrase import Phrase, Sentence
from config.table import InvalidKey
from projects.audit.events import Actor
from projects.documents.items import DocumentUnpacking
from projects.settings import queries as project_queries
from workflows.batches import actions, orders, reading, shares
from workflows.batches import queries as batch_queries
from workflows.batches import queries as batches_queries
from workflows.batches.actions import Place
from workflows.batches.items import Batch, BatchStatus, LineOutcome
from workflows.batches.reading import FoundFile
from workflows.engine import interventions
from workflows.intake import bucket
from workflows.intake.actions import unpack
from workflows.intake.bucket import Arrival
from workflows.intake.items import IncomingFile, IncomingStatus
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.items import RESUMABLE, Outcome, ProjectDocument, ResumeWay, Run, StepStatus
from workflows.runs.resting import when_run_rests

log = logging.getLogger(__name__)

BECAME: Mapping[str, LineOutcome] = {Outcome.PUBLISHED: LineOutcome.PUBLISHED, Outcome.REJECTED: LineOutcome.REJECTED}
_LOST = Phrase("The manifest entry for this line is no longer available. Create a new batch for the missing files.")
_NOTHING = Sentence("No files were unpacked. %(why)s")
_ENDED = Sentence("The run ended without a result (%(outcome)s). See the run for details.")


def fill_lanes(site: str, batch: Batch) -> None:
    """Take a line into each free slot. If the queue is unavailable, the sweeper sends the message later."""
    busy = batch.at_work
    for lane in range(batch.width):
        if lane in busy:
            continue
        place = actions.claim_lane(site, batch, lane)
        if place is None:
            return
        order_line(place)


def order_line(place: Place) -> None:
    with suppress(CountersignError):
        orders.order_line(place.site, place.batch_id, place.attempt, place.lane, place.position)


def take_line(place: Place, *, owner: str, keep: Callable[[], None]) -> None:
    """Create the document of a lane's line and start its run. Idempotent. ``keep`` is called while it works.

    Raises:
        Unavailable: S3 or the table does not answer.

    """
    batch = _batch_at(place)
    if batch is None:
        return
    file = reading.file_of(*place[:3], place.position)
    if file is None:
        settle_line(place, None)
        return
    begun = functools.partial(bucket.begin_file, owner=owner, keep=keep, line=place.mark())
    try:
        _enter_document(place, batch, file, begun)
    except Refused as error:
        fail_line(place, file, str(error))


def _batch_at(place: Place) -> Batch | None:
    """Return None if the line was settled or the batch is gone."""
    try:
        batch = batch_queries.get_batch(place.site, place.batch_id)
    except NotFound:
        return None
    here = int(batch.attempt) == place.attempt and batch.at_work.get(place.lane) == place.position
    return batch if here else None


def give_up(place: Place) -> None:
    """Fail a line that kept raising an unexpected error. Raises: Unavailable."""
    if _batch_at(place) is None:
        return
    try:
        file = reading.file_of(*place[:3], place.position)
    except NotFound:  # the line itself cannot be read
        lost = actions.explain_line(place.site, place.batch_id, 0, _LOST, attempt=place.attempt, key="", again=False)
        actions.store_line(lost)
        settle_line(place, LineOutcome.FAILED)
        return
    if file is None:
        settle_line(place, None)
    else:
        fail_line(place, file, reading.UNEXPECTED)


def _enter_document(
    place: Place, batch: Batch, file: FoundFile,
    begun: Callable[[IncomingFile], AbstractContextManager[Callable[[], None]]],
) -> None:  # fmt: skip
    """Create the document. Raises: Refused with the reason if the file cannot be taken."""
    by = Actor(str(batch.userId), str(batch.user_name))
    arrival = Arrival(file.key, file.version, file.size)
    known = bucket.find_file(arrival)
    if known.status == IncomingStatus.TAKEN:
        _go_on(place, file, Run(place.site, str(known.project_id), str(known.document_id), ""), by, known.siteId)
        return
    known.name, known.siteId = file.name, place.site
    try:
        project = project_queries.get_project(place.site, file.project_id)
    except (NotFound, InvalidKey) as error:
        raise Refused(gettext("The project for this line no longer exists. Use another in a new manifest.")) from error
    with suppress(Conflict), begun(known) as beat:  # a concurrent delivery won: its run settles the line
        bucket.enter_object(
            arrival, known, project, orders_unpacking, beat=beat, by=by, batch_line=place.mark()
        )  # fmt: skip


def orders_unpacking(site: str, document_id: str) -> None:
    """Order the extraction. If the queue is unavailable, the sweeper does it."""
    with suppress(CountersignError):
        orders.order_unpacking(site, document_id)


def _go_on(place: Place, file: FoundFile, run: Run, by: Actor, site: str | None) -> None:
    """Continue with a document that exists: from this line, an earlier attempt, or an upload of the same file.

    Raises:
        Refused: it cannot be retried.

    """
    if site != place.site:
        raise Refused(gettext("This file was already processed by another site."))
    try:
        row = queries.project_document(run.site, run.project_id, run.document_id)
    except NotFound as error:
        raise Refused(
            gettext("The document for this file was deleted. Restore it or upload the file again.")
        ) from error
    run = Run(run.site, run.project_id, run.document_id, str(row.workflow_id or ""))
    if row.outcome not in RESUMABLE or place.attempt == 1:
        settle_as(place, file, row)
        return
    if not run.workflow_id:
        _unpack_again(place, file, row, by)
        return
    execution = queries.execution(run)
    if execution.batch_line == place.mark():  # it failed in this attempt
        settle_as(place, file, row)
        return
    with suppress(Conflict):
        advance.hold_slot(run, place.mark(), attempt=int(execution.engine_attempt))
        way = ResumeWay.RETRY if row.outcome == Outcome.PARTIAL else ResumeWay.AGAIN
        interventions.resume(run, way, by=by)


def _unpack_again(place: Place, file: FoundFile, row: ProjectDocument, by: Actor) -> None:
    """Retry an email or archive from which nothing was extracted."""
    record = _get_unpacking(place.site, row)
    if record.batch_line == place.mark():  # it failed in this attempt
        settle_as(place, file, row)
        return
    with suppress(Conflict):
        unpack.again(place.site, record, by=by, batch_line=place.mark())
        orders_unpacking(place.site, record.documentId)


def _get_unpacking(site: str, row: ProjectDocument) -> DocumentUnpacking:
    return DocumentUnpacking.load(unpack.key_of(site, str(row.document_id)))


def settle_as(place: Place, file: FoundFile | None, row: ProjectDocument) -> None:
    """Settle the line by the document's row, if that says that no machine works on it."""
    if row.outcome in BECAME:
        settle_line(place, BECAME[row.outcome], file)
    elif row.outcome:
        fail_line(place, file, _failure_reason(place.site, row), document_id=str(row.document_id))
    elif row.status == StepStatus.COMPLETED:
        settle_line(place, LineOutcome.UNPACKED, file, unpacked=_get_unpacking(place.site, row))
    elif row.current_step:
        settle_line(place, LineOutcome.WAITING, file)


def _failure_reason(site: str, row: ProjectDocument) -> str:
    if not row.workflow_id:
        return _NOTHING.fill(why=_get_unpacking(site, row).why)
    with suppress(NotFound):
        link = queries.document_workflow(site, str(row.document_id), str(row.workflow_id))
        if error := link.data.as_dict().get("error"):
            return str(error)
    return _ENDED.fill(outcome=row.outcome)


def fail_line(place: Place, file: FoundFile | None, sentence: str, *, document_id: str = "") -> None:
    """Write the line's row, then release the slot.

    In this order a worker that dies in between leaves the slot taken, so the line is processed again.
    """
    file = file or reading.file_of(*place[:3], place.position)
    if file is not None:
        row = actions.explain_line(
            place.site, place.batch_id, file.number, sentence, attempt=place.attempt, key=file.key, name=file.name,
            project_id=file.project_id, document_id=document_id, again=True,
        )  # fmt: skip
        actions.store_line(row)
    settle_line(place, LineOutcome.FAILED)


def settle_line(
    place: Place,
    became: LineOutcome | None,
    file: FoundFile | None = None,
    *,
    unpacked: DocumentUnpacking | None = None,
) -> None:
    """Count the line once and let its lane continue."""
    if became not in {None, LineOutcome.FAILED} and place.attempt > 1:
        file = file or reading.file_of(*place[:3], place.position)
        if file is not None:
            actions.delete_line(place.site, place.batch_id, file.number)
    try:
        batch, following = actions.settle_lane(place, became, skipped=int(unpacked.skipped) if unpacked else 0)
    except Conflict:  # already settled, or the batch has begun another attempt
        return
    if following:
        order_line(following)
    else:
        conclude_batch(place.site, batch)
    if unpacked and unpacked.skipped_kinds:  # last: a worker that dies here loses an extension, not the lane
        actions.name_skipped(place, set(unpacked.skipped_kinds))


@when_run_rests
def free_slot(run: Run, mark: str) -> None:
    """Release the slot of a line whose run or extraction has ended, or whose run waits for review.

    The sweeper finds slots that were not released.
    """
    try:
        row = queries.project_document(run.site, run.project_id, run.document_id)
        settle_as(actions.place_of(run.site, mark), None, row)
    except CountersignError as error:
        log.warning("slot waits for the sweeper", extra={"run": run.workflow_id, "error": type(error).__name__})


def conclude_batch(site: str, batch: Batch) -> None:
    """End the batch if nothing is in progress and all lines are settled or too many failed."""
    if batch.status != BatchStatus.RUNNING or batch.at_work:
        return
    failed = int(batch.failed) > int(batch.allowed)
    if not failed and int(batch.taken) < int(batch.planned):
        return
    with suppress(Conflict):
        actions.finish_batch(site, batch, BatchStatus.STOPPED if failed else BatchStatus.FINISHED)
        share_out(site)


def share_out(site: str) -> None:
    """Redistribute the site's slots and fill those of batches that gained some."""
    for batch in shares.rebalance_shares(site):
        fill_lanes(site, batch)


def start_lines(site: str, batch_id: str) -> None:
    """Give the batch its share of the slots, now that its files were checked."""
    if not reading.begin_batch(site, batch_id):
        return
    share_out(site)
    batch = batch_queries.get_batch(site, batch_id)
    fill_lanes(site, batch)
    conclude_batch(site, batch_queries.get_batch(site, batch_id))


def drive_batch(site: str, batch_id: str) -> None:
    """Continue a batch from its current state. Idempotent.

    Raises:
        NotFound: the batch does not exist.
        Unavailable: the queue or the table does not answer.

    """
    batch = batches_queries.get_batch(site, batch_id)
    attempt = int(batch.attempt)
    if batch.status == BatchStatus.READING:
        orders.order_reading(site, batch_id, attempt)
    elif batch.status == BatchStatus.CHECKING:
        missing = list(batch.missing_parts())
        if missing:
            log.warning("parts ordered again", extra={"batch": batch_id, "parts": len(missing)})
            orders.order_parts(site, batch_id, attempt, missing)
        else:
            start_lines(site, batch_id)
    else:
        _look_at_lanes(site, batch)


def _look_at_lanes(site: str, batch: Batch) -> None:
    """Process each line in progress again, which checks how far its document is."""
    for lane, position in sorted(batch.at_work.items()):
        orders.order_line(site, batch.id, int(batch.attempt), lane, position)
    if batch.status == BatchStatus.RUNNING:
        share_out(site)
        fill_lanes(site, batch)
        conclude_batch(site, batch)
    elif not batch.at_work:
        with suppress(Conflict):
            actions.release_slots(batch)

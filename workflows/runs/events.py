"""Lineage events and their publication on the bus: the event's row is its outbox entry until it is sent."""

import datetime as dt
import functools
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol

from django.conf import settings
from django.utils.translation import gettext

from config import aws, clock, logs, table
from config.brokers import queues
from config.brokers.transport import SQS
from config.due import actions as due_work
from config.errors import Conflict, CountersignError, Unavailable
from config.table import Key, site_of
from projects.audit.events import Actor
from workflows.definitions.blueprint import Definition
from workflows.runs import executions
from workflows.runs.actions.syncs import Sending, record_sync
from workflows.runs.items import DocumentEvent, Execution, Run, SyncService
from workflows.storage import files

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Trace:
    """Where to find a run's file and work outside of the table. Empty fields are unknown or do not apply.

    ``s3_key`` and ``s3version``: of the file version that the run reads; ``execution_arn``: of the attempt's execution,
    with Step Functions only; ``job_id``: of an external service; ``retry_count``: the number of earlier attempts.
    """

    bucket: str = ""
    s3_key: str = ""
    s3version: str = ""
    execution_arn: str = ""
    job_id: str = ""
    retry_count: int | None = None

    @property
    def stored(self) -> dict[str, Any]:
        """Return it by attribute name of an event."""
        found = {_STORED.get(one.name, one.name): getattr(self, one.name) for one in fields(self)}
        return {name: value for name, value in found.items() if value not in ("", None)}


_STORED = {"execution_arn": "executionArn", "job_id": "jobId", "retry_count": "retryCount"}


def of_begin(run: Run, definition: Definition, *, s3_key: str, s3version: str | None) -> Trace:
    """Trace the start of a run of this file version."""
    arn = executions.choose_execution_arn(definition, run, 1)
    return Trace(settings.BUCKET_NAME, s3_key, s3version or "", arn, retry_count=0)


def of_file(s3_key: str, s3version: str | None) -> Trace:
    """Trace a file without a run: files extracted from it have runs of their own."""
    return Trace(settings.BUCKET_NAME, s3_key, s3version or "")


def of_next_attempt(run: Run, definition: Definition | None, attempt: int) -> Trace:
    arn = executions.choose_execution_arn(definition, run, attempt) if definition else ""
    return Trace(execution_arn=arn, retry_count=attempt - 1)


def of_step(run: Run, definition: Definition, step: int, attempt: int, execution: Execution | None) -> Trace:
    """Trace the end of an attempt's step; ``execution`` as read before, if it was."""
    if execution is None or execution.engine:
        return Trace(job_id=_job(execution, step), retry_count=attempt - 1)
    arn = executions.execution_arn(definition, run, attempt)
    return Trace(execution_arn=arn, job_id=_job(execution, step), retry_count=attempt - 1)


def _job(execution: Execution | None, step: int) -> str:
    """Return the job of the service that the step waited for."""
    job = json.loads(execution.job) if execution is not None and execution.job else {}
    return str(job.get("id") or "") if job.get("step") == step else ""


PROCESSED = "document.processed"
PUBLISHED = "document.published"  # by an action, for subscribers of exactly these documents
REVIEW_REQUIRED = "document.review.required"
REVIEW_ESCALATED = "document.review.escalated"
FAILED = "document.failed"
DELETED = "document.deleted"
RESTORED = "document.restored"
PURGED = "document.purged"
BATCH_FINISHED = "batch.finished"
CASE_OPENED = "case.opened"
CASE_CLOSED = "case.closed"
NIGO_OPENED = "case.nigo.opened"
EXECUTION_STARTED = "execution.started"
EXECUTION_ENDED = "execution.ended"
# Events that affect the search index; listed in config/deploy/infrastructure/search.yaml too.
SEARCHED = frozenset({PROCESSED, FAILED, DELETED, RESTORED, PURGED})
INDEX = "workflows.tasks.index_document"
SCHEMA_VERSION = 1
EventAt = Callable[[dt.datetime], DocumentEvent]
NO_TRACE = Trace()


class Who(Protocol):
    """A person, a program or a machine, as named in the lineage."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...


SYSTEM = Actor("system", "system")


def lineage(
    run: Run,
    kind: str,
    *,
    by: Who | None = None,
    facts: Mapping[str, Any] | None = None,
    decision: str | None = None,
    bus_type: str | None = None,
    bus_detail: Mapping[str, Any] | None = None,
    trace: Trace = NO_TRACE,
) -> EventAt:
    """Build an event of the run's document for ``transact``, which sets its instant.

    With ``bus_type`` the row also waits in the due index until ``publish`` has put it on the bus: at least once, with a
    stable id, never lost between the change and the bus.
    """
    event_id = clock.new_ulid()

    def at(moment: dt.datetime) -> DocumentEvent:
        key = table.DOCUMENT_EVENT.key(
            run.site, document_id=run.document_id, datetime_us=table.datetime_us(moment), event_type=kind
        )
        event = DocumentEvent(
            *key,
            event_id=event_id,
            type=kind,
            occurredAt=clock.iso(moment),
            correlationId=run.workflow_id,
            request_id=logs.request_id() or None,
            by=by.name if by else None,
            userId=by.id if by else None,
            reviewer=by.id if by and decision else None,
            decision=decision,
            facts=dict(facts) if facts else None,
            **trace.stored,
        )
        if bus_type:
            event.bus_type = bus_type
            event.bus_detail = _detail(run, event_id, moment, bus_detail or {})
            due_at = clock.iso(moment + dt.timedelta(seconds=settings.REPAIR_AFTER_SECONDS))
            places = DocumentEvent.due_keys(due_at, event_id=event_id) | _place(run.site, moment, event_id)
            for name, value in places.items():
                setattr(event, name, value)
        return event

    return at


def add_trace(event: EventAt, trace: Trace) -> EventAt:
    """Add a trace to the event."""

    def at(moment: dt.datetime) -> DocumentEvent:
        found = event(moment)
        for name, value in trace.stored.items():
            setattr(found, name, value)
        return found

    return at


def keep_beside(event: EventAt, keeps: str) -> EventAt:
    """Build the event of a run whose result is not in use: in the lineage, but not on the bus.

    ``keeps``: the run whose result is in use.
    """

    def at(moment: dt.datetime) -> DocumentEvent:
        found = event(moment)
        found.facts = {**(found.facts.as_dict() if found.facts is not None else {}), "keeps": keeps}
        found.bus_type = found.bus_detail = found.GSI1PK = found.GSI1SK = None
        found.unschedule()
        return found

    return at


def _place(site: str, moment: dt.datetime, event_id: str) -> dict[str, Any]:
    """Return its place in the time-ordered list of published events."""
    parts = {"date": table.date_partition(moment), "datetime_us": table.datetime_us(moment), "event_id": event_id}
    return table.DOCUMENT_EVENT.gsi1(site, **parts)


def _detail(run: Run, event_id: str, moment: dt.datetime, more: Mapping[str, Any]) -> str:
    detail = {
        "id": event_id,
        "schemaVersion": SCHEMA_VERSION,
        "at": clock.iso(moment),
        "siteId": run.site,
        "projectId": run.project_id,
        "documentId": run.document_id,
        "workflowId": run.workflow_id,
    }
    return json.dumps(detail | dict(more), ensure_ascii=False)


def of_batch(site: str, batch_id: str, bus_type: str, facts: Mapping[str, Any]) -> EventAt:
    """Build the published event of a batch."""
    place = functools.partial(table.BATCH_EVENT.key, site, batch_id=batch_id)
    return _of_subject(site, batch_id, place, bus_type, {"batchId": batch_id} | dict(facts))


def of_case(site: str, case_id: str, bus_type: str, facts: Mapping[str, Any]) -> EventAt:
    """Build the published event of a case."""
    place = functools.partial(table.CASE_EVENT.key, site, case_id=case_id)
    return _of_subject(site, case_id, place, bus_type, {"caseId": case_id} | dict(facts))


def of_execution(site: str, execution_id: str, bus_type: str, facts: Mapping[str, Any]) -> EventAt:
    """Build the published event of an execution without a document."""
    place = functools.partial(table.EXECUTION_EVENT.key, site, execution_id=execution_id)
    return _of_subject(site, execution_id, place, bus_type, {"executionId": execution_id} | dict(facts))


def _of_subject(
    site: str, subject_id: str, place: Callable[..., Key], bus_type: str, facts: Mapping[str, Any]
) -> EventAt:
    """Waits in the due index like a document's event. ``place``: returns the key for an instant and type."""
    event_id = clock.new_ulid()

    def at(moment: dt.datetime) -> DocumentEvent:
        stamp, due_at = clock.iso(moment), clock.iso(moment + dt.timedelta(seconds=settings.REPAIR_AFTER_SECONDS))
        about = {"id": event_id, "schemaVersion": SCHEMA_VERSION, "at": stamp, "siteId": site}
        key = place(datetime_us=table.datetime_us(moment), event_type=bus_type)
        return DocumentEvent(
            key.pk,
            key.sk,
            **DocumentEvent.due_keys(due_at, event_id=event_id),
            **_place(site, moment, event_id),
            event_id=event_id,
            type=bus_type,
            occurredAt=stamp,
            correlationId=subject_id,
            bus_type=bus_type,
            bus_detail=json.dumps(about | dict(facts), ensure_ascii=False),
        )

    return at


def publish(event: DocumentEvent) -> bool:
    """Publish a waiting event and take it out of the due index; False if it was sent already.

    Sent first, marked afterwards: a crash in between sends it again with the same id, by which consumers deduplicate.

    Raises:
        Unavailable: the bus did not accept it; the sweeper retries.

    """
    if not event.is_scheduled or not event.bus_type:
        return False
    send(event)
    if settings.BROKER != SQS and event.bus_type in SEARCHED:
        _tell_search(json.loads(str(event.bus_detail)))
    try:
        due_work.finish(event, when=due_work.if_scheduled())
    except Conflict:  # a concurrent sender was faster; both sent the same id
        log.info("event sent twice", extra={"event": event.event_id})
        return True
    about = json.loads(str(event.bus_detail))
    if about.get("documentId") and about.get("projectId") != files.QUESTIONS:  # a review request is not a document
        sending = Sending(about["documentId"], SyncService.EVENTBRIDGE, event.bus_type, content={"event": event.SK})
        record_sync(site_of(event.PK), sending, arrived=True)
    return True


def send(event: DocumentEvent) -> None:
    """Put it on the bus, whether or not it was sent before. Raises: Unavailable."""
    entry = {
        "Source": settings.EVENT_SOURCE,
        "DetailType": event.bus_type,
        "Detail": event.bus_detail,
        "EventBusName": settings.BUS_NAME,
    }
    with aws.translate_aws_errors():
        answer = aws.aws_client("events").put_events(Entries=[entry])
    if answer.get("FailedEntryCount"):
        raise Unavailable(gettext("The event bus rejected the event. It is kept and will be retried."))


def _tell_search(detail: Mapping[str, Any]) -> None:
    """The bus reaches SQS queues only; with another broker we send the message ourselves. Raises: Unavailable."""
    which = {"site": detail["siteId"], "project_id": detail["projectId"], "document_id": detail["documentId"]}
    queues.enqueue(INDEX, settings.SEARCH_QUEUE, {**which, "at": detail["at"]})


def publish_soon(event: DocumentEvent) -> None:
    """Publish an event just written; if the bus does not answer, the sweeper does it."""
    try:
        publish(event)
    except CountersignError:
        log.warning("event waits for the sweeper", extra={"event": event.event_id, "run": event.correlationId})

"""What happened to a document, in words: the rows of a run's timeline."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from config import clock
from workflows.definitions.blueprint import SHIPPED
from workflows.engine.interventions import ResumeWay
from workflows.providers.names import LABELS
from workflows.runs import queries, seed_000
from workflows.runs.items import ACTION_WORDS, DocumentEvent, WorkflowSteps
from workflows.runs.seed_000 import Link
from workflows.runs.views import state_labels

_REVIEW_REQUIRED = "HUMAN_REVIEW_REQUIRED"


@dataclass(frozen=True)
class EventRow:
    at: str
    words: str
    details: str = ""
    review_id: str | None = None
    places: Sequence[tuple[str, str]] = ()  # where its file and its work are found outside the desk, with labels
    changes: Sequence[Mapping[str, Any]] = ()  # of a decision: what, before, after


_PLACES = {
    "bucket": "Bucket",
    "s3_key": "Key",
    "s3version": "Version",
    "executionArn": "Execution",
    "jobId": "Job",
    "retryCount": "Retries",
}


def list_event_rows(
    events: Sequence[DocumentEvent], hidden: frozenset[str] = frozenset(), *, in_full: bool = True
) -> list[EventRow]:
    """Each execution is named once: by the first of its events. ``hidden``: fields whose values are masked.

    ``in_full``: with what people wrote and rules said, which may repeat a value.
    """
    rows, named, decided = [], set(), queries.list_decided_fields(events)
    for event in events:
        known = {name: getattr(event, name) for name in _PLACES}
        if known["executionArn"] in named:
            known["executionArn"] = None
        named.add(event.executionArn)
        told = any(known[name] for name in ("s3_key", "executionArn", "jobId"))
        places = [(label, str(known[name])) for name, label in _PLACES.items() if told and known[name]]
        key = queries.decision_key(event)
        changes = decided[key].tell(hidden) if key and key in decided else ()
        row = _event_row(event)
        rows.append(replace(row, details=row.details if in_full else "", places=places, changes=changes))
    return rows


def _event_row(event: DocumentEvent) -> EventRow:
    facts = event.facts.as_dict() if event.facts is not None else {}
    review_id = str(facts["review"]) if event.type == _REVIEW_REQUIRED and facts.get("review") else None
    words = describe_event(event.type)
    if event.type in _ENDED and (step := _STEPS.get(str(facts.get("step")).upper())):
        words = f"{words} at {step}"
    if event.by and event.by != "system":
        words = f"{words} {'from' if event.type == _RECEIVED else 'by'} {event.by}"
    told = str(facts.get("reason") or "") or _join(describe_facts(facts))
    return EventRow(event.occurredAt, words, told, review_id)


def describe_event(kind: str) -> str:
    """What happened, of an event's type; that of a step by its label. A type of an earlier system stands as it is.

    >>> describe_event("HUMAN_REVIEW_REQUIRED"), describe_event("ASSESS_COMPLETED"), describe_event("SOME_TYPE")
    ('Review requested', 'Assessment completed', 'Some type')
    """
    head, _, end = kind.rpartition("_")
    if kind not in _EVENTS and head in _STEPS:
        return f"{_STEPS[head]}{_STEP_ENDS.get(end, f' {end.lower()}')}"
    return _EVENTS.get(kind) or kind.replace("_", " ").capitalize()


def describe_facts(facts: Mapping[str, Any]) -> list[str]:
    """What a person reads of an event's facts; ids that links stand for, and hashes, are left out.

    >>> describe_facts({"pages": 1, "segment_count": 1, "model": "PP-OCR", "review": "01", "prompt_unused": True})
    ['1 page', 'PP-OCR', 'document prompt not used: built-in rules take none']
    """
    found = []
    for name, value in facts.items():
        if name in _UNTOLD or name.endswith("sha256") or value is False or value == "" or value is None:
            continue
        if (describe := _FACTS.get(name)) is not None:
            found.append(describe(value))
        else:
            found.append(name.replace("_", " ") if value is True else f"{name.replace('_', ' ')} {value}")
    return list(dict.fromkeys(filter(None, found)))


def _join(told: Sequence[str]) -> str:
    words = ", ".join(told)
    return words[:1].upper() + words[1:]


def _count(one: str, many: str = "") -> Callable[[Any], str]:
    many = many or f"{one}s"
    return lambda value: f"{int(value):,} {one if int(value) == 1 else many}"


def _look_up(words: Mapping[str, str]) -> Callable[[Any], str]:
    return lambda value: words.get(str(value), str(value))


_STEPS = {step.name.upper(): step.label for one in SHIPPED.values() for step in one.steps}
_STEP_ENDS = {"COMPLETED": " completed", "SKIPPED": " not needed", "WAITS": ": waiting"}
_RECEIVED = "INGESTED"
_EVENTS = {
    _RECEIVED: "Received",
    "IMPORTED": "Imported from another system",
    # how a run went
    "FAILED": "Failed",
    "CANCELLED": "Cancelled",
    "PARTIAL": "Ended without some pages",
    "PUBLISHED": "Published",
    "RESULT_STANDS_BESIDE": "Result stored, not in use",
    "RESULT_CHOSEN": "Result selected",
    "RUN_AGAIN": "Re-run started",
    "ANALYSED_AGAIN": "Re-analysis started",
    "RUN_RESTARTED": "Restarted automatically",
    "RUN_RESUMED": "Resumed",
    # reviews
    _REVIEW_REQUIRED: "Review requested",
    "HUMAN_REVIEW_CLAIMED": "Review claimed",
    "HUMAN_REVIEW_RELEASED": "Review released",
    "HUMAN_REVIEW_SKIPPED": "Review skipped",
    "HUMAN_REVIEW_ASSIGNED": "Review assigned",
    "HUMAN_REVIEW_ASKED": "Question asked about the review",
    "HUMAN_REVIEW_QUESTION_ANSWERED": "Question about the review answered",
    "HUMAN_REVIEW_QUESTION_UNANSWERED": "Question about the review not answered in time",
    "HUMAN_REVIEW_QUESTION_WITHDRAWN": "Question about the review withdrawn",
    "HUMAN_REVIEW_QUESTION_TAKEN_OVER": "Review taken over from who asked",
    "HUMAN_REVIEW_PAGE_READ": "Page read again with another model",
    "HUMAN_REVIEW_COMMENTED": "Comment added",
    "HUMAN_REVIEW_POSTPONED": "Review postponed",
    "HUMAN_REVIEW_RESUMED": "Review back in the queue",
    "HUMAN_REVIEW_APPROVED": "Review approved",
    "HUMAN_REVIEW_REJECTED": "Review rejected",
    "HUMAN_REVIEW_UNDONE": "Decision undone",
    "HUMAN_REVIEW_HANDED_UP": "Review escalated to a group",
    "HUMAN_REVIEW_ESCALATED": "Review escalated: not decided by its deadline",
    "HUMAN_REVIEW_APPLIED": "Decision applied",
    "HUMAN_REVIEW_ANSWERED": "Decision sent to the system that asked",
    "HUMAN_REVIEW_EXPIRED": "Review expired",
    "REVIEW_EXPIRED": "Review expired",
    "REVIEW_ORPHANED": "Review closed: its run has ended",
    # second reviews
    "CHECK_OPENED": "Second review requested",
    "BLIND_DECIDED": "Blind review decided",
    "BLIND_UNDONE": "Blind review undone",
    "BLIND_CONTINUED": "Next blind review",
    "BLIND_AGREED": "Reviewers agree",
    "BLIND_DISPUTED": "Reviewers differ",
    "CHECK_DECIDED": "Second review decided",
    "CHECK_UNDONE": "Second review undone",
    "CHECK_AGREED": "Second review agrees",
    "CHECK_DISPUTED": "Second review differs",
    "CHECK_ADJUDICATED": "Differences resolved",
    "CHECK_EXPIRED": "Second review expired",
    # after a publication
    "ACTION_COMPLETED": "Action completed",
    "ACTION_WAITS": "Action failed and will be retried",
    "ACTION_FAILED": "Action failed",
    "ACTION_WANTED_AGAIN": "Action retried",
    "DOCUMENT_QUEUED": "Added to a queue",
    "DOCUMENT_LEFT_QUEUE": "Taken out of its queue",
    "FOLLOW_UP_DONE": "Post-processing completed",
    "FOLLOW_UP_CANCELLED": "Post-processing cancelled",
    "FOLLOW_UP_WAITING": "Post-processing needs attention",
    "SENDER_TOLD": "Sender notified",
    "SENDER_NOT_TOLD": "Sender not notified",
    # questions about a page
    "QUESTION_ASKED": "Question asked",
    "QUESTION_ASKED_AGAIN": "Question asked again",
    "QUESTION_ANSWERED": "Question answered",
    "QUESTION_FAILED": "Question not answered",
    "QUESTION_CANCELLED": "Question cancelled",
    "QUESTION_DELETED": "Question deleted",
    # the document itself
    "DELETED": "Deleted",
    "RESTORED": "Restored",
    "PURGED": "Purged",
    "UNPACKED": "Files extracted",
    "UNPACKING_FAILED": "No file extracted",
    "UNPACKING_GIVEN_UP": "Extraction stopped",
    "UNPACKING_TRIED_AGAIN": "Extraction retried",
    "SPLIT": "Split into documents",
    "SPLIT_FAILED": "Not split",
}
_ENDED = {"FAILED", "CANCELLED"}  # and at which step
# What a link, the list of what was decided, or the event's own words tell.
_UNTOLD = {
    "review", "decision", "corrected", "confirmed", "unseen", "deadline", "outcome", "uri", "unseen_allowed", "choice",
    "check_share", "quorum",
    "error",
}  # fmt: skip
_pages = _count("page")
_FACTS: Mapping[str, Callable[[Any], str]] = {
    "pages": _pages,
    "segments": _pages,
    "segment_count": _pages,
    "chunks": _pages,
    "text_layer_pages": "{} with a text layer".format,
    "failed_segments": _count("page failed", "pages failed"),
    "model": str,
    "ocr_model": "OCR model {}".format,
    "note": str,
    "fields": _count("field"),
    "document_type": "type {}".format,
    "prompt_unused": lambda _: "document prompt not used: built-in rules take none",
    "sentences": _count("sentence"),
    "entity_count": _count("entity", "entities"),
    "relationship_count": _count("relationship"),
    "reasons": _count("reason"),
    "unsure": _count("uncertain field"),
    "review_required": lambda _: "review required",
    "queue": "queue {}".format,
    "assignee": "to {}".format,
    "rejected_for": str,
    "parts": str,
    "asked": "to {}".format,
    "about": "about {}".format,
    "mentioned": "mentions {}".format,
    "said": "“{}”".format,
    "until": lambda value: f"until {clock.parse(str(value)):%d %b %Y, %H:%M} UTC",
    "rules": "by rule: {}".format,
    "reviewed": lambda _: "after review",
    "service": lambda value: LABELS.get(str(value), str(value)),
    "step": lambda value: f"from {_STEPS.get(str(value).upper(), value)}",
    "beside": lambda value: f"in addition to run …{str(value)[-6:]}",
    "keeps": lambda value: f"in use: run …{str(value)[-6:]}",
    "before": lambda value: f"replaces run …{str(value)[-6:]}",
    "instruction": lambda _: "with an instruction",
    "attempt": "attempt {}".format,
    "why": _look_up(
        {
            "message was lost": "its message was lost",
            "engine execution ended": "its execution ended early",
            "decided and not applied": "its decision was not applied",
        }
    ),
    "way": _look_up(
        {
            ResumeWay.RETRY: "with the failed pages",
            ResumeWay.ACCEPT: "without the failed pages",
            ResumeWay.AGAIN: "at the step that failed",
            ResumeWay.STAGE: "at an earlier step",
        }
    ),
    "delivery": _look_up(
        {
            "delivered": "received",
            "uncertain": "not known whether it was received",
            "undelivered": "not received: its execution had ended",
            "to_fetch": "ready to be fetched",
        }
    ),
    "action": lambda value: ACTION_WORDS.get(str(value), str(value)).lower(),
    "number": "action {}".format,
    "how": _look_up({"mail": "by email", "sns": "by SNS"}),
    "not taken": lambda value: _count("file skipped", "files skipped")(value) if value else "",
    "begun": _count("attempt"),
    "page": "page {}".format,
    "question": "question {}".format,
}


def list_step_rows(board: WorkflowSteps, link: Link | None) -> list[EventRow]:
    found = [EventRow(board.created_at, "Run created")] if board.created_at else []
    for step in state_labels.step_rows(seed_000.definition_of(board), board, link):
        if step.started_at:
            found.append(EventRow(step.started_at, f"{step.label} started"))
        if step.ended_at:
            end = "failed" if step.error else "completed"
            found.append(EventRow(step.ended_at, f"{step.label} {end}", step.error or step.reason or ""))
    return sorted(found, key=lambda row: clock.parse(row.at))

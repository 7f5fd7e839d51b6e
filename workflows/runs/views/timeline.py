"""The timeline of a run: its events in words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from config import clock
from config.phrase import Phrase, begin_sentence, count_phrase, join_phrases, tell_sentence, write_moment
from workflows.definitions.blueprint import SHIPPED
from workflows.providers.names import LABELS
from workflows.runs import queries, seed_000
from workflows.runs.items import ACTION_WORDS, DocumentEvent, ResumeWay, WorkflowSteps
from workflows.runs.seed_000 import Link
from workflows.runs.views import state_labels
from workflows.stages.tables.changes import tell_cells

_REVIEW_REQUIRED = "HUMAN_REVIEW_REQUIRED"


@dataclass(frozen=True)
class EventRow:
    at: str
    words: str
    details: str = ""
    review_id: str | None = None
    places: Sequence[tuple[str, str]] = ()  # where to find its file and work outside, with labels
    changes: Sequence[Mapping[str, Any]] = ()  # of a decision: label, before, after
    run: str = ""
    step: str = ""  # which ended
    beside_use: str = ""  # the details without what the use of models tells too
    ended_run: bool = False  # at this step

    @property
    def told(self) -> Sequence[Mapping[str, Any]]:
        """The changes for people: those of a table by cell."""
        return list(tell_cells(self.changes))


_PLACES = {
    "bucket": Phrase("Bucket"),
    "s3_key": Phrase("Key"),
    "s3version": Phrase("Version"),
    "executionArn": Phrase("Execution"),
    "jobId": Phrase("Job"),
    "retryCount": Phrase("Retries"),
}


def list_event_rows(
    events: Sequence[DocumentEvent], hidden: frozenset[str] = frozenset(), *, in_full: bool = True
) -> list[EventRow]:
    """Each execution is shown once, at its first event. ``hidden``: fields whose values are masked.

    ``in_full``: with texts from people and rules, which may repeat a value.
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
        if in_full and key and key in decided and decided[key].reason:
            row = replace(row, details=": ".join(one for one in (row.details, str(decided[key].reason)) if one))
        row = replace(row, places=places, changes=changes)
        rows.append(row if in_full else replace(row, details="", beside_use=""))
    return rows


def _event_row(event: DocumentEvent) -> EventRow:
    facts = event.facts.as_dict() if event.facts is not None else {}
    review_id = str(facts["review"]) if event.type == _REVIEW_REQUIRED and facts.get("review") else None
    words = describe_event(event.type)
    if event.type in _ENDED and (step := _STEPS.get(str(facts.get("step")).upper())):
        words = Phrase("%(event)s at %(step)s").fill(event=words, step=step)
    if event.by and event.by != "system":
        who = Phrase("%(event)s from %(name)s") if event.type == _RECEIVED else Phrase("%(event)s by %(name)s")
        words = who.fill(event=words, name=event.by)
    told = tell_sentence(reason) if (reason := str(facts.get("reason") or "")) else _join(describe_facts(facts))
    ends = event.type in _ENDED
    return EventRow(
        event.occurredAt,
        words,
        told,
        review_id,
        run=event.correlationId or "",
        step=str(facts.get("step") or "") if ends else _ended_step(event.type),
        beside_use=told
        if reason
        else _join(describe_facts({name: one for name, one in facts.items() if name not in _OF_USE})),
        ended_run=ends,
    )


def _ended_step(kind: str) -> str:
    head, _, end = kind.rpartition("_")
    return head.lower() if kind not in _EVENTS and end in _MOVED_ON else ""


def describe_event(kind: str) -> str:
    """Describe an event by its type, for steps by their label. Types of an earlier system stay as they are.

    >>> describe_event("HUMAN_REVIEW_REQUIRED"), describe_event("ASSESS_COMPLETED"), describe_event("SOME_TYPE")
    ('Review requested', 'Assessment completed', 'Some type')
    """
    head, _, end = kind.rpartition("_")
    if kind not in _EVENTS and head in _STEPS:
        known = _STEP_ENDS.get(end)
        return known.fill(step=_STEPS[head]) if known else f"{_STEPS[head]} {end.lower()}"
    return _EVENTS.get(kind) or kind.replace("_", " ").capitalize()


def describe_facts(facts: Mapping[str, Any]) -> list[str]:
    """Describe an event's facts, without hashes and ids that are shown as links.

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
    return begin_sentence(join_phrases(told)) if told else ""


def _fill(words: str) -> Callable[[Any], str]:
    """``words`` with one place, called value."""
    return lambda value: Phrase(words).fill(value=value)


def _pages(value: object) -> str:
    return count_phrase("%(count)s page", "%(count)s pages", int(str(value)))


def _look_up(words: Mapping[str, str]) -> Callable[[Any], str]:
    return lambda value: words.get(str(value), str(value))


_STEPS = {step.name.upper(): Phrase(step.label) for one in SHIPPED.values() for step in one.steps}
_STEP_ENDS = {
    "COMPLETED": Phrase("%(step)s completed"),
    "SKIPPED": Phrase("%(step)s not needed"),
    "WAITS": Phrase("%(step)s: waiting"),
    "FAILED": Phrase("%(step)s failed"),
}
_OF_USE = ("model", "pages", "segments")
_MOVED_ON = ("COMPLETED", "SKIPPED")  # of a step
_RECEIVED = "INGESTED"
_EVENTS = {
    _RECEIVED: Phrase("Received"),
    "IMPORTED": Phrase("Imported from another system"),
    # progress of a run
    "FAILED": Phrase("Failed"),
    "CANCELLED": Phrase("Cancelled"),
    "PARTIAL": Phrase("Ended without some pages"),
    "PUBLISHED": Phrase("Published"),
    "RESULT_STANDS_BESIDE": Phrase("Result stored, not in use"),
    "RESULT_CHOSEN": Phrase("Result selected"),
    "RUN_AGAIN": Phrase("Re-run started"),
    "ANALYSED_AGAIN": Phrase("Re-analysis started"),
    "RUN_RESTARTED": Phrase("Restarted automatically"),
    "RUN_RESUMED": Phrase("Resumed"),
    # reviews
    _REVIEW_REQUIRED: Phrase("Review requested"),
    "HUMAN_REVIEW_CLAIMED": Phrase("Review claimed"),
    "HUMAN_REVIEW_RELEASED": Phrase("Review released"),
    "HUMAN_REVIEW_SKIPPED": Phrase("Review skipped"),
    "HUMAN_REVIEW_ASSIGNED": Phrase("Review assigned"),
    "HUMAN_REVIEW_ASKED": Phrase("Question asked about the review"),
    "HUMAN_REVIEW_QUESTION_ANSWERED": Phrase("Question about the review answered"),
    "HUMAN_REVIEW_QUESTION_UNANSWERED": Phrase("Question about the review not answered in time"),
    "HUMAN_REVIEW_QUESTION_WITHDRAWN": Phrase("Question about the review withdrawn"),
    "HUMAN_REVIEW_QUESTION_TAKEN_OVER": Phrase("Review taken over from who asked"),
    "HUMAN_REVIEW_PAGE_READ": Phrase("Page read again with another model"),
    "HUMAN_REVIEW_COMMENTED": Phrase("Comment added"),
    "HUMAN_REVIEW_POSTPONED": Phrase("Review postponed"),
    "HUMAN_REVIEW_RESUMED": Phrase("Review back in the queue"),
    "HUMAN_REVIEW_APPROVED": Phrase("Review approved"),
    "HUMAN_REVIEW_REJECTED": Phrase("Review rejected"),
    "HUMAN_REVIEW_UNDONE": Phrase("Decision undone"),
    "HUMAN_REVIEW_HANDED_UP": Phrase("Review escalated to a group"),
    "HUMAN_REVIEW_ESCALATED": Phrase("Review escalated: not decided by its deadline"),
    "HUMAN_REVIEW_APPLIED": Phrase("Decision applied"),
    "HUMAN_REVIEW_ANSWERED": Phrase("Decision sent to the system that asked"),
    "HUMAN_REVIEW_EXPIRED": Phrase("Review expired"),
    "REVIEW_EXPIRED": Phrase("Review expired"),
    "REVIEW_ORPHANED": Phrase("Review closed: its run has ended"),
    # second reviews
    "CHECK_OPENED": Phrase("Second review requested"),
    "BLIND_DECIDED": Phrase("Blind review decided"),
    "BLIND_UNDONE": Phrase("Blind review undone"),
    "BLIND_CONTINUED": Phrase("Next blind review"),
    "BLIND_AGREED": Phrase("Reviewers agree"),
    "BLIND_DISPUTED": Phrase("Reviewers differ"),
    "CHECK_DECIDED": Phrase("Second review decided"),
    "CHECK_UNDONE": Phrase("Second review undone"),
    "CHECK_AGREED": Phrase("Second review agrees"),
    "CHECK_DISPUTED": Phrase("Second review differs"),
    "CHECK_ADJUDICATED": Phrase("Differences resolved"),
    "CHECK_EXPIRED": Phrase("Second review expired"),
    # after a publication
    "ACTION_COMPLETED": Phrase("Action completed"),
    "ACTION_WAITS": Phrase("Action failed and will be retried"),
    "ACTION_FAILED": Phrase("Action failed"),
    "ACTION_WANTED_AGAIN": Phrase("Action retried"),
    "DOCUMENT_QUEUED": Phrase("Added to a queue"),
    "DOCUMENT_LEFT_QUEUE": Phrase("Taken out of its queue"),
    "FOLLOW_UP_DONE": Phrase("Post-processing completed"),
    "FOLLOW_UP_CANCELLED": Phrase("Post-processing cancelled"),
    "FOLLOW_UP_WAITING": Phrase("Post-processing needs attention"),
    "SENDER_TOLD": Phrase("Sender notified"),
    "SENDER_NOT_TOLD": Phrase("Sender not notified"),
    # questions about a page
    "QUESTION_ASKED": Phrase("Question asked"),
    "QUESTION_ASKED_AGAIN": Phrase("Question asked again"),
    "QUESTION_ANSWERED": Phrase("Question answered"),
    "QUESTION_FAILED": Phrase("Question not answered"),
    "QUESTION_CANCELLED": Phrase("Question cancelled"),
    "QUESTION_DELETED": Phrase("Question deleted"),
    # the document itself
    "DELETED": Phrase("Deleted"),
    "RESTORED": Phrase("Restored"),
    "PURGED": Phrase("Purged"),
    "UNPACKED": Phrase("Files unpacked"),
    "UNPACKING_FAILED": Phrase("No file unpacked"),
    "UNPACKING_GIVEN_UP": Phrase("Unpacking stopped"),
    "UNPACKING_TRIED_AGAIN": Phrase("Unpacking retried"),
    "SPLIT": Phrase("Split into documents"),
    "SPLIT_FAILED": Phrase("Not split"),
}
_ENDED = {"FAILED", "CANCELLED"}  # and at which step
# Facts that are shown as links, as decided fields, or by the event's label.
_UNTOLD = {
    "review", "decision", "corrected", "confirmed", "unseen", "deadline", "outcome", "uri", "unseen_allowed", "choice",
    "check_share", "quorum",
    "error",
}  # fmt: skip
_FACTS: Mapping[str, Callable[[Any], str]] = {
    "pages": _pages,
    "segments": _pages,
    "segment_count": _pages,
    "chunks": _pages,
    "text_layer_pages": _fill(Phrase("%(value)s with a text layer")),
    "failed_segments": lambda value: count_phrase("%(count)s page failed", "%(count)s pages failed", int(value)),
    "model": lambda value: tell_sentence(str(value)),
    "ocr_model": _fill(Phrase("OCR model %(value)s")),
    "note": str,
    "fields": lambda value: count_phrase("%(count)s field", "%(count)s fields", int(value)),
    "document_type": _fill(Phrase("type %(value)s")),
    "prompt_unused": lambda _: Phrase("document prompt not used: built-in rules take none"),
    "sentences": lambda value: count_phrase("%(count)s sentence", "%(count)s sentences", int(value)),
    "entity_count": lambda value: count_phrase("%(count)s entity", "%(count)s entities", int(value)),
    "relationship_count": lambda value: count_phrase("%(count)s relationship", "%(count)s relationships", int(value)),
    "reasons": lambda value: count_phrase("%(count)s reason", "%(count)s reasons", int(value)),
    "unsure": lambda value: count_phrase("%(count)s uncertain field", "%(count)s uncertain fields", int(value)),
    "review_required": lambda _: Phrase("review required"),
    "queue": _fill(Phrase("queue %(value)s")),
    "assignee": _fill(Phrase("to %(value)s")),
    "rejected_for": str,
    "parts": str,
    "asked": _fill(Phrase("to %(value)s")),
    "about": _fill(Phrase("about %(value)s")),
    "mentioned": _fill(Phrase("mentions %(value)s")),
    "said": _fill(Phrase("“%(value)s”")),
    "until": lambda value: Phrase("until %(value)s UTC").fill(value=write_moment(clock.parse(str(value)))),
    "rules": _fill(Phrase("by rule: %(value)s")),
    "reviewed": lambda _: Phrase("after review"),
    "service": lambda value: LABELS.get(str(value), str(value)),
    "step": lambda value: Phrase("from %(step)s").fill(step=_STEPS.get(str(value).upper(), value)),
    "beside": lambda value: Phrase("in addition to run …%(run)s").fill(run=str(value)[-6:]),
    "keeps": lambda value: Phrase("in use: run …%(run)s").fill(run=str(value)[-6:]),
    "before": lambda value: Phrase("replaces run …%(run)s").fill(run=str(value)[-6:]),
    "instruction": lambda _: Phrase("with an instruction"),
    "attempt": _fill(Phrase("attempt %(value)s")),
    "why": _look_up(
        {
            "message was lost": Phrase("its message was lost"),
            "engine execution ended": Phrase("its execution ended early"),
            "decided and not applied": Phrase("its decision was not applied"),
        }
    ),
    "way": _look_up(
        {
            ResumeWay.RETRY: Phrase("with the failed pages"),
            ResumeWay.ACCEPT: Phrase("without the failed pages"),
            ResumeWay.AGAIN: Phrase("at the step that failed"),
            ResumeWay.STAGE: Phrase("at an earlier step"),
        }
    ),
    "delivery": _look_up(
        {
            "delivered": Phrase("received"),
            "uncertain": Phrase("not known whether it was received"),
            "undelivered": Phrase("not received: its execution had ended"),
            "to_fetch": Phrase("ready to be fetched"),
        }
    ),
    "action": lambda value: ACTION_WORDS.get(str(value), str(value)),
    "number": _fill(Phrase("action %(value)s")),
    "how": _look_up({"mail": Phrase("by email"), "sns": Phrase("by SNS")}),
    "not taken": lambda value: (
        count_phrase("%(count)s file skipped", "%(count)s files skipped", int(value)) if value else ""
    ),
    "begun": lambda value: count_phrase("%(count)s attempt", "%(count)s attempts", int(value)),
    "page": _fill(Phrase("page %(value)s")),
    "question": _fill(Phrase("question %(value)s")),
}


def list_step_rows(board: WorkflowSteps, link: Link | None) -> list[EventRow]:
    found = [EventRow(board.created_at, Phrase("Run created"))] if board.created_at else []
    for step in state_labels.step_rows(seed_000.definition_of(board), board, link):
        if step.started_at:
            found.append(EventRow(step.started_at, Phrase("%(step)s started").fill(step=step.label)))
        if step.ended_at:
            end = _STEP_ENDS["FAILED" if step.error else "COMPLETED"].fill(step=step.label)
            found.append(EventRow(step.ended_at, end, step.error or step.reason or ""))
    return sorted(found, key=lambda row: clock.parse(row.at))

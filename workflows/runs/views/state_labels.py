"""Labels of run and step states: tone, icon and words."""

import datetime as dt
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from ulid import ULID

from config import clock
from config.phrase import Figure, Phrase, count_phrase, join_phrases, tell_sentence, write_moment
from projects.documents.items import DocumentStatus
from projects.documents.states import STATUS_LABELS, word_of_run
from projects.models.cost_words import describe_cost
from workflows.definitions.blueprint import Definition, StepDefinition, tell_label
from workflows.providers.names import LABELS
from workflows.runs.items import Outcome, StepStatus, WorkflowSteps
from workflows.runs.seed_000 import Link
from workflows.stages.usage import LOCAL

STEP_MARK_WIDTH = 12  # the width of one step's mark with its gap


class Mark(NamedTuple):
    tone: str
    icon: str
    words: str


_OF_DOCUMENTS = {status.value: Mark(*label) for status, label in STATUS_LABELS.items()}
RUNNING, WAITING = _OF_DOCUMENTS[DocumentStatus.IN_PROGRESS], _OF_DOCUMENTS[DocumentStatus.WAITING]
BESIDE = Mark("", "split", Phrase("Not in use"))  # published beside a decided result
_ENDS: dict[str, Mark] = {one.value: _OF_DOCUMENTS[one.value] for one in Outcome}
_DONE = (Outcome.PUBLISHED, "completed")
_ENDS["completed"] = Mark("good", "check", Phrase("Completed"))  # of an earlier system
# A document's own status, if it has no outcome: ours, and those of the seed-000 system.
_DOCUMENTS: dict[str, Mark] = {
    "uploading": Mark("", "upload", Phrase("Uploading")),
    "uploaded": Mark("", "clock", Phrase("Queued")),
    "pending": Mark("", "clock", Phrase("Queued")),
    "processing": RUNNING,
    "in_progress": RUNNING,
    "reanalyzing": Mark("info", "refresh", Phrase("Re-analysing")),
    "completed": _ENDS["completed"],
    "failed": _ENDS[Outcome.FAILED],
    "deleted": Mark("", "trash", Phrase("Deleted")),
}
_SEGMENTS: dict[str, Mark] = {
    "indexing": Mark("", "clock", Phrase("Queued")),
    "ocr_processing": Mark("info", "run", Phrase("OCR running")),
    "parsing": Mark("info", "run", Phrase("Parsing")),
    "analyzing": Mark("info", "run", Phrase("Analysing")),
    "finalizing": Mark("info", "run", Phrase("Finalizing")),
    "completed": _ENDS["completed"],
    "failed": _ENDS[Outcome.FAILED],
}
_COUNTS: Mapping[str, Callable[[int], Phrase]] = {
    "segment_count": lambda count: count_phrase("%(count)s page", "%(count)s pages", count),
    "entity_count": lambda count: count_phrase("%(count)s entity", "%(count)s entities", count),
    "relationship_count": lambda count: count_phrase("%(count)s relationship", "%(count)s relationships", count),
}
# Short labels; the table below has the full ones.
_SHORT = {
    "segment_prep": Phrase("Prepare"),
    "bda_processor": "BDA",
    "format_parser": Phrase("Formats"),
    "paddleocr_processor": "OCR",
    "transcribe": Phrase("Audio"),
    "webcrawler": Phrase("Web"),
    "segment_builder": Phrase("Pages"),  # people see segments as pages
    "segment_analyzer": Phrase("Analyse"),
    "graph_builder": Phrase("Graph"),
    "document_summarizer": Phrase("Summary"),
    "assess": Phrase("Assess"),
    "human_review": Phrase("Review"),
    "needs_approval": Phrase("Small?"),
    "first_approval": Phrase("First"),
    "needs_second": Phrase("Modest?"),
    "second_approval": Phrase("Second"),
    "mark_accepted": Phrase("Tag"),
    "tell_accepted": Phrase("Announce"),
    "tell_rejected": Phrase("Tell"),
    "publish": Phrase("Publish"),
}
# The states of a step, by their stored words.
STEPS: dict[str, Mark] = {
    StepStatus.PENDING: Mark("todo", "blank", Phrase("Pending")),
    StepStatus.IN_PROGRESS: Mark("now", RUNNING.icon, RUNNING.words),
    StepStatus.COMPLETED: Mark("done", "check", Phrase("Completed")),
    StepStatus.SKIPPED: Mark("skipped", "minus", Phrase("Not needed")),
    StepStatus.FAILED: Mark("bad", _OF_DOCUMENTS["failed"].icon, _OF_DOCUMENTS["failed"].words),
}
NOT_RUN = Mark("skipped", "minus", Phrase("Not run"))  # as the run ended before


def of_run(outcome: str | None, *, waits: bool, beside: bool = False) -> Mark:
    """``beside``: another run's result, which a person decided, is in use."""
    if outcome == Outcome.PUBLISHED and beside:
        return BESIDE
    if outcome:
        return _ENDS.get(outcome, Mark("", "info", outcome))
    return WAITING if waits else RUNNING


def of_document(
    status: str | None, outcome: str | None, waits_at: str | None = None, *, is_container: bool = False
) -> Mark:
    """``waits_at``: the step at which its run is in review. ``is_container``: an email or an archive."""
    if is_container and status == StepStatus.COMPLETED and not outcome:
        return _OF_DOCUMENTS[DocumentStatus.UNPACKED]
    if outcome or (waits_at and status == StepStatus.IN_PROGRESS):
        return of_run(outcome, waits=bool(waits_at))
    return _DOCUMENTS.get(status or "", Mark("", "info", status) if status else RUNNING)


def word_of_step(step: StepDefinition, stored: Mapping[str, Any]) -> str:
    """Return the word of the API, where a step has the words of runs."""
    status = _status_of_step(stored)
    return word_of_run(None, waits=step.type == "approval") if status == StepStatus.IN_PROGRESS else status


def _status_of_step(stored: Mapping[str, Any]) -> str:
    """An earlier system marks skipped steps as completed."""
    return StepStatus.SKIPPED if stored.get("skipped") else str(stored.get("status") or StepStatus.PENDING)


def of_segment(status: str) -> Mark:
    return _SEGMENTS.get(status, Mark("", "info", status))


def start_of_run(workflow_id: str) -> dt.datetime | None:
    """Return the start of a run from its id, as the index of runs lacks it; None for other ids."""
    try:
        return ULID.from_str(workflow_id).datetime
    except ValueError:
        return None


@functools.lru_cache(maxsize=1024)
def draw_steps(total: int, here: int, *, waits: bool) -> SafeString:
    """Draw small marks for a run at step number ``here`` (from 0). Cached, as a list has few different rows."""
    now = "wait" if waits else "now"
    kinds = ("done" if i < here else now if i == here else "" for i in range(total))
    shape = '<rect class="{}" x="{}" y="2" width="9" height="8" rx="1.5"/>'
    return format_html_join("", shape, ((kind, 1 + i * STEP_MARK_WIDTH) for i, kind in enumerate(kinds)))


@dataclass(frozen=True)
class Use:
    """A step's usage of one model: as text, and in millionths of a dollar, None without a price."""

    words: str
    micros: int | None

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> "Use":
        pages, calls = int(stored.get("pages") or 0), int(stored.get("calls") or 0)
        told: list[str] = [count_phrase("%(count)s page", "%(count)s pages", pages)] if pages else []
        told += [count_phrase("%(count)s call", "%(count)s calls", calls)] if calls else []
        tokens = int(stored.get("tokens_in") or 0), int(stored.get("tokens_out") or 0)
        if any(tokens):
            said = Phrase("%(tokens_in)s tokens in, %(tokens_out)s out")
            told.append(said.fill(tokens_in=Figure(f"{tokens[0]:,}"), tokens_out=Figure(f"{tokens[1]:,}")))
        told += [words_of(float(stored["ms"]) / 1000)] if stored.get("ms") else []
        micros = int(stored["micros"]) if "micros" in stored else None
        if stored["service"] != LOCAL:
            told.append(describe_cost(micros))
        return cls(Phrase("%(model)s: %(used)s").fill(model=stored["model"], used=join_phrases(told)), micros)


@dataclass(frozen=True)
class StepRow:
    """A step on the run's page; ``seconds`` is None until it has ended."""

    name: str
    label: str
    short: str
    mark: Mark
    started_at: str | None
    ended_at: str | None
    seconds: float | None
    error: str | None
    reason: str | None
    used: tuple[Use, ...] = ()
    paused: str = ""  # what waits for a service that does not answer

    @property
    def took(self) -> str:
        return "" if self.seconds is None else words_of(self.seconds)


def words_of(seconds: float) -> str:
    """Format a duration, coarser the longer it is.

    >>> words_of(4), words_of(75.2), words_of(4320 * 60)
    ('4.0 s', '1 min 15 s', '3 d')
    """
    if seconds < 60:
        return Phrase("%(seconds)s s").fill(seconds=Figure(f"{seconds:.1f}"))
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        said = Phrase("%(minutes)s min %(seconds)s s") if rest else Phrase("%(minutes)s min")
        return said.fill(minutes=minutes, seconds=rest)
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        said = Phrase("%(hours)s h %(minutes)s min") if minutes else Phrase("%(hours)s h")
        return said.fill(hours=hours, minutes=minutes)
    days, hours = divmod(hours, 24)
    return (Phrase("%(days)s d %(hours)s h") if hours else Phrase("%(days)s d")).fill(days=days, hours=hours)


def step_rows(definition: Definition, board: WorkflowSteps, link: Link | None = None) -> list[StepRow]:
    """``link``: an earlier system's own row of the run, which may have more than the board."""
    data = board.data.as_dict()
    return [
        _step_row(step, {**(link.of_step(step.name) if link else {}), **(data.get(step.name) or {})}, board.outcome)
        for step in definition.steps
    ]


def _step_row(step: StepDefinition, stored: Mapping[str, Any], outcome: str | None) -> StepRow:
    status = _status_of_step(stored)
    mark = STEPS.get(status, Mark("todo", "info", status))
    if step.type == "approval" and status == StepStatus.IN_PROGRESS:
        mark = WAITING
    elif status == StepStatus.IN_PROGRESS and stored.get("waits_until"):
        mark = Mark("now", "clock", words_of_wait(str(stored["waits_until"])))
    elif status == StepStatus.IN_PROGRESS and stored.get("waits_for"):
        mark = Mark(
            "now",
            "clock",
            Phrase("Waiting for %(service)s").fill(service=LABELS.get(stored["waits_for"], stored["waits_for"])),
        )
    elif outcome == Outcome.CANCELLED and status == StepStatus.FAILED:  # cancelled by a person
        mark = _ENDS[Outcome.CANCELLED]._replace(tone="skipped")
    elif outcome and status == StepStatus.PENDING:
        mark = STEPS[StepStatus.SKIPPED] if outcome in _DONE else NOT_RUN
    start, end = stored.get("started_at"), stored.get("ended_at")
    seconds = (clock.parse(end) - clock.parse(start)).total_seconds() if start and end else None
    label = tell_label(step.label)
    short = _SHORT.get(step.name, label)
    counts = _count_in_words(stored)
    reason = stored.get("reason") or counts or (step.left_out if status == StepStatus.SKIPPED else "")
    used = tuple(Use.from_stored(one) for one in stored.get("used") or ())
    if reason and not isinstance(reason, Phrase):
        reason = tell_sentence(reason)
    error = tell_sentence(said) if (said := stored.get("error")) else None
    paused = tell_sentence(str(stored.get("waits_why") or "")) if status == StepStatus.IN_PROGRESS else ""
    return StepRow(step.name, label, short, mark, start, end, seconds, error, reason or None, used, paused)


def words_of_wait(until: str) -> str:
    """``until``: a stored instant; shown in the viewer's time zone."""
    at = clock.parse(until).astimezone(timezone.get_current_timezone())
    return Phrase("Waiting until %(time)s").fill(
        time=Phrase("%(time)s %(zone)s").fill(time=write_moment(at), zone=at.tzname())
    )


def _count_in_words(stored: Mapping[str, Any]) -> str:
    found = [tell(int(stored[name])) for name, tell in _COUNTS.items() if stored.get(name)]
    return join_phrases(found) if found else ""

"""How states of runs and steps are shown: a tone, a drawing and words."""

import datetime as dt
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from ulid import ULID

from config import clock
from projects.documents.items import DocumentStatus
from projects.documents.states import STATUS_LABELS
from projects.models.prices import describe_cost
from workflows.definitions.blueprint import Definition, StepDefinition
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
BESIDE = Mark("", "split", "Not in use")  # published beside a result that a person decided
_ENDS: dict[str, Mark] = {one.value: _OF_DOCUMENTS[one.value] for one in Outcome}
_DONE = (Outcome.PUBLISHED, "completed")
_ENDS["completed"] = Mark("good", "check", "Completed")  # an earlier system's runs end so
UNDER_WAY = Mark("info", "run", "In progress")  # where the row does not tell whether a person is waited for
# A document's own status, if no outcome says more: ours, and those of the seed-000 system.
_DOCUMENTS: dict[str, Mark] = {
    "uploading": Mark("", "upload", "Uploading"),
    "uploaded": Mark("", "clock", "Queued"),
    "pending": Mark("", "clock", "Queued"),
    "processing": UNDER_WAY,
    "in_progress": UNDER_WAY,
    "reanalyzing": Mark("info", "refresh", "Re-analysing"),
    "completed": _ENDS["completed"],
    "failed": _ENDS[Outcome.FAILED],
    "deleted": Mark("", "trash", "Deleted"),
}
_SEGMENTS: dict[str, Mark] = {
    "indexing": Mark("", "clock", "Queued"),
    "ocr_processing": Mark("info", "run", "OCR running"),
    "parsing": Mark("info", "run", "Parsing"),
    "analyzing": Mark("info", "run", "Analysing"),
    "finalizing": Mark("info", "run", "Finalizing"),
    "completed": _ENDS["completed"],
    "failed": _ENDS[Outcome.FAILED],
}
_COUNTS = {
    "segment_count": ("page", "pages"),
    "entity_count": ("entity", "entities"),
    "relationship_count": ("relationship", "relationships"),
}
# Where there is little room; the whole label stands in the table below.
_SHORT = {
    "segment_prep": "Prepare",
    "bda_processor": "BDA",
    "format_parser": "Formats",
    "paddleocr_processor": "OCR",
    "transcribe": "Audio",
    "webcrawler": "Web",
    "segment_builder": "Pages",  # people see segments as pages
    "segment_analyzer": "Analyse",
    "graph_builder": "Graph",
    "document_summarizer": "Summary",
    "assess": "Assess",
    "human_review": "Review",
    "needs_approval": "Small?",
    "first_approval": "First",
    "needs_second": "Modest?",
    "second_approval": "Second",
    "mark_accepted": "Tag",
    "tell_accepted": "Announce",
    "tell_rejected": "Tell",
    "publish": "Publish",
}
_STEPS: dict[str, Mark] = {
    StepStatus.PENDING: Mark("todo", "blank", "pending"),
    StepStatus.IN_PROGRESS: Mark("now", "run", "running"),
    StepStatus.COMPLETED: Mark("done", "check", "done"),
    StepStatus.SKIPPED: Mark("skipped", "minus", "not needed"),
    StepStatus.FAILED: Mark("warn", "alert", "failed"),
}


def of_run(outcome: str | None, *, waits: bool, beside: bool = False) -> Mark:
    """``beside``: another run's result, which a person decided, is the document's."""
    if outcome == Outcome.PUBLISHED and beside:
        return BESIDE
    if outcome:
        return _ENDS.get(outcome, Mark("", "info", outcome))
    return WAITING if waits else RUNNING


def of_document(status: str | None, outcome: str | None, waits_at: str | None = None) -> Mark:
    """``waits_at``: the step at which its run waits for a person."""
    if outcome or (waits_at and status == StepStatus.IN_PROGRESS):
        return of_run(outcome, waits=bool(waits_at))
    return _DOCUMENTS.get(status or "", Mark("", "info", status) if status else UNDER_WAY)


def of_segment(status: str) -> Mark:
    return _SEGMENTS.get(status, Mark("", "info", status))


def start_of_run(workflow_id: str) -> dt.datetime | None:
    """A run's id tells its start, which the index of runs does not carry; None for ids of another form."""
    try:
        return ULID.from_str(workflow_id).datetime
    except ValueError:
        return None


@functools.lru_cache(maxsize=1024)
def draw_steps(total: int, here: int, *, waits: bool) -> SafeString:
    """Small marks in a row, for a run that is at the step number ``here`` (from 0). A list has few different rows."""
    now = "wait" if waits else "now"
    kinds = ("done" if i < here else now if i == here else "" for i in range(total))
    shape = '<rect class="{}" x="{}" y="2" width="9" height="8" rx="1.5"/>'
    return format_html_join("", shape, ((kind, 1 + i * STEP_MARK_WIDTH) for i, kind in enumerate(kinds)))


@dataclass(frozen=True)
class Use:
    """What a step used of one model: in words, and in millionths of a dollar, None if no price is set."""

    words: str
    micros: int | None

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> "Use":
        counts = [(stored.get("pages"), "pages"), (stored.get("calls"), "calls")]
        told = [f"{int(n)} {word if n != 1 else word[:-1]}" for n, word in counts if n]
        tokens = int(stored.get("tokens_in") or 0), int(stored.get("tokens_out") or 0)
        told += [f"{tokens[0]:,} tokens in, {tokens[1]:,} out"] if any(tokens) else []
        told += [f"{float(stored['ms']) / 1000:.1f} s"] if stored.get("ms") else []
        micros = int(stored["micros"]) if "micros" in stored else None
        if stored["service"] != LOCAL:
            told.append(describe_cost(micros))
        return cls(f"{stored['model']}: {', '.join(told)}", micros)


@dataclass(frozen=True)
class StepRow:
    """A step as the run's page shows it; ``seconds`` is None while it has not ended."""

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
    paused: str = ""  # what a service that does not answer is waited for with

    @property
    def took(self) -> str:
        return "" if self.seconds is None else words_of(self.seconds)


def words_of(seconds: float) -> str:
    """A length of time, as coarse as it is long.

    >>> words_of(4), words_of(75.2), words_of(4320 * 60)
    ('4.0 s', '1 min 15 s', '3 d')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{hours // 24} d {hours % 24} h" if hours % 24 else f"{hours // 24} d"


def step_rows(definition: Definition, board: WorkflowSteps, link: Link | None = None) -> list[StepRow]:
    """``link``: the run's own row of an earlier system, which may say more of a step than its board."""
    data = board.data.as_dict()
    return [
        _step_row(step, {**(link.of_step(step.name) if link else {}), **(data.get(step.name) or {})}, board.outcome)
        for step in definition.steps
    ]


def _step_row(step: StepDefinition, stored: Mapping[str, Any], outcome: str | None) -> StepRow:
    status = str(stored.get("status") or StepStatus.PENDING)
    if stored.get("skipped"):  # an earlier system says so of a step that it calls completed
        status = StepStatus.SKIPPED
    mark = _STEPS.get(status, Mark("todo", "info", status))
    if step.type == "approval" and status == StepStatus.IN_PROGRESS:
        mark = Mark("warn", "user", "needs review")
    elif status == StepStatus.IN_PROGRESS and stored.get("waits_for"):
        mark = Mark("now", "clock", f"waiting for {LABELS.get(stored['waits_for'], stored['waits_for'])}")
    elif outcome == Outcome.CANCELLED and status == StepStatus.FAILED:  # if someone stopped it
        mark = Mark("skipped", "x", "cancelled")
    elif outcome and status == StepStatus.PENDING:
        mark = Mark("skipped", "minus", "not needed" if outcome in _DONE else "not run")
    start, end = stored.get("started_at"), stored.get("ended_at")
    seconds = (clock.parse(end) - clock.parse(start)).total_seconds() if start and end else None
    short = _SHORT.get(step.name, step.label)
    counts = _count_in_words(stored)
    reason = stored.get("reason") or counts or (step.left_out if status == StepStatus.SKIPPED else "")
    used = tuple(Use.from_stored(one) for one in stored.get("used") or ())
    error = stored.get("error")
    paused = str(stored.get("waits_why") or "") if status == StepStatus.IN_PROGRESS else ""
    return StepRow(step.name, step.label, short, mark, start, end, seconds, error, reason or None, used, paused)


def _count_in_words(stored: Mapping[str, Any]) -> str:
    found = [(stored.get(name), words) for name, words in _COUNTS.items()]
    return ", ".join(f"{n:g} {one if n == 1 else many}" for n, (one, many) in found if n)

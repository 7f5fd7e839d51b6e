"""Invented documents and reviews for scale tests and the benchmark, by the changes that the real actions make.

The same index makes the same keys, so that a filling that was stopped goes on. No row of it is ever due: the sweeper
would start a machine for each run that seems to wait. Files are not made, but for the results that reviews show.
"""

import datetime as dt
import functools
import hashlib
import json
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from django.conf import settings
from ulid import ULID

from config import clock, table
from config.bulk import Row
from config.transaction import Change, EventAt, Put, Update
from projects.audit.events import Actor
from projects.documents import counting
from projects.documents.items import Counter, DocumentStatus
from projects.queues.items import DEFAULT_QUEUE
from projects.settings.items import settings_to_store
from projects.settings.values import ProjectSettings
from review.decide import opening
from review.decide.opening import Pause
from review.identity import ReviewRef
from tests.tools.rows_left import Mould, list_rows_left
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS, REVIEW_REQUIRED, DocumentFacts, StepDefinition
from workflows.intake.actions.documents import plan_entry
from workflows.runs import events, run_settings
from workflows.runs.actions import advance
from workflows.runs.actions.advance import Advance
from workflows.runs.items import END, Outcome, Run, RunFigures
from workflows.runs.new_run import NewRun, Original
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

Kind = Literal["published", "waiting"]
FILLER = Actor("fill", "Filled")
PROJECT = ProjectSettings(name="Filled", description="Invented documents for scale tests.")
_DATA = settings_to_store(PROJECT)
_PINNED = run_settings.freeze(_DATA)
_PDF = "application/pdf"
_NAMESPACE = uuid.UUID("5d0a4a5e-7a2b-4f0c-9a2e-0c2f3b6d8e11")
_SMALLEST = 100_000  # bytes
_REASON, _TRIAGE = "Total 55 %, needs 80 %", "0.45|low_confidence|33.90|EUR|1|"
_PROBE = 543_210  # whose rows others are cast from: its numbers and texts occur nowhere by chance
_SECONDS = 11  # at most, from the upload to the publication
_BEGIN = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)  # of what is published, one a minute
_REVIEW, _PUBLISH = DOCUMENT_ANALYSIS.named("human_review"), DOCUMENT_ANALYSIS.named("publish")
_LEFT_OUT = DOCUMENT_ANALYSIS.left_out(DocumentFacts(_PDF))
_STAGES = [one for one in DOCUMENT_ANALYSIS.steps if one.type == "stage" and one.order not in _LEFT_OUT]
_FIELDS = (
    ("company", "Company", "text", "Grossmarkt Ruhr", 0.97),
    ("date", "Date", "date", "2024-03-31", 0.93),
    ("address", "Address", "text", "12 Harbour Street, Saltmarsh", 0.88),
    ("total", "Total", "amount", "33.90", 0.55),
    ("invoice_number", "Invoice number", "text", "AQ-2024-0418", 0.91),
    ("currency", "Currency", "currency", "EUR", 0.98),
)


@dataclass(frozen=True)
class Filling:
    """What is filled, and since when: reviews wait from ``began`` on, so that their deadlines are to come."""

    site: str
    project_id: str
    began: dt.datetime

    def published(self, index: int) -> Run:
        """The run of a document that nobody was asked about."""
        return self._run("published", index)

    def waiting(self, index: int) -> Run:
        """The run of a document that waits for a person."""
        return self._run("waiting", index)

    def review(self, index: int) -> ReviewRef:
        return self._pause(index).ref

    def rows(self, kind: Kind, index: int) -> list[Row]:
        """A document and all that hangs on it, cast from another one of its kind."""
        mould, event_ids = _mould(self, kind)
        own = [str(_ulid(self._run(kind, index), 100 + i)) for i in range(event_ids)]
        return mould.cast(self._marks(kind, index) + own)

    def made_rows(self, kind: Kind, index: int) -> list[Row]:
        """The same by the actions themselves; only the ids of events differ."""
        return self._published(index) if kind == "published" else self._waiting(index)

    def counted(self, kind: Kind, first: int, end: int) -> list[Change]:
        """What the documents from ``first`` to before ``end`` add to the counts: a few dozen updates at most."""
        tally = counting.Tally()
        for index in range(first, end):
            document_id = self._run(kind, index).document_id
            status = DocumentStatus.PUBLISHED if kind == "published" else DocumentStatus.WAITING
            tally.update(counting.count_move(self.project_id, document_id, None, status))
            if kind == "waiting":
                tally.update(counting.count_queued(DEFAULT_QUEUE, document_id, 1))
        return counting.apply_tally(self.site, tally)

    def _at(self, kind: Kind, index: int) -> dt.datetime:
        return _BEGIN + dt.timedelta(minutes=index) if kind == "published" else self.began + dt.timedelta(seconds=index)

    def _run(self, kind: Kind, index: int) -> Run:
        name = f"{self.site}/{self.project_id}/{kind}/{index}"
        chance = int(hashlib.sha256(name.encode()).hexdigest()[:20], 16) >> 8 << 8  # room for what follows it
        workflow_id = ULID.from_int(int(self._at(kind, index).timestamp() * 1000) << 80 | chance)
        return Run(self.site, self.project_id, str(uuid.uuid5(_NAMESPACE, name)), str(workflow_id))

    def _marks(self, kind: Kind, index: int) -> list[str]:
        """Everything that one document has of its own in its rows."""
        run, at = self._run(kind, index), self._at(kind, index)
        moments = [at + dt.timedelta(seconds=i) for i in range(_SECONDS if kind == "published" else 1)]
        marks = [run.document_id, run.workflow_id, _name(index), f"{index:064x}", str(_SMALLEST + index)]
        marks += [table.date_partition(at), table.datetime_s(at)]
        marks += [str(_ulid(run, step.order)) for step in DOCUMENT_ANALYSIS.steps]
        marks += [clock.iso(moment) for moment in moments] + [table.datetime_us(moment) for moment in moments]
        if kind == "waiting":
            pause = self._pause(index)
            marks += [pause.ref.review_id, clock.iso(pause.deadline), str(pause.keep_until)]
        return marks

    def _published(self, index: int) -> list[Row]:
        run, at = self.published(index), self._at("published", index)
        changes, told = _entering(run, index, at)
        for step in _STAGES:
            at += dt.timedelta(seconds=1)
            changes += _advance(run, step, at, asked=False)
        at += dt.timedelta(seconds=1)
        detail = {"outcome": Outcome.PUBLISHED.value, "reviewed": False, "sha256": "0" * 64}
        move = Advance(_PUBLISH, END, 1, result="completed", outcome=Outcome.PUBLISHED, facts=detail)
        changes += _moving(run, move, at)
        told.append((at, events.lineage(run, "PUBLISHED", facts=detail)))
        return _rows(changes, told)

    def _waiting(self, index: int) -> list[Row]:
        """No machine waits: a decision stays recorded."""
        run, at = self.waiting(index), self._at("waiting", index)
        changes, told = _entering(run, index, at)
        for step in _STAGES:
            if step.order < _REVIEW.order:
                changes += _advance(run, step, at, asked=True)
        opened, required = opening.plan_review(self._pause(index), at=at)
        return _rows(changes + opened, [*told, (at, required)])

    def save_result(self, index: int) -> None:
        """The object that the review shows."""
        run = self.waiting(index)
        store = DocumentFiles(run.site, run.project_id, run.document_id)
        store.write(files.result(run.workflow_id), result(), "application/json")

    def _pause(self, index: int) -> Pause:
        run, at = self.waiting(index), self._at("waiting", index)
        found = {
            **assessed(asked=True),
            "reasons": [_REASON],
            "triage": _TRIAGE,
            "last": _transition_id(run, _REVIEW.order - 1),
        }
        return Pause(
            run, 1, _REVIEW.order, DOCUMENT_ANALYSIS.id, None, clock.iso(at), settings.REVIEW_TIMEOUT_SECONDS,
            _name(index), PROJECT.name, found, result=result(),
        )  # fmt: skip


@functools.cache
def _mould(filling: Filling, kind: Kind) -> tuple[Mould, int]:
    """One document's rows as the actions make them, and how many events are among them."""
    rows = filling.made_rows(kind, _PROBE)
    event_ids = [row["event_id"]["S"] for _, row in rows if "event_id" in row]
    return Mould(rows, filling._marks(kind, _PROBE) + event_ids), len(event_ids)


def _name(index: int) -> str:
    return f"Filled document {index + 1:06d}.pdf"  # as long as all others, so that each page weighs the same


def _entering(run: Run, index: int, at: dt.datetime) -> tuple[list[Change], list[tuple[dt.datetime, EventAt]]]:
    key = DocumentFiles(run.site, run.project_id, run.document_id).root + files.original(run.document_id, ".pdf")
    original = Original(
        _name(index), _PDF, _SMALLEST + index, key, page_count=1, sha256=f"{index:064x}", s3version="filled"
    )
    changes, told = plan_entry(NewRun(run, _DATA, _PINNED, original, FILLER), at)
    return changes, [(at, event) for event in told]


def _advance(run: Run, step: StepDefinition, at: dt.datetime, *, asked: bool) -> list[Change]:
    facts: dict[str, Any] = {"segment_count": 1} if step.name == "segment_builder" else {}
    outcome = ""
    if step.name == "assess":
        facts, outcome = assessed(asked=asked), REVIEW_REQUIRED if asked else ""
    to = DOCUMENT_ANALYSIS.after(step, outcome, _LEFT_OUT)
    return _moving(run, Advance(step, to, 1, result="completed", facts=facts), at)


def _moving(run: Run, move: Advance, at: dt.datetime) -> list[Change]:
    """An advance without its transition: what happened on the way is left out, where things stand is there."""
    changes = advance.plan_advance(run, DOCUMENT_ANALYSIS, move, _transition_id(run, move.step.order), clock.iso(at))
    prefix = table.TRANSITION.sort_prefix()
    return [one for one in changes if not (isinstance(one, Put) and one.item.SK.startswith(prefix))]


def _transition_id(run: Run, order: int) -> str:
    return str(_ulid(run, order))


def _ulid(run: Run, number: int) -> ULID:
    """The run's own and ``number`` (under 256) more."""
    return ULID.from_int(int(ULID.from_str(run.workflow_id)) + number)


def assessed(*, asked: bool) -> dict[str, Any]:
    return {
        "review_required": asked,
        "result_sha256": files.sha256(result()),
        "fields": len(_FIELDS),
        "pages": 1,
        "unsure": int(asked),
    }


def _rows(changes: Iterable[Change], told: Iterable[tuple[dt.datetime, EventAt]]) -> list[Row]:
    # What each change counts is left out: a filling counts all of it at once, and none of it in figures of days.
    uncounted = [one for one in changes if not (isinstance(one, Update) and one.of in (Counter, RunFigures))]
    rows = list_rows_left([*uncounted, *(Put(event(at)) for at, event in told)])
    return list(_never_due(rows))


def _never_due(rows: Iterable[Row]) -> Iterator[Row]:
    shards = {table.due_partition(shard) for shard in range(settings.DUE_SHARDS)}
    for name, row in rows:
        if row.get("GSI2PK", {}).get("S") in shards:
            row = {key: value for key, value in row.items() if not key.startswith("GSI2")}  # noqa: PLW2901
        yield name, row


def result() -> bytes:
    """A stored result of six fields, of which one is unsure, as the segment analyzer writes it."""
    fields = [
        {
            "name": name, "label": label, "type": kind, "required": False, "threshold": 0.8, "value": value,
            "raw": value, "confidence": confidence, "page": 0, "box": [0.1, 0.1 + row / 10, 0.4, 0.13 + row / 10],
            "source": "rules",
            "candidates": [{"value": "38.90", "confidence": 0.4, "page": 0, "box": None}] if name == "total" else [],
        }
        for row, (name, label, kind, value, confidence) in enumerate(_FIELDS)
    ]  # fmt: skip
    page = {"index": 0, "width": 1240, "height": 1754, "image": files.page_image(0), "source": "ocr"}
    shape = {"version": 1, "document_type": "receipt", "pages": [page], "fields": fields, "notes": []}
    return json.dumps(shape).encode()

"""Rows of experiments: the head with its counters, the lanes that workers process, and a cell for each answer."""

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute

from config import table
from config.due.items import CountedWork
from config.item import Item
from workflows.experiments.results import Cell, Judged


class ExperimentStatus(StrEnum):
    """The status, stored as written."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    OVER_LIMIT = "over_limit"
    STOPPED = "stopped"
    DONE = "done"


_S = ExperimentStatus
MOVES: Mapping[ExperimentStatus, frozenset[ExperimentStatus]] = {
    _S.QUEUED: frozenset({_S.RUNNING, _S.PAUSED, _S.STOPPED, _S.OVER_LIMIT}),
    _S.RUNNING: frozenset({_S.PAUSED, _S.STOPPED, _S.OVER_LIMIT, _S.DONE}),
    _S.PAUSED: frozenset({_S.RUNNING, _S.STOPPED, _S.DONE}),
    _S.OVER_LIMIT: frozenset({_S.RUNNING, _S.STOPPED, _S.DONE}),
    _S.STOPPED: frozenset(),
    _S.DONE: frozenset({_S.RUNNING}),  # a retry of failed cells
}
UNDER_WAY = frozenset({_S.QUEUED, _S.RUNNING})


def list_origins(after: ExperimentStatus) -> list[ExperimentStatus]:
    """List the states from which an experiment may move to ``after``.

    >>> [str(one) for one in list_origins(ExperimentStatus.DONE)]
    ['running', 'paused', 'over_limit']
    """
    return [before for before, moves in MOVES.items() if after in moves]


class Experiment(Item):
    """Access: all of a project, newest first.

    ``total`` cells, of which ``answered``, ``failed`` and ``removed`` (the document was deleted) have ended. ``asked``:
    requests that models answered, without cached answers. ``spent``: their cost in millionths of a dollar, up to
    ``limit_micros``; ``micros``: what all answers would cost. ``retries``: how often failed cells were retried.
    ``results_progress``: of the results, as ``Results.progress``.
    """

    experiment_id = UnicodeAttribute()
    name = UnicodeAttribute()
    status = UnicodeAttribute()  # an ExperimentStatus
    testset_id = UnicodeAttribute()
    testset_name = UnicodeAttribute()
    testset_version = NumberAttribute()
    classification_id = UnicodeAttribute(null=True)  # the document type whose prompts it measures
    plan_sha256 = UnicodeAttribute()
    variants = NumberAttribute()
    lanes = NumberAttribute()
    total = NumberAttribute()
    answered = NumberAttribute(default=0)
    failed = NumberAttribute(default=0)
    removed = NumberAttribute(default=0)
    asked = NumberAttribute(default=0)
    tokens = NumberAttribute(default=0)
    micros = NumberAttribute(default=0)
    spent = NumberAttribute(default=0)
    limit_micros = NumberAttribute()
    results_sha256 = UnicodeAttribute(null=True)
    results_progress = NumberAttribute(default=0)
    retries = NumberAttribute(default=0)
    message = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute()
    created_by = UnicodeAttribute()
    updated_at = UnicodeAttribute()
    updated_by = UnicodeAttribute()
    ended_at = UnicodeAttribute(null=True)

    @property
    def ended_cells(self) -> int:
        return int(self.answered) + int(self.failed) + int(self.removed)

    @property
    def is_under_way(self) -> bool:
        return ExperimentStatus(self.status) in UNDER_WAY


class ExperimentLane(CountedWork):
    """Access: those of an experiment by number; due while it has cells to do.

    ``position``: of its next cell; a retry skips cells that did not fail. ``order_id``: the message that may claim it;
    others are stale or duplicates.
    """

    due_entity = table.EXPERIMENT_LANE
    project_id = UnicodeAttribute()
    experiment_id = UnicodeAttribute()
    lane = NumberAttribute()
    position = NumberAttribute(default=0)
    order_id = UnicodeAttribute()


class ExperimentCell(Item):
    """Access: those of an experiment by document, then variant."""

    number = NumberAttribute()
    case = NumberAttribute()
    variant = NumberAttribute()
    document_id = UnicodeAttribute()
    workflow_id = UnicodeAttribute(null=True)  # the run whose pages were read
    half = UnicodeAttribute()
    status = UnicodeAttribute()  # done, failed or removed
    judged = UnicodeAttribute(null=True)  # JSON of Judged; no values
    exact = BooleanAttribute(null=True)
    tokens_in = NumberAttribute(default=0)
    tokens_out = NumberAttribute(default=0)
    micros = NumberAttribute(default=0)
    ms = NumberAttribute(default=0)
    asked = NumberAttribute(default=0)
    created_at = UnicodeAttribute()

    def to_cell(self) -> Cell:
        stored: Any = json.loads(self.judged) if self.judged else []
        return Cell(
            str(self.document_id),
            str(self.half),
            int(self.variant),
            str(self.status),
            tuple(Judged(*one) for one in stored),
            int(self.tokens_in),
            int(self.tokens_out),
            int(self.micros),
            int(self.ms),
        )


def judged_to_store(judged: tuple[Judged, ...]) -> str:
    rows = [[one.name, round(one.confidence, 4), one.expected, one.answered, one.right, one.required] for one in judged]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))

"""Counting of runs: what a run's state adds to the rollups of its days and weeks is added exactly once."""

import json
from collections import Counter as Sums
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any, NamedTuple

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from config import clock, table
from config.due import actions as due_work
from config.errors import NotFound
from config.item import Item
from config.table import Key
from config.transaction import Change, Delete, Put, Update, transact
from projects.documents.counting import EVERYTHING, Kind
from projects.documents.items import Document
from workflows.definitions.blueprint import is_approval
from workflows.insight import figures
from workflows.insight.figures import Days, Decided, RunFacts, StepTime
from workflows.insight.items import AppliedDecision, ReviewTimes, Rollup
from workflows.runs import queries
from workflows.runs.actions.advance import board_key, execution_key, figures_key
from workflows.runs.items import DocumentWorkflow, Execution, Outcome, Run, RunFigures, Transition, WorkflowSteps
from workflows.runs.purge_hooks import at_run_purge

EVERY_TYPE, NO_TYPE = "*", "-"  # in the key of a rollup


class Span(StrEnum):
    DAY = "day"
    WEEK = "week"


class RollupKey(NamedTuple):
    """The key of a rollup. ``first``: its day, or the Monday of its week."""

    span: Span
    kind: Kind
    counted: str
    classification_id: str
    first: str

    def at(self, site: str) -> Key:
        entity = table.DAY_FIGURES if self.span == Span.DAY else table.WEEK_FIGURES
        return entity.key(
            site,
            kind=self.kind.value,
            counted=self.counted,
            classification_id=self.classification_id,
            day=self.first,
        )


def count_run(site: str, row: RunFigures) -> Mapping[str, int]:
    """Add the difference between what the run is and what it added before, in one transaction with that record.

    The run is then no longer due. Two sweepers add it once. Returns what was added to the site's rollups.

    Raises:
        Conflict: it was counted, or moved on, since ``row`` was read.

    """
    run = Run(site, row.project_id, str(row.document_id), str(row.workflow_id))
    before = read_counted(row)
    facts, classification_id = _read_facts(run, row)
    after = figures.count_run(facts) if facts else before
    kind_of = classification_id if facts else str(row.classification_id or "")
    moved = _moved(run.project_id, (str(row.classification_id or ""), before), (kind_of, after))
    changes: list[Change] = [
        Update(key.at(site), [Path([name]).add(by) for name, by in sorted(numbers.items())], of=Rollup)
        for key, numbers in moved
    ]
    actions: list[Action] = [
        RunFigures.counted.set(json.dumps(after, ensure_ascii=False, sort_keys=True)),
        RunFigures.classification_id.set(kind_of) if kind_of else RunFigures.classification_id.remove(),
        *due_work.finish_actions(),
        *_list_failure(site, run, facts),
    ]
    transact([Update(row.key, actions, _as_read(row), of=RunFigures), *changes])
    of_site = (Span.DAY, Kind.SITE, EVERYTHING, EVERY_TYPE)
    return figures.add_up(numbers for key, numbers in moved if key[:-1] == of_site)


@at_run_purge
def forget_run(run: Run) -> None:
    """Purge: keep what the run added, under a name without run or document. Idempotent.

    Raises: Conflict if a sweeper is counting it.
    """
    try:
        row = RunFigures.load(figures_key(run))
        if row.is_scheduled:
            count_run(run.site, row)
            row = RunFigures.load(row.key)
    except NotFound:
        return
    key = table.RUN_FIGURES.key(run.site, bucket=0, workflow_id=clock.new_ulid())
    left = RunFigures(*key, project_id=row.project_id, classification_id=row.classification_id, counted=row.counted)
    transact([Delete(row.key, RunFigures.counted == row.counted, of=RunFigures), Put(left)])


def read_counted(row: RunFigures) -> Days:
    days: Days = json.loads(row.counted or "{}")
    return days


def spread(project_id: str, classification_id: str, days: Days) -> Iterator[tuple[RollupKey, Mapping[str, int]]]:
    """Yield the rollups that a run's days are added to: of its site and project, for all types and its own."""
    for span, sums in ((Span.DAY, days), (Span.WEEK, figures.add_weeks(days))):
        for first, numbers in sums.items():
            for kind, counted in ((Kind.SITE, EVERYTHING), (Kind.PROJECT, project_id)):
                for type_ in (EVERY_TYPE, classification_id or NO_TYPE):
                    yield RollupKey(span, kind, counted, type_, first), numbers


def _moved(
    project_id: str, before: tuple[str, Days], after: tuple[str, Days]
) -> list[tuple[RollupKey, dict[str, int]]]:
    sums: dict[RollupKey, Sums[str]] = {}
    for (type_, days), sign in ((before, -1), (after, 1)):
        for key, numbers in spread(project_id, type_, days):
            place = sums.setdefault(key, Sums())
            for name, number in numbers.items():
                place[name] += sign * number
    return [(key, moved) for key, found in sums.items() if (moved := {name: by for name, by in found.items() if by})]


def _as_read(row: RunFigures) -> Condition:
    same: Condition = RunFigures.counted == row.counted if row.counted else RunFigures.counted.does_not_exist()
    unmoved: Condition = due_work.if_not_moved(row) & same
    return unmoved


def _list_failure(site: str, run: Run, facts: RunFacts | None) -> list[Action]:
    """Return the row's place among runs with the same failure, if it failed."""
    if not facts or not facts.cause or not facts.ended_at:
        return [RunFigures.GSI1PK.remove(), RunFigures.GSI1SK.remove()]
    name, at = figures.join_name(*facts.cause), clock.iso(facts.ended_at)
    keys = table.RUN_FIGURES.gsi1(site, name=name, ended_at=at, workflow_id=run.workflow_id)
    return [RunFigures.GSI1PK.set(keys["GSI1PK"]), RunFigures.GSI1SK.set(keys["GSI1SK"])]


def _read_facts(run: Run, row: RunFigures) -> tuple[RunFacts | None, str]:
    """Read the run and its document's type; None if it was purged, as what was counted stays."""
    link_key = table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id)
    document_key = table.DOCUMENT.key(run.site, document_id=run.document_id)
    keys = [execution_key(run), board_key(run), link_key, document_key]
    kinds: tuple[type[Item], ...] = (Execution, WorkflowSteps, DocumentWorkflow, Document)
    only = {one.attr_name for kind in kinds for one in kind.get_attributes().values()}
    found = Item.together(keys, only=sorted(only))
    if not {execution_key(run), board_key(run), link_key} <= found.keys():
        return None, ""
    execution = Execution.from_raw_data(found[execution_key(run)])
    link, document = DocumentWorkflow.from_raw_data(found[link_key]), found.get(document_key, {})
    classification_id = document.get("classification_id", {}).get("S", "") if document else row.classification_id
    received = clock.parse(row.received_at) if row.received_at else None
    base = RunFacts(run.project_id, execution.workflowId, clock.parse(link.created_at), received)
    if not row.ended_at or not execution.outcome:
        return base, classification_id or ""
    board = WorkflowSteps.from_raw_data(found[board_key(run)])
    pages, micros = int(execution.pages or 0), int(link.micros or 0)
    ended = replace(base, ended_at=clock.parse(row.ended_at), micros=micros, pages=pages)
    return _of_ended(run, ended, execution, board), classification_id or ""


def _of_ended(run: Run, base: RunFacts, execution: Execution, board: WorkflowSteps) -> RunFacts:
    transitions = list(
        Transition.every(
            table.TRANSITION.partition_key(run.site, execution_id=run.workflow_id),
            sk=Transition.SK.startswith(table.TRANSITION.sort_prefix()),
            consistent=True,
        )
    )
    steps = {name: one for name, one in board.data.as_dict().items() if isinstance(one, Mapping)}
    outcome = Outcome(execution.outcome or "")
    used: Sums[tuple[str, str]] = Sums()
    for one in (one for row in transitions for one in _facts(row).get("used") or ()):
        used[str(one["service"]), str(one["model"])] += int(one.get("micros") or 0)
    return replace(
        base,
        outcome=outcome,
        kept=bool(execution.keeps),
        asked=any(is_approval(name) and one.get("started_at") for name, one in steps.items()),
        cause=_cause(transitions, execution) if outcome in figures.FAILURES else None,
        steps=list(_times(steps)),
        decided=_decided(run, transitions),
        used={model: micros for model, micros in used.items() if micros},
    )


def _facts(row: Transition) -> dict[str, Any]:
    return row.data.as_dict() if row.data is not None else {}


def _cause(transitions: list[Transition], execution: Execution) -> tuple[str, str]:
    """Return the step that failed, and the error."""
    from_step = {step.order: step.name for step in queries.definition_of(execution).steps}
    last = transitions[-1]
    return from_step.get(int(last.fromStep), str(int(last.fromStep))), last.result


def _times(steps: Mapping[str, Mapping[str, Any]]) -> Iterator[StepTime]:
    for name, one in steps.items():
        if one.get("started_at") and one.get("ended_at"):
            seconds = (clock.parse(str(one["ended_at"])) - clock.parse(str(one["started_at"]))).total_seconds()
            yield StepTime(name, max(seconds, 0.0))


def _decided(run: Run, transitions: list[Transition]) -> list[Decided]:
    """List the decisions that the run continued with; two calls if there are any."""
    applied = [facts for row in transitions if (facts := _facts(row)).get("decision_id") and facts.get("review_id")]
    keys = {
        table.REVIEW_DECISION.key(
            run.site, document_id=run.document_id, review_id=str(one["review_id"]), decision_id=str(one["decision_id"])
        ): table.REVIEW.key(run.site, document_id=run.document_id, review_id=str(one["review_id"]))
        for one in applied
    }
    if not keys:
        return []
    names = sorted({one.attr_name for one in ReviewTimes.get_attributes().values()})
    times = Item.together(list(dict.fromkeys(keys.values())), only=names)
    return [
        _to_decided(row, ReviewTimes.from_raw_data(times[keys[row.key]]) if keys[row.key] in times else None)
        for row in AppliedDecision.load_many(list(keys))
    ]


def _to_decided(row: AppliedDecision, times: ReviewTimes | None) -> Decided:
    seconds = None
    if times and times.claimed_at and times.reviewedAt:
        seconds = max((clock.parse(times.reviewedAt) - clock.parse(times.claimed_at)).total_seconds(), 0.0)
    corrected = dict.fromkeys(str(one["label"]) for one in row.changes or ())
    confirmed = [str(one) for one in row.confirmed or () if str(one) not in corrected]
    return Decided(row.reviewer, row.reviewer_name or row.reviewer, seconds, list(corrected), confirmed)

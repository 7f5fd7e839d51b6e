"""A run is counted: what its state adds to its days is added once, whatever was added before."""

import json
from collections import Counter as Sums
from collections.abc import Iterator, Mapping
from dataclasses import replace
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
from workflows.insight.items import AppliedDecision, DayFigures, ReviewTimes
from workflows.runs import queries
from workflows.runs.actions.advance import board_key, execution_key, figures_key
from workflows.runs.items import DocumentWorkflow, Execution, Outcome, Run, RunFigures, Transition, WorkflowSteps

EVERY_TYPE, NO_TYPE = "*", "-"  # in the key of a day's sums


class DayKey(NamedTuple):
    """Of which sums."""

    kind: Kind
    counted: str
    classification_id: str
    day: str

    def at(self, site: str) -> Key:
        return table.DAY_FIGURES.key(site, **{**self._asdict(), "kind": self.kind.value})


def count_run(site: str, row: RunFigures) -> Mapping[str, int]:
    """Add what the run is now and was not before, in one transaction with the note of it; then it is not due.

    Twice, or by two sweepers, it is added once. Returns what was added to the sums of its site.

    Raises:
        Conflict: it was counted, or went on, since ``row`` was read.

    """
    run = Run(site, row.project_id, str(row.document_id), str(row.workflow_id))
    before = read_counted(row)
    facts, classification_id = _read_facts(run, row)
    after = figures.count_run(facts) if facts else before
    kind_of = classification_id if facts else str(row.classification_id or "")
    moved = _moved(run.project_id, (str(row.classification_id or ""), before), (kind_of, after))
    changes: list[Change] = [
        Update(key.at(site), [Path([name]).add(by) for name, by in sorted(numbers.items())], of=DayFigures)
        for key, numbers in moved
    ]
    actions: list[Action] = [
        RunFigures.counted.set(json.dumps(after, ensure_ascii=False, sort_keys=True)),
        RunFigures.classification_id.set(kind_of) if kind_of else RunFigures.classification_id.remove(),
        *due_work.finish_actions(),
        *_list_failure(site, run, facts),
    ]
    transact([Update(row.key, actions, _as_read(row), of=RunFigures), *changes])
    of_site = [numbers for key, numbers in moved if key.kind == Kind.SITE and key.classification_id == EVERY_TYPE]
    return figures.add_up(of_site)


def forget_run(run: Run) -> None:
    """A purge: what the run added stays, under a name that says neither run nor document. Again it does nothing.

    Raises: Conflict if a sweeper counts it at this moment.
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


def spread(project_id: str, classification_id: str, days: Days) -> Iterator[tuple[DayKey, Mapping[str, int]]]:
    """The sums that a run's days are added to: its site's and its project's, of all types and of its own."""
    for day, numbers in days.items():
        for kind, counted in ((Kind.SITE, EVERYTHING), (Kind.PROJECT, project_id)):
            for type_ in (EVERY_TYPE, classification_id or NO_TYPE):
                yield DayKey(kind, counted, type_, day), numbers


def _moved(project_id: str, before: tuple[str, Days], after: tuple[str, Days]) -> list[tuple[DayKey, dict[str, int]]]:
    sums: dict[DayKey, Sums[str]] = {}
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
    """Its place among the runs that failed alike, if it did."""
    if not facts or not facts.cause or not facts.ended_at:
        return [RunFigures.GSI1PK.remove(), RunFigures.GSI1SK.remove()]
    name, at = figures.join_name(*facts.cause), clock.iso(facts.ended_at)
    keys = table.RUN_FIGURES.gsi1(site, name=name, ended_at=at, workflow_id=run.workflow_id)
    return [RunFigures.GSI1PK.set(keys["GSI1PK"]), RunFigures.GSI1SK.set(keys["GSI1SK"])]


def _read_facts(run: Run, row: RunFigures) -> tuple[RunFacts | None, str]:
    """What the run is, and its document's type; None of one that was purged: what was counted stays."""
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
    """The name of the step that it failed at, and the error."""
    from_step = {step.order: step.name for step in queries.definition_of(execution).steps}
    last = transitions[-1]
    return from_step.get(int(last.fromStep), str(int(last.fromStep))), last.result


def _times(steps: Mapping[str, Mapping[str, Any]]) -> Iterator[StepTime]:
    for name, one in steps.items():
        if one.get("started_at") and one.get("ended_at"):
            seconds = (clock.parse(str(one["ended_at"])) - clock.parse(str(one["started_at"]))).total_seconds()
            yield StepTime(name, max(seconds, 0.0))


def _decided(run: Run, transitions: list[Transition]) -> list[Decided]:
    """The decisions that the run went on with; two calls if there are any."""
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

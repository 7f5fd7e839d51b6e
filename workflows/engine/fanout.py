"""Fan-out of a stage over many pages: slices are processed in parallel and joined on one item (ADR 0010).

The step's message plans the slices, creates their join and sends the first few. Each finished slice counts itself and
sends the next, while its site and project have slots for it (ADR 0022). Whoever counts the last one finishes the stage
and answers the token, which the join keeps.
"""

import contextlib
import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from config import clock
from config.errors import Conflict, NotFound, ProviderPaused, StaleAttempt
from workflows.engine import actions, joins, limits, precedence, step_context, step_outcome, tokens
from workflows.engine.step_work import StepOrder, StepWork
from workflows.runs import queries
from workflows.runs.actions import segments
from workflows.runs.items import Execution, Join, Run, RunStatus
from workflows.stages import artifacts, file_kinds, slices
from workflows.stages.base import SliceResult, Slicing, Stage, StageContext, StageResult, Tally
from workflows.stages.registry import STAGES
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

log = logging.getLogger(__name__)

_LONGEST_WAIT = 60.0  # seconds that a slice's message is delayed, less than its visibility timeout
Send = Callable[[StepOrder, int, int], None]  # order, lane, and the slice in that lane
_ROWS_FROM = ("segment_builder", "segment_analyzer")  # pages that fail in these have a row already, or get it here


def run(order: StepOrder, stage: Stage, context: StageContext, *, token: str | None, send: Send) -> StageResult | None:
    """Run the whole stage if it fits into one slice; else start the slices and return None.

    Raises: StageFailed.
    """
    slicing = _slicing_of(stage)
    indices = slicing.plan(context)
    if isinstance(indices, StageResult):
        return indices
    parts = slices.cut_slices(slicing, indices)
    if len(parts) <= 1:
        done = [_work(order.run, stage, context, part) for part in parts]
        return slices.finish_slices(slicing, context, slices.tally_slices(len(indices), done))
    plan = {"parts": [slices.pack_ranges(part) for part in parts]}
    artifacts.write_json(context.artifacts, files.plan(order.run.workflow_id, stage.name, order.attempt), plan)
    joins.begin(
        order.run, stage.name, step=order.step, attempt=order.attempt, slices=len(parts), planned=len(indices),
        slots=_slots(order), token=token,
    )  # fmt: skip
    send_waiting(order, joins.load(order.run, stage.name, order.attempt), send, context.heartbeat)
    return None


def send_waiting(order: StepOrder, join: Join | None, send: Send, heartbeat: Callable[[], None]) -> None:
    """Resend the slices in the lanes; if the join is complete, one slice, whose worker finishes the stage."""
    if join is None:
        return
    under_way = join.at_work or {0: 0}
    for lane, number in sorted(under_way.items()):
        send(order, lane, number)
        heartbeat()


def _slots(order: StepOrder) -> int:
    return limits.of_fan_out(order.run.site, order.run.project_id, order.run.workflow_id)


def _slicing_of(stage: Stage) -> Slicing:
    if stage.slicing is None:
        raise StaleAttempt(f"{stage.name} is no longer cut into slices.")
    return stage.slicing


def _work(run: Run, stage: Stage, context: StageContext, part: Sequence[int]) -> SliceResult:
    """Process a slice, and write its segments' rows if the builder's slices make them."""
    result = _slicing_of(stage).work(context, part)
    images, store = file_kinds.has_pages(context.file_type), cast("DocumentFiles", context.artifacts)
    if stage.name == _ROWS_FROM[0]:
        segments.write_some(run, part, result.failed, images=images, store=store)
    elif stage.name in _ROWS_FROM and (told := sorted({*result.failed, *result.analyses})):
        segments.write_some(run, told, result.failed, analyses=result.analyses, images=images, store=store)
    return result


def do_slice(
    order: StepOrder, lane: int, number: int, *, owner: str, keep: Callable[[], None], send: Send
) -> None:  # fmt: skip
    """Process one slice, count it and send the next. Whoever counts the last one finishes the stage.

    Raises:
        Busy: all slices are counted, and another worker is finishing the stage.
        StaleAttempt: the run went on without it.
        StageFailed: the stage cannot do it, and a retry would not help.

    """
    execution = queries.execution(order.run)
    definition = queries.definition_of(execution)
    stage = STAGES[definition.step(order.step).name]
    join = joins.load(order.run, stage.name, order.attempt)
    if join is None:
        raise StaleAttempt("There is no such slice any more.")
    if number not in (join.done or ()):
        if not drives(execution, order):
            raise StaleAttempt("The run has moved on without this slice.")
        with precedence.go_second(step_outcome.seldom(keep)) as heartbeat:
            result = _slice_of(order, stage, execution, number, heartbeat)
        width = _slots(order) if join.has_more else 0
        join = joins.count(join, lane, number, result, slots=width)
        _widen(order, join, width, send)
    if lane in join.at_work:
        send(order, lane, join.at_work[lane])
    if joins.is_complete(join):
        _complete(order, stage, join, owner=owner, keep=keep)


def _widen(order: StepOrder, join: Join, width: int, send: Send) -> None:
    """Use slots that became free because other runs ended or an admin raised the limit."""
    for lane in range(width):
        if lane in join.at_work or not join.has_more:
            continue
        with contextlib.suppress(Conflict):  # another slice of this run was faster
            join = joins.take(join, lane)
            send(order, lane, join.at_work[lane])


def drives(execution: Execution, order: StepOrder) -> bool:
    here = execution.status == RunStatus.RUNNING and int(execution.currentStep) == order.step
    return here and int(execution.engine_attempt) == order.attempt


def _slice_of(
    order: StepOrder, stage: Stage, execution: Execution, number: int, heartbeat: Callable[[], None]
) -> SliceResult:
    document = queries.document_of(order.run)
    with step_context.open_context(order.run, stage, document, execution, heartbeat, keep_original=True) as context:
        plan = artifacts.read_json(context.artifacts, files.plan(order.run.workflow_id, stage.name, order.attempt))
        result = _work(order.run, stage, context, slices.unpack_ranges(plan["parts"][number]))
        if result.output is not None:
            name = files.slice_output(order.run.workflow_id, stage.name, order.attempt, number)
            artifacts.write_json(context.artifacts, name, result.output)
    return result


def _complete(order: StepOrder, stage: Stage, join: Join, *, owner: str, keep: Callable[[], None]) -> None:
    """Finish the stage and answer the token. The step's lease and the guarded advance admit one worker only."""
    try:
        execution = actions.claim_step(order.run, step=order.step, attempt=order.attempt, owner=owner)
        answer = _finish_stage(order, stage, execution, join, step_outcome.heartbeat(order.run, owner, keep))
    except Conflict:
        answer = step_outcome.earlier_answer(order)
    tokens.settle(join.key, answer)


def _finish_stage(
    order: StepOrder, stage: Stage, execution: Execution, join: Join, heartbeat: Callable[[], None]
) -> Mapping[str, Any]:
    definition = queries.definition_of(execution)
    document = queries.document_of(order.run)
    with step_context.open_context(order.run, stage, document, execution, heartbeat) as context:
        result = slices.finish_slices(_slicing_of(stage), context, _tally(order, stage, context, join))
    return step_outcome.conclude(StepWork(order, definition, definition.step(order.step), execution, document), result)


def _tally(order: StepOrder, stage: Stage, context: StageContext, join: Join) -> Tally:
    def outputs() -> Iterator[Any]:
        for number in range(int(join.slices)):
            name = files.slice_output(order.run.workflow_id, stage.name, order.attempt, number)
            try:
                yield json.loads(context.artifacts.read(name))
            except NotFound:  # a stage whose slices have no results
                return
            context.heartbeat()

    failed = frozenset(int(index) for index in join.failed or ())
    counts = {name: float(count) for name, count in join.counts.as_dict().items()}
    return Tally(int(join.planned), failed, counts, outputs(), join.error)


def wait(order: StepOrder, paused: ProviderPaused) -> float:
    """Show on the run that a service does not answer; return the seconds until the slice is retried."""
    seconds = min(paused.seconds, _LONGEST_WAIT)
    stage = queries.definition_of(queries.execution(order.run)).step(order.step).name
    with contextlib.suppress(Conflict):  # the run was purged meanwhile
        joins.wait(joins.join_key(order.run, stage, order.attempt), until=clock.iso(clock.in_seconds(2 * seconds)))
        actions.describe_external_job(order.run, stage, service=paused.provider, why=str(paused))
    return seconds


def refuse(order: StepOrder, error: str, sentence: str) -> None:
    """Fail the stage: the engine's Catch ends the run. Raises: Unavailable."""
    definition = queries.definition_of(queries.execution(order.run))
    stage = definition.step(order.step).name
    tokens.reject(joins.join_key(order.run, stage, order.attempt), error, sentence)

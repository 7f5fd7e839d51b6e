"""Lanes of experiments: a worker processes cell after cell for a while, then sends the next message.

Each message carries the order that its lane expects, and the next message another one, so a message that is redelivered
or was replaced by a resumed experiment is refused. A cell's transaction moves the lane on, so two workers that both
believe to own a lane record each cell once. The answer of a model is stored before that: if a worker dies in between,
no model is asked again.
"""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from django.conf import settings

from config import clock
from config.due import actions as due_work
from config.errors import Conflict, NotFound, ProviderPaused, StageFailed, Unavailable
from config.phrase import Phrase
from workflows.experiments import actions, answering, queries
from workflows.experiments.answering import MadeCell
from workflows.experiments.items import UNDER_WAY, Experiment, ExperimentCell, ExperimentLane, ExperimentStatus
from workflows.experiments.queries import ExperimentRef
from workflows.experiments.results import FAILED, Cell, Place, Plan, find_place, judge_cells, locate_cell
from workflows.testsets import queries as testset_queries
from workflows.testsets.cases import HALVES, Case

log = logging.getLogger(__name__)

SLICE_SECONDS = 20.0  # seconds of one message, or one answer, so that other experiments get their turn
_FIRST_FAILURES = 5  # failures without any answer: the model or its endpoint is broken, not the documents
_SPENT = Phrase("The cost limit is reached. Raise it to go on.")
_ALL_FAIL = Phrase("The first documents all failed. Open one to see why, then resume.")


def work_lane(ref: ExperimentRef, lane: int, *, order_id: str, keep: Callable[[], None]) -> str:
    """Process a lane for a while. Return the order of the next message, empty if nothing is left to do.

    Raises:
        ProviderPaused: the model does not answer for now; the lane is free again.
        Unavailable: the table or S3 does not answer.

    """
    owner = clock.new_ulid()  # not the message's id: a redelivery must not count as the same owner
    try:
        row, head = queries.get_lane(ref, lane), queries.get_experiment(ref)
        actions.claim_lane(row, order_id=order_id, owner=owner)
    except (Conflict, NotFound):
        log.info("lane is in other hands", extra={"event": ref.experiment_id})
        return ""
    actions.start_experiment(ref)
    plan = queries.load_plan(ref, str(head.plan_sha256))
    work = _Lane(ref, lane, owner, keep, plan, int(head.lanes), int(head.retries), _load_failed(ref, head))
    try:
        return work.go_along()
    except Conflict:
        log.info("lane was taken over", extra={"event": ref.experiment_id})
        return ""
    except (ProviderPaused, Unavailable):
        due_work.release(row, owner=owner)
        raise


@dataclass
class _Lane:
    """``failed``: as from ``_load_failed``; no other worker processes cells of this lane meanwhile."""

    ref: ExperimentRef
    lane: int
    owner: str
    keep: Callable[[], None]
    plan: Plan
    lanes: int
    retries: int
    failed: Mapping[int, ExperimentCell] | None
    began: float = field(default_factory=time.monotonic)
    renewed: float = field(default_factory=time.monotonic)

    def go_along(self) -> str:
        cases, has_one = _load_cases(self.ref, self.plan), False
        while True:
            row, head = queries.get_lane(self.ref, self.lane), queries.get_experiment(self.ref)
            place = _find_next(self.plan, self.lanes, row, self.failed)
            if place is None or not self._may_go_on(head):
                if self._leave(row, is_done=place is None):
                    return ""
                continue
            if has_one and time.monotonic() - self.began > SLICE_SECONDS:
                if not self.lane:
                    settle(self.ref, self.plan)
                return actions.pass_on_lane(row, owner=self.owner)
            self._heartbeat(row)
            try:
                made = answering.make_cell(
                    self.ref, self.plan, cases[place.case], place.variant, retry=self.retries,
                    before_asking=partial(self._heartbeat, row),
                )  # fmt: skip
            except StageFailed as error:
                actions.halt_experiment(self.ref, ExperimentStatus.PAUSED, str(error))
                continue
            mine = ExperimentLane.lease_owner == self.owner
            before = self.failed[place.number(self.plan)] if self.failed is not None else None
            actions.record_cell(self.ref, self.plan, row, place, made, mine=mine, failed=before)
            has_one = True

    def _may_go_on(self, head: Experiment) -> bool:
        if head.status not in UNDER_WAY:
            return False
        if int(head.spent) >= int(head.limit_micros):
            actions.halt_experiment(self.ref, ExperimentStatus.OVER_LIMIT, _SPENT)
            return False
        if int(head.failed) >= _FIRST_FAILURES and not int(head.answered) and not head.message:
            actions.halt_experiment(self.ref, ExperimentStatus.PAUSED, _ALL_FAIL)
            return False
        return True

    def _heartbeat(self, row: ExperimentLane) -> None:
        """Raises: Conflict if another worker has the lane, so that no request is sent."""
        self.keep()
        if time.monotonic() - self.renewed > settings.MESSAGE_LOST_SECONDS / 10:
            actions.renew_lane(row, owner=self.owner)
            self.renewed = time.monotonic()

    def _leave(self, row: ExperimentLane, *, is_done: bool) -> bool:
        """Record the results first, so that a worker that dies in between leaves the lane due.

        Return False if the experiment was resumed meanwhile.
        """
        settle(self.ref, self.plan)
        try:
            actions.finish_lane(self.ref, row, owner=self.owner, is_done=is_done)
        except Conflict as conflict:
            if conflict.failed == {actions.HALTED}:
                return False
            raise
        return True


Failed = Mapping[int, ExperimentCell]


def _load_failed(ref: ExperimentRef, head: Experiment) -> Failed | None:
    """Return the cells to retry by number; None in the first pass, which includes all."""
    if not head.retries:
        return None
    return {int(one.number): one for one in queries.list_all_cells(ref) if one.status == FAILED}


def _find_next(plan: Plan, lanes: int, row: ExperimentLane, failed: Failed | None) -> Place | None:
    """Return the lane's next cell, or None if nothing is left."""
    position = int(row.position)
    while place := find_place(plan, lanes, int(row.lane), position):
        if failed is None or place.number(plan) in failed:
            return place
        position += 1
    return None


def _load_cases(ref: ExperimentRef, plan: Plan) -> tuple[Case, ...]:
    return testset_queries.load_cases(queries.get_set_ref(ref, plan), plan.testset_sha256)


def settle(ref: ExperimentRef, plan: Plan) -> None:
    """Compute the results so far; the experiment is done if all cells have ended."""
    # before the cells, which may move on meanwhile
    lanes = {int(one.lane): int(one.position) for one in queries.list_lanes(ref)}
    rows = queries.list_all_cells(ref)
    cells = [one.to_cell() for one in rows]
    actions.record_results(ref, judge_cells(cells, {one.number: one.threshold for one in plan.variants}, HALVES))
    if len(cells) == plan.cells and not any(_is_to_retry(plan, lanes, one) for one in rows):
        actions.end_experiment(ref)


def _is_to_retry(plan: Plan, lanes: Mapping[int, int], cell: ExperimentCell) -> bool:
    """Return True if it failed and its lane has not retried it yet. ``lanes``: with their positions."""
    lane, position = locate_cell(plan, len(lanes), int(cell.number))
    return cell.status == FAILED and position >= lanes[lane]


def give_up_cell(ref: ExperimentRef, row: ExperimentLane) -> None:
    """Skip a document that kept killing its worker. Raises: Conflict if a worker has begun it again."""
    head = queries.get_experiment(ref)
    plan = queries.load_plan(ref, str(head.plan_sha256))
    failed = _load_failed(ref, head)
    place = _find_next(plan, int(head.lanes), row, failed)
    if place is None:
        return
    case = _load_cases(ref, plan)[place.case]
    cell = Cell(case.document_id, case.half, place.variant.number, FAILED)
    mine = due_work.not_begun_since(row, owner="")
    before = failed[place.number(plan)] if failed is not None else None
    actions.record_cell(ref, plan, row, place, MadeCell(cell), mine=mine, failed=before, tries=0)
    log.warning("a cell was given up", extra={"event": ref.experiment_id, "document": case.document_id})

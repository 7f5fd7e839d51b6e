"""How a worker goes along a lane of an experiment: cell after cell for a while, then the next message.

A cell's transaction moves the lane on, so that a message that comes twice, or a lane that two workers believe to be
theirs, records each cell once. What a model said is kept before that: after a worker that ended between both, no model
is asked again.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from django.conf import settings

from config import clock
from config.due import actions as due_work
from config.errors import Conflict, NotFound, ProviderPaused, StageFailed, Unavailable
from workflows.experiments import actions, answering, queries
from workflows.experiments.answering import MadeCell
from workflows.experiments.items import Experiment, ExperimentLane
from workflows.experiments.plan import Plan, find_place
from workflows.experiments.queries import ExperimentRef
from workflows.experiments.results import FAILED, Cell, judge_cells
from workflows.experiments.status import UNDER_WAY, ExperimentStatus
from workflows.testsets import queries as testset_queries
from workflows.testsets.cases import HALVES, Case

log = logging.getLogger(__name__)

SLICE_SECONDS = 20.0  # of one message: others' pages wait for no longer
_FIRST_FAILURES = 5  # and no answer: then the model or its endpoint is wrong, not the documents
_SPENT = "The cost limit is reached. Raise it to go on."
_ALL_FAIL = "The first documents all failed. Open one to see why, then resume."


def work_lane(ref: ExperimentRef, lane: int, *, keep: Callable[[], None]) -> bool:
    """Go along a lane for a while; True if there is more to do.

    Raises:
        ProviderPaused: the model does not answer for now; the lane is free again.
        Unavailable: the table or S3 does not answer.

    """
    owner = clock.new_ulid()  # not the message's id: one that is delivered twice must not find itself at work
    try:
        row, head = queries.get_lane(ref, lane), queries.get_experiment(ref)
        actions.claim_lane(row, owner=owner)
    except (Conflict, NotFound):
        log.info("lane is in other hands", extra={"event": ref.experiment_id})
        return False
    actions.start_experiment(ref)
    work = _Lane(ref, lane, owner, keep, queries.load_plan(ref, str(head.plan_sha256)))
    try:
        return work.go_along()
    except Conflict:
        log.info("lane was taken over", extra={"event": ref.experiment_id})
        return False
    except (ProviderPaused, Unavailable):
        due_work.release(row, owner=owner)
        raise


@dataclass
class _Lane:
    ref: ExperimentRef
    lane: int
    owner: str
    keep: Callable[[], None]
    plan: Plan
    began: float = field(default_factory=time.monotonic)
    renewed: float = field(default_factory=time.monotonic)

    def go_along(self) -> bool:
        cases = _load_cases(self.ref, self.plan)
        while True:
            row, head = queries.get_lane(self.ref, self.lane), queries.get_experiment(self.ref)
            place = find_place(self.plan, int(head.lanes), self.lane, int(row.position))
            if place is None or not self._may_go_on(head):
                if self._leave(row, is_done=place is None):
                    return False
                continue
            if time.monotonic() - self.began > SLICE_SECONDS:
                if not self.lane:
                    settle(self.ref, self.plan)
                due_work.release(row, owner=self.owner)
                return True
            self._heartbeat(row)
            try:
                made = answering.make_cell(
                    self.ref, self.plan, cases[place.case], place.variant, before_asking=partial(self._heartbeat, row)
                )
            except StageFailed as error:
                actions.halt_experiment(self.ref, ExperimentStatus.PAUSED, str(error))
                continue
            mine = ExperimentLane.lease_owner == self.owner
            actions.record_cell(self.ref, self.plan, row, place, made, mine=mine)

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
        """Raises: Conflict: the lane is another's, so nothing is asked."""
        self.keep()
        if time.monotonic() - self.renewed > settings.MESSAGE_LOST_SECONDS / 10:
            actions.renew_lane(row, owner=self.owner)
            self.renewed = time.monotonic()

    def _leave(self, row: ExperimentLane, *, is_done: bool) -> bool:
        """First what the cells come to: a worker that ends in between leaves the lane due.

        False if the experiment was resumed meanwhile.
        """
        settle(self.ref, self.plan)
        try:
            actions.finish_lane(self.ref, row, owner=self.owner, is_done=is_done)
        except Conflict as conflict:
            if conflict.failed == {actions.HALTED}:
                return False
            raise
        return True


def _load_cases(ref: ExperimentRef, plan: Plan) -> tuple[Case, ...]:
    return testset_queries.load_cases(queries.get_set_ref(ref, plan), plan.testset_sha256)


def settle(ref: ExperimentRef, plan: Plan) -> None:
    """Work out what has been answered so far; the experiment is done if that is all."""
    cells = [one.to_cell() for one in queries.list_all_cells(ref)]
    actions.record_results(ref, judge_cells(cells, {one.number: one.threshold for one in plan.variants}, HALVES))
    if len(cells) == plan.cells:
        actions.end_experiment(ref)


def give_up_cell(ref: ExperimentRef, row: ExperimentLane) -> None:
    """Go on behind a document that ended its worker again and again. Raises: Conflict: a worker has begun it again."""
    head = queries.get_experiment(ref)
    plan = queries.load_plan(ref, str(head.plan_sha256))
    place = find_place(plan, int(head.lanes), int(row.lane), int(row.position))
    if place is None:
        return
    case = _load_cases(ref, plan)[place.case]
    cell = Cell(case.document_id, case.half, place.variant.number, FAILED)
    mine = due_work.not_begun_since(row, owner="")
    actions.record_cell(ref, plan, row, place, MadeCell(cell), mine=mine, tries=0)
    log.warning("a cell was given up", extra={"event": ref.experiment_id, "document": case.document_id})

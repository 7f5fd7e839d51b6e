"""The handler of due lanes: their worker is silent, or their message was lost."""

import logging

from config.due import actions as due_work
from config.due.registry import due
from workflows.experiments import actions, lanes, tasks
from workflows.experiments.items import ExperimentLane
from workflows.experiments.queries import ExperimentRef

log = logging.getLogger(__name__)


@due("experiment", ExperimentLane)
def resume_lane(site: str, row: ExperimentLane) -> None:
    """Order the lane again; a document that killed too many workers is skipped."""
    ref = ExperimentRef(site, str(row.project_id), str(row.experiment_id))
    if due_work.is_abandoned(row):
        lanes.give_up_cell(ref, row)
    due_work.postpone(row, at=actions.next_look())
    log.warning("experiment's lane sent again", extra={"event": ref.experiment_id})
    tasks.order_lane(ref, int(row.lane), str(row.order_id))

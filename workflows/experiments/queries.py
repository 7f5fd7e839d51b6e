"""Reads of experiments: one Query or GetItem each. Plans and results are objects in S3."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pynamodb.expressions.condition import Condition

from config import table
from config.errors import NotFound
from config.item import Page
from config.phrase import Phrase
from config.table import InvalidKey, Key
from projects.prompts.prompt import GENERAL
from projects.prompts.queries import PromptRef
from workflows.experiments.items import Experiment, ExperimentCell, ExperimentLane
from workflows.experiments.results import PURPOSE, Plan, Results, plan_from, results_from
from workflows.storage import files
from workflows.storage.objects import SiteFiles
from workflows.testsets.queries import SetRef

MISSING = Phrase("There is no such experiment in this project.")
_MOST_LANES = 8


@dataclass(frozen=True)
class ExperimentRef:
    """The ids of an experiment."""

    site: str
    project_id: str
    experiment_id: str

    @property
    def key(self) -> Key:
        return table.EXPERIMENT.key(self.site, project_id=self.project_id, experiment_id=self.experiment_id)

    @property
    def partition(self) -> str:
        """The partition of its lanes and cells."""
        return table.EXPERIMENT_CELL.partition_key(
            self.site, project_id=self.project_id, experiment_id=self.experiment_id
        )

    def lane_key(self, lane: int) -> Key:
        return table.EXPERIMENT_LANE.key(
            self.site, project_id=self.project_id, experiment_id=self.experiment_id, lane=lane
        )

    def cell_key(self, number: int) -> Key:
        return table.EXPERIMENT_CELL.key(
            self.site, project_id=self.project_id, experiment_id=self.experiment_id, number=number
        )


def list_experiments(site: str, project_id: str, cursor: str | None = None) -> Page[Experiment]:
    """Newest first. Raises: NotFound if the cursor belongs to another list."""
    pk = table.EXPERIMENT.partition_key(site, project_id=project_id)
    return Experiment.page(pk, newest_first=True, cursor=cursor, consistent=True)


def get_experiment(ref: ExperimentRef) -> Experiment:
    """Strongly consistent. Raises: NotFound."""
    try:
        return Experiment.load(ref.key)
    except (NotFound, InvalidKey) as error:
        raise NotFound(MISSING) from error


def get_lane(ref: ExperimentRef, lane: int) -> ExperimentLane:
    """Strongly consistent. Raises: NotFound."""
    return ExperimentLane.load(ref.lane_key(lane))


def list_lanes(ref: ExperimentRef) -> Sequence[ExperimentLane]:
    prefix = ExperimentLane.SK.startswith(table.EXPERIMENT_LANE.sort_prefix())
    return ExperimentLane.page(ref.partition, sk=prefix, limit=_MOST_LANES, consistent=True).rows


def list_cells(ref: ExperimentRef, cursor: str | None = None) -> Page[ExperimentCell]:
    """Return a page of ended cells, by document. Raises: NotFound if the cursor belongs to another list."""
    return ExperimentCell.page(ref.partition, sk=_cells(), cursor=cursor)


def list_all_cells(ref: ExperimentRef) -> list[ExperimentCell]:
    """List all ended cells, for workers: a Query for each hundred."""
    return list(ExperimentCell.every(ref.partition, sk=_cells(), consistent=True))


def _cells() -> Condition:
    cells: Condition = ExperimentCell.SK.startswith(table.EXPERIMENT_CELL.sort_prefix())
    return cells


@lru_cache(maxsize=32)
def load_plan(ref: ExperimentRef, sha256: str) -> Plan:
    """Load the plan, an immutable object. Raises: NotFound, Tampered."""
    name = files.experiment_plan(ref.project_id, ref.experiment_id, sha256)
    return plan_from(SiteFiles(ref.site).read_pinned(name, sha256))


@lru_cache(maxsize=32)
def load_results(ref: ExperimentRef, sha256: str) -> Results:
    """Load results, an immutable object. Raises: NotFound, Tampered."""
    name = files.experiment_results(ref.project_id, ref.experiment_id, sha256)
    return results_from(SiteFiles(ref.site).read_pinned(name, sha256))


def get_prompt_ref(ref: ExperimentRef, plan: Plan) -> PromptRef:
    """Return the prompt whose versions are measured."""
    return PromptRef(ref.site, ref.project_id, PURPOSE, plan.type_id or GENERAL)


def get_set_ref(ref: ExperimentRef, plan: Plan) -> SetRef:
    return SetRef(ref.site, ref.project_id, plan.testset_id)

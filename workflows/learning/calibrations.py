"""The calibrations of a project: the summary for lists, the content, and the one that a run pinned."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from config import table
from config.phrase import Sentence
from projects.settings.items import Project
from workflows.learning import versions
from workflows.learning.items import StoredCalibration
from workflows.learning.reliability import Level
from workflows.learning.versions import Kind
from workflows.runs.items import Run
from workflows.stages.base import RunSettings
from workflows.stages.calibration import UNCALIBRATED, Calibration, calibration_from
from workflows.storage import files


@dataclass(frozen=True)
class Summary:
    """``values``: field → number of reviewed values. ``auc``: of the prior and as fitted, each on held-out documents.

    It is None if nothing was wrong. ``levels``: the effect of reviewing below a threshold. ``limits``: error limit →
    the confidence that keeps it, how many values reached that, and how many of them were right.
    """

    values: Mapping[str, int]
    vendors: int
    prior_auc: float | None
    auc: float | None
    levels: tuple[Level, ...]
    limits: Mapping[str, tuple[float, int, int]]

    def to_json(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"), sort_keys=True)


def summary_from(text: str) -> Summary:
    data = json.loads(text)
    return Summary(**{**data, "levels": tuple(Level(**level) for level in data["levels"])})


CALIBRATIONS = Kind(
    "calibration",
    table.CALIBRATION,
    StoredCalibration,
    files.calibration,
    summary_from,
    page="calibration",
    activated=Sentence(
        "Calibration %(number)s was activated by %(name)s meanwhile. Nothing was changed; reload the page."
    ),
    none_activated=Sentence("The default calibration was activated meanwhile. Nothing was changed; reload the page."),
)


def get_calibration(site: str, project_id: str, number: int) -> Calibration:
    """Raises: NotFound, Tampered."""
    found = versions.get_version(CALIBRATIONS, site, project_id, number)
    return load_calibration(site, project_id, found.sha256, number)


def is_paused(project: Project) -> bool:
    """Return True if the audit sample had more errors than the active calibration promised."""
    stored: Mapping[str, Any] = project.data.as_dict()
    return bool((stored.get("calibration") or {}).get("paused_at"))


def run_calibration(run: Run, settings: RunSettings) -> Calibration:
    """Return the calibration that the run froze at its start.

    Raises:
        StageFailed: it is missing, or not what was pinned.
        Unavailable: S3 does not answer.

    """
    if not settings.calibration_sha256:
        return UNCALIBRATED
    pinned = settings.calibration_sha256, settings.calibration_version
    return versions.load_pinned(
        CALIBRATIONS, settings.calibration_version, lambda: load_calibration(run.site, run.project_id, *pinned)
    )


@lru_cache(maxsize=16)
def load_calibration(site: str, project_id: str, sha256: str, number: int) -> Calibration:
    """Load an immutable object, cached by each worker. Raises: NotFound, Tampered."""
    return calibration_from(versions.read_content(CALIBRATIONS, site, project_id, sha256), number)


def closest_level(levels: Sequence[Level], threshold: float) -> Level | None:
    """Return the level that is closest to a threshold."""
    return min(levels, key=lambda level: abs(level.threshold - threshold), default=None)

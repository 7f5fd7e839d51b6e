"""The calibrations of a project: their rows, their content, and the one that a run pinned."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from config import table
from config.errors import CountersignError, NotFound, StageFailed, Unavailable
from config.table import InvalidKey
from projects.audit.items import EntityEvent
from projects.settings.items import Project
from workflows.learning.items import StoredCalibration
from workflows.learning.reliability import Level
from workflows.runs.run import Run
from workflows.stages.base import RunSettings
from workflows.stages.calibration import UNCALIBRATED, Calibration, calibration_from
from workflows.storage import files
from workflows.storage.objects import SiteFiles

MOST_VERSIONS = 50  # that a page shows
EVENTS_SHOWN = 10


@dataclass(frozen=True)
class Summary:
    """``values``: field → how many of its values people judged. ``auc`` by the prior and as fitted, each on documents

    that had no say in it; None if nothing was wrong. ``levels``: what asking below a threshold would have brought.
    ``limits``: error limit → the confidence that keeps it, how many values were that sure, and how many of them right.
    """

    values: Mapping[str, int]
    vendors: int
    prior_auc: float | None
    auc: float | None
    levels: tuple[Level, ...]
    limits: Mapping[str, tuple[float, int, int]]

    def to_json(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"), sort_keys=True)


@dataclass(frozen=True)
class Version:
    """A stored calibration as pages and commands show it."""

    number: int
    sha256: str
    documents: int
    created_at: str
    created_by: str
    activated_at: str
    activated_by: str
    summary: Summary


def summary_from(text: str) -> Summary:
    data = json.loads(text)
    return Summary(**{**data, "levels": tuple(Level(**level) for level in data["levels"])})


def list_calibrations(site: str, project_id: str) -> list[Version]:
    """The last ones, newest first: one strongly consistent Query."""
    prefix = StoredCalibration.SK.startswith(table.CALIBRATION.sort_prefix())
    pk = table.CALIBRATION.partition_key(site, project_id=project_id)
    page = StoredCalibration.page(pk, sk=prefix, limit=MOST_VERSIONS, newest_first=True, consistent=True)
    return [_version(row) for row in page.rows]


def get_calibration(site: str, project_id: str, number: int) -> "CalibrationContent":
    """One with its content. Raises: NotFound, Tampered."""
    try:
        row = StoredCalibration.load(table.CALIBRATION.key(site, project_id=project_id, version=number))
    except (NotFound, InvalidKey) as error:
        raise NotFound(f"Calibration {number} not found.") from error
    found = _version(row)
    return CalibrationContent(found, load_calibration(site, project_id, found.sha256, number))


def list_calibration_events(site: str, project_id: str) -> list[EntityEvent]:
    """What was last done about them, newest first: one strongly consistent Query."""
    pk = table.ENTITY_EVENT.partition_key(site, entity_type="calibration", entity_id=project_id)
    return list(EntityEvent.page(pk, limit=EVENTS_SHOWN, newest_first=True, consistent=True).rows)


@dataclass(frozen=True)
class CalibrationContent:
    version: Version
    lesson: Calibration


def active_calibration(project: Project) -> int:
    """The version that runs pin when they start now; 0: the prior."""
    stored: Mapping[str, Any] = project.data.as_dict()
    return int((stored.get("calibration") or {}).get("version") or 0)


def is_paused(project: Project) -> bool:
    """Whether the audit sample found more wrong than the active one promised."""
    stored: Mapping[str, Any] = project.data.as_dict()
    return bool((stored.get("calibration") or {}).get("paused_at"))


def run_calibration(run: Run, settings: RunSettings) -> Calibration:
    """What the run froze at its start.

    Raises:
        StageFailed: it is not there any more, or not what was pinned.
        Unavailable: S3 does not answer.

    """
    if not settings.calibration_sha256:
        return UNCALIBRATED
    try:
        return load_calibration(run.site, run.project_id, settings.calibration_sha256, settings.calibration_version)
    except Unavailable:
        raise
    except CountersignError as error:
        raise StageFailed(
            f"Calibration {settings.calibration_version}, which this run began with, cannot be read. "
            "Choose another in the project's calibration page and start the document again."
        ) from error


@lru_cache(maxsize=16)
def load_calibration(site: str, project_id: str, sha256: str, number: int) -> Calibration:
    """Objects never change, so a worker reads each once. Raises: NotFound, Tampered."""
    body = SiteFiles(site).read_pinned(files.calibration(project_id, sha256), sha256)
    return calibration_from(json.loads(body), number)


def _version(row: StoredCalibration) -> Version:
    return Version(
        int(row.version),
        row.sha256,
        int(row.documents),
        row.created_at,
        row.created_by,
        row.activated_at or "",
        row.activated_by or "",
        summary_from(row.summary),
    )


def closest_level(levels: Sequence[Level], threshold: float) -> Level | None:
    """The level that a threshold comes closest to."""
    return min(levels, key=lambda level: abs(level.threshold - threshold), default=None)

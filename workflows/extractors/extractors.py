"""The extractors of a project: their rows, their content, and the one that a run pinned."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from config import table
from config.errors import CountersignError, NotFound, StageFailed, Unavailable
from config.table import InvalidKey
from projects.audit.items import EntityEvent
from projects.settings.items import Project
from workflows.extractors.items import StoredExtractor
from workflows.extractors.training import FieldOutcome, Outcome
from workflows.learning.scores import Interval, Score
from workflows.runs.run import Run
from workflows.stages.base import RunSettings
from workflows.stages.extractor.learned import UNLEARNED, Extractor, extractor_from
from workflows.storage import files
from workflows.storage.objects import SiteFiles

MOST_VERSIONS = 50  # that a page shows
EVENTS_SHOWN = 10


@dataclass(frozen=True)
class Summary:
    """How it would have done on documents of sellers that it had not seen, beside what was in force."""

    groups: int
    fields: tuple[FieldOutcome, ...]
    before: Score
    after: Score
    gain: Interval

    def to_json(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"), sort_keys=True)


@dataclass(frozen=True)
class Version:
    """A stored extractor as pages show it."""

    number: int
    sha256: str
    documents: int
    created_at: str
    created_by: str
    activated_at: str
    activated_by: str
    summary: Summary


def summarize_outcome(found: Outcome) -> Summary:
    return Summary(found.groups, found.fields, found.before, found.after, found.gain)


def summary_from(text: str) -> Summary:
    stored = json.loads(text)
    fields = tuple(
        FieldOutcome(**{**one, "before": Score(**one["before"]), "after": Score(**one["after"])})
        for one in stored["fields"]
    )
    before, after = Score(**stored["before"]), Score(**stored["after"])
    return Summary(int(stored["groups"]), fields, before, after, Interval(*stored["gain"]))


def list_extractors(site: str, project_id: str) -> list[Version]:
    """The last ones, newest first: one strongly consistent Query."""
    prefix = StoredExtractor.SK.startswith(table.EXTRACTOR.sort_prefix())
    pk = table.EXTRACTOR.partition_key(site, project_id=project_id)
    page = StoredExtractor.page(pk, sk=prefix, limit=MOST_VERSIONS, newest_first=True, consistent=True)
    return [_version(row) for row in page.rows]


def get_extractor(site: str, project_id: str, number: int) -> Version:
    """Raises: NotFound."""
    try:
        return _version(StoredExtractor.load(table.EXTRACTOR.key(site, project_id=project_id, version=number)))
    except (NotFound, InvalidKey) as error:
        raise NotFound(f"Extractor {number} not found.") from error


def list_extractor_events(site: str, project_id: str) -> list[EntityEvent]:
    """What was last done about them, newest first: one strongly consistent Query."""
    pk = table.ENTITY_EVENT.partition_key(site, entity_type="extractor", entity_id=project_id)
    return list(EntityEvent.page(pk, limit=EVENTS_SHOWN, newest_first=True, consistent=True).rows)


def active_extractor(project: Project) -> int:
    """The version that runs pin when they start now; 0: the rules read alone."""
    stored: Mapping[str, Any] = project.data.as_dict()
    return int((stored.get("extractor") or {}).get("version") or 0)


def run_extractor(run: Run, settings: RunSettings) -> Extractor:
    """What the run froze at its start.

    Raises:
        StageFailed: it is not there any more, or not what was pinned.
        Unavailable: S3 does not answer.

    """
    if not settings.extractor_sha256:
        return UNLEARNED
    try:
        return load_extractor(run.site, run.project_id, settings.extractor_sha256, settings.extractor_version)
    except Unavailable:
        raise
    except (CountersignError, ValueError, KeyError, TypeError) as error:
        raise StageFailed(
            f"Extractor {settings.extractor_version}, which this run began with, cannot be read. "
            "Choose another on the project's extraction page and start the document again."
        ) from error


@lru_cache(maxsize=16)
def load_extractor(site: str, project_id: str, sha256: str, number: int) -> Extractor:
    """Objects never change, so a worker reads each once. Raises: NotFound, Tampered, ValueError."""
    body = SiteFiles(site).read_pinned(files.extractor(project_id, sha256), sha256)
    return extractor_from(json.loads(body), number)


def _version(row: StoredExtractor) -> Version:
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

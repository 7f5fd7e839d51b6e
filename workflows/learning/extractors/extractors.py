"""The extractors of a project: the summary for lists, the content, and the one that a run pinned."""

import json
from dataclasses import asdict, dataclass
from functools import lru_cache

from config import table
from config.phrase import Sentence
from workflows.learning import versions
from workflows.learning.extractors.items import StoredExtractor
from workflows.learning.extractors.training import FieldOutcome, Outcome
from workflows.learning.scores import Interval, Score
from workflows.learning.versions import Kind
from workflows.runs.items import Run
from workflows.stages.base import RunSettings
from workflows.stages.extractor.learned import UNLEARNED, Extractor, extractor_from
from workflows.storage import files


@dataclass(frozen=True)
class Summary:
    """Its score on documents of unseen sellers, beside the score of what was active."""

    groups: int
    fields: tuple[FieldOutcome, ...]
    before: Score
    after: Score
    gain: Interval

    def to_json(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"), sort_keys=True)


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


EXTRACTORS = Kind(
    "extractor",
    table.EXTRACTOR,
    StoredExtractor,
    files.extractor,
    summary_from,
    page="extraction",
    activated=Sentence(
        "Extractor %(number)s was activated by %(name)s meanwhile. Nothing was changed; reload the page."
    ),
    none_activated=Sentence("The extractor was deactivated meanwhile. Nothing was changed; reload the page."),
)


def run_extractor(run: Run, settings: RunSettings) -> Extractor:
    """Return the extractor that the run froze at its start.

    Raises:
        StageFailed: it is missing, or not what was pinned.
        Unavailable: S3 does not answer.

    """
    if not settings.extractor_sha256:
        return UNLEARNED
    pinned = settings.extractor_sha256, settings.extractor_version
    return versions.load_pinned(
        EXTRACTORS, settings.extractor_version, lambda: load_extractor(run.site, run.project_id, *pinned)
    )


@lru_cache(maxsize=16)
def load_extractor(site: str, project_id: str, sha256: str, number: int) -> Extractor:
    """Load an immutable object, cached by each worker. Raises: NotFound, Tampered, ValueError."""
    return extractor_from(versions.read_content(EXTRACTORS, site, project_id, sha256), number)

"""The threshold simulator: confidences and corrections of a project's reviewed documents under other thresholds."""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config import clock
from config.errors import NotFound
from workflows.learning.reviewed import DecidedRun, list_decided_runs
from workflows.runs.run_files import files_of
from workflows.stages import results
from workflows.storage import files
from workflows.storage.objects import SiteFiles

MOST = 500  # latest reviewed documents
_BY_THRESHOLD = frozenset({"low_confidence", "audit"})  # reasons for a review that depend on the threshold, or on none


@dataclass(frozen=True)
class PastValue:
    """``confidence``: 0–1 as its run had it; None if nothing was found. ``right``: a person did not correct it."""

    field: str
    confidence: float | None
    right: bool


@dataclass(frozen=True)
class PastDocument:
    """``always``: it would be reviewed under any threshold, for a reason other than confidence."""

    always: bool
    values: tuple[PastValue, ...]


@dataclass(frozen=True)
class History:
    """``collected_at``: a stored instant."""

    collected_at: str
    documents: tuple[PastDocument, ...]


@dataclass(frozen=True)
class FieldSimulation:
    """One field's values below its threshold, and wrong ones above it."""

    name: str
    threshold: float
    values: int
    asked: int
    passing_errors: int


@dataclass(frozen=True)
class Simulation:
    """``reviewed``: documents with a review, of which ``always`` under any threshold.

    ``passing_errors``: wrong values of the others; ``errors``: of all.
    """

    documents: int
    always: int
    reviewed: int
    errors: int
    passing_errors: int
    fields: tuple[FieldSimulation, ...]

    @property
    def review_rate(self) -> float:
        """0–1."""
        return self.reviewed / self.documents if self.documents else 0.0


def simulate_thresholds(history: History, default: float, thresholds: Mapping[str, float]) -> Simulation:
    """Simulate which documents would have been reviewed, and which errors missed. Reviewers find every error."""
    reviewed = [one for one in history.documents if _is_reviewed(one, default, thresholds)]
    unseen = [one for one in history.documents if not _is_reviewed(one, default, thresholds)]
    values = [value for one in history.documents for value in one.values]
    names = dict.fromkeys(value.field for value in values)
    return Simulation(
        documents=len(history.documents),
        always=sum(one.always for one in history.documents),
        reviewed=len(reviewed),
        errors=sum(not value.right for value in values),
        passing_errors=sum(not value.right for one in unseen for value in one.values),
        fields=tuple(_simulate_field(name, values, thresholds.get(name, default)) for name in names),
    )


def _is_reviewed(document: PastDocument, default: float, thresholds: Mapping[str, float]) -> bool:
    return document.always or any(_is_asked(one, thresholds.get(one.field, default)) for one in document.values)


def _is_asked(value: PastValue, threshold: float) -> bool:
    return value.confidence is not None and value.confidence < threshold


def _simulate_field(name: str, values: Sequence[PastValue], threshold: float) -> FieldSimulation:
    own = [one for one in values if one.field == name]
    asked = sum(_is_asked(one, threshold) for one in own)
    passing = sum(not one.right and not _is_asked(one, threshold) for one in own)
    return FieldSimulation(name, threshold, len(own), asked, passing)


def save_hours(before: Simulation, after: Simulation, seconds: float) -> float:
    """Return the hours of review saved by ``after`` for a thousand documents; negative if it takes more."""
    return (before.review_rate - after.review_rate) * 1000 * seconds / 3600


def collect_history(site: str, project_id: str) -> None:
    """Read the latest decided runs and store their numbers; for tasks: three objects a document."""
    documents = [_read_past(one) for one in itertools.islice(list_decided_runs(site, project_id), MOST)]
    stored = {
        "version": 1,
        "collected_at": clock.iso(clock.now()),
        "documents": [
            {"always": one.always, "values": [[v.field, v.confidence, v.right] for v in one.values]}
            for one in documents
        ],
    }
    body = json.dumps(stored, ensure_ascii=False, separators=(",", ":")).encode()
    SiteFiles(site).write(files.review_history(project_id), body, "application/json")


def load_history(site: str, project_id: str) -> History | None:
    """Load one object; None if the reviews were not collected yet."""
    try:
        stored = json.loads(SiteFiles(site).read(files.review_history(project_id)))
    except NotFound:
        return None
    documents = tuple(
        PastDocument(one["always"], tuple(PastValue(*value) for value in one["values"])) for one in stored["documents"]
    )
    return History(stored["collected_at"], documents)


def _read_past(decided: DecidedRun) -> PastDocument:
    always = _went_anyhow(decided) or any(_is_unverified(one) for one in decided.seen_fields)
    return PastDocument(always, tuple(_list_values(decided)))


def _is_unverified(field: Mapping[str, Any]) -> bool:
    """Return True if its run's error limit sends it to review, however low the threshold is."""
    if "limit" not in field or field.get("proof"):
        return False
    return field["limit"] is None or float(field.get("confidence") or 0.0) < float(field["limit"])


def _went_anyhow(decided: DecidedRun) -> bool:
    run = decided.run
    try:
        stored = files_of(run).read(files.assessment(run.workflow_id))
    except NotFound:
        return False
    reasons: Sequence[Mapping[str, Any]] = json.loads(stored).get("reasons") or ()
    return any(reason["code"] not in _BY_THRESHOLD for reason in reasons)


def _list_values(decided: DecidedRun) -> Iterator[PastValue]:
    for one in decided.seen_fields:
        value, truth = one.get("value"), decided.correct(one)
        if value is None and truth is None:
            continue
        kind = str(one["type"])
        right = results.normalise_value(kind, value) == results.normalise_value(kind, truth)
        confidence = None if value is None else round(float(one.get("confidence") or 0.0), 4)
        yield PastValue(str(one["name"]), confidence, right)

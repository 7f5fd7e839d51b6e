"""What the page of a project's extractors shows: versions, how one reads each field, and what was done last."""

from collections.abc import Sequence
from dataclasses import dataclass

from projects.audit.items import EntityEvent
from projects.schemas import queries as schema_queries
from projects.settings.items import Project
from workflows.extractors import actions, training
from workflows.extractors.extractors import EXTRACTORS, Summary
from workflows.extractors.training import FieldOutcome
from workflows.learning import reviewed, versions
from workflows.learning.scores import Interval, Score, estimate_f1
from workflows.learning.version_list import EventRow, VersionRow, choose_version, event_row
from workflows.learning.versions import Version

_WORDS = {"trained": "Trained", "activated": "Activated", "refused": "Not trained"}


@dataclass(frozen=True)
class FieldRow:
    """F1 with its 95 % interval, in words. ``reads``: whether the extractor reads the field."""

    label: str
    type: str
    values: int
    before: str
    after: str
    reads: bool


@dataclass(frozen=True)
class ExtractorsPage:
    """``shown``: the version whose fields are listed; None if there is none. ``left``: reviews still to be done.

    ``typed``: whether fields are of several document types. ``by_seller``: whether sellers are known. ``problem``: why
    nothing was changed.
    """

    active: int
    count: int
    rows: Sequence[VersionRow]
    shown: Version[Summary] | None
    fields: Sequence[FieldRow]
    before: str
    after: str
    gain: str
    typed: bool
    by_seller: bool
    left: int
    events: Sequence[EventRow]
    problem: str = ""
    reason: str = ""
    fewest: int = training.FEWEST
    longest_reason: int = actions.LONGEST_REASON


def build_extractors_page(
    site: str, project: Project, asked: str, *, problem: str = "", reason: str = ""
) -> ExtractorsPage:
    """``asked``: the number of the version to show; the active one, or the newest, if that is none."""
    stored = versions.list_versions(EXTRACTORS, site, project.id)
    active = versions.active_version(EXTRACTORS, project)
    shown = choose_version(stored, asked, active)
    types = {one.type_id for one in shown.summary.fields if one.type_id} if shown else set()
    names = _name_types(site) if types else {}
    labels = {one.name: one.label for one in project.settings.fields}
    return ExtractorsPage(
        active=active,
        count=len(stored),
        rows=[_row(one, active, is_shown=one == shown) for one in stored],
        shown=shown,
        fields=[_field(one, labels, names) for one in shown.summary.fields] if shown else (),
        before=_f1(shown.summary.before) if shown else "",
        after=_f1(shown.summary.after) if shown else "",
        gain=_gain(shown.summary.gain) if shown else "",
        typed=bool(types),
        by_seller=shown is not None and shown.summary.groups < shown.documents,
        left=0 if stored else training.FEWEST - reviewed.count_decided_runs(site, project.id, training.FEWEST),
        events=[_event(one) for one in versions.list_version_events(EXTRACTORS, site, project.id)],
        problem=problem,
        reason=reason,
    )


def _row(version: Version[Summary], active: int, *, is_shown: bool) -> VersionRow:
    return VersionRow(
        version.number,
        f"Extractor {version.number}",
        f"{version.documents} documents · F1 {_gain(version.summary.gain)}",
        is_active=version.number == active,
        is_shown=is_shown,
        created_at=version.created_at,
        created_by=version.created_by,
    )


def _name_types(site: str) -> dict[str, str]:
    return {
        one.classification_id: one.classification.name
        for one in schema_queries.list_governing(site)
        if one.classification
    }


def _field(one: FieldOutcome, labels: dict[str, str], names: dict[str, str]) -> FieldRow:
    label = labels.get(one.name, one.name.replace("_", " ").capitalize())
    kind = names.get(one.type_id, "Deleted type") if one.type_id else "Any"
    return FieldRow(label, kind, one.before.expected, _f1(one.before), _f1(one.after), one.kept)


def _f1(score: Score) -> str:
    """F1 has no value if nothing was there and nothing found."""
    found = estimate_f1(score)
    return f"{found.share:.2f} ({found.low:.2f}–{found.high:.2f})" if found else "–"


def _gain(gain: Interval) -> str:
    return f"{gain.share:+.2f} ({gain.low:+.2f} to {gain.high:+.2f})"


def _event(event: EntityEvent) -> EventRow:
    payload = event.payload.as_dict()
    words = _WORDS.get(str(event.type), str(event.type))
    match event.type:
        case "trained":
            words += f" extractor {int(payload['version'])} on {int(payload['documents'])} reviewed documents"
        case "activated" if int(payload["after"]):
            words += f" extractor {int(payload['after'])}: {payload['reason']}"
        case "activated":
            words = f"Deactivated extractor {int(payload['before'])}: {payload['reason']}"
        case "refused":
            words += f": {payload['reason']}"
    return event_row(event, words)

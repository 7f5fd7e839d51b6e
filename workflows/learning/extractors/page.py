"""The page of a project's extractors: versions, the score of each field, and the latest events."""

from collections.abc import Sequence
from dataclasses import dataclass

from config.phrase import Figure, Phrase, tell_sentence
from projects.audit.items import EntityEvent
from projects.schemas import queries as schema_queries
from projects.settings.items import Project
from workflows.learning import reviewed, versions
from workflows.learning.extractors import actions, training
from workflows.learning.extractors.extractors import EXTRACTORS, Summary
from workflows.learning.extractors.training import FieldOutcome
from workflows.learning.scores import Interval, Score, estimate_f1
from workflows.learning.version_list import EventRow, VersionRow, choose_version, event_row
from workflows.learning.versions import Version


@dataclass(frozen=True)
class FieldRow:
    """F1 with its 95 % interval, as text. ``reads``: whether the extractor extracts the field."""

    label: str
    type: str
    values: int
    before: str
    after: str
    reads: bool


@dataclass(frozen=True)
class ExtractorsPage:
    """``shown``: the version whose fields are listed; None if there is none. ``left``: reviews still needed.

    ``typed``: whether fields belong to several document types. ``by_seller``: whether sellers are known. ``problem``:
    why nothing was changed.
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
    refusal: str = ""  # why nothing was trained, if that is the latest event
    fewest: int = training.FEWEST
    longest_reason: int = actions.LONGEST_REASON


def build_extractors_page(
    site: str, project: Project, asked: str, *, problem: str = "", reason: str = ""
) -> ExtractorsPage:
    """``asked``: the number of the version to show; else the active one, or the newest."""
    stored = versions.list_versions(EXTRACTORS, site, project.id)
    active = versions.active_version(EXTRACTORS, project)
    shown = choose_version(stored, asked, active)
    types = {one.type_id for one in shown.summary.fields if one.type_id} if shown else set()
    names = _name_types(site) if types else {}
    labels = {one.name: one.label for one in project.settings.fields}
    events = versions.list_version_events(EXTRACTORS, site, project.id)
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
        events=[_event(one) for one in events],
        problem=problem,
        reason=reason,
        refusal=_event(events[0]).words if events and events[0].type == "refused" else "",
    )


def _row(version: Version[Summary], active: int, *, is_shown: bool) -> VersionRow:
    return VersionRow(
        version.number,
        Phrase("Extractor %(number)s").fill(number=version.number),
        Phrase("%(documents)s documents · F1 %(gain)s").fill(
            documents=version.documents, gain=_gain(version.summary.gain)
        ),
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
    kind = names.get(one.type_id, Phrase("Deleted type")) if one.type_id else Phrase("Any")
    return FieldRow(label, kind, one.before.expected, _f1(one.before), _f1(one.after), one.kept)


def _f1(score: Score) -> str:
    """F1 is undefined if nothing was expected and nothing found."""
    found = estimate_f1(score)
    return Figure(f"{found.share:.2f} ({found.low:.2f}–{found.high:.2f})") if found else "–"


def _gain(gain: Interval) -> str:
    return Phrase("%(share)s (%(low)s to %(high)s)").fill(
        share=f"{gain.share:+.2f}", low=f"{gain.low:+.2f}", high=f"{gain.high:+.2f}"
    )


def _event(event: EntityEvent) -> EventRow:
    payload = event.payload.as_dict()
    words: str = Phrase(str(event.type))
    match event.type:
        case "trained":
            said = Phrase("Trained extractor %(version)s on %(documents)s reviewed documents")
            words = said.fill(version=int(payload["version"]), documents=int(payload["documents"]))
        case "activated" if int(payload["after"]):
            said = Phrase("Activated extractor %(version)s: %(reason)s")
            words = said.fill(version=int(payload["after"]), reason=payload["reason"])
        case "activated":
            said = Phrase("Deactivated extractor %(version)s: %(reason)s")
            words = said.fill(version=int(payload["before"]), reason=payload["reason"])
        case "refused":
            words = Phrase("Not trained: %(reason)s").fill(reason=tell_sentence(str(payload["reason"])))
    return event_row(event, words)

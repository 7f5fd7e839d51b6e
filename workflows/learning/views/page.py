"""What the page of a project's calibrations shows: versions, the reliability of one of them, and what was done last."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from django.conf import settings as desk
from django.urls import reverse

from projects.audit.items import EntityEvent
from projects.settings.items import Project
from workflows.learning import calibrations, reliability, reviewed, versions
from workflows.learning.calibrations import CALIBRATIONS, Summary
from workflows.learning.fitting import FEWEST
from workflows.learning.reliability import Level
from workflows.learning.version_list import ActivateButton, EventRow, VersionRow, choose_version, event_row
from workflows.learning.versions import Version
from workflows.stages.calibration import limit_key

_WORDS = {"paused": "Paused", "proposed": "Proposed", "activated": "Activated", "refused": "Not proposed"}


@dataclass(frozen=True)
class LevelRow:
    """Shares in words. ``is_policy``: the level that the project's own threshold comes closest to."""

    threshold: str
    documents: str
    asked: str
    precision: str
    is_policy: bool


@dataclass(frozen=True)
class Publishing:
    """What is published without review under the project's error limit; all in words.

    ``needs``: the confidence that keeps it, empty as long as reviews tell none; ``kept``: how well it did in them.
    ``is_paused``: the audit sample found more wrong than the limit allows.
    ``left``: about how many more documents have to be reviewed; 0: enough, a calibration is still to be activated.
    """

    error_limit: str
    needs: str = ""
    kept: str = ""
    left: int = 0
    is_paused: bool = False


@dataclass(frozen=True)
class CalibrationPage:
    """``rows``: the versions and the default. ``shown``: the version whose table is there; None if there is none."""

    active: int
    count: int
    rows: Sequence[VersionRow]
    shown: Version[Summary] | None
    levels: Sequence[LevelRow]
    events: Sequence[EventRow]
    publishing: "Publishing | None"
    threshold: str
    audit_share: str  # empty: none
    clash: str = ""
    fewest: int = FEWEST


def build_calibration_page(site: str, project: Project, asked: str, *, clash: str = "") -> CalibrationPage:
    """``asked``: the number of the version to show; the active one, or the newest, if that is none."""
    stored = versions.list_versions(CALIBRATIONS, site, project.id)
    active, settings = versions.active_version(CALIBRATIONS, project), project.settings
    shown = choose_version(stored, asked, active)
    closest = calibrations.closest_level(shown.summary.levels, settings.default_threshold) if shown else None
    return CalibrationPage(
        active=active,
        count=len(stored),
        rows=[*(_row(project, one, active, is_shown=one == shown) for one in stored), _default_row(project, active)],
        shown=shown,
        levels=[_level(one, is_policy=one == closest) for one in shown.summary.levels] if shown else (),
        publishing=_describe_publishing(site, project, next((one for one in stored if one.number == active), None)),
        events=[_event(one) for one in versions.list_version_events(CALIBRATIONS, site, project.id)],
        threshold=format_share(settings.default_threshold),
        audit_share=format_share(settings.audit_share) if settings.audit_share else "",
        clash=clash,
    )


def _row(project: Project, version: Version[Summary], active: int, *, is_shown: bool) -> VersionRow:
    label, sellers = f"Calibration {version.number}", version.summary.vendors
    return VersionRow(
        version.number,
        label,
        f"{version.documents} documents, {sellers} seller{'s' if sellers != 1 else ''}",
        is_active=version.number == active,
        is_shown=is_shown,
        created_at=version.created_at,
        created_by=version.created_by,
        note=_ranks(version),
        button=_button(project, version.number, f"Activate {label.lower()}")
        if version.number != active or calibrations.is_paused(project)
        else None,
    )


def _default_row(project: Project, active: int) -> VersionRow:
    return VersionRow(
        0,
        "Default calibration",
        "Shipped weights of a new project, without known sellers.",
        is_active=not active,
        button=_button(project, 0, "Activate the default calibration") if active else None,
    )


def _button(project: Project, number: int, label: str) -> ActivateButton:
    return ActivateButton(reverse("workflows:activate-calibration", args=[project.id, number]), label)


def _describe_publishing(site: str, project: Project, active: Version[Summary] | None) -> Publishing | None:
    """None if the review threshold alone decides."""
    chosen = project.settings.most_wrong
    most_wrong = desk.MOST_WRONG_PERCENT / 100 if chosen is None else chosen
    if not most_wrong:
        return None
    error_limit = format_share(most_wrong)
    if calibrations.is_paused(project):
        return Publishing(error_limit, is_paused=True)
    if active and (held := active.summary.limits.get(limit_key(most_wrong))):
        limit, accepted, right = held
        lowest, _ = reliability.share_interval(right, accepted)
        kept = f"{right} of {accepted} such values were correct in the reviews, at least {format_share(lowest)} at 95 %"
        return Publishing(error_limit, format_share(limit), kept)
    needed = count_reviews_needed(most_wrong, len(project.settings.fields))
    return Publishing(error_limit, left=needed - reviewed.count_decided_runs(site, project.id, needed))


def count_reviews_needed(most_wrong: float, fields: int) -> int:
    """Documents to review, if every value is right, before a confidence can keep the limit."""
    return max(FEWEST, ceil(reliability.fewest_right(most_wrong) / max(1, fields)))


def format_share(of: float) -> str:
    """0.925 → 92.5 %, rounded down, so that nothing looks better than it is."""
    tenths = int(of * 1000 + 1e-6)
    return f"{tenths // 10} %" if tenths % 10 == 0 else f"{tenths / 10:.1f} %"


def _level(level: Level, *, is_policy: bool) -> LevelRow:
    precision = "none left" if level.precision is None else format_share(level.precision)
    return LevelRow(
        format_share(level.threshold), format_share(level.documents), format_share(level.asked), precision, is_policy
    )


def _ranks(version: Version[Summary]) -> str:
    summary = version.summary
    if summary.auc is None:
        return "No errors in the reviews, so no ranking."
    without = "" if summary.prior_auc is None else f", {format_share(summary.prior_auc)} without it"
    return f"Ranks correct values above wrong ones in {format_share(summary.auc)} of pairs{without}."


def _event(event: EntityEvent) -> EventRow:
    payload = event.payload.as_dict()
    words = _WORDS.get(str(event.type), str(event.type))
    match event.type:
        case "proposed":
            words += f" calibration {int(payload['version'])} from {int(payload['documents'])} reviewed documents"
        case "activated":
            words += f" {_name_calibration(int(payload['after']))} after {_name_calibration(int(payload['before']))}"
        case "paused":
            wrong, values = int(payload["wrong"]), int(payload["values"])
            words += f" calibration {int(payload['version'])}: {wrong} of {values} audited values were wrong"
        case "refused":
            words += f": {payload['reason']}"
    return event_row(event, words)


def _name_calibration(number: int) -> str:
    return f"calibration {number}" if number else "the default calibration"

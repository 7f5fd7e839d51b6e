"""What the page of a project's calibrations shows: versions, the reliability of one of them, and the latest events."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from django.conf import settings as desk
from django.urls import reverse

from config.phrase import Figure, Phrase, count_phrase, join_phrases, tell_sentence
from projects.audit.items import EntityEvent
from projects.settings.items import Project
from workflows.learning import calibrations, reliability, reviewed, scores, versions
from workflows.learning.calibrations import CALIBRATIONS, Summary
from workflows.learning.fitting import FEWEST
from workflows.learning.reliability import Level
from workflows.learning.version_list import ActivateButton, EventRow, VersionRow, choose_version, event_row
from workflows.learning.versions import Version
from workflows.stages.calibration import limit_key


@dataclass(frozen=True)
class LevelRow:
    """Shares as text. ``is_policy``: the level closest to the project's own threshold."""

    threshold: str
    documents: str
    asked: str
    precision: str
    is_policy: bool


@dataclass(frozen=True)
class Publishing:
    """What is published without review under the project's error limit, as text.

    ``needs``: the confidence that keeps it, empty until there are enough reviews; ``kept``: its accuracy in them.
    ``is_paused``: the audit sample had more errors than the limit allows. ``left``: about how many more documents have
    to be reviewed; 0: enough, but no calibration is active yet.
    """

    error_limit: str
    needs: str = ""
    kept: str = ""
    left: int = 0
    is_paused: bool = False


@dataclass(frozen=True)
class CalibrationPage:
    """``rows``: the versions and the default. ``shown``: the version in the table; None if there is none."""

    active: int
    count: int
    rows: Sequence[VersionRow]
    shown: Version[Summary] | None
    levels: Sequence[LevelRow]
    events: Sequence[EventRow]
    publishing: "Publishing | None"
    threshold: str
    audit_share: str  # empty for none
    clash: str = ""
    refusal: str = ""  # why nothing was proposed, if that is the latest event
    fewest: int = FEWEST


def build_calibration_page(site: str, project: Project, asked: str, *, clash: str = "") -> CalibrationPage:
    """``asked``: the number of the version to show; else the active one, or the newest."""
    stored = versions.list_versions(CALIBRATIONS, site, project.id)
    active, settings = versions.active_version(CALIBRATIONS, project), project.settings
    shown = choose_version(stored, asked, active)
    closest = calibrations.closest_level(shown.summary.levels, settings.default_threshold) if shown else None
    events = versions.list_version_events(CALIBRATIONS, site, project.id)
    return CalibrationPage(
        active=active,
        count=len(stored),
        rows=[*(_row(project, one, active, is_shown=one == shown) for one in stored), _default_row(project, active)],
        shown=shown,
        levels=[_level(one, is_policy=one == closest) for one in shown.summary.levels] if shown else (),
        publishing=_describe_publishing(site, project, next((one for one in stored if one.number == active), None)),
        events=[_event(one) for one in events],
        threshold=format_share(settings.default_threshold),
        audit_share=format_share(settings.audit_share) if settings.audit_share else "",
        clash=clash,
        refusal=_event(events[0]).words if events and events[0].type == "refused" else "",
    )


def _row(project: Project, version: Version[Summary], active: int, *, is_shown: bool) -> VersionRow:
    sellers = version.summary.vendors
    return VersionRow(
        version.number,
        Phrase("Calibration %(number)s").fill(number=version.number),
        join_phrases(
            [
                count_phrase("%(count)s document", "%(count)s documents", int(version.documents)),
                count_phrase("%(count)s seller", "%(count)s sellers", sellers),
            ]
        ),
        is_active=version.number == active,
        is_shown=is_shown,
        created_at=version.created_at,
        created_by=version.created_by,
        note=_ranks(version),
        button=_button(project, version.number, Phrase("Activate calibration %(number)s").fill(number=version.number))
        if version.number != active or calibrations.is_paused(project)
        else None,
    )


def _default_row(project: Project, active: int) -> VersionRow:
    return VersionRow(
        0,
        Phrase("Default calibration"),
        Phrase("Shipped weights of a new project, without known sellers."),
        is_active=not active,
        button=_button(project, 0, Phrase("Activate the default calibration")) if active else None,
    )


def _button(project: Project, number: int, label: str) -> ActivateButton:
    return ActivateButton(reverse("workflows:activate-calibration", args=[project.id, number]), label)


def _describe_publishing(site: str, project: Project, active: Version[Summary] | None) -> Publishing | None:
    """Return None if only the review threshold applies."""
    chosen = project.settings.most_wrong
    most_wrong = desk.MOST_WRONG_PERCENT / 100 if chosen is None else chosen
    if not most_wrong:
        return None
    error_limit = format_share(most_wrong)
    if calibrations.is_paused(project):
        return Publishing(error_limit, is_paused=True)
    if active and (held := active.summary.limits.get(limit_key(most_wrong))):
        limit, accepted, right = held
        lowest, _ = scores.share_interval(right, accepted)
        kept = Phrase(
            "%(right)s of %(accepted)s such values were correct in the reviews, at least %(lowest)s at 95 %%"
        ).fill(right=right, accepted=accepted, lowest=format_share(lowest))
        return Publishing(error_limit, format_share(limit), kept)
    needed = count_reviews_needed(most_wrong, len(project.settings.fields))
    return Publishing(error_limit, left=needed - reviewed.count_decided_runs(site, project.id, needed))


def count_reviews_needed(most_wrong: float, fields: int) -> int:
    """Return how many documents to review, if every value is right, before a confidence can keep the limit."""
    return max(FEWEST, ceil(reliability.fewest_right(most_wrong) / max(1, fields)))


def format_share(of: float) -> str:
    """Format a share (0.925 → 92.5 %), rounded down so that nothing looks better than it is."""
    tenths = int(of * 1000 + 1e-6)
    return f"{tenths // 10} %" if tenths % 10 == 0 else Figure(f"{tenths / 10:.1f} %")


def _level(level: Level, *, is_policy: bool) -> LevelRow:
    precision = Phrase("none left") if level.precision is None else format_share(level.precision)
    return LevelRow(
        format_share(level.threshold), format_share(level.documents), format_share(level.asked), precision, is_policy
    )


def _ranks(version: Version[Summary]) -> str:
    summary = version.summary
    if summary.auc is None:
        return Phrase("No errors in the reviews, so no ranking.")
    alone = Phrase("Ranks correct values above wrong ones in %(share)s of pairs.")
    both = Phrase("Ranks correct values above wrong ones in %(share)s of pairs, %(without)s without it.")
    if summary.prior_auc is None:
        return alone.fill(share=format_share(summary.auc))
    return both.fill(share=format_share(summary.auc), without=format_share(summary.prior_auc))


def _event(event: EntityEvent) -> EventRow:
    payload = event.payload.as_dict()
    words: str = Phrase(str(event.type))
    match event.type:
        case "proposed":
            said = Phrase("Proposed calibration %(version)s from %(documents)s reviewed documents")
            words = said.fill(version=int(payload["version"]), documents=int(payload["documents"]))
        case "activated":
            said = Phrase("Activated %(after)s after %(before)s")
            after, before = (_name_calibration(int(payload[side])) for side in ("after", "before"))
            words = said.fill(after=after, before=before)
        case "paused":
            said = Phrase("Paused calibration %(version)s: %(wrong)s of %(values)s audited values were wrong")
            words = said.fill(**{name: int(payload[name]) for name in ("version", "wrong", "values")})
        case "refused":
            words = Phrase("Not proposed: %(reason)s").fill(reason=tell_sentence(str(payload["reason"])))
    return event_row(event, words)


def _name_calibration(number: int) -> str:
    return Phrase("calibration %(number)s").fill(number=number) if number else Phrase("the default calibration")

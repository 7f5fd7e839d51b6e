"""Writes of calibrations: proposed from past reviews, activated by a person; both with their audit event."""

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings
from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition

from config import clock
from config.errors import Conflict, Refused
from config.phrase import count_sentence
from config.transaction import Change, Update, transact
from projects.audit.events import Actor, entity_event
from projects.settings import queries as project_queries
from projects.settings.items import Project
from workflows.learning import calibrations, drift, lessons, reliability, reviewed, versions
from workflows.learning.calibrations import CALIBRATIONS, Summary
from workflows.learning.fitting import FEWEST
from workflows.learning.lessons import Lesson, ReviewedDocument
from workflows.learning.reliability import Judgement
from workflows.learning.versions import Version
from workflows.stages.calibration import UNCALIBRATED, plain

log = logging.getLogger(__name__)

FEWEST_SELLERS = 5
AUDITOR = Actor("audit-sample", "Audit sample")
PausePlan = Callable[[str, str], Sequence[Change]]
_AT_PAUSE: list[PausePlan] = []


def at_pause(plan: PausePlan) -> PausePlan:
    """Register changes to write together with the pause of a calibration, by site and project."""
    _AT_PAUSE.append(plan)
    return plan


def propose_calibration(site: str, project_id: str, *, by: Actor) -> Version[Summary]:
    """Fit the project's reviews and store the result as its next version, unless it equals the newest one.

    A proposal changes nothing by itself: runs keep what they pinned, and new ones use the active version.

    Raises:
        NotFound: no such project.
        Refused: there are too few reviews or sellers, or the result does not generalize to other sellers.

    """
    project = project_queries.get_project(site, project_id)
    documents = reviewed.list_reviewed_documents(site, project_id)
    lesson = lessons.learn_calibration(documents)
    if not lesson.calibration.weights:
        raise Refused(
            count_sentence(
                "%(count)s reviewed document is too few: the same field needs %(fewest)s reviewed values. "
                "The default calibration applies until then.",
                "%(count)s reviewed documents are too few: the same field needs %(fewest)s reviewed values. "
                "The default calibration applies until then.",
                len(documents),
                fewest=FEWEST,
            )
        )
    _check_better(site, project, documents, lesson)
    return versions.keep_version(
        CALIBRATIONS,
        site,
        project_id,
        plain(lesson.calibration),
        summary=_summarize_reviews(documents, lesson),
        documents=len(documents),
        verb="proposed",
        by=by,
    )


def _check_better(site: str, project: Project, documents: Sequence[ReviewedDocument], lesson: Lesson) -> None:
    """Raises: Refused."""
    number = versions.active_version(CALIBRATIONS, project)
    present = calibrations.get_calibration(site, project.id, number) if number else UNCALIBRATED
    found = lessons.compare_on_other_sellers(documents, lesson, present)
    if found.sellers < FEWEST_SELLERS:
        raise Refused(
            count_sentence(
                "The %(documents)s reviewed documents are of %(count)s seller. Review documents of at least "
                "%(fewest)s sellers, so that what is learned holds for others.",
                "The %(documents)s reviewed documents are of %(count)s sellers. Review documents of at least "
                "%(fewest)s sellers, so that what is learned holds for others.",
                found.sellers,
                documents=len(documents),
                fewest=FEWEST_SELLERS,
            )
        )
    if not found.is_better:
        raise Refused(
            gettext(
                "Learned from %(count)s reviewed documents, the confidence would not be better for "
                "other sellers. The present calibration stays. Propose again after more reviews."
            )
            % {"count": len(documents)}
        )


def propose_or_say_why(site: str, project_id: str, *, by: Actor, order: str) -> None:
    """Propose a calibration in a worker, where nobody waits for an answer: a refusal becomes an event for the page.

    ``order``: the message's id; a redelivery records a refusal once.
    """
    try:
        propose_calibration(site, project_id, by=by)
    except Refused as error:
        versions.record_refusal(CALIBRATIONS, site, project_id, error, by=by, order=order)


def _summarize_reviews(documents: Sequence[ReviewedDocument], lesson: Lesson) -> Summary:
    judged, learned = lesson.judged, lesson.calibration
    return Summary(
        values=dict(sorted(Counter(one.field for one in judged).items())),
        vendors=len(learned.vendors),
        prior_auc=_round_share(reliability.area_under_curve(lessons.prior_judged(documents))),
        auc=_round_share(reliability.area_under_curve(judged)),
        levels=tuple(reliability.reliability_table(judged)),
        limits={share: (limit, *_count_accepted(lesson.elsewhere, limit)) for share, limit in learned.limits.items()},
    )


def _count_accepted(judged: Sequence[Judgement], limit: float) -> tuple[int, int]:
    """Count the values with at least the confidence ``limit``, and how many of them are right."""
    accepted = [one.right for one in judged if round(one.confidence, 4) >= limit]
    return len(accepted), sum(accepted)


def _round_share(share: float | None) -> float | None:
    return None if share is None else round(share, 4)


def activate_calibration(site: str, project_id: str, number: int, *, seen: int, by: Actor) -> None:
    """Let runs that start from now on pin this version; 0 is the prior. ``seen``: the active one that was shown.

    Raises:
        Conflict: another one was activated since.
        NotFound: no such project or version.

    """
    project = project_queries.get_project(site, project_id)
    if versions.active_version(CALIBRATIONS, project) == number and not calibrations.is_paused(project):
        return
    versions.activate_version(CALIBRATIONS, site, project, number, seen=seen, by=by)


def pause_if_drifting(site: str, project_id: str) -> bool:
    """Pause the calibration if it drifts, so that new runs review what is not proved; True if this call did.

    Activating a calibration, even the same one, ends the pause.
    """
    project = project_queries.get_project(site, project_id)
    number, chosen = versions.active_version(CALIBRATIONS, project), project.settings.most_wrong
    most_wrong = settings.MOST_WRONG_PERCENT / 100 if chosen is None else chosen
    if not number or not most_wrong or calibrations.is_paused(project):
        return False
    found = drift.count_audited(site, project_id, number)
    if not drift.is_drifting(found, most_wrong):
        return False
    change: Any = Project.data
    held = change["calibration"]
    when: Condition = versions.active_is(CALIBRATIONS, number) & held["paused_at"].does_not_exist()
    payload = {"version": number, "documents": found.documents, "values": found.values, "wrong": found.wrong}
    event = entity_event(site, "calibration", project_id, "paused", by=AUDITOR, payload=payload)
    pause = Update(project.key, [held["paused_at"].set(clock.iso(clock.now()))], when)
    told = [change for plan in _AT_PAUSE for change in plan(site, project_id)]
    try:
        transact([pause, *told], event)
    except Conflict:  # paused by another task, or another calibration is active now
        return False
    log.warning("calibration paused", extra={"project": project_id})
    return True

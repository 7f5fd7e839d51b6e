"""Writes of calibrations: proposed from the reviews there are, activated by a person; both with their audit event."""

import json
import logging
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from pynamodb.expressions.condition import Condition

from config import clock, table
from config.errors import Conflict, Refused
from config.transaction import EXISTS, Change, Put, Update, transact
from projects.audit.events import Actor, entity_event
from projects.settings import queries as project_queries
from projects.settings.items import Project
from workflows.learning import calibrations, drift, lessons, reliability, reviewed
from workflows.learning.calibrations import Summary, Version
from workflows.learning.fitting import FEWEST
from workflows.learning.items import StoredCalibration
from workflows.learning.lessons import Lesson, ReviewedDocument
from workflows.learning.reliability import Judgement
from workflows.stages.calibration import UNCALIBRATED, plain
from workflows.storage import files
from workflows.storage.objects import SiteFiles

log = logging.getLogger(__name__)

FEWEST_SELLERS = 5
AUDITOR = Actor("audit-sample", "Audit sample")
_ATTEMPTS = 5  # two proposals at once: each takes the next free number


def propose_calibration(site: str, project_id: str, *, by: Actor) -> Version:
    """Fit the project's reviews and keep the outcome as its next version; what is newest already is not kept again.

    Runs go on with what they pinned, and new ones with what is active: a proposal changes nothing by itself.

    Raises:
        NotFound: no such project.
        Refused: there are too few reviews or sellers, or what they teach does not hold for other sellers.

    """
    project = project_queries.get_project(site, project_id)
    documents = reviewed.list_reviewed_documents(site, project_id)
    lesson = lessons.learn_calibration(documents)
    if not lesson.calibration.weights:
        raise Refused(
            f"{len(documents)} reviewed documents are too few: a field has to be reviewed {FEWEST} times first. "
            "Until then the confidence is the one that every project begins with."
        )
    _check_better(site, project, documents, lesson)
    body = json.dumps(plain(lesson.calibration), ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    sha256, summary = files.sha256(body), _summarize_reviews(documents, lesson)
    SiteFiles(site).write(files.calibration(project_id, sha256), body, "application/json")
    for _ in range(_ATTEMPTS):
        last = next(iter(calibrations.list_calibrations(site, project_id)), None)
        if last and last.sha256 == sha256:
            return last
        key = table.CALIBRATION.key(site, project_id=project_id, version=last.number + 1 if last else 1)
        row = StoredCalibration(
            *key,
            version=last.number + 1 if last else 1,
            sha256=sha256,
            documents=len(documents),
            summary=summary.to_json(),
            created_at=clock.iso(clock.now()),
            created_by=by.name,
        )
        payload = {"version": int(row.version), "documents": len(documents), "sha256": sha256}
        try:
            transact([Put(row)], entity_event(site, "calibration", project_id, "proposed", by=by, payload=payload))
        except Conflict:  # another proposal took the number
            continue
        log.info("calibration proposed", extra={"project": project_id, "version": int(row.version)})
        return calibrations.get_calibration(site, project_id, int(row.version)).version
    raise Conflict("A calibration of this project is being created. Try again in a moment.")


def _check_better(site: str, project: Project, documents: Sequence[ReviewedDocument], lesson: Lesson) -> None:
    """Raises: Refused."""
    number = calibrations.active_calibration(project)
    present = calibrations.get_calibration(site, project.id, number).lesson if number else UNCALIBRATED
    found = lessons.compare_on_other_sellers(documents, lesson, present)
    if found.sellers < FEWEST_SELLERS:
        raise Refused(
            f"The {len(documents)} reviewed documents are of {found.sellers} seller{'s' if found.sellers > 1 else ''}. "
            f"Review documents of at least {FEWEST_SELLERS} sellers, so that what is learned holds for others."
        )
    if not found.is_better:
        raise Refused(
            f"Learned from {len(documents)} reviewed documents, the confidence would not be better for other sellers. "
            "The present calibration stays. Propose again after more reviews."
        )


def propose_or_say_why(site: str, project_id: str, *, by: Actor, order: str) -> None:
    """As a worker does it: no one waits for an answer, so what was refused is an event that the page shows.

    ``order`` is the message's: delivered twice, it is refused once.
    """
    try:
        propose_calibration(site, project_id, by=by)
    except Refused as error:
        if any(
            one.payload.as_dict().get("order") == order
            for one in calibrations.list_calibration_events(site, project_id)
        ):
            return
        payload = {"reason": str(error), "order": order}
        transact([], entity_event(site, "calibration", project_id, "refused", by=by, payload=payload))


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
    """How many values are as sure as ``limit``, and how many of them are right."""
    accepted = [one.right for one in judged if round(one.confidence, 4) >= limit]
    return len(accepted), sum(accepted)


def _round_share(share: float | None) -> float | None:
    return None if share is None else round(share, 4)


def activate_calibration(site: str, project_id: str, number: int, *, seen: int, by: Actor) -> None:
    """Have runs that start from now on pin this version; 0 is the prior. ``seen``: the active one that was shown.

    Raises:
        Conflict: another one was made active since.
        NotFound: no such project or version.

    """
    project = project_queries.get_project(site, project_id)
    if calibrations.active_calibration(project) == number and not calibrations.is_paused(project):
        return
    change: Any = Project.data
    changes: list[Change] = []
    if number:
        version = calibrations.get_calibration(site, project_id, number).version
        pinned = {"version": number, "sha256": version.sha256}
        changes.append(Update(project.key, [change["calibration"].set(pinned)], _if_active_is(seen)))
        key = table.CALIBRATION.key(site, project_id=project_id, version=number)
        now = StoredCalibration.activated_at.set(clock.iso(clock.now()))
        changes.append(Update(key, [now, StoredCalibration.activated_by.set(by.name)], EXISTS))
    else:
        changes.append(Update(project.key, [change["calibration"].remove()], _if_active_is(seen)))
    payload = {"before": seen, "after": number}
    event = entity_event(site, "calibration", project_id, "activated", by=by, payload=payload)
    try:
        transact(changes, event)
    except Conflict as error:
        raise Conflict(_who_was_first(site, project_id)) from error


def pause_if_drifting(site: str, project_id: str) -> bool:
    """Have runs that start from now on ask about what is not proved; True if this call paused the calibration.

    Activating a calibration, the same one too, ends it.
    """
    project = project_queries.get_project(site, project_id)
    number, chosen = calibrations.active_calibration(project), project.settings.most_wrong
    most_wrong = settings.MOST_WRONG_PERCENT / 100 if chosen is None else chosen
    if not number or not most_wrong or calibrations.is_paused(project):
        return False
    found = drift.count_audited(site, project_id, number)
    if not drift.is_drifting(found, most_wrong):
        return False
    change: Any = Project.data
    held = change["calibration"]
    when: Condition = _if_active_is(number) & held["paused_at"].does_not_exist()
    payload = {"version": number, "documents": found.documents, "values": found.values, "wrong": found.wrong}
    event = entity_event(site, "calibration", project_id, "paused", by=AUDITOR, payload=payload)
    try:
        transact([Update(project.key, [held["paused_at"].set(clock.iso(clock.now()))], when)], event)
    except Conflict:  # paused by another task, or another calibration is active
        return False
    log.warning("calibration paused", extra={"project": project_id})
    return True


def _if_active_is(seen: int) -> Condition:
    stored: Any = Project.data
    version = stored["calibration"]["version"]
    shown: Condition = version == seen if seen else Project.PK.exists() & version.does_not_exist()
    return shown


def _who_was_first(site: str, project_id: str) -> str:
    now = calibrations.active_calibration(project_queries.get_project(site, project_id))
    found = next((one for one in calibrations.list_calibrations(site, project_id) if one.number == now), None)
    who = f" by {found.activated_by}" if found else ""
    what = f"Calibration {now}" if now else "Default confidence"
    return f"{what} was activated{who} meanwhile. Nothing was changed; reload the page."

"""Writes of extractors: trained from the reviews there are, activated by a person; both with their audit event."""

import json
import logging
from collections.abc import Callable
from typing import Any

from pynamodb.expressions.condition import Condition

from config import clock, table
from config.errors import Conflict, Refused
from config.transaction import EXISTS, Change, Put, Update, transact
from projects.audit.events import Actor, entity_event
from projects.settings import queries as project_queries
from projects.settings.items import Project
from workflows.extractors import examples, extractors, training
from workflows.extractors.extractors import Version
from workflows.extractors.items import StoredExtractor
from workflows.extractors.training import Outcome
from workflows.stages.extractor.learned import UNLEARNED, Extractor, to_content
from workflows.storage import files
from workflows.storage.objects import SiteFiles

log = logging.getLogger(__name__)

FEWEST_GROUPS = 5  # sellers, or documents if none is known
LONGEST_REASON = 300
_ATTEMPTS = 5  # two trainings at once: each takes the next free number


def train_extractor(site: str, project_id: str, *, by: Actor, keep: Callable[[], None] = lambda: None) -> Version:
    """Learn from the project's reviews and keep the outcome as its next version; the newest is not kept again.

    Runs go on with what they pinned, and new ones with what is active: a new version changes nothing by itself.

    Raises:
        NotFound: no such project.
        Refused: there are too few reviews or sellers, or nothing would be read better.

    """
    project = project_queries.get_project(site, project_id)
    found = examples.list_examples(site, project_id)
    if len(found) < training.FEWEST:
        more = training.FEWEST - len(found)
        needed = "documents are" if more > 1 else "document is"
        raise Refused(f"{more} more reviewed {needed} needed before extraction can learn.")
    groups = len({one.group for one in found})
    if groups < FEWEST_GROUPS:
        raise Refused(
            f"The {len(found)} reviewed documents are of {groups} seller{'s' if groups > 1 else ''}. "
            f"Review documents of at least {FEWEST_GROUPS} sellers, so that what is learned holds for others."
        )
    outcome = training.train_extractor(found, _load_active(site, project), keep)
    if not outcome.extractor.types:
        raise Refused(
            f"Learned from {len(found)} reviewed documents, no field would be read better on other documents. "
            "Extraction stays as it is. Train again after more reviews."
        )
    return _keep(site, project_id, outcome, by=by)


def _load_active(site: str, project: Project) -> Extractor:
    number = extractors.active_extractor(project)
    if not number:
        return UNLEARNED
    sha256 = extractors.get_extractor(site, project.id, number).sha256
    return extractors.load_extractor(site, project.id, sha256, number)


def _keep(site: str, project_id: str, outcome: Outcome, *, by: Actor) -> Version:
    body = json.dumps(to_content(outcome.extractor), sort_keys=True, separators=(",", ":")).encode()
    sha256, summary = files.sha256(body), extractors.summarize_outcome(outcome).to_json()
    SiteFiles(site).write(files.extractor(project_id, sha256), body, "application/json")
    for _ in range(_ATTEMPTS):
        last = next(iter(extractors.list_extractors(site, project_id)), None)
        if last and last.sha256 == sha256:
            return last
        number = last.number + 1 if last else 1
        row = StoredExtractor(
            *table.EXTRACTOR.key(site, project_id=project_id, version=number),
            version=number,
            sha256=sha256,
            documents=outcome.documents,
            summary=summary,
            created_at=clock.iso(clock.now()),
            created_by=by.name,
        )
        payload = {"version": number, "documents": outcome.documents, "sha256": sha256}
        try:
            transact([Put(row)], entity_event(site, "extractor", project_id, "trained", by=by, payload=payload))
        except Conflict:  # another training took the number
            continue
        log.info("extractor trained", extra={"project": project_id, "version": number})
        return extractors.get_extractor(site, project_id, number)
    raise Conflict("An extractor of this project is being created. Try again in a moment.")


def train_or_say_why(
    site: str, project_id: str, *, by: Actor, order: str, keep: Callable[[], None] = lambda: None
) -> None:
    """As a worker does it: what was refused is an event that the page shows.

    ``order`` is the message's: delivered twice, it is refused once. ``keep`` keeps it from others meanwhile.
    """
    try:
        train_extractor(site, project_id, by=by, keep=keep)
    except Refused as error:
        events = extractors.list_extractor_events(site, project_id)
        if any(one.payload.as_dict().get("order") == order for one in events):
            return
        payload = {"reason": str(error), "order": order}
        transact([], entity_event(site, "extractor", project_id, "refused", by=by, payload=payload))


def activate_extractor(site: str, project_id: str, number: int, *, seen: int, reason: str, by: Actor) -> None:
    """Have runs that start from now on pin this version; 0 is the rules alone. ``seen``: the active one that was shown.

    Raises:
        Conflict: another one was made active since.
        NotFound: no such project or version.
        Refused: no reason, or too long a one.

    """
    reason = " ".join(reason.split())
    if not reason or len(reason) > LONGEST_REASON:
        raise Refused(f"Enter a reason of at most {LONGEST_REASON} characters.")
    project = project_queries.get_project(site, project_id)
    if extractors.active_extractor(project) == number:
        return
    change: Any = Project.data
    changes: list[Change] = []
    if number:
        version = extractors.get_extractor(site, project_id, number)
        pinned = {"version": number, "sha256": version.sha256}
        changes.append(Update(project.key, [change["extractor"].set(pinned)], _if_active_is(seen)))
        now = StoredExtractor.activated_at.set(clock.iso(clock.now()))
        key = table.EXTRACTOR.key(site, project_id=project_id, version=number)
        changes.append(Update(key, [now, StoredExtractor.activated_by.set(by.name)], EXISTS))
    else:
        changes.append(Update(project.key, [change["extractor"].remove()], _if_active_is(seen)))
    payload = {"before": seen, "after": number, "reason": reason}
    try:
        transact(changes, entity_event(site, "extractor", project_id, "activated", by=by, payload=payload))
    except Conflict as error:
        raise Conflict(_who_was_first(site, project_id)) from error


def _if_active_is(seen: int) -> Condition:
    stored: Any = Project.data
    version = stored["extractor"]["version"]
    shown: Condition = version == seen if seen else Project.PK.exists() & version.does_not_exist()
    return shown


def _who_was_first(site: str, project_id: str) -> str:
    now = extractors.active_extractor(project_queries.get_project(site, project_id))
    found = next((one for one in extractors.list_extractors(site, project_id) if one.number == now), None)
    who = f" by {found.activated_by}" if found else ""
    what = f"Extractor {now} was activated{who}" if now else "The extractor was deactivated"
    return f"{what} meanwhile. Nothing was changed; reload the page."

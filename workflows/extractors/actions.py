"""Writes of extractors: trained from the reviews there are, activated by a person; both with their audit event."""

from collections.abc import Callable

from config.errors import Refused
from projects.audit.events import Actor
from projects.settings import queries as project_queries
from projects.settings.items import Project
from workflows.extractors import examples, extractors, training
from workflows.extractors.extractors import EXTRACTORS, Summary
from workflows.learning import versions
from workflows.learning.versions import Version
from workflows.stages.extractor.learned import UNLEARNED, Extractor, to_content

FEWEST_GROUPS = 5  # sellers, or documents if none is known
LONGEST_REASON = 300


def train_extractor(
    site: str, project_id: str, *, by: Actor, keep: Callable[[], None] = lambda: None
) -> Version[Summary]:
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
    return versions.keep_version(
        EXTRACTORS,
        site,
        project_id,
        to_content(outcome.extractor),
        summary=extractors.summarize_outcome(outcome),
        documents=outcome.documents,
        verb="trained",
        by=by,
    )


def _load_active(site: str, project: Project) -> Extractor:
    number = versions.active_version(EXTRACTORS, project)
    if not number:
        return UNLEARNED
    sha256 = versions.get_version(EXTRACTORS, site, project.id, number).sha256
    return extractors.load_extractor(site, project.id, sha256, number)


def train_or_say_why(
    site: str, project_id: str, *, by: Actor, order: str, keep: Callable[[], None] = lambda: None
) -> None:
    """As a worker does it: what was refused is an event that the page shows.

    ``order`` is the message's: delivered twice, it is refused once. ``keep`` keeps it from others meanwhile.
    """
    try:
        train_extractor(site, project_id, by=by, keep=keep)
    except Refused as error:
        versions.record_refusal(EXTRACTORS, site, project_id, error, by=by, order=order)


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
    if versions.active_version(EXTRACTORS, project) != number:
        versions.activate_version(EXTRACTORS, site, project, number, seen=seen, by=by, reason=reason)

"""Writes of extractors: trained on past reviews, activated by a person; both with their audit event."""

from collections.abc import Callable

from django.utils.translation import gettext

from config.errors import Refused
from config.phrase import count_sentence
from projects.audit.events import Actor
from projects.settings import queries as project_queries
from projects.settings.items import Project
from workflows.learning import versions
from workflows.learning.extractors import examples, extractors, training
from workflows.learning.extractors.extractors import EXTRACTORS, Summary
from workflows.learning.versions import Version
from workflows.stages.extractor.learned import UNLEARNED, Extractor, to_content

FEWEST_GROUPS = 5  # sellers, or documents if none is known
LONGEST_REASON = 300


def train_extractor(
    site: str, project_id: str, *, by: Actor, keep: Callable[[], None] = lambda: None
) -> Version[Summary]:
    """Train on the project's reviews and store the result as its next version, unless it equals the newest one.

    A new version changes nothing by itself: runs keep what they pinned, and new ones use the active version.

    Raises:
        NotFound: no such project.
        Refused: there are too few reviews or sellers, or no field improves.

    """
    project = project_queries.get_project(site, project_id)
    found = examples.list_examples(site, project_id)
    if len(found) < training.FEWEST:
        raise Refused(
            count_sentence(
                "%(count)s more reviewed document is needed before extraction can learn.",
                "%(count)s more reviewed documents are needed before extraction can learn.",
                training.FEWEST - len(found),
            )
        )
    groups = len({one.group for one in found})
    if groups < FEWEST_GROUPS:
        raise Refused(
            count_sentence(
                "The %(documents)s reviewed documents are of %(count)s seller. Review documents of at least "
                "%(fewest)s sellers, so that what is learned holds for others.",
                "The %(documents)s reviewed documents are of %(count)s sellers. Review documents of at least "
                "%(fewest)s sellers, so that what is learned holds for others.",
                groups,
                documents=len(found),
                fewest=FEWEST_GROUPS,
            )
        )
    outcome = training.train_extractor(found, _load_active(site, project), keep)
    if not outcome.extractor.types:
        raise Refused(
            gettext(
                "Learned from %(count)s reviewed documents, no field would be read better on other "
                "documents. Extraction stays as it is. Train again after more reviews."
            )
            % {"count": len(found)}
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
    """Train in a worker: a refusal becomes an event for the page.

    ``order``: the message's id; a redelivery records a refusal once. ``keep`` keeps the message invisible meanwhile.
    """
    try:
        train_extractor(site, project_id, by=by, keep=keep)
    except Refused as error:
        versions.record_refusal(EXTRACTORS, site, project_id, error, by=by, order=order)


def activate_extractor(site: str, project_id: str, number: int, *, seen: int, reason: str, by: Actor) -> None:
    """Let runs that start from now on pin this version; 0 is the rules alone. ``seen``: the active one that was shown.

    Raises:
        Conflict: another one was activated since.
        NotFound: no such project or version.
        Refused: the reason is missing, or too long.

    """
    reason = " ".join(reason.split())
    if not reason or len(reason) > LONGEST_REASON:
        raise Refused(
            gettext("Enter a reason of at most %(longest_reason)s characters.") % {"longest_reason": LONGEST_REASON}
        )
    project = project_queries.get_project(site, project_id)
    if versions.active_version(EXTRACTORS, project) != number:
        versions.activate_version(EXTRACTORS, site, project, number, seen=seen, by=by, reason=reason)

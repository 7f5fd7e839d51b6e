"""Separation of duties: who may not decide a review because it concerns their own work."""

from collections.abc import Mapping, Sequence

from projects.documents.activity import find_editors
from projects.documents.queries import list_versions
from projects.sites import directory
from projects.sites.separation import Separation
from review.identity import Person, ReviewRef
from review.items.reviews import READABLE, Review
from review.status import Bar
from workflows.definitions import versions
from workflows.definitions.blueprint import StepDefinition
from workflows.runs.items import Run


def find_barred(run: Run, definition: str, step: StepDefinition, judges: Sequence[str] = ()) -> Mapping[str, str]:
    """Return user id → reason for uploaders of the document's latest versions, its editors, and ``judges``.

    ``judges``: people who decided earlier in the run. Costs two Queries if the policy is on.
    """
    if not _is_separated(run.site, definition):
        return dict.fromkeys(judges, Bar.DECIDED.value) if step.another else {}
    edited = dict.fromkeys(find_editors(run.site, run.document_id), Bar.EDITED.value)
    uploaded = {row.userId: Bar.UPLOADED.value for row in list_versions(run.site, run.document_id).rows}
    return edited | uploaded | dict.fromkeys(judges, Bar.DECIDED.value)


def bar_editor(ref: ReviewRef, definition: str, *, by: Person) -> bool:
    """Bar ``by`` from the review if they have edited the document since it was opened; return whether they have.

    Costs one Query if the policy is on.

    Raises:
        Conflict: the review was changed meanwhile.

    """
    if not has_edited(ref, definition, by.id):
        return False
    _bar(ref, by)
    return True


def bar_editor_from_queue(ref: ReviewRef, *, by: Person) -> bool:
    """Bar ``by`` as ``bar_editor`` does, but only where the site separates all reviews.

    The queue's index does not have the definition, on which the other policies depend; a read of each review that is
    claimed next would cost every site what few need.

    Raises:
        Conflict: the review was changed meanwhile.

    """
    if not _is_of_run(ref) or _policy_of(ref.site) != Separation.ALWAYS:
        return False
    if by.id not in find_editors(ref.site, ref.document_id):
        return False
    _bar(ref, by)
    return True


def _bar(ref: ReviewRef, by: Person) -> None:
    row = Review.load(ref.key, only=READABLE)
    barred = (row.barred.as_dict() if row.barred else {}) | {by.id: Bar.EDITED.value}
    Review.change(ref.key, [Review.barred.set(barred)], Review.version == row.version)


def has_edited(ref: ReviewRef, definition: str, user_id: str) -> bool:
    """Return whether this person edited the document and the site separates that. One Query if the policy is on."""
    is_separated = _is_of_run(ref) and _is_separated(ref.site, definition)
    return is_separated and user_id in find_editors(ref.site, ref.document_id)


def _is_of_run(ref: ReviewRef) -> bool:
    return not ref.is_handed_over and not ref.is_compared


def _policy_of(site: str) -> Separation:
    found = directory.get_site(site)
    return Separation(found.separation) if found and found.separation else Separation.FOUR_EYES


def _is_separated(site: str, definition: str) -> bool:
    policy = _policy_of(site)
    if policy == Separation.FOUR_EYES:
        return any(one.another for one in versions.find_definition(definition).steps)
    return policy == Separation.ALWAYS

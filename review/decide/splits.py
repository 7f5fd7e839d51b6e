"""Which reviews can be ended by splitting the document."""

from config.errors import NotFound, Refused
from config.phrase import Phrase
from projects.documents.queries import get_document
from review.identity import ReviewRef
from review.items.reviews import Review
from review.status import Decision
from workflows.definitions import versions
from workflows.definitions.blueprint import END
from workflows.intake.actions.unpack import check_can_split
from workflows.intake.containers.page_ranges import can_be_cut

_CANNOT = Phrase(
    "Only PDF and TIFF files of more than one page can be split. Reject the document and upload its parts."
)
_GOES_ON = Phrase("This workflow continues after a rejection, so the document cannot be split here.")


def may_split(ref: ReviewRef, review: Review, pages: int) -> bool:
    """Return whether the review can be split, as far as its row tells; the file's type is checked on request.

    ``pages``: those with a picture. A text file's pages have none, and cannot be cut.
    """
    return pages > 1 and not ref.is_check and not ref.is_handed_over and _ends_with_rejection(review)


def check_may_split(ref: ReviewRef, review: Review, pages: int) -> None:
    """Raises: Refused, with what to do instead."""
    if ref.is_check or ref.is_handed_over or not can_be_cut(_file_type(ref), pages):
        raise Refused(_CANNOT)
    if not _ends_with_rejection(review):
        raise Refused(_GOES_ON)
    check_can_split(ref.site, ref.document_id)


def _file_type(ref: ReviewRef) -> str:
    return str(get_document(ref.site, ref.document_id).contentType)


def _ends_with_rejection(review: Review) -> bool:
    try:
        return versions.find_definition(review.definition).step(int(review.step)).after(Decision.REJECT) == END
    except (NotFound, KeyError):
        return False

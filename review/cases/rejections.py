"""Descriptions of case items that quote a rejected review, masked for those who may not see its document."""

from collections.abc import Container

from django.http import HttpRequest

from projects.personal.access import is_closed
from projects.personal.masking import MASK
from review.cases.items import CaseItem, CaseNigo
from review.identity import ref_at


def read_description(request: HttpRequest, item: CaseItem, hidden: Container[str]) -> str:
    """Return the description of a task or NIGO; a reviewer's reason only if the person may see document and values.

    ``hidden``: the case's documents closed to the person.
    """
    text, review = item.description or "", item.review if isinstance(item, CaseNigo) else None
    if not text or not review:
        return text
    document_id = ref_at(str(request.site), review).document_id
    return MASK if document_id in hidden or is_closed(request, document_id=document_id) else text

"""Possible duplicates of a review's document, as far as this person may see them."""

from collections.abc import Sequence
from dataclasses import dataclass

from config.phrase import Phrase
from projects.documents.queries import get_documents
from projects.queues import visibility
from projects.web.http import DeskRequest
from workflows.stages.document_copy import WORDS


@dataclass(frozen=True)
class CopyLine:
    """``name``: of the earlier document; empty if hidden from this person, then ``otherwise`` is shown."""

    words: str
    document_id: str
    name: str
    at: str
    otherwise: str = ""


def list_copies(request: DeskRequest, stored: Sequence[str]) -> list[CopyLine]:
    """``stored``: as on the review's row. One BatchGetItem; no call if empty."""
    if not stored:
        return []
    pairs = [one.split("#", 1) for one in stored]
    live = {one.documentId: one for one in get_documents(request.site, [one for _, one in pairs])}
    hidden = visibility.find_hidden_documents(request, live)
    lines = []
    for kind, document_id in pairs:
        found = live.get(document_id)
        if found is None or document_id in hidden:
            otherwise = Phrase("in a restricted queue") if found else Phrase("deleted since")
            lines.append(CopyLine(WORDS[kind], "", "", "", otherwise))
        else:
            lines.append(CopyLine(WORDS[kind], document_id, str(found.path), found.inserteddate))
    return lines

"""Bring the search index to what a document is now. An event only says where to look: so none can come too late."""

import logging

from config.errors import Conflict, Unavailable
from workflows.search import content
from workflows.search.content import Beat, DocumentRef, RunUnderWay
from workflows.search.index import search_index

log = logging.getLogger(__name__)
_ATTEMPTS = 5


def bring_up_to_date(which: DocumentRef, beat: Beat) -> None:
    """Again, by two at once and in any order is harmless: who is overtaken looks again.

    The mark is read before the document. What is written under it was true after everything that was written before,
    so an older answer never takes the place of a newer one, whatever the clocks say.

    Raises:
        Unavailable: the table, S3 or the index does not answer; nothing was changed.

    """
    index = search_index()
    for _ in range(_ATTEMPTS):
        mark = index.mark(which.site, which.document_id)
        try:
            entry = content.entry_of(which, beat)
            if entry is None:
                index.remove(which.site, which.project_id, which.document_id, after=mark)
            else:
                index.add(entry, after=mark)
        except RunUnderWay:
            index.leave(which.site, which.document_id)
        except Conflict:
            continue
        log.info("indexed", extra={"document": which.document_id, "site": which.site})
        return
    raise Unavailable("Others index this document all the time. It is tried again.")

"""Indexing: bring the index to a document's current state.

An event only names the document, so no event is too late.
"""

import logging

from django.utils.translation import gettext

from config.errors import Conflict, Unavailable
from workflows.search import content
from workflows.search.content import Beat, DocumentRef, RunUnderWay
from workflows.search.index import search_index

log = logging.getLogger(__name__)
_ATTEMPTS = 5


def bring_up_to_date(which: DocumentRef, beat: Beat) -> None:
    """Index the document's current state. Idempotent, safe to run concurrently and in any order.

    The mark is read before the document. What is written under it is at least as new as everything that was written
    before, so an older state never replaces a newer one, whatever the clocks say. A worker that is overtaken tries
    again.

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
    raise Unavailable(gettext("Other workers keep indexing this document. Retrying automatically."))

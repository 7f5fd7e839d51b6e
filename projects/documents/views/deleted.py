"""Pages of deleted documents: the list, and what remains of one."""

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from projects.documents import queries
from projects.documents.items import DocumentRemoval, RemovalState
from projects.documents.removal_changes import DESTROYED, LEFT
from projects.queues import visibility
from projects.sites import access
from projects.web.http import DeskRequest, page_links, render_answer

_WORDS = {
    RemovalState.DELETING: ("info", "run", "deleting"),
    RemovalState.DELETED: ("", "trash", "deleted"),
    RemovalState.RESTORING: ("info", "run", "restoring"),
    RemovalState.PURGING: ("info", "run", "purging"),
    RemovalState.PURGED: ("", "x", "purged"),
}


@require_safe
def list_deleted(request: DeskRequest) -> HttpResponse:
    access.check_can_delete(request)
    cursor = request.GET.get("after")
    which = queries.PURGED if request.GET.get("which") == queries.PURGED else queries.DELETED
    page = visibility.filter_page(
        request,
        lambda place: queries.list_removals(request.site, which, cursor=place),
        cursor,
        lambda row: row.document_id,
    )
    url = reverse("documents:list-deleted")
    context = {
        "rows": [(row, _WORDS[RemovalState(str(row.status))]) for row in page.rows],
        "which": which,
        "list_url": url,
        **page_links(request, page.next, f"{url}?which={which}"),
    }
    return render_answer(request, "projects/documents/deleted.html", None, context)


@require_safe
def show_deleted(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_delete(request)
    visibility.check_document(request, document_id)
    record = queries.get_removal(request.site, document_id)
    return render_answer(request, "projects/documents/removed.html", None, removal_context(record))


def removal_context(record: DocumentRemoval) -> dict[str, object]:
    state = RemovalState(str(record.status))
    return {
        "record": record,
        "state": state.value,
        "mark": _WORDS[state],
        "moving": state in (RemovalState.DELETING, RemovalState.RESTORING, RemovalState.PURGING),
        "destroyed": DESTROYED,
        "left": LEFT,
    }

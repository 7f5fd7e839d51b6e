"""Pages of documents: those of a day, one of them, what people hang on it, legal hold, deleted ones."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Conflict, NotAllowed, NotFound, Refused
from config.item import Page
from config.table import InvalidKey
from projects.audit.events import Actor, actor_of
from projects.documents import queries as browse_queries
from projects.documents import queries as removal_queries
from projects.documents import query_plan
from projects.documents.access_paths import ByClassification, ByStatus, QueryPlan
from projects.documents.actions import classification, hold, locks
from projects.documents.actions import properties as attribute_actions
from projects.documents.earlier import list_earlier, restore_earlier
from projects.documents.filters import Filters, filters_from
from projects.documents.items import DocumentRemoval, ListedDocument, RemovalState
from projects.documents.listing import ListRequest, form_context, list_context, not_indexed_context
from projects.documents.page import activity_of, list_activity, mask_attribute, page_of
from projects.documents.queries import DELETED as DELETED_STATUS
from projects.documents.queries import PURGED, get_document
from projects.documents.query_plan import NotIndexed
from projects.documents.removal_changes import DESTROYED, LEFT
from projects.documents.states import look_of
from projects.documents.view_log import record_view
from projects.folders import queries as folder_queries
from projects.folders.items import FolderEntry
from projects.folders.queries import ROOT
from projects.personal.access import fields_hidden_from, find_personal_documents
from projects.personal.masking import MASK
from projects.queues import admission
from projects.schemas import queries as schema_queries
from projects.schemas.vocabulary import Vocabulary, get_vocabulary
from projects.shares import queries as share_queries
from projects.shares.views import describe_shares
from projects.sites import access, directory
from projects.sites.permissions import Permission
from projects.web import days
from projects.web.http import DeskRequest, read_number, redirect_after_post, render_answer, wants_fragment

_HOURS = 8  # that a form offers
DELETED = "This document was deleted. Users with the delete permission can find it under Deleted documents."


@require_safe
def list_documents(request: DeskRequest) -> HttpResponse:
    access.check_can_view(request)
    today = days.today()
    filters = filters_from(request.GET, today)
    full = filters.needs_vocabulary or "more" in request.GET
    known, url = get_vocabulary(request.site) if full else Vocabulary(), reverse("documents:list-documents")
    asking = ListRequest(filters, known, today, full=full, url=url, names=directory.has_entities(request.site))
    try:
        way = query_plan.plan_query(filters, known, today)
        if isinstance(way, NotIndexed):
            return _list_page(request, asking, None, not_indexed_context(asking, way))
        page = admission.filter_page(
            request,
            lambda place: _drop_personal(
                request, filters, browse_queries.list_documents(request.site, way, cursor=place)
            ),
            request.GET.get("after"),
            lambda row: row.document_id,
        )
    except (Refused, InvalidKey) as error:
        return _list_page(request, asking, None, {"wrong": str(error)}, status=422)
    context = list_context(asking, way, page) | {"is_first": "after" not in request.GET}
    return _list_page(request, asking, way, context)


def _drop_personal(request: DeskRequest, filters: Filters, page: Page[ListedDocument]) -> Page[ListedDocument]:
    """Who may not see personal values does not learn by an attribute which documents have which."""
    if not filters.attributes or access.can_see_personal(request):
        return page
    closed = find_personal_documents(request, (str(row.document_id) for row in page.rows))
    return Page([row for row in page.rows if row.document_id not in closed], page.next)


def _list_page(
    request: DeskRequest, asking: ListRequest, way: QueryPlan | None, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """With one call more for what is counted: of a classification its own documents, else those of the site."""
    counts = None
    if isinstance(way, ByClassification):
        number = browse_queries.documents_of_classification(request.site, way.classification_id)
        context |= {"number": None if way.day else number}
    else:
        counts = browse_queries.count_documents(request.site)
        context |= {"number": counts.count_of(way.status) if isinstance(way, ByStatus) else None}
    return render_answer(
        request, "projects/documents/list.html", None, form_context(asking, way, counts) | context, status=status
    )


@require_safe
def show_document(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_view(request)
    admission.check_document(request, document_id)
    try:
        return record_view(request, document_page(request, document_id), document_id)
    except NotFound:
        return _elsewhere(request, document_id)


def _elsewhere(request: DeskRequest, document_id: str) -> HttpResponse:
    """Leads to the deleted document, or to the runs that are all there is of one of the seed-000 system.

    Raises:
        NotFound: neither, or not this person's to see.

    """
    try:
        record = browse_queries.get_removal(request.site, document_id)
    except NotFound:
        if not browse_queries.is_earlier(request.site, document_id):
            raise
        return HttpResponseRedirect(reverse("workflows:newest-run", args=[document_id]))
    if not access.can_delete(request):
        raise NotFound(DELETED)
    return redirect_after_post(request, reverse("documents:show-deleted", args=[record.document_id]))


def document_page(
    request: DeskRequest, document_id: str, *, fragment: str | None = None, status: int = 200, **more: Any
) -> HttpResponse:
    """The page, or one of its panels for htmx, as the document is now.

    Raises:
        NotFound: no such document, or it was deleted.

    """
    rows = browse_queries.document_rows(request.site, document_id)
    context = page_of(rows, schema_queries.attribute_definitions(request.site))
    if fields_hidden_from(request, rows.document.project_id):
        context["attributes"] = [mask_attribute(one) for one in context["attributes"]]
    context["children"] = admission.filter_rows(request, context["children"], lambda child: child.documentId)
    context["look"] = look_of(rows.document.status)
    context["folders"] = _list_folders(request.site, rows.document.folder_id or ROOT)
    context |= _activity_context(request, document_id)
    if directory.has_shares(request.site):
        context["shares"] = describe_shares(request, share_queries.list_shares_of(request.site, document_id))
    context["classification"] = _classification(request.site, rows.document.classification_id or "")
    return render_answer(request, "projects/documents/show.html", fragment, context | more, status=status)


def _list_folders(site: str, folder_id: str) -> list[FolderEntry]:
    """From the first level down; one Query for each, none of a document in no folder."""
    try:
        return folder_queries.list_crumbs(site, folder_id)
    except NotFound:  # moved a moment ago, and the index has yet to follow
        return []


_TYPE_NAMES = "type names"


def _classification(site: str, classification_id: str) -> str:
    """Its name, remembered for as long as permissions; empty for a document of none, or of one that is gone."""

    def read_name() -> str:
        try:
            return schema_queries.get_classification(site, classification_id).name or ""
        except NotFound:
            return ""

    return directory.remember(_TYPE_NAMES, f"{site}#{classification_id}", read_name) if classification_id else ""


@require_safe
def show_activity(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_view(request)
    admission.check_document(request, document_id)
    try:
        context = _activity_context(request, document_id, request.GET.get("after"))
    except InvalidKey as error:
        raise NotFound("Document not found.") from error
    if not access.can_delete(request) and browse_queries.is_gone(request.site, document_id):
        raise NotFound(DELETED)
    return render_answer(request, "projects/documents/activity.html", "projects/documents/_activity.html", context)


def _activity_context(request: DeskRequest, document_id: str, cursor: str | None = None) -> dict[str, Any]:
    page = list_activity(request, document_id, cursor)
    return {
        "document_id": document_id,
        "activities": [activity_of(row) for row in page.rows],
        "next_activities": page.next,
        "is_first": not cursor,
    }


@require_http_methods(["GET", "POST"])
def change_hold(request: DeskRequest, document_id: str) -> HttpResponse:
    """``op``: release (``since``: of the hold that was shown), else it is placed with a ``reason``."""
    access.check_can_govern(request)
    admission.check_document(request, document_id)
    if request.method == "GET":
        return _page(request, document_id)
    post, by = request.POST, actor_of(request.user)
    try:
        if post.get("op") == "release":
            hold.release_hold(request.site, document_id, since=post.get("since", ""), by=by)
            messages.success(request, "The legal hold was released.")
        else:
            hold.place_hold(request.site, document_id, post.get("reason", ""), by=by)
            messages.success(request, "The document is on legal hold.")
    except (Conflict, Refused) as error:
        return _page(request, document_id, error=str(error), status=409 if isinstance(error, Conflict) else 422)
    return redirect_after_post(request, reverse("documents:show-document", args=[document_id]))


def _page(request: DeskRequest, document_id: str, *, error: str = "", status: int = 200) -> HttpResponse:
    context = {
        "document": get_document(request.site, document_id),
        "error": error,
        "typed": request.POST.get("reason", ""),
        "longest": hold.LONGEST_REASON,
    }
    return render_answer(request, "projects/documents/hold.html", None, context, status=status)


@require_http_methods(["GET", "POST"])
def change_type(request: DeskRequest, document_id: str) -> HttpResponse:
    """``type``: a document type's id; empty for none."""
    access.check_can_upload(request)
    admission.check_document(request, document_id)
    if request.method == "GET":
        return _type_page(request, document_id)
    try:
        chosen = request.POST.get("type", "")
        classification.classify_document(request.site, document_id, chosen, by=actor_of(request.user))
    except (NotFound, InvalidKey):
        return _type_page(request, document_id, error="Select a type from the list.", status=422)
    except Refused as error:
        return _type_page(request, document_id, error=str(error), status=422)
    messages.success(request, "Document type saved.")
    return redirect_after_post(request, reverse("documents:show-document", args=[document_id]))


def _type_page(request: DeskRequest, document_id: str, *, error: str = "", status: int = 200) -> HttpResponse:
    document = get_document(request.site, document_id)
    kinds = [one for one in schema_queries.all_classifications(request.site) if not one.archived]
    context = {"document": document, "error": error, "kinds": kinds, "chosen": document.classification_id or ""}
    return render_answer(request, "projects/documents/type.html", None, context, status=status)


@require_http_methods(["GET", "POST"])
def change_checkout(request: DeskRequest, document_id: str) -> HttpResponse:
    """``op``: check-in (``since``: of the checkout that was shown), else it is checked out for some ``hours``."""
    access.check_can_upload(request)
    admission.check_document(request, document_id)
    if request.method == "GET":
        return _checkout_page(request, document_id)
    post, by = request.POST, actor_of(request.user)
    try:
        if post.get("op") == "check-in":
            admin = access.can(request, Permission.ADMIN)
            locks.check_in(request.site, document_id, since=post.get("since", ""), by=by, admin=admin)
            messages.success(request, "The document is checked in.")
        else:
            locks.check_out(request.site, document_id, read_number(post.get("hours")), by=by)
            messages.success(request, "The document is checked out. Others cannot change it.")
    except (Conflict, Refused) as error:
        return _checkout_page(
            request, document_id, error=str(error), status=409 if isinstance(error, Conflict) else 422
        )
    return redirect_after_post(request, reverse("documents:show-document", args=[document_id]))


def _checkout_page(request: DeskRequest, document_id: str, *, error: str = "", status: int = 200) -> HttpResponse:
    document = get_document(request.site, document_id)
    is_own = document.lock_by == str(request.user.pk)
    context = {
        "document": document,
        "is_own": is_own,
        "may_check_in": is_own or access.can(request, Permission.ADMIN),
        "error": error,
        "hours": request.POST.get("hours", _HOURS),
        "most_hours": locks.MOST_HOURS,
    }
    return render_answer(request, "projects/documents/checkout.html", None, context, status=status)


@require_POST
def change_tags(request: DeskRequest, document_id: str) -> HttpResponse:
    """``op``: add, change (``before`` → ``value``) or remove (``value``, or the whole tag without one)."""
    access.check_can_upload(request)
    admission.check_document(request, document_id)
    post, by, site = request.POST, actor_of(request.user), request.site
    key, value = post.get("key", ""), post.get("value", "")

    def write() -> None:
        if post.get("op") == "remove":
            attribute_actions.remove_tag(site, document_id, key, post.get("value"), by=by)
        elif post.get("op") == "change":
            attribute_actions.change_tag(site, document_id, key, post.get("before", ""), value, by=by)
        else:
            attribute_actions.add_tag(site, document_id, key, value, by=by)

    return _answer(request, document_id, "tags", write)


@require_POST
def change_attributes(request: DeskRequest, document_id: str) -> HttpResponse:
    """``op``: set (``value``, several one a line) or remove; ``expected`` are the values that the page showed."""
    access.check_can_upload(request)
    admission.check_document(request, document_id)
    post, by, site = request.POST, actor_of(request.user), request.site
    key, expected = post.get("key", ""), post.getlist("expected")

    def write() -> None:
        if not key:
            raise Refused("Select an attribute.")
        if post.get("op") == "remove":
            attribute_actions.remove_attribute(site, document_id, key, by=by, expected=expected)
            return
        typed = [line for line in post.get("value", "").splitlines() if line.strip()]
        attribute_actions.set_attribute(site, document_id, key, typed or [""], by=by, expected=expected)

    return _answer(request, document_id, "attributes", write)


@require_POST
def change_metadata(request: DeskRequest, document_id: str) -> HttpResponse:
    """``op``: set (``key``, ``value``) or remove; ``before`` is the text that the page showed."""
    access.check_can_upload(request)
    admission.check_document(request, document_id)
    post = request.POST
    value = None if post.get("op") == "remove" else post.get("value", "").strip()

    def write() -> None:
        attribute_actions.set_metadata(
            request.site,
            document_id,
            post.get("key", ""),
            value,
            by=_by(request),
            expected=post.get("before"),
        )

    return _answer(request, document_id, "metadata", write)


@require_http_methods(["GET", "POST"])
def list_earlier_values(request: DeskRequest, document_id: str) -> HttpResponse:
    """What metadata and attributes said before; POST puts it back: ``kind``, ``key``, ``at``."""
    (access.check_can_upload if request.method == "POST" else access.check_can_view)(request)
    admission.check_document(request, document_id)
    document, post = get_document(request.site, document_id), request.POST
    hidden = bool(fields_hidden_from(request, document.project_id))
    error = ""
    if request.method == "POST":
        if hidden:
            raise NotAllowed("You may not see these values, so you cannot put them back.")
        which = (post.get("kind", ""), post.get("key", ""), post.get("at", ""))
        try:
            restore_earlier(request.site, document_id, *which, by=_by(request))
            messages.success(request, "Earlier values restored.")
            return redirect_after_post(request, reverse("documents:show-document", args=[document_id]))
        except (Refused, NotFound, InvalidKey) as refused:
            error = str(refused)
    context = {
        "document": document,
        "rows": list_earlier(request.site, document_id),
        "hidden": hidden,
        "mask": MASK,
        "error": error,
    }
    return render_answer(request, "projects/documents/earlier.html", None, context, status=422 if error else 200)


def _by(request: DeskRequest) -> Actor:
    return actor_of(request.user)


def _answer(request: DeskRequest, document_id: str, panel: str, write: Callable[[], None]) -> HttpResponse:
    """The panel as it is now; what was refused comes back with its sentence and with what was typed."""
    fragment = f"projects/documents/_{panel}.html"
    try:
        write()
    except (Refused, Conflict, InvalidKey, NotFound) as error:
        status = 409 if isinstance(error, Conflict) else 422
        notice = {"panel": panel, "text": str(error), "tone": "warn" if status == 409 else "bad"}
        typed = request.POST.dict() if status == 422 and request.POST.get("op") != "remove" else {}
        return document_page(
            request, document_id, fragment=fragment, status=status, notice=notice, typed={panel: typed}
        )
    if wants_fragment(request):
        return document_page(request, document_id, fragment=fragment)
    return redirect_after_post(request, f"{reverse('documents:show-document', args=[document_id])}#{panel}")


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
    which = PURGED if request.GET.get("which") == PURGED else DELETED_STATUS
    page = admission.filter_page(
        request,
        lambda place: removal_queries.list_removals(request.site, which, cursor=place),
        cursor,
        lambda row: row.document_id,
    )
    url = reverse("documents:list-deleted")
    context = {
        "rows": [(row, _WORDS[RemovalState(str(row.status))]) for row in page.rows],
        "which": which,
        "list_url": url,
        "next_cursor": page.next,
        "is_first": not cursor,
        "first_url": f"{url}?which={which}",
    }
    return render_answer(request, "projects/documents/deleted.html", None, context)


@require_safe
def show_deleted(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_delete(request)
    admission.check_document(request, document_id)
    record = removal_queries.get_removal(request.site, document_id)
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

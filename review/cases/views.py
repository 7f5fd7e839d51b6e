"""Pages of cases: the list, one case with its contents, my tasks, and a document's cases."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config import clock, table
from config.errors import Conflict, CountersignError, NotFound, Refused
from projects.audit.events import actor_of
from projects.documents.items import Document
from projects.documents.queries import get_document
from projects.documents.states import StatusLabel, look_of
from projects.queues import visibility
from projects.sites import access
from projects.sites.people import list_people
from projects.sites.permissions import Permission
from projects.web import days
from projects.web.http import DeskRequest, page_links, redirect_after_post, render_answer, version_in
from review.cases import actions, queries
from review.cases.actions import LONGEST_NAME, LONGEST_TEXT, CaseText, TaskText
from review.cases.items import Case, CaseItem, CaseNigo, CaseStatus, CaseTask, Kind
from review.cases.queries import CaseRows
from review.cases.rejections import read_description
from review.identity import ref_at

_KINDS = {"task": Kind.TASK, "nigo": Kind.NIGO}


@dataclass(frozen=True)
class ItemView:
    """A task or a NIGO. ``documents``: attached to it; ``review``: the rejected review that opened a NIGO."""

    item: CaseItem
    kind: str
    documents: Sequence["DocumentView"]
    description: str
    is_overdue: bool = False
    review_url: str = ""


@dataclass(frozen=True)
class DocumentView:
    """A document of a case, as it is now."""

    document: Document
    look: StatusLabel | None


@require_safe
def list_cases(request: DeskRequest) -> HttpResponse:
    """``?status=closed``: the closed ones."""
    access.check_can_view(request)
    return _list_page(request)


def _list_page(request: DeskRequest, error: CountersignError | None = None) -> HttpResponse:
    closed, cursor = request.GET.get("status") == "closed", request.GET.get("after")
    page = queries.list_cases(request.site, CaseStatus.CLOSED if closed else CaseStatus.OPEN, cursor=cursor)
    url = f"{reverse('cases:list-cases')}{'?status=closed' if closed else ''}"
    context = {
        "rows": page.rows,
        "view": "closed" if closed else "open",
        **page_links(request, page.next, url),
        "joiner": "&" if closed else "?",
        "error": str(error or ""),
        "typed": request.POST,
        "longest": LONGEST_NAME,
    }
    return render_answer(request, "review/cases/list.html", None, context, status=422 if error else 200)


@require_POST
def create_case(request: DeskRequest) -> HttpResponse:
    """``name``, ``number``, ``description``; ``document``: the id of its first document."""
    access.check_can_upload(request)
    post = request.POST
    documents = [post["document"]] if post.get("document") else []
    for one in documents:
        visibility.check_document(request, one)
    try:
        case = actions.create_case(request.site, _case_text(request), by=actor_of(request.user), document_ids=documents)
    except Refused as error:
        return _list_page(request, error)
    messages.success(request, gettext("%(name)s opened.") % {"name": case.name})
    return redirect_after_post(request, reverse("cases:show-case", args=[case.case_id]))


def _case_text(request: DeskRequest) -> CaseText:
    post = request.POST
    names = ("name", "description", "number", "reference")
    return CaseText(**{name: post.get(name, "") for name in names})


@require_safe
def list_tasks(request: DeskRequest) -> HttpResponse:
    """List the viewer's open tasks."""
    access.check_can_view(request)
    cursor = request.GET.get("after")
    page = queries.list_tasks_of(request.site, str(request.user.pk), cursor=cursor)
    cases = {one.case_id: one for one in Case.load_many([_key(request, row.case_id) for row in page.rows])}
    today = days.today().isoformat()
    context = {
        "rows": [(row, cases.get(row.case_id), bool(row.due_on and row.due_on < today)) for row in page.rows],
        "view": "tasks",
        **page_links(request, page.next, reverse("cases:list-tasks")),
    }
    return render_answer(request, "review/cases/tasks.html", None, context)


def _key(request: DeskRequest, case_id: str) -> Any:
    return table.CASE.key(request.site, case_id=case_id)


@require_safe
def show_case(request: DeskRequest, case_id: str) -> HttpResponse:
    access.check_can_view(request)
    return _page(request, case_id)


def _page(request: DeskRequest, case_id: str, *, error: CountersignError | None = None, form: str = "") -> HttpResponse:
    """``form``: the name of a refused form, which keeps its input. Raises: NotFound."""
    rows = queries.get_case_rows(request.site, case_id)
    documents = _documents(request, rows)
    closed_last = sorted(rows.tasks, key=lambda one: (not one.is_open, one.due_on or "~", one.item_id))
    context: dict[str, Any] = {
        "case": rows.case,
        "tasks": [_item(request, one, "task", rows, documents) for one in closed_last],
        "nigos": [
            _item(request, one, "nigo", rows, documents)
            for one in sorted(rows.nigos, key=lambda one: (not one.is_open, one.item_id))
        ],
        "documents": _list_attached(rows, documents, case_id),
        "people": list_people(request.site, Permission.READ) if access.can_upload(request) else (),
        "error": str(error or ""),
        "form": form,
        "typed": request.POST,
        "new_id": clock.new_ulid(),
        "longest": LONGEST_NAME,
        "longest_text": LONGEST_TEXT,
    }
    status = 200 if error is None else 409 if isinstance(error, Conflict) else 422
    return render_answer(request, "review/cases/show.html", None, context, status=status)


def _documents(request: DeskRequest, rows: CaseRows) -> dict[str, DocumentView]:
    """Return the case's documents that the person may see, without deleted ones."""
    ids = {str(one.documentId) for one in rows.documents}
    ids -= visibility.find_hidden_documents(request, ids)
    found = Document.load_many([table.DOCUMENT.key(request.site, document_id=one) for one in sorted(ids)])
    return {one.documentId: DocumentView(one, look_of(one.status)) for one in found}


def _list_attached(rows: CaseRows, documents: Mapping[str, DocumentView], object_id: str) -> list[DocumentView]:
    ids = [str(one.documentId) for one in rows.documents if one.objectId == object_id]
    return [documents[one] for one in ids if one in documents]


def _item(
    request: DeskRequest, item: CaseItem, kind: str, rows: CaseRows, documents: Mapping[str, DocumentView]
) -> ItemView:
    hidden = {str(one.documentId) for one in rows.documents}.difference(documents)
    view = ItemView(item, kind, _list_attached(rows, documents, item.item_id), read_description(request, item, hidden))
    if isinstance(item, CaseTask):
        overdue = item.is_open and bool(item.due_on) and str(item.due_on) < days.today().isoformat()
        return replace(view, is_overdue=overdue)
    review = item.review if isinstance(item, CaseNigo) else None
    if not review or (ref := ref_at(request.site, review)).document_id in hidden:
        return view
    return replace(view, review_url=reverse("review:show-review", args=[ref.document_id, ref.review_id]))


@require_http_methods(["GET", "POST"])
def edit_case(request: DeskRequest, case_id: str) -> HttpResponse:
    access.check_can_upload(request)
    case = queries.get_case(request.site, case_id)
    error, status = "", 200
    if request.method == "POST":
        try:
            version = version_in(request.POST)
            actions.update_case(request.site, case_id, _case_text(request), version=version, by=actor_of(request.user))
        except (Refused, Conflict) as refused:
            error, status = str(refused), 409 if isinstance(refused, Conflict) else 422
            case = queries.get_case(request.site, case_id)
        else:
            messages.success(request, gettext("Case saved."))
            return redirect_after_post(request, reverse("cases:show-case", args=[case_id]))
    stored = {
        "name": case.name, "number": case.caseNumber, "reference": case.documentNumber, "description": case.description
    }  # fmt: skip
    typed = stored | {name: request.POST[name] for name in stored if name in request.POST}
    context = {"case": case, "typed": typed, "error": error, "longest": LONGEST_NAME, "longest_text": LONGEST_TEXT}
    return render_answer(request, "review/cases/edit.html", None, context, status=status)


@require_POST
def settle_case(request: DeskRequest, case_id: str) -> HttpResponse:
    """``op``: close or reopen."""
    access.check_can_upload(request)
    do = actions.reopen_case if request.POST.get("op") == "reopen" else actions.close_case
    return _answer(request, case_id, lambda: do(request.site, case_id, by=actor_of(request.user)))


@require_POST
def add_item(request: DeskRequest, case_id: str, kind: str) -> HttpResponse:
    """Add a task (``name``, ``owner``, ``due_on``) or NIGO (``name``, ``description``). ``item_id``: from the form."""
    access.check_can_upload(request)
    post, by = request.POST, actor_of(request.user)
    item_id = post.get("item_id", "") if len(post.get("item_id", "")) == 26 else ""

    def write() -> None:
        if _kind(kind) == Kind.TASK:
            actions.add_task(request.site, case_id, _task_text(request), by=by, task_id=item_id)
        else:
            name, description = post.get("name", ""), post.get("description", "")
            actions.add_nigo(request.site, case_id, name, description, by=by, nigo_id=item_id)

    return _answer(request, case_id, write, form=kind)


def _kind(kind: str) -> Kind:
    """Raises: NotFound."""
    if kind not in _KINDS:
        raise NotFound(queries.MISSING)
    return _KINDS[kind]


def _task_text(request: DeskRequest) -> TaskText:
    """Raises: Refused if the owner is not a person of this site."""
    post = request.POST
    owner_id = post.get("owner", "")
    people = {one.id: one.name for one in list_people(request.site, Permission.READ)} if owner_id else {}
    if owner_id and owner_id not in people:
        raise Refused(gettext("Select the owner from the list."))
    return TaskText(
        post.get("name", ""), post.get("description", ""), owner_id, people.get(owner_id, ""), post.get("due_on", "")
    )


@require_POST
def settle_item(request: DeskRequest, case_id: str, kind: str, item_id: str) -> HttpResponse:
    """``op``: close (``answer``), reopen, or change (a task's texts)."""
    access.check_can_upload(request)
    post, by, which = request.POST, actor_of(request.user), _kind(kind)

    def write() -> None:
        if post.get("op") == "reopen":
            actions.reopen_item(request.site, case_id, which, item_id, by=by)
        elif post.get("op") == "change" and which == Kind.TASK:
            actions.update_task(request.site, case_id, item_id, _task_text(request), by=by)
        else:
            actions.close_item(request.site, case_id, which, item_id, answer=post.get("answer", ""), by=by)

    return _answer(request, case_id, write, form=item_id)


@require_POST
def attach_document(request: DeskRequest, case_id: str) -> HttpResponse:
    """``document``: an id, or the address of its page; ``op``: remove. ``kind`` and ``item``: of a task or a NIGO."""
    access.check_can_upload(request)
    post, by = request.POST, actor_of(request.user)
    kind, item_id = _KINDS.get(post.get("kind", ""), Kind.CASE), post.get("item", "")
    document_id = _document_id(post.get("document", ""))

    def write() -> None:
        if not document_id:
            raise Refused(gettext("Enter the ID of a document, or the address of its page."))
        visibility.check_document(request, document_id)
        do = actions.detach_document if post.get("op") == "remove" else actions.attach_document
        do(request.site, case_id, document_id, by=by, kind=kind, item_id=item_id)

    return _answer(request, case_id, write, form="document")


def _document_id(text: str) -> str:
    """Return the id from an id or the URL of a document's page."""
    return text.partition("/documents/")[2].partition("/")[0] if "/documents/" in text else text.strip()


def _answer(request: DeskRequest, case_id: str, write: Callable[[], object], *, form: str = "") -> HttpResponse:
    try:
        write()
    except NotFound as error:
        return _page(request, case_id, error=Refused(str(error)), form=form)
    except (Refused, Conflict) as error:
        return _page(request, case_id, error=error, form=form)
    return redirect_after_post(request, reverse("cases:show-case", args=[case_id]))


@require_http_methods(["GET", "POST"])
def choose_case(request: DeskRequest, document_id: str) -> HttpResponse:
    """Show a document's cases and those it can be added to; a POST adds it to ``case``."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    if request.method == "POST":
        access.check_can_upload(request)
        case_id = request.POST.get("case", "")
        case = queries.get_case(request.site, case_id)
        actions.attach_document(request.site, case_id, document_id, by=actor_of(request.user))
        messages.success(request, gettext("Added to %(name)s.") % {"name": case.name})
        return redirect_after_post(request, reverse("cases:show-case", args=[case_id]))
    mine = queries.list_cases_of_document(request.site, document_id)
    known = {one.case_id for one in mine}
    opened = queries.list_cases(request.site, CaseStatus.OPEN).rows
    context = {
        "document": get_document(request.site, document_id),
        "mine": mine,
        "others": [one for one in opened if one.case_id not in known],
        "longest": LONGEST_NAME,
    }
    return render_answer(request, "review/cases/choose.html", None, context)

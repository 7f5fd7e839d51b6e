"""Pages of test sets: the list, a new test set, and one with its documents."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config import table
from config.errors import Conflict, NotFound, Refused
from config.phrase import Phrase, count_phrase
from projects.audit.events import actor_of
from projects.queues import visibility
from projects.schemas import queries as schema_queries
from projects.settings.items import Project
from projects.sites import access
from projects.web.http import (
    DeskRequest,
    page_links,
    read_number,
    redirect_after_post,
    render_answer,
    version_in,
    wants_fragment,
)
from projects.web.polled_banner import PolledBanner
from workflows.runs.items import ProjectDocument
from workflows.testsets import actions, queries, tasks
from workflows.testsets.actions import Source
from workflows.testsets.cases import HALVES, TUNING, Case
from workflows.testsets.forms import NewSetForm, SeedingForm, SourceForm
from workflows.testsets.items import StoredTestSet
from workflows.testsets.queries import SetRef

_A_PAGE = 25
_HALF_LABELS = {"tuning": Phrase("Tuning"), "held_back": Phrase("Held back")}


@dataclass(frozen=True)
class CaseRow:
    """``name``: empty if the document was deleted or purged."""

    case: Case
    name: str
    run_id: str


@require_safe
def list_test_sets(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    cursor = request.GET.get("after")
    page = queries.list_test_sets(request.site, project.id, cursor)
    context = {
        "project": project,
        "rows": page.rows,
        **page_links(request, page.next, request.path),
    }
    return render_answer(request, "workflows/testsets/list.html", None, context)


@require_http_methods(["GET", "POST"])
def create_test_set(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    types = schema_queries.all_classifications(request.site)
    if request.method == "GET":
        return _new_page(request, project, NewSetForm(types, initial={"name": Phrase("Reviewed documents")}))
    form = NewSetForm(types, request.POST, request.FILES)
    if not form.is_valid():
        return _new_page(request, project, form, status=422)
    by = actor_of(request.user)
    try:
        source = _read_source(request, project, form)
        name = actions.check_name(form.cleaned_data["name"])
    except Refused as error:
        form.add_error("file" if request.FILES else None, str(error))
        return _new_page(request, project, form, status=422)
    ref = actions.create_test_set(request.site, project.id, name, by=by)
    tasks.order_building(ref, source, by=by)
    return redirect_after_post(request, _address(ref))


@require_safe
def show_test_set(request: DeskRequest, project_id: str, testset_id: str) -> HttpResponse:
    """``?half=``: tuning or held_back; ``?after=``: the number of documents to skip."""
    project = access.project_to_configure(request, project_id)
    ref = SetRef(request.site, project.id, testset_id)
    return _set_page(request, project, ref, queries.get_test_set(ref))


@require_POST
def add_documents(request: DeskRequest, project_id: str, testset_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    ref = SetRef(request.site, project.id, testset_id)
    head = queries.get_test_set(ref)
    form = SourceForm(schema_queries.all_classifications(request.site), request.POST, request.FILES)
    if not form.is_valid():
        return _set_page(request, project, ref, head, form, status=422)
    try:
        source = _read_source(request, project, form)
    except Refused as error:
        form.add_error("file", str(error))
        return _set_page(request, project, ref, head, form, status=422)
    actions.announce_building(ref)
    tasks.order_building(ref, source, by=actor_of(request.user))
    return redirect_after_post(request, _address(ref))


@require_POST
def remove_document(request: DeskRequest, project_id: str, testset_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    ref = SetRef(request.site, project.id, testset_id)
    try:
        version = actions.remove_case(
            ref, request.POST.get("document_id", ""), based_on=version_in(request.POST), by=actor_of(request.user)
        )
    except Conflict as error:
        return _set_page(request, project, ref, queries.get_test_set(ref), clash=str(error), status=409)
    messages.success(request, gettext("Saved as version %(version)s of the test set.") % {"version": version})
    return redirect_after_post(request, _address(ref))


@require_POST
def change_seeding(request: DeskRequest, project_id: str, testset_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    ref = SetRef(request.site, project.id, testset_id)
    form = SeedingForm(request.POST)
    if not form.is_valid():
        return _set_page(request, project, ref, queries.get_test_set(ref), seeding=form, status=422)
    actions.seed_reviews(ref, float(form.cleaned_data["percent"]) / 100, by=actor_of(request.user))
    messages.success(request, gettext("Seeded checks saved. The share holds for reviews that open from now on."))
    return redirect_after_post(request, _address(ref))


def _read_source(request: DeskRequest, project: Project, form: SourceForm) -> Source:
    """Raises: Refused."""
    if file := form.cleaned_data["file"]:
        return actions.keep_upload(request.site, project, file.read())
    return Source(most=form.cleaned_data["most"], classification_id=form.cleaned_data["classification_id"])


def _address(ref: SetRef) -> str:
    return reverse("workflows:show-test-set", args=[ref.project_id, ref.testset_id])


def _new_page(request: DeskRequest, project: Project, form: NewSetForm, *, status: int = 200) -> HttpResponse:
    return render_answer(
        request, "workflows/testsets/new.html", None, {"project": project, "form": form}, status=status
    )


def _set_page(
    request: DeskRequest,
    project: Project,
    ref: SetRef,
    head: StoredTestSet,
    form: SourceForm | None = None,
    *,
    seeding: SeedingForm | None = None,
    clash: str = "",
    status: int = 200,
) -> HttpResponse:
    cases = queries.load_cases(ref, str(head.sha256)) if head.sha256 else ()
    half = request.GET.get("half", TUNING)
    if half not in HALVES:
        raise NotFound(gettext("A test set has two halves: tuning and held back."))
    start = read_number(request.GET.get("after"))
    mine = [one for one in cases if one.half == half]
    shown = mine[start : start + _A_PAGE]
    context = {
        "project": project,
        "head": head,
        "versions": queries.list_test_set_versions(ref).rows,
        "halves": [
            (name, label, sum(one.half == name for one in cases), name == half) for name, label in _HALF_LABELS.items()
        ],
        "rows": _list_rows(request, project.id, shown),
        "next_cursor": str(start + _A_PAGE) if len(mine) > start + _A_PAGE else None,
        "is_first": not start,
        "first_url": f"{_address(ref)}?half={half}",
        "joiner": "&",
        "form": form or SourceForm(schema_queries.all_classifications(request.site)),
        "seeding": seeding or SeedingForm(initial={"percent": round(float(head.seed_share or 0) * 100, 2)}),
        "clash": clash,
        "banner": _describe_building(ref, head, is_polled=wants_fragment(request)),
    }
    fragment = "_polled_banner.html" if request.method == "GET" else None
    return render_answer(request, "workflows/testsets/show.html", fragment, context, status=status)


def _describe_building(ref: SetRef, head: StoredTestSet, *, is_polled: bool) -> PolledBanner:
    address, count = _address(ref), int(head.documents or 0)
    lost = Phrase("Nothing was added: the worker was lost. Add the documents again.")
    return PolledBanner(
        "testset-status",
        poll_url=address,
        page_url=address,
        is_under_way=head.is_building,
        waiting=Phrase("Adding documents. Runs started earlier go first."),
        problem=lost if head.is_lost else str(head.message or ""),
        done=count_phrase(
            "Version %(version)s has %(count)s document.",
            "Version %(version)s has %(count)s documents.",
            count,
            version=head.version,
        )
        if is_polled
        else "",
    )


def _list_rows(request: DeskRequest, project_id: str, cases: Sequence[Case]) -> list[CaseRow]:
    """One BatchGetItem for names; documents in queues that are closed to the person are omitted."""
    allowed = visibility.filter_rows(request, cases, lambda one: one.document_id)
    keys = [
        table.PROJECT_DOCUMENT.key(request.site, project_id=project_id, document_id=one.document_id) for one in allowed
    ]
    live = {str(row.document_id): row for row in ProjectDocument.load_many(keys) if row.hidden is None}
    rows = []
    for one in allowed:
        row = live.get(one.document_id)
        rows.append(CaseRow(one, str(row.name or "") if row else "", str(row.workflow_id or "") if row else ""))
    return rows

"""Pages of a document after its first run: versions, re-runs, comparison, deletion."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config import table
from config.errors import NotFound, Refused
from config.item import Item, Page
from config.table import InvalidKey
from projects.audit.events import actor_of
from projects.documents import queries as document_queries
from projects.documents.items import Document, DocumentVersion
from projects.documents.view_log import record_view
from projects.entities import queries as entity_queries
from projects.models import queries as model_queries
from projects.queues import admission
from projects.schemas import queries as schema_queries
from projects.settings import queries as project_queries
from projects.sites import access, directory
from projects.sites.permissions import Permission
from projects.web.http import DeskRequest, make_inert, redirect_after_post, render_answer
from workflows.definitions import versions
from workflows.definitions.blueprint import FIRST_ANALYSIS, Definition
from workflows.documents import compare, reanalysis
from workflows.documents.actions import imports, removals, reruns
from workflows.documents.actions.reruns import Source
from workflows.documents.compare import Verdict
from workflows.documents.forms import AnalysisForm, StageForm
from workflows.documents.reruns import ANALYSED
from workflows.documents.tasks import order_import, order_removal_soon
from workflows.intake.content_types import ALSO, EXTENSIONS, SUPPORTED
from workflows.intake.upload import FORM_BYTES, HashedFileHandler, SizeGuard, size_words, take_content, too_large
from workflows.publish.tasks import enqueue_follow_up
from workflows.runs import queries, run_cost, run_settings, seed_000
from workflows.runs.items import DocumentWorkflow, Outcome, ProjectDocument, Run, StepStatus
from workflows.runs.known_entities import describe_sender
from workflows.runs.run_cost import RunCost
from workflows.runs.views import state_labels
from workflows.runs.views.pages import run_of
from workflows.runs.views.results import load_result
from workflows.runs.views.state_labels import Mark
from workflows.stages.base import RunSettings
from workflows.stages.formats import CONTAINERS
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

_WORDS = {
    Verdict.SAME: Mark("", "check", "the same"),
    Verdict.CHANGED: Mark("warn", "split", "differs"),
    Verdict.LEFT: Mark("info", "left", "left only"),
    Verdict.RIGHT: Mark("info", "right", "right only"),
}


@dataclass(frozen=True)
class Choice:
    workflow_id: str
    words: str


@dataclass(frozen=True)
class Side:
    """One run of the two. ``fields`` is None if nothing was read; ``counts``: the document shows this result."""

    workflow_id: str
    at: Any
    mark: Mark
    fields: Sequence[Mapping[str, Any]] | None
    settings: RunSettings
    cost: str
    counts: bool
    published: bool


@require_safe
def compare_runs(request: DeskRequest, document_id: str) -> HttpResponse:
    document = _document(request, document_id)
    page = queries.document_workflows(request.site, document_id, cursor=request.GET.get("after"))
    choices = [_choice(row) for row in page.rows]
    row = queries.project_document(request.site, document.project_id, document_id)
    names = _requested_pair(request, [one.workflow_id for one in choices], row.counts)
    choices += _further(request, document_id, names, choices)
    left, right = (_side(request, document, name, row.counts) if name else None for name in names)
    context: dict[str, Any] = {
        "may_choose": access.can(request, Permission.WRITE) and (not row.decided or access.can_review(request)),
        "decided": row.decided,
        "document": document, "choices": choices, "next": page.next, "left": left, "right": right,
        "left_id": names[0], "right_id": names[1],
    }  # fmt: skip
    if left and right:
        rows = compare.compare_fields(left.fields or (), right.fields or ())
        context |= {
            "rows": [(one, _WORDS[one.verdict]) for one in rows],
            "changed": sum(one.verdict != Verdict.SAME for one in rows),
            "settings": compare.settings_that_differ(left.settings, right.settings),
        }
    return record_view(request, render_answer(request, "workflows/documents/compare.html", None, context), document_id)


@require_POST
def choose_result(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    access.check_can_upload(request)
    board, _ = run_of(request, document_id, workflow_id)
    run = Run(request.site, str(board.project_id), document_id, workflow_id)
    if reruns.choose_result(run, by=actor_of(request.user), reviews=access.can_review(request)):
        enqueue_follow_up(run)
    messages.success(request, "This result is now in use. Other results are kept.")
    return redirect_after_post(request, reverse("workflows:show-run", args=[document_id, workflow_id]))


def _document(request: DeskRequest, document_id: str) -> Document:
    access.check_can_view(request)
    admission.check_document(request, document_id)
    return document_queries.get_document(request.site, document_id)


def _requested_pair(request: DeskRequest, known: Sequence[str], in_use: str) -> tuple[str, str]:
    """Left and right: as the address says; else the result in use on the left, and the newest other run beside it."""
    left, right = request.GET.get("left", ""), request.GET.get("right", "")
    if left and right:
        return left, right
    one = left or right or in_use or "".join(known[1:2])
    other = next((name for name in (in_use, *known) if name and name != one), "")
    if not left and (other == in_use or (right and one != in_use)):
        return other, one
    return one, other


def _choice(link: DocumentWorkflow) -> Choice:
    name = str(link.SK).partition("#")[2]
    at = state_labels.start_of_run(name)
    began = f"{at:%d %b %Y, %H:%M}" if at else str(link.created_at)[:16]
    label = next((one.label for one in _pinned_definition(link).steps if one.name == link.began_at), "")
    return Choice(name, f"{began} · …{name[-6:]}{f' · from {label}' if label else ''}")


def _further(request: DeskRequest, document_id: str, names: Sequence[str], choices: Sequence[Choice]) -> list[Choice]:
    """The two that are compared, where the page's list goes on without them. Raises: NotFound."""
    missing = set(filter(None, names)) - {one.workflow_id for one in choices}
    try:
        return [_choice(queries.document_workflow(request.site, document_id, name)) for name in sorted(missing)]
    except InvalidKey as error:
        raise NotFound("Run not found.") from error


def _pinned_definition(link: DocumentWorkflow) -> Definition:
    return versions.find_definition(link.definition or FIRST_ANALYSIS.id)


def _side(request: DeskRequest, document: Document, workflow_id: str, current: str) -> Side:
    """Raises: NotFound, also if the run is another document's."""
    board, earlier = run_of(request, document.document_id, workflow_id)
    if earlier is not None:
        raise NotFound("Runs of an earlier system store no settings or fields to compare.")
    try:
        link = queries.document_workflow(request.site, document.document_id, workflow_id)
    except InvalidKey as error:
        raise NotFound("Run not found.") from error
    published = board.outcome == Outcome.PUBLISHED
    store = DocumentFiles(request.site, document.project_id, document.document_id)
    waits = not board.outcome and _pinned_definition(link).named(str(board.current_step)).type == "approval"
    return Side(
        workflow_id=workflow_id,
        at=state_labels.start_of_run(workflow_id),
        mark=state_labels.of_run(board.outcome, waits=waits, beside=bool(board.keeps) and workflow_id != current),
        fields=_fields(store, files.output(workflow_id) if published else files.result(workflow_id)),
        settings=run_settings.from_json(link.settings),
        cost=str(run_cost.of_link(link)),
        counts=workflow_id == current,
        published=published,
    )


def _fields(store: DocumentFiles, name: str) -> Sequence[Mapping[str, Any]] | None:
    try:
        return compare.fields_of(json.loads(store.read(name)))
    except NotFound:
        return None


_LONGEST_REASON = 300  # letters


@require_http_methods(["GET", "POST"])
def delete_document(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_delete(request)
    admission.check_document(request, document_id)
    document = document_queries.get_document(request.site, document_id)
    if request.method == "GET":
        return _removal_page(request, document)
    reason = request.POST.get("reason", "").strip()[:_LONGEST_REASON]
    try:
        removals.delete_document(request.site, document_id, by=actor_of(request.user), reason=reason)
    except Refused as error:
        return _removal_page(request, document, error=str(error), status=422)
    messages.success(request, f"{document.name} was deleted. You can restore it.")
    return redirect_after_post(request, reverse("documents:show-deleted", args=[document_id]))


def _removal_page(request: DeskRequest, document: Document, *, error: str = "", status: int = 200) -> HttpResponse:
    row = queries.project_document(request.site, document.project_id, document.document_id)
    under_way = removals.UNDER_WAY if row.status == StepStatus.IN_PROGRESS else ""
    children = document_queries.document_rows(request.site, document.document_id).children
    context = {
        "document": document,
        "blocked": error or (removals.HELD if document.hold_at else under_way),
        "children": sum(not child.deleted_at for child in children),
        "longest": _LONGEST_REASON,
    }
    return render_answer(request, "workflows/documents/delete.html", None, context, status=status)


@require_POST
def restore_document(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_delete(request)
    admission.check_document(request, document_id)
    removals.restore_document(request.site, document_id, by=actor_of(request.user))
    messages.success(request, "Document restored.")
    return redirect_after_post(request, reverse("documents:show-document", args=[document_id]))


@require_POST
def purge_document(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_delete(request)
    admission.check_document(request, document_id)
    if request.POST.get("sure") != "yes":
        raise Refused("Confirm the permanent deletion: it cannot be undone.")
    removals.purge_document(request.site, document_id, by=actor_of(request.user))
    order_removal_soon(request.site, document_id)
    messages.success(request, "The document is being permanently deleted.")
    return redirect_after_post(request, reverse("documents:show-deleted", args=[document_id]))


_BEGUN = "New run started. The earlier run and its result are kept."


@require_safe
def show_reruns(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    access.check_can_upload(request)
    run, _ = _any_run(request, document_id, workflow_id)
    return _rerun_page(request, run)


@require_POST
def run_again(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    access.check_can_upload(request)
    run, foreign = _any_run(request, document_id, workflow_id)
    try:
        if foreign:
            imports.open_run(run, request.POST.get("step", ""), by=actor_of(request.user))
        went = reruns.run_again(run, request.POST.get("step", ""), by=actor_of(request.user))
    except Refused as error:
        return _rerun_page(request, run, stage_error=str(error), status=422)
    same = went == run
    messages.success(request, "The run continues from there." if same else "New run started; this one is kept.")
    return redirect_after_post(request, reverse("workflows:show-run", args=[document_id, went.workflow_id]))


@require_POST
def analyse_again(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    access.check_can_upload(request)
    run = _run(request, document_id, workflow_id)
    before = _settings(run)
    form = AnalysisForm(before, _classifications(request), _models(request), request.POST)
    try:
        pinned = reanalysis.merge_wish(run.site, run.project_id, before, form.wish())
        went = reruns.analyse_again(run, pinned, by=actor_of(request.user))
    except Refused as error:
        return _rerun_page(request, run, form=form, error=str(error), status=422)
    messages.success(request, _BEGUN)
    return redirect_after_post(request, reverse("workflows:show-run", args=[document_id, went.workflow_id]))


def _rerun_page(
    request: DeskRequest, run: Run, *, form: AnalysisForm | None = None, error: str = "", stage_error: str = "",
    status: int = 200,
) -> HttpResponse:  # fmt: skip
    board = queries.board(run.site, run.workflow_id)
    foreign = bool(seed_000.fill_boards(run.site, [board]))
    context = {"board": board, "error": error, "stage_error": stage_error, "foreign": foreign}
    if foreign:
        offered = StageForm(versions.active_definition().steps[:1])
        return render_answer(
            request, "workflows/documents/reruns.html", "workflows/documents/_reruns.html",
            context | {"stages": offered, "beside": True}, status=status,
        )  # fmt: skip
    try:
        source = reruns.source_of(run)
    except Refused as refused:
        context["refused"] = str(refused)
        return render_answer(
            request, "workflows/documents/reruns.html", "workflows/documents/_reruns.html", context, status=status
        )
    before = run_settings.from_json(source.link.settings)
    analysed = any(one.name == ANALYSED for one in source.ended.offered)
    context |= {
        "stages": StageForm(source.ended.offered, initial={"step": request.GET.get("step")})
        if source.ended.offered
        else None,
        "form": (form or AnalysisForm(before, _classifications(request), _models(request))) if analysed else None,
        "pages": int(board.page_count or 0),
        "beside": _is_beside(source),
        "decided": source.decided,
    }
    return render_answer(
        request, "workflows/documents/reruns.html", "workflows/documents/_reruns.html", context, status=status
    )


def _is_beside(source: Source) -> bool:
    """Whether every stage would begin a new run: then the page says that this one stays."""
    ended = source.ended
    return not any(ended.goes_on(ended.first(one)) for one in ended.offered)


def _settings(run: Run) -> RunSettings:
    return run_settings.from_json(queries.document_workflow(run.site, run.document_id, run.workflow_id).settings)


def _classifications(request: DeskRequest) -> dict[str, str]:
    rows, _ = schema_queries.list_classifications(request.site)
    return {one.id: one.name for one in rows if not one.archived}


def _models(request: DeskRequest) -> dict[str, str]:
    return {one.id: one.name for one in model_queries.list_models(request.site)}


def _run(request: DeskRequest, document_id: str, workflow_id: str) -> Run:
    """Raises: NotFound; Refused, of a run of another system."""
    run, foreign = _any_run(request, document_id, workflow_id)
    if foreign:
        raise Refused("Another system made this run. Re-run it from its first step.")
    return run


def _any_run(request: DeskRequest, document_id: str, workflow_id: str) -> tuple[Run, bool]:
    """The run, and whether another system made it. Raises: NotFound."""
    board, foreign = run_of(request, document_id, workflow_id)
    return Run(request.site, str(board.project_id), document_id, workflow_id), foreign is not None


@require_POST
def import_documents(request: DeskRequest, project_id: str) -> HttpResponse:
    access.project_to_view(request, project_id)
    access.check_can_upload(request)
    order_import(request.site, project_id, by=actor_of(request.user))
    messages.success(request, "Import started. Documents appear in all lists as they are imported.")
    return redirect_after_post(request, reverse("workflows:list-documents", args=[project_id]))


_ENDS = {
    "completed": Mark("good", "check", "Ended"),
    "failed": Mark("bad", "alert", "Failed"),
    "in_progress": state_labels.UNDER_WAY,
}


@dataclass(frozen=True)
class RunRow:
    workflow_id: str
    file_name: str
    at: Any
    mark: Mark
    error: str
    cost: str


@require_safe
def list_document_runs(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_view(request)
    admission.check_document(request, document_id)
    if not access.can_delete(request) and document_queries.is_gone(request.site, document_id):
        raise NotFound("This document was deleted.")
    context, _ = load_runs(request, document_id)
    return render_answer(
        request, "workflows/documents/document_runs.html", "workflows/documents/_document_runs.html", context
    )


def load_runs(request: DeskRequest, document_id: str) -> tuple[dict[str, Any], ProjectDocument | None]:
    """What the panel of runs shows, and the document's row in its project; None before its first run.

    Raises: NotFound, if the address names no place among them.
    """
    try:
        page = queries.document_workflows(request.site, document_id, cursor=request.GET.get("after"))
    except InvalidKey as error:
        raise NotFound("Document not found.") from error
    project_id = _project_of(page.rows)
    try:
        row = queries.project_document(request.site, project_id, document_id) if project_id else None
    except NotFound:
        row = None
    return _describe_runs(document_id, page, row), row


def _describe_runs(document_id: str, page: Page[DocumentWorkflow], row: ProjectDocument | None) -> dict[str, Any]:
    return {
        "document_id": document_id,
        "runs": [_run_row(link, row) for link in page.rows],
        "next_runs": page.next,
        "cost": str(sum(map(run_cost.of_link, page.rows), RunCost())),
        "in_use": _in_use(row) if row and len(page.rows) > 1 else "",
    }


def _project_of(links: Sequence[DocumentWorkflow]) -> str:
    """Empty before the first run."""
    return str(links[0].data.as_dict().get("project_id") or "") if links else ""


def _in_use(row: ProjectDocument) -> str:
    """The run whose result is the document's; empty while nothing has been published."""
    return row.counts if row.decided or row.outcome == Outcome.PUBLISHED else ""


def _run_row(link: DocumentWorkflow, row: ProjectDocument | None) -> RunRow:
    """The document's row says more of its newest run than that run's own link does."""
    run_id, status = str(link.SK).partition("#")[2], str(link.data["status"])
    mark = _ENDS.get(status, Mark("", "info", status.replace("_", " ")))
    if row is not None and row.workflow_id == run_id:
        mark = state_labels.of_document(row.status, row.outcome, row.current_step)
    return RunRow(
        run_id,
        str(link.data["file_name"]),
        state_labels.start_of_run(run_id) or link.created_at,
        mark,
        str(link.data.as_dict().get("error") or ""),
        str(run_cost.of_link(link)),
    )


_CHUNK = 64 * 1024


@dataclass(frozen=True)
class ContentRow:
    """A content as its panel lists it; ``at``: the second in its key, which names it in addresses."""

    version: DocumentVersion
    at: str
    current: bool


def get_document(request: DeskRequest, document_id: str) -> Document:
    """Raises: NotAllowed; NotFound, also if it was deleted or its queue does not let the person in."""
    access.check_can_view(request)
    admission.check_document(request, document_id)
    return document_queries.get_document(request.site, document_id)


# The token is checked inside: checking it reads the body, which permission, length and our upload handler come before.
@csrf_exempt
@require_http_methods(["GET", "POST"])
def list_contents(request: DeskRequest, document_id: str) -> HttpResponse:
    document = get_document(request, document_id)
    if request.method == "GET":
        return _versions_page(request, document)
    access.check_can_upload(request)
    if int(request.META.get("CONTENT_LENGTH") or 0) > settings.UPLOAD_MAX_BYTES + FORM_BYTES:
        response = _versions_page(request, document, error=too_large(), status=413)
        response["Connection"] = "close"  # the rest of the body is not read
        return response
    guard = SizeGuard()
    request.upload_handlers = [guard, HashedFileHandler(request)]
    answered: HttpResponse = _receive(request, document=document, guard=guard)
    return answered


@csrf_protect
def _receive(request: DeskRequest, *, document: Document, guard: SizeGuard) -> HttpResponse:
    file = request.FILES.get("file")
    if guard.exceeded:
        return _versions_page(request, document, error=too_large(), status=413)
    if file is None:
        return _versions_page(request, document, error="Choose a file.", status=422)
    project = project_queries.get_project(request.site, document.project_id)
    try:
        taken = take_content(request.site, project, document, file, by=actor_of(request.user))
    except Refused as error:
        return _versions_page(request, document, error=str(error), status=422)
    messages.success(request, f"{taken.name} is the current file version. Processing has started.")
    for note in taken.notes:
        messages.warning(request, f"{taken.name}: {note}")
    return redirect_after_post(request, reverse("documents:show-document", args=[document.document_id]))


def _versions_page(request: DeskRequest, document: Document, *, error: str = "", status: int = 200) -> HttpResponse:
    context = load_contents(request, document) | {"error": error}
    return render_answer(
        request, "workflows/documents/contents.html", "workflows/documents/_contents.html", context, status=status
    )


def load_contents(request: DeskRequest, document: Document) -> dict[str, Any]:
    """What the panel of file versions shows."""
    cursor = request.GET.get("after")
    if cursor or not document_queries.has_one_version(document):
        page = document_queries.list_versions(request.site, document.document_id, cursor=cursor)
    else:
        page = Page([document_queries.only_version(document)], None)
    return {
        "document": document,
        "contents": [_row(document, version) for version in page.rows],
        "next_contents": page.next,
        "is_container": document.contentType in CONTAINERS,
        "accept": ",".join(sorted({*EXTENSIONS.values(), *ALSO})),
        "supported": SUPPORTED,
        "limit": size_words(settings.UPLOAD_MAX_BYTES),
    }


def _row(document: Document, version: DocumentVersion) -> ContentRow:
    at = version.SK.partition("#")[2]
    return ContentRow(version, at, at == document.content_at)


@require_safe
def download_content(request: DeskRequest, document_id: str, at: str) -> HttpResponseBase:
    """One content as it was uploaded, always as a file to keep: a browser must not run what someone sent us."""
    document = get_document(request, document_id)
    version = document_queries.get_version(request.site, document_id, at)
    store = DocumentFiles(request.site, document.project_id, document_id)
    body, length = store.open_original(version.s3_key, version.s3version)
    response = StreamingHttpResponse(body.iter_chunks(_CHUNK), content_type=version.contentType)
    response["Content-Length"] = str(length)
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=version.name) or ""
    response["Cache-Control"] = "private, no-store"
    return record_view(request, make_inert(response), document_id)


@require_safe
def show_work(request: DeskRequest, document_id: str) -> HttpResponse:
    """One answer for three panels of the document's page: each of its own would be a request more.

    Three calls: its runs, its two rows, and its result; one more if it has newer contents, and one for its sender's
    types on a site that keeps entities.
    """
    access.check_can_view(request)
    admission.check_document(request, document_id)
    try:
        page = queries.document_workflows(request.site, document_id, cursor=request.GET.get("after"))
        document, row = _read_both_rows(request.site, document_id, _project_of(page.rows))
    except InvalidKey as error:
        raise NotFound("Document not found.") from error
    context = _describe_runs(document_id, page, row) | load_contents(request, document)
    if row is not None:
        published = row.outcome == Outcome.PUBLISHED or bool(row.decided)
        context |= load_result(request, document.project_id, document_id, row.counts, published=published)
        context |= {
            "row": row,
            "run": row.counts,
            "has_image": _is_drawn(document),
            "sender_ways": _list_sender_ways(request, context.get("fields") or ()) if published else (),
        }
    return render_answer(request, "workflows/documents/work.html", "workflows/documents/_work.html", context)


def _read_both_rows(site: str, document_id: str, project_id: str) -> tuple[Document, ProjectDocument | None]:
    """The document's own row, and the one in its project. Raises: NotFound, if it was deleted or is not there."""
    mine = table.DOCUMENT.key(site, document_id=document_id)
    listed = table.PROJECT_DOCUMENT.key(site, project_id=project_id, document_id=document_id) if project_id else None
    names = {one.attr_name for kind in (Document, ProjectDocument) for one in kind.get_attributes().values()}
    found = Item.together([mine, *filter(None, [listed])], only=sorted(names))
    if mine not in found:
        raise NotFound("Document not found.")
    row = ProjectDocument.from_raw_data(found[listed]) if listed in found else None
    return Document.from_raw_data(found[mine]), row


def _list_sender_ways(request: DeskRequest, fields: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Where the sender of a published document can be kept: the name of each type and its form's address."""
    if not access.can_upload(request) or not directory.has_entities(request.site):
        return []
    sender = describe_sender([one for one in fields if "masked" not in one])
    if not sender:
        return []
    types = entity_queries.list_types(request.site)
    query = urlencode({name: value for name, value in sender.items() if value})
    return [(str(one.name), f"{reverse('entities:create-entity', args=[one.type_id])}?{query}") for one in types]


def _is_drawn(document: Document) -> bool:
    """Whether its pages are images: text, mails, tables and recordings have none."""
    return str(document.contentType).startswith("image/") or document.contentType == "application/pdf"

"""Pages of what governs attributes: classifications, and the site's own schema."""

from dataclasses import replace
from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Conflict, Refused
from projects.audit.events import actor_of
from projects.schemas import queries as schema_queries
from projects.schemas.actions import schemas as schema_actions
from projects.schemas.editor import SchemaEditor, edit_posted_schema, edit_rearranged_schema, editor_of
from projects.schemas.governing import Schema
from projects.schemas.items import SchemaHead
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer, version_in

_SAVED = "{} saved. Runs already started keep their fields."


@require_safe
def list_classifications(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    cursor = request.GET.get("after")
    rows, following = schema_queries.list_classifications(request.site, cursor)
    context = {
        "rows": rows,
        "next_cursor": following,
        "is_first": not cursor,
        "first_url": reverse("schemas:list-classifications"),
    }
    return render_answer(request, "projects/schemas/list.html", None, context)


@require_http_methods(["GET", "POST"])
def create_classification(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    wanted = schema_actions.classification_id_from(request.POST.get("classification_id", ""))
    page = partial(_page, request, classification_id=wanted)
    if request.method == "GET":
        return page(editor_of(Schema(""), named=True))
    if order := request.POST.get("rows"):
        return page(edit_rearranged_schema(request.POST, order, named=True), rows=True)
    editor = edit_posted_schema(request.POST, named=True)
    if not editor.is_valid(request.site):
        return page(editor.count_messages(), status=422)
    try:
        made = schema_actions.create_classification(
            request.site, editor.schema(), by=actor_of(request.user), classification_id=wanted
        )
    except Refused as error:
        return page(replace(editor, refusal=str(error)), status=422)
    messages.success(request, f"{made.name} created. Projects can now select it in their settings.")
    return redirect_after_post(request, reverse("schemas:list-classifications"))


@require_http_methods(["GET", "POST"])
def edit_classification(request: DeskRequest, classification_id: str) -> HttpResponse:
    access.check_can_govern(request)
    head = schema_queries.get_classification(request.site, classification_id)
    if request.method == "GET":
        return _page(request, editor_of(head.schema, named=True, version=head.number), head=head)
    if order := request.POST.get("rows"):
        return _page(request, edit_rearranged_schema(request.POST, order, named=True), head=head, rows=True)
    editor = edit_posted_schema(request.POST, named=True)
    if not editor.is_valid(request.site):
        return _page(request, editor.count_messages(), head=head, status=422)
    save = partial(schema_actions.save_classification, request.site, classification_id)
    try:
        save(editor.schema(), version=editor.version, by=actor_of(request.user))
    except Conflict as error:
        stored = schema_queries.get_classification(request.site, classification_id)
        return _page(request, replace(editor, clash=str(error), version=stored.number), head=stored, status=409)
    except Refused as error:
        return _page(request, replace(editor, refusal=str(error)), head=head, status=422)
    messages.success(request, _SAVED.format(editor.schema().name))
    return redirect_after_post(request, reverse("schemas:list-classifications"))


@require_http_methods(["GET", "POST"])
def edit_site_schema(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    head = schema_queries.site_schema(request.site)
    name = head.schema.name
    if request.method == "GET":
        return _page(request, editor_of(head.schema, named=False, version=head.number), head=head)
    if order := request.POST.get("rows"):
        return _page(request, edit_rearranged_schema(request.POST, order, named=False, name=name), head=head, rows=True)
    editor = edit_posted_schema(request.POST, named=False, name=name)
    if not editor.is_valid(request.site):
        return _page(request, editor.count_messages(), head=head, status=422)
    try:
        schema_actions.save_site_schema(
            request.site, editor.schema(), version=editor.version, by=actor_of(request.user)
        )
    except Conflict as error:
        stored = schema_queries.site_schema(request.site)
        return _page(request, replace(editor, clash=str(error), version=stored.number), head=stored, status=409)
    except Refused as error:
        return _page(request, replace(editor, refusal=str(error)), head=head, status=422)
    messages.success(request, _SAVED.format("Site schema"))
    return redirect_after_post(request, reverse("schemas:edit-site-schema"))


@require_POST
def archive_classification(request: DeskRequest, classification_id: str) -> HttpResponse:
    """``archived`` empty: use it again."""
    access.check_can_govern(request)
    archived = bool(request.POST.get("archived"))
    version, by = version_in(request.POST), actor_of(request.user)
    try:
        schema_actions.archive_classification(
            request.site, classification_id, archived=archived, version=version, by=by
        )
    except Conflict as error:
        head = schema_queries.get_classification(request.site, classification_id)
        editor = replace(
            editor_of(head.schema, named=True, version=head.number),
            refusal=f"{error} Nothing was changed; review the current version first.",
        )
        return _page(request, editor, head=head, status=409)
    if archived:
        messages.success(request, "Document type archived. Projects that use it keep it.")
    else:
        messages.success(request, "Document type restored. Projects can select it again.")
    return redirect_after_post(request, reverse("schemas:list-classifications"))


def _page(
    request: DeskRequest,
    editor: SchemaEditor,
    *,
    head: SchemaHead | None = None,
    classification_id: str = "",
    rows: bool = False,
    status: int = 200,
) -> HttpResponse:
    if head is None:
        form_url = reverse("schemas:create-classification")
    elif head.documentId:
        form_url = reverse("schemas:edit-classification", args=[head.id])
    else:
        form_url = reverse("schemas:edit-site-schema")
    context = {
        "form_url": form_url,
        "editor": editor.offer_attributes(request.site),
        "head": head,
        "is_site": head is not None and not head.documentId,
        "classification_id": classification_id,
    }
    return render_answer(
        request,
        "projects/schemas/edit.html",
        "projects/schemas/_uses.html" if rows else "projects/schemas/_form.html",
        context,
        status=status,
    )

"""Pages of mappings, under the settings."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from config.errors import Conflict
from projects.audit.events import actor_of
from projects.queues.actions import queue_id_from
from projects.schemas import queries as schema_queries
from projects.settings import queries as project_queries
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer, version_in
from workflows.routing import pinned_rules
from workflows.routing.actions import field_mappings
from workflows.routing.actions.field_mappings import MappingDraft
from workflows.routing.forms.field_mappings import (
    MappingEditor,
    edit_posted_mapping,
    edit_rearranged_mapping,
    edit_stored_mapping,
    pair_rows,
)
from workflows.routing.forms.formsets import RowKind
from workflows.routing.items import StoredMapping

_BLANK = MappingDraft("", "", on=True, pairs=())


@require_safe
def list_mappings(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    found = [(one, one.mapping) for one in pinned_rules.list_mappings(request.site)]
    return render_answer(
        request, "workflows/routing/mappings.html", None, {"mappings": found, "most": pinned_rules.MOST_MAPPINGS}
    )


@require_http_methods(["GET", "POST"])
def create_mapping(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    kind, projects = _offer_choices(request)
    here = {"mapping_id": queue_id_from(request.POST.get("mapping_id", ""))}
    if request.method == "GET":
        return _page(request, edit_stored_mapping(_BLANK, kind, projects), here)
    if "rows" in request.POST:
        return _page(request, edit_rearranged_mapping(request.POST, kind, projects, stored="", version=0), here)
    editor = edit_posted_mapping(request.POST, kind, projects, stored="", version=0)
    if not editor.is_valid():
        return _page(request, editor, here, status=422)
    field_mappings.create_mapping(request.site, editor.draft(), by=actor_of(request.user), **here)
    messages.success(request, "Field mapping created. It applies to new documents.")
    return redirect_after_post(request, reverse("routing:list-mappings"))


@require_http_methods(["GET", "POST"])
def edit_mapping(request: DeskRequest, mapping_id: str) -> HttpResponse:
    access.check_can_govern(request)
    stored = pinned_rules.get_mapping(request.site, mapping_id)
    kind, projects = _offer_choices(request)
    if request.method == "GET":
        editor = edit_stored_mapping(field_mappings.draft_of(stored), kind, projects, int(stored.version))
        return _page(request, editor, {"mapping": stored})
    seen: dict[str, Any] = {"stored": stored.project_id or "", "version": version_in(request.POST)}
    if "rows" in request.POST:
        return _page(request, edit_rearranged_mapping(request.POST, kind, projects, **seen), {"mapping": stored})
    editor = edit_posted_mapping(request.POST, kind, projects, **seen)
    if not editor.is_valid():
        return _page(request, editor, {"mapping": stored}, status=422)
    return _save(request, stored, editor)


def _save(request: DeskRequest, stored: StoredMapping, editor: MappingEditor) -> HttpResponse:
    try:
        field_mappings.update_mapping(
            request.site, stored.id, editor.draft(), version=editor.version, by=actor_of(request.user)
        )
    except Conflict as error:
        now = pinned_rules.get_mapping(request.site, stored.id)
        return _page(request, editor, {"mapping": now, "clash": str(error)}, status=409)
    messages.success(request, "Field mapping saved. Started runs keep the earlier version.")
    return redirect_after_post(request, reverse("routing:list-mappings"))


def _offer_choices(request: DeskRequest) -> tuple[RowKind, dict[str, str]]:
    definitions = schema_queries.attribute_definitions(request.site)
    attributes = {one.key: f"{one.label} ({one.kind_label.lower()})" for one in definitions}
    projects, _ = project_queries.list_projects(request.site, limit=project_queries.MOST)
    return pair_rows(attributes), {one.project_id: one.name for one in sorted(projects, key=lambda one: one.name)}


def _page(request: DeskRequest, editor: MappingEditor, more: Mapping[str, Any], *, status: int = 200) -> HttpResponse:
    context = {"editor": editor, "form": editor.form, **more}
    return render_answer(
        request, "workflows/routing/mapping.html", "workflows/routing/_mapping_form.html", context, status=status
    )

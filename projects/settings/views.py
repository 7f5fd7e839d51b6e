"""Pages of projects: list, detail, create, edit."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from config.errors import Conflict, NotFound, Refused
from projects.audit.events import actor_of
from projects.models import queries as model_queries
from projects.queues import queries as queue_queries
from projects.schemas import queries as schema_queries
from projects.settings import actions as project_actions
from projects.settings import clashes, merging
from projects.settings import queries as project_queries
from projects.settings.editor import (
    Editor,
    edit_posted_settings,
    edit_rearranged_settings,
    editor_after_clash,
    editor_of,
    list_offered_choices,
    summarize_settings,
)
from projects.settings.forms import OfferedChoices
from projects.settings.items import Project
from projects.settings.values import ProjectSettings
from projects.sites import access
from projects.web.http import DeskRequest, page_links, redirect_after_post, render_answer

_EDIT = ("projects/settings/edit.html", "projects/settings/_form.html")


@require_safe
def list_projects(request: DeskRequest) -> HttpResponse:
    access.check_can_view(request)
    cursor = request.GET.get("after")
    rows, following = project_queries.list_projects(request.site, cursor)
    context = {
        "projects": rows,
        **page_links(request, following, reverse("projects:list-projects")),
    }
    return render_answer(request, "projects/settings/list.html", None, context)


@require_safe
def show_project(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_view(request, project_id)
    settings = project.settings
    queue = queue_queries.get_queue(request.site, settings.review_queue) if settings.review_queue else None
    try:
        governing = schema_queries.get_governing(request.site, settings.classification_id)
    except NotFound:  # the upload shows what to do; this page still renders
        governing = schema_queries.get_governing(request.site, "")
    named = {
        "project": project,
        "queue": queue,
        "is_closed": queue is not None
        and not (access.is_admitted(request, queue) or access.abilities(request).configure),
        "classification": governing.classification,
    }
    summary = summarize_settings(settings, governing, lambda model_id: _name_model(request.site, model_id))
    return render_answer(request, "projects/settings/show.html", None, {**named, **summary})


@require_http_methods(["GET", "POST"])
def create_project(request: DeskRequest) -> HttpResponse:
    access.check_can_configure(request)
    blank = ProjectSettings(name="")
    offered = list_offered_choices(request.site, blank)
    if request.method == "GET":
        return _edit_page(request, editor_of(blank, offered), project_id=project_actions.new_project_id())
    project_id = project_actions.project_id_from(request.POST.get("project_id", ""))
    if order := request.POST.get("rows"):
        return _edit_page(
            request, edit_rearranged_settings(request.POST, blank, offered, order), project_id=project_id, rows=True
        )
    editor = edit_posted_settings(request.POST, blank, offered)
    if not editor.is_valid():
        return _edit_page(request, editor.count_messages(), project_id=project_id, status=422)
    try:
        project = project_actions.create_project(
            request.site, editor.settings(), by=actor_of(request.user), project_id=project_id
        )
    except Refused:
        return _edit_page(request, _check_again(request, blank), project_id=project_id, status=422)
    messages.success(
        request, gettext("%(name)s created. You can now upload documents.") % {"name": project.settings.name}
    )
    return redirect_after_post(request, reverse("projects:show-project", args=[project_id]))


@require_http_methods(["GET", "POST"])
def edit_project(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    offered = list_offered_choices(request.site, project.settings)
    if request.method == "GET":
        return _edit_page(
            request, editor_of(project.settings, offered, _sign_shown_settings(request, project)), project=project
        )
    if order := request.POST.get("rows"):
        editor = edit_rearranged_settings(request.POST, project.settings, offered, order)
        return _edit_page(request, editor, project=project, rows=True)
    editor = edit_posted_settings(request.POST, project.settings, offered)
    if not editor.is_valid():
        return _edit_page(request, editor.count_messages(), project=project, status=422)
    return _save(request, project, editor, offered)


def _name_model(site: str, model_id: str) -> str:
    """Return the name, without a read for built-in models; the id if the catalogue no longer has it."""
    try:
        return model_queries.get_entry(site, model_id).spec.name
    except NotFound:
        return model_id


def _save(request: DeskRequest, project: Project, editor: Editor, offered: OfferedChoices) -> HttpResponse:
    # A form without a valid digest has an unknown base: every difference is a clash.
    seen = merging.unsign_seen(editor.seen, request.site, project.id)
    typed = editor.settings()
    try:
        project_actions.update_project(request.site, project.id, typed, seen=seen, by=actor_of(request.user))
    except Conflict:
        stored = project_queries.get_project(request.site, project.id)
        since = project_queries.changes_since(request.site, project.id, seen.version if seen else 0)
        merge = merging.merge_settings(seen, typed, stored.settings)
        lines = clashes.clash_lines(merge, stored, since)
        after = editor_after_clash(merge.settings, offered, _sign_shown_settings(request, stored), lines)
        return _edit_page(request, after, project=stored, status=409)
    except Refused:
        return _edit_page(request, _check_again(request, project.settings), project=project, status=422)
    messages.success(request, gettext("Settings saved. Runs already started keep their settings."))
    return redirect_after_post(request, reverse("projects:show-project", args=[project.id]))


def _check_again(request: DeskRequest, stored: ProjectSettings) -> Editor:
    """Validate what was typed against the current models: a removed one is marked."""
    editor = edit_posted_settings(request.POST, stored, list_offered_choices(request.site, stored))
    editor.is_valid()
    return editor.count_messages()


def _sign_shown_settings(request: DeskRequest, project: Project) -> str:
    return merging.sign_seen(merging.digest_settings(project.settings, project.version), request.site, project.id)


def _edit_page(
    request: DeskRequest,
    editor: Editor,
    *,
    project: Project | None = None,
    project_id: str = "",
    rows: bool = False,
    status: int = 200,
) -> HttpResponse:
    page, fragment = _EDIT
    context = {"editor": editor, "project": project, "project_id": project_id}
    return render_answer(request, page, "projects/settings/_fields.html" if rows else fragment, context, status=status)

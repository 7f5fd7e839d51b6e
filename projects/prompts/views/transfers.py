"""Prompts out of a project and into another: as a YAML file, or straight from a project that the person configures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_http_methods, require_safe

from config.errors import Conflict, NotFound, Refused
from projects.audit.events import actor_of
from projects.prompts import actions as prompt_actions
from projects.prompts import queries as prompt_queries
from projects.prompts.actions import ImportedPrompt
from projects.prompts.forms import ImportForm
from projects.prompts.items import PromptVersion
from projects.prompts.prompt import Prompt
from projects.prompts.prompt_file import FiledPrompt, read_prompts, write_prompts
from projects.prompts.purposes import GENERAL, PURPOSES
from projects.prompts.queries import PromptRef
from projects.prompts.views.prompts import mark_changes
from projects.schemas import queries as schema_queries
from projects.settings import queries as project_queries
from projects.settings.items import Project
from projects.sites import access
from projects.sites.directory import Place
from projects.sites.permissions import Permission
from projects.web.http import DeskRequest, read_number, redirect_after_post, render_answer

_IMPORT = "projects/prompts/import.html"


@dataclass(frozen=True)
class Difference:
    """A prompt of a file beside the project's newest version; no ``parts`` if the texts are the same."""

    slug: str
    label: str
    newest: int
    note: str
    parts: Sequence[tuple[str, SafeString]]


@require_safe
def export_prompts(request: DeskRequest, project_id: str) -> HttpResponse:
    """What is in production for each purpose."""
    project = access.project_with_prompts(request, project_id)
    return _send_file(_list_filed(request.site, project.id), f"prompts-{project.id}.yaml")


@require_safe
def export_version(request: DeskRequest, project_id: str, purpose: str, prompt_version: int) -> HttpResponse:
    project = access.project_with_prompts(request, project_id)
    ref = prompt_queries.find_ref(request.site, project.id, purpose)
    found = prompt_queries.get_version(ref, prompt_version)
    filed = _file_prompt(ref, found, _name_types(request.site))
    return _send_file([filed], f"prompt-{ref.purpose}-{prompt_version}.yaml")


@require_http_methods(["GET", "POST"])
def import_prompts(request: DeskRequest, project_id: str) -> HttpResponse:
    """A file is shown beside what the project has before it is saved."""
    project = access.project_to_configure(request, project_id)
    if request.method == "GET":
        return render_answer(request, _IMPORT, None, {"project": project, "form": ImportForm()})
    form = ImportForm(request.POST, request.FILES)
    try:
        text = form.read_text()
        filed = _resolve(request.site, project.id, read_prompts(text))
        if request.POST.get("order") != "save":
            return _show_preview(request, project, text, filed)
        seen = {ref.slug: read_number(request.POST.get(f"seen-{ref.slug}")) for ref, _ in filed}
        done = prompt_actions.import_prompts(filed, based_on=seen, by=actor_of(request.user))
    except (Refused, Conflict) as error:
        status = 409 if isinstance(error, Conflict) else 422
        context = {"project": project, "form": form, "problem": str(error)}
        return render_answer(request, _IMPORT, None, context, status=status)
    _say_result(request, done)
    return redirect_after_post(request, reverse("prompts:list-prompts", args=[project.id]))


@require_http_methods(["GET", "POST"])
def copy_prompts(request: DeskRequest, project_id: str) -> HttpResponse:
    """``?site=``: whose projects are offered. What is copied is shown first, as an import is."""
    project = access.project_to_configure(request, project_id)
    places = _list_sources(request)
    site = (request.POST if request.method == "POST" else request.GET).get("site") or request.site
    if site not in {one.site_id for one in places}:
        raise NotFound("There is no such site among those that you configure.")
    if request.method == "POST":
        source = project_queries.get_project(site, request.POST.get("source", ""))
        note = f"Copied from {source.settings.name}"[:200]
        filed = [replace(one, note=note) for one in _list_filed(site, source.id)]
        return _show_preview(request, project, write_prompts(filed), _resolve(request.site, project.id, filed))
    rows, following = project_queries.list_projects(site, limit=project_queries.MOST)
    context = {
        "project": project,
        "places": places,
        "from_site": site,
        "sources": [one for one in rows if (site, one.project_id) != (request.site, project.id)],
        "has_more": following is not None,
    }
    return render_answer(request, "projects/prompts/copy.html", None, context)


def _list_sources(request: DeskRequest) -> list[Place]:
    """The sites whose prompts the person may read, the one they are on first."""
    places = [
        one for one in access.places_of(request) if Permission.ADMIN in access.permissions_on(request, one.site_id)
    ]
    return sorted(places, key=lambda one: one.site_id != request.site)


def _list_filed(site: str, project_id: str) -> list[FiledPrompt]:
    found = prompt_queries.list_in_production(site, project_id)
    names = _name_types(site)
    return [_file_prompt(ref, one, names) for ref, one in found]


def _name_types(site: str) -> dict[str, str]:
    return {one.id: str(one.name) for one in schema_queries.all_classifications(site)}


def _file_prompt(ref: PromptRef, one: PromptVersion, names: Mapping[str, str]) -> FiledPrompt:
    name = "" if ref.scope == GENERAL else names.get(ref.scope, ref.scope)
    return FiledPrompt(one.prompt(ref.purpose), one.note or "", name)


def _resolve(site: str, project_id: str, filed: Sequence[FiledPrompt]) -> list[tuple[PromptRef, FiledPrompt]]:
    """Each with the prompt of this project that it is about. Raises: Refused: a document type is not on this site."""
    ids = {name: type_id for type_id, name in _name_types(site).items()}
    found = []
    for one in filed:
        if one.document_type and one.document_type not in ids:
            raise Refused(
                f"This site has no document type “{one.document_type[:80]}”. Create it, or remove the prompt."
            )
        scope = ids[one.document_type] if one.document_type else GENERAL
        found.append((PromptRef(site, project_id, one.prompt.purpose, scope), one))
    return found


def _send_file(filed: Sequence[FiledPrompt], name: str) -> HttpResponse:
    response = HttpResponse(write_prompts(filed), content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "private, no-store"
    return response


def _show_preview(
    request: DeskRequest, project: Project, text: str, filed: Sequence[tuple[PromptRef, FiledPrompt]]
) -> HttpResponse:
    found = [_compare(ref, one) for ref, one in filed]
    context = {
        "project": project,
        "text": text,
        "changed": [one for one in found if one.parts],
        "same": [one for one in found if not one.parts],
    }
    return render_answer(request, "projects/prompts/preview.html", None, context)


def _compare(ref: PromptRef, one: FiledPrompt) -> Difference:
    newest = int(prompt_queries.get_head(ref).version)
    now = prompt_queries.get_version(ref, newest) if newest else None
    before = now.prompt(ref.purpose) if now else Prompt(ref.purpose, "", "")
    parts: list[tuple[str, SafeString]] = []
    if before.sha256 != one.prompt.sha256:
        parts = [
            ("Instructions", mark_changes(before.instructions, one.prompt.instructions)),
            ("Message", mark_changes(before.message, one.prompt.message)),
        ]
    label = PURPOSES[ref.purpose].label
    return Difference(
        ref.slug, f"{label}: {one.document_type}" if one.document_type else label, newest, one.note, parts
    )


def _say_result(request: DeskRequest, done: Sequence[ImportedPrompt]) -> None:
    new = [f"{PURPOSES[one.ref.purpose].label} as version {one.saved.version}" for one in done if one.saved.is_new]
    said = f"Imported: {', '.join(new)}. Put them into production to use them." if new else "Nothing was imported."
    if same := [PURPOSES[one.ref.purpose].label for one in done if not one.saved.is_new]:
        said += f" Already there: {', '.join(same)}."
    others = [
        f"version {', '.join(map(str, one.saved.since))} of {PURPOSES[one.ref.purpose].label}"
        for one in done
        if one.saved.since
    ]
    if others:
        messages.warning(request, f"{said} Others saved {' and '.join(others)} since the preview.")
    else:
        messages.success(request, said)

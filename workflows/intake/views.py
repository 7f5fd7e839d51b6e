"""Pages of intake: upload, files that were not extracted, bucket folders and quarantine."""

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.http import HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Conflict, Refused, Unavailable, quote_names
from config.phrase import Phrase, join_phrases, tell_sentence
from config.table import DEFAULT_SITE
from projects.audit.events import actor_of
from projects.documents.queries import document_rows
from projects.folders.views import find_upload_folder, list_paths
from projects.queues import visibility
from projects.settings import choosing, provider_choice
from projects.settings import queries as project_queries
from projects.settings.items import Project
from projects.settings.provider_choice import Choices
from projects.settings.values import SETTING_LABELS
from projects.sites import access
from projects.sites import queries as site_queries
from projects.web.http import DeskRequest, page_links, redirect_after_post, render_answer
from workflows.intake import bucket, unpacking
from workflows.intake.actions import unpack as records
from workflows.intake.content_types import ALSO, EXTENSIONS, SUPPORTED
from workflows.intake.forms import TenantForm, WebPageForm
from workflows.intake.items import IncomingStatus
from workflows.intake.tasks import order_unpacking_soon, take_incoming_again
from workflows.intake.upload import SizeGuard, guard_files, size_words, take, too_large
from workflows.runs import engine_choice

_SITES = 100  # sites that the form offers


@require_safe
def list_incoming(request: DeskRequest) -> HttpResponse:
    access.check_can_configure(request)
    cursor = request.GET.get("after")
    page = bucket.list_quarantine(request.site, cursor=cursor)
    on_main_site = request.site == DEFAULT_SITE
    context = {
        "rows": [(file, file.status == IncomingStatus.AGAIN, bucket.names_folder(file)) for file in page.rows],
        **page_links(request, page.next, reverse("incoming:list-incoming")),
        "on_main_site": on_main_site,
        "nobody_tells": engine_choice.choose_engine()
        is not None,  # otherwise the machine that S3's events start is not published
        "tenants": [(one, one.SK.partition("#")[2]) for one in bucket.tenants().rows] if on_main_site else (),
    }
    return render_answer(request, "workflows/intake/bucket.html", None, context)


@require_POST
def settle_incoming(request: DeskRequest, digest: str) -> HttpResponse:
    access.check_can_configure(request)
    file = bucket.get_waiting_file(request.site, digest)
    if request.POST.get("order") == "discard":
        bucket.discard(file, by=actor_of(request.user))
        messages.success(
            request,
            gettext("%(name)s was discarded. Its object stays in the bucket until its lifecycle rule removes it.")
            % {"name": file.name},
        )
    elif not bucket.names_folder(file):
        raise Refused(bucket.NO_FOLDER)
    else:
        bucket.again(file, by=actor_of(request.user))
        take_incoming_again(file)
        messages.success(
            request,
            gettext("%(name)s is being retried. If it fails, it returns here with the reason.") % {"name": file.name},
        )
    return redirect_after_post(request, reverse("incoming:list-incoming"))


@require_http_methods(["GET", "POST"])
def create_tenant(request: DeskRequest) -> HttpResponse:
    access.check_can_manage_sites(request)
    site = site_queries.get_site(request.GET.get("site") or DEFAULT_SITE)
    projects, _ = project_queries.list_projects(site.siteId, limit=project_queries.MOST)
    offered = {one.project_id: one.name for one in sorted(projects, key=lambda one: one.name)}
    form = TenantForm(request.POST if request.method == "POST" else None, projects=offered)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            typed = form.cleaned_data
            project = project_queries.get_project(site.siteId, typed["project_id"])
            try:
                bucket.add_tenant(typed["name"], site.siteId, project, by=actor_of(request.user))
            except Conflict as error:
                form.add_error("name", str(error))
                status = 409
            else:
                messages.success(
                    request,
                    gettext("Files in the folder %(name)s go to %(name_2)s now.")
                    % {"name": typed["name"], "name_2": project.settings.name},
                )
                return redirect_after_post(request, reverse("incoming:list-incoming"))
    sites = site_queries.active_sites(_SITES).rows
    context = {"form": form, "site_row": site, "sites": sites, "has_projects": bool(offered)}
    return render_answer(
        request, "workflows/intake/tenant.html", "workflows/intake/_tenant.html", context, status=status
    )


@require_POST
def remove_tenant(request: DeskRequest) -> HttpResponse:
    access.check_can_manage_sites(request)
    name = request.POST.get("name", "")
    if not name:
        raise Refused(gettext("Choose a folder from the list."))
    bucket.remove_tenant(name, by=actor_of(request.user))
    messages.success(
        request, gettext("The folder %(name)s is removed. New files in it are quarantined.") % {"name": name}
    )
    return redirect_after_post(request, reverse("incoming:list-incoming"))


@require_POST
def unpack_again(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    record = unpacking.record_of(document_rows(request.site, document_id))
    records.again(request.site, record, by=actor_of(request.user))
    order_unpacking_soon(request.site, document_id)
    messages.success(request, gettext("Unpacking its files again. Existing files are kept."))
    return redirect_after_post(request, reverse("documents:show-document", args=[document_id]))


_STORED = Phrase("Storage is unavailable. This file was not stored; upload it again in a moment.")
_NOT_YOURS = Phrase("It is in a queue of groups that you are not a member of, so you cannot open it.")


@dataclass(frozen=True)
class Answer:
    """The result of one file: the ``url`` of its run, or the ``error``."""

    name: str
    url: str = ""
    way: str = Phrase("View run")
    error: str = ""
    notes: tuple[str, ...] = ()
    status: int = 200


@dataclass(frozen=True)
class DoerChoice:
    """The providers of one kind of work for these documents; ``chosen`` if the form is shown again."""

    name: str
    label: str
    choices: Mapping[str, str]
    chosen: str


@require_safe
def choose_project(request: DeskRequest) -> HttpResponse:
    """Choose the project to upload to, from pages without a project."""
    access.check_can_upload(request)
    return choosing.choose_project(request, "workflows/intake/choose_project.html", onward="workflows:upload")


# The view checks the CSRF token itself: that reads the body, so role, length and upload handler come first.
@csrf_exempt
@require_http_methods(["GET", "POST"])
def upload(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_upload(request, project_id)
    if request.method == "GET":
        return _page(request, project)
    guard = guard_files(request)
    if guard is None:
        return _refuse_whole(request, project)
    response: HttpResponse = _receive(request, project=project, guard=guard)
    return response


@csrf_protect
def _receive(request: DeskRequest, *, project: Project, guard: SizeGuard) -> HttpResponse:
    found = request.FILES.getlist("files")
    if guard.exceeded:
        return _refuse_whole(request, project)
    choices = provider_choice.list_choices(request.site)
    if problem := _unknown_choices(request, choices):
        return _report(request, project, [Answer(Phrase("Upload failed"), error=problem, status=422)])
    chosen = provider_choice.read_provider_choices(request.POST, choices)
    if not found:
        empty = Answer(Phrase("No file"), error=Phrase("Choose at least one file."), status=422)
        return _report(request, project, [empty], chosen)
    try:
        folder_id = find_upload_folder(request, request.POST.get("folder", ""), by=actor_of(request.user))
    except Refused as error:
        return _report(request, project, [Answer(Phrase("Upload failed"), error=str(error), status=422)], chosen)
    return _report(request, project, [_take_one(request, project, file, chosen, folder_id) for file in found], chosen)


@require_POST
def request_web_page(request: DeskRequest, project_id: str) -> HttpResponse:
    """Add a web page as a document: the stored file is the request, which a worker fetches."""
    project = access.project_to_upload(request, project_id)
    form = WebPageForm(request.POST)
    if not form.is_valid():
        return _page(request, project, status=422, web_form=form)
    try:
        folder_id = find_upload_folder(request, form.cleaned_data["folder"], by=actor_of(request.user))
    except Refused as error:
        form.add_error("folder", str(error))
        return _page(request, project, status=422, web_form=form)
    body = form.request
    with TemporaryUploadedFile(form.file_name, "", len(body), None) as file:
        file.write(body)
        file.flush()
        file.sha256 = hashlib.sha256(body).hexdigest()  # type: ignore[attr-defined] # read by take()
        return _report(request, project, [_take_one(request, project, file, {}, folder_id)])


def _unknown_choices(request: DeskRequest, choices: Choices) -> str:
    """Return why the form is refused, or empty: an unknown choice must not silently mean another one."""
    own = {"files", "folder", "csrfmiddlewaretoken"}
    if unknown := provider_choice.list_unknown_parts([*request.POST, *request.FILES], beside=own):
        return gettext(
            "This form has unknown fields: %(parts)s. Nothing was uploaded. Reload the page and try again."
        ) % {"parts": quote_names(unknown)}
    typed = {name: value for name, value in request.POST.items() if value}  # empty: as set by the project
    if wrong := provider_choice.list_wrong_choices(typed, choices):
        labels = join_phrases(SETTING_LABELS[name] for name in wrong).translated()
        return gettext(
            "%(labels)s: choose an option from the list. Nothing was uploaded. Reload the page and try again."
        ) % {"labels": labels}
    return ""


def _take_one(
    request: DeskRequest, project: Project, file: "UploadedFile[Any]", chosen: Mapping[str, str], folder_id: str
) -> Answer:
    name = file.name or ""
    try:
        taken = take(
            request.site,
            project,
            file,
            document_id=str(uuid.uuid4()),
            by=actor_of(request.user),
            chosen=chosen,
            folder_id=folder_id,
        )
    except Refused as error:
        return Answer(name, error=str(error), status=422)
    except Unavailable:  # the other files of the form may still be taken
        return Answer(name, error=_STORED, status=503)
    if visibility.find_hidden_documents(request, [taken.document_id]):
        url = reverse("projects:show-project", args=[project.id])
        return Answer(taken.name, url=url, way=Phrase("View project"), notes=(*taken.notes, _NOT_YOURS))
    if taken.run is None:
        url = reverse("documents:show-document", args=[taken.document_id])
        return Answer(taken.name, url=url, way=Phrase("View document"), notes=taken.notes)
    url = reverse("workflows:show-run", args=[taken.run.document_id, taken.run.workflow_id])
    return Answer(taken.name, url=url, notes=taken.notes)


def _tell(one: Answer) -> dict[str, Any]:
    """For the script of the form, which shows it as it is."""
    notes = [tell_sentence(note).translated() for note in one.notes]
    told = {"error": tell_sentence(one.error).translated(), "notes": notes, "way": gettext(one.way)}
    return {**asdict(one), **told, "started": one.way == Answer.way}


def _report(
    request: DeskRequest, project: Project, answers: list[Answer], chosen: Mapping[str, str] | None = None
) -> HttpResponse:
    status = max(one.status for one in answers)
    if request.headers.get("Accept") == "application/json":
        return JsonResponse({"files": [_tell(one) for one in answers]}, status=status)
    if status != 200:
        return _page(request, project, answers=answers, status=status, chosen=chosen)
    said = ngettext(
        "%(name)s is uploaded. Processing has started.",
        "%(count)s documents are uploaded. Processing has started.",
        len(answers),
    )
    messages.success(request, said % {"name": answers[0].name, "count": len(answers)})
    for one in answers:
        for note in one.notes:
            messages.warning(request, f"{one.name}: {tell_sentence(note).translated()}")
    return redirect_after_post(request, reverse("projects:show-project", args=[project.id]))


def _refuse_whole(request: DeskRequest, project: Project) -> HttpResponse:
    answers = [Answer(Phrase("Upload failed"), error=too_large(), status=413)]
    response = _report(request, project, answers)
    response["Connection"] = "close"  # the rest of the body is not read
    return response


def _page(
    request: DeskRequest,
    project: Project,
    *,
    answers: list[Answer] | None = None,
    status: int = 200,
    chosen: Mapping[str, str] | None = None,
    web_form: WebPageForm | None = None,
) -> HttpResponse:
    context = {
        "project": project,
        "settings": project.settings,
        "doers": [
            DoerChoice(name, SETTING_LABELS[name], choices, (chosen or {}).get(name, ""))
            for name, choices in provider_choice.list_choices(request.site).items()
        ],
        "accept": ",".join(sorted({*EXTENSIONS.values(), *ALSO, ".zip"})),
        "answers": answers,
        "web_form": web_form or WebPageForm(initial={"folder": request.GET.get("folder", "")}),
        "folder": request.POST.get("folder", request.GET.get("folder", "")),
        "paths": list_paths(request),
        "supported": Phrase("%(files)s; ZIP archives of these; emails with their attachments").fill(files=SUPPORTED),
        "limit": size_words(settings.UPLOAD_MAX_BYTES),
        "limit_bytes": settings.UPLOAD_MAX_BYTES,
    }
    return render_answer(request, "workflows/intake/upload.html", None, context, status=status)

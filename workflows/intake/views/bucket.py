"""Files that other systems put into the bucket: what waits in quarantine, and whose the folders are."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Conflict, Refused
from config.table import DEFAULT_SITE
from projects.audit.events import actor_of
from projects.settings import queries as project_queries
from projects.sites import access
from projects.sites.queries import sites as site_queries
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from workflows.intake import bucket
from workflows.intake.actions import bucket as incoming_actions
from workflows.intake.forms import TenantForm
from workflows.intake.items import IncomingStatus
from workflows.intake.tasks import take_incoming_again
from workflows.runs import engine_choice

_SITES = 100  # that the form offers


@require_safe
def list_incoming(request: DeskRequest) -> HttpResponse:
    access.check_can_configure(request)
    cursor = request.GET.get("after")
    page = bucket.list_quarantine(request.site, cursor=cursor)
    on_main_site = request.site == DEFAULT_SITE
    context = {
        "rows": [(file, file.status == IncomingStatus.AGAIN, bucket.names_folder(file)) for file in page.rows],
        "next_cursor": page.next,
        "is_first": not cursor,
        "first_url": reverse("incoming:list-incoming"),
        "on_main_site": on_main_site,
        "nobody_tells": engine_choice.choose_engine()
        is not None,  # the machine that S3's events start is not published then
        "tenants": [(one, one.SK.partition("#")[2]) for one in bucket.tenants().rows] if on_main_site else (),
    }
    return render_answer(request, "workflows/intake/bucket.html", None, context)


@require_POST
def settle_incoming(request: DeskRequest, digest: str) -> HttpResponse:
    access.check_can_configure(request)
    file = bucket.get_waiting_file(request.site, digest)
    if request.POST.get("order") == "discard":
        incoming_actions.discard(file, by=actor_of(request.user))
        messages.success(
            request, f"{file.name} was discarded. Its object stays in the bucket until its lifecycle rule removes it."
        )
    elif not bucket.names_folder(file):
        raise Refused(bucket.NO_FOLDER)
    else:
        incoming_actions.again(file, by=actor_of(request.user))
        take_incoming_again(file)
        messages.success(request, f"{file.name} is being retried. If it fails, it returns here with the reason.")
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
                incoming_actions.add_tenant(typed["name"], site.siteId, project, by=actor_of(request.user))
            except Conflict as error:
                form.add_error("name", str(error))
                status = 409
            else:
                messages.success(request, f"Files in the folder {typed['name']} go to {project.settings.name} now.")
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
        raise Refused("Choose a folder from the list.")
    incoming_actions.remove_tenant(name, by=actor_of(request.user))
    messages.success(request, f"The folder {name} is removed. New files in it are quarantined.")
    return redirect_after_post(request, reverse("incoming:list-incoming"))

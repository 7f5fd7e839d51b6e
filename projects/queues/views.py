"""Settings pages of queues: list, create, change, archive."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Conflict
from projects.audit.events import actor_of
from projects.queues import actions as queue_actions
from projects.queues import queries as queue_queries
from projects.queues.forms import QueueForm, form_of
from projects.queues.items import Queue
from projects.sites import access
from projects.web.http import DeskRequest, page_links, redirect_after_post, render_answer, version_in


@require_safe
def list_queues(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    cursor = request.GET.get("after")
    rows, following = queue_queries.list_queues(request.site, cursor)
    context = {
        "queues": rows,
        **page_links(request, following, reverse("queues:list-queues")),
    }
    return render_answer(request, "projects/queues/list.html", None, context)


@require_http_methods(["GET", "POST"])
def create_queue(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    queue_id = queue_actions.queue_id_from(request.POST.get("queue_id", ""))
    if request.method == "GET":
        return _page(request, QueueForm(request.site), queue_id=queue_id)
    form = QueueForm(request.site, request.POST)
    if not form.is_valid():
        return _page(request, form, queue_id=queue_id, status=422)
    typed = form.cleaned_data
    queue_actions.create_queue(
        request.site, typed["name"], typed["groups"], by=actor_of(request.user), queue_id=queue_id
    )
    messages.success(
        request, gettext("%(name)s created. Projects can now send reviews to it.") % {"name": typed["name"]}
    )
    return redirect_after_post(request, reverse("queues:list-queues"))


@require_http_methods(["GET", "POST"])
def edit_queue(request: DeskRequest, queue_id: str) -> HttpResponse:
    access.check_can_govern(request)
    queue = queue_queries.get_queue(request.site, queue_id)
    if request.method == "GET":
        return _page(request, form_of(request.site, queue), queue=queue)
    form = QueueForm(request.site, request.POST, stored=queue.groups or ())
    if not form.is_valid():
        return _page(request, form, queue=queue, status=422)
    try:
        queue_actions.update_queue(
            request.site,
            queue_id,
            version=version_in(request.POST),
            by=actor_of(request.user),
            **form.cleaned_data,
        )
    except Conflict as error:
        stored = queue_queries.get_queue(request.site, queue_id)
        return _page(request, form, queue=stored, clash=str(error), status=409)
    messages.success(request, gettext("%(name)s saved.") % {"name": form.cleaned_data["name"]})
    return redirect_after_post(request, reverse("queues:list-queues"))


@require_POST
def archive_queue(request: DeskRequest, queue_id: str) -> HttpResponse:
    access.check_can_govern(request)
    queue_actions.archive_queue(request.site, queue_id, by=actor_of(request.user))
    messages.success(request, gettext("Queue archived. Its open reviews stay until they are decided."))
    return redirect_after_post(request, reverse("queues:list-queues"))


@require_POST
def restore_queue(request: DeskRequest, queue_id: str) -> HttpResponse:
    access.check_can_govern(request)
    queue_actions.restore_queue(request.site, queue_id, by=actor_of(request.user))
    messages.success(request, gettext("Queue restored. Projects can select it again."))
    return redirect_after_post(request, reverse("queues:list-queues"))


def _page(
    request: DeskRequest,
    form: QueueForm,
    *,
    queue: Queue | None = None,
    queue_id: str = "",
    clash: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {"form": form, "queue": queue, "queue_id": queue_id, "clash": clash}
    return render_answer(request, "projects/queues/edit.html", "projects/queues/_form.html", context, status=status)

"""Pages of published documents at stable addresses, and the page that publishes and withdraws a document."""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse, HttpResponseBase
from django.utils.http import content_disposition_header
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from config.errors import Conflict, CountersignError, NotFound, Refused
from projects.audit.events import actor_of
from projects.documents.queries import get_document
from projects.policies.gate import check_document
from projects.queues import visibility
from projects.sites import access
from projects.sites.permissions import Permission
from projects.web.http import DeskRequest, make_inert, redirect_after_post, render_answer
from projects.web.links import page_url
from workflows.links import actions, pictures
from workflows.links.queries import Publication, find_publication, load_publication
from workflows.links.views import keep_private
from workflows.runs.page_pictures import shrink_picture


def _load(request: DeskRequest, published_id: str) -> Publication:
    """Raises: NotFound, also if the site's access policy hides it; NotAllowed if evaluating that fails."""
    public = load_publication(request.site, published_id)
    check_document(request, published_id, Permission.READ)
    return public


@login_not_required
@require_safe
def show_publication(request: DeskRequest, published_id: str) -> HttpResponse:
    public = _load(request, published_id)
    return keep_private(render_answer(request, "workflows/links/publication.html", None, {"public": public}))


@login_not_required
@require_safe
def published_image(request: DeskRequest, published_id: str, index: int) -> HttpResponseBase:
    """``index`` is 0-based."""
    body = pictures.load_published_picture(request.site, _load(request, published_id), index)
    smaller = shrink_picture(body, "page")
    response = HttpResponse(smaller or body, content_type="image/webp" if smaller else "image/png")
    return make_inert(keep_private(response))


@login_not_required
@require_safe
def download_publication(request: DeskRequest, published_id: str) -> HttpResponseBase:
    """Download the images of all pages as a PDF."""
    public = _load(request, published_id)
    if not public.pages:
        raise NotFound(gettext("This document has no pages to download."))
    body = pictures.bind_pages(pictures.load_published_picture(request.site, public, index) for index in public.pages)
    response = HttpResponse(body, content_type="application/pdf")
    name = f"{public.name.rpartition('.')[0] or public.name}.pdf"
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name) or ""
    return make_inert(keep_private(response))


@require_http_methods(["GET", "POST"])
def change_publication(request: DeskRequest, document_id: str) -> HttpResponse:
    """``op``: withdraw, else publish. ``seen``: the id of the publication that was shown."""
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    if request.method == "GET":
        return _page(request, document_id)
    post, by = request.POST, actor_of(request.user)
    try:
        if post.get("op") == "withdraw":
            actions.withdraw_document(request.site, document_id, seen=post.get("seen", ""), by=by)
            messages.success(request, gettext("The document is not public any more."))
        else:
            actions.publish_document(request.site, document_id, seen=post.get("seen", ""), by=by)
            messages.success(request, gettext("The document is public."))
    except (Refused, Conflict) as error:
        return _page(request, document_id, error=error)
    return redirect_after_post(request, request.path)


def _page(request: DeskRequest, document_id: str, *, error: CountersignError | None = None) -> HttpResponse:
    document, row = get_document(request.site, document_id), find_publication(request.site, document_id)
    context = {
        "document": document,
        "publication": row,
        "is_newest": row is not None and row.s3Version == document.s3version,
        "url": page_url(request.site, "published:show-publication", document_id),
        "error": str(error or ""),
    }
    status = 200 if error is None else 409 if isinstance(error, Conflict) else 422
    return render_answer(request, "workflows/links/change_publication.html", None, context, status=status)

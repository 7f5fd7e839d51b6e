"""Pages of a shared link, without sign-in: its password form, opening it, and its content.

The address with the secret opens nothing by itself, so that link previews in messaging tools do not use up openings: a
form does, which counts. After it, a signed cookie stands for the opening, and no further URL contains the secret.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from config.errors import NotFound, Refused
from config.phrase import Phrase
from projects.documents.view_log import note_view
from projects.folders import queries as folder_queries
from projects.folders.items import EntryType
from projects.policies.gate import check_document, find_denied_documents
from projects.shares import actions
from projects.shares import queries as share_queries
from projects.shares.items import DocumentShare
from projects.shares.queries import NO_LINK
from projects.sites import sign_in
from projects.sites.permissions import Permission
from projects.sites.sign_in import Attempt
from projects.web.http import DeskRequest, make_inert, page_links, render_answer
from workflows.links import pictures, queries
from workflows.links.queries import PublicDocument, load_public_document
from workflows.runs.page_pictures import shrink_picture

_SALT = "workflows.links"
_SECONDS = 3600  # seconds that an opening lasts
_WHAT = "shared link"  # the kind of the rate limit's counter


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def open_link(request: DeskRequest, link_id: str, secret: str) -> HttpResponse:
    """GET shows the form, POST opens the link: ``password``, if it has one."""
    share = _find_link(request, link_id, secret)
    over = share_queries.is_over(share)
    if over:
        return _form(request, share, closed=actions.OVER[over], status=410)
    if request.method != "POST":
        return _form(request, share)
    if share.password:
        attempt = _attempt(request, link_id)
        sign_in.take_try(attempt)
        if not actions.is_password(share, request.POST.get("password", "")):
            sign_in.count_guess(attempt)
            return _form(request, share, error=Phrase("This password is incorrect."), status=422)
        sign_in.give_back(attempt)
    if share.type == EntryType.FILE:  # an opening that shows nothing is not counted
        check_document(request, str(share.sharedDocumentId), Permission.READ)
    try:
        actions.open_link(request.site, share)
    except Refused as error:
        return _form(request, share, closed=str(error), status=410)
    url = reverse("links:show-shared", args=[link_id])
    response = HttpResponseRedirect(url)
    response.set_signed_cookie(
        _cookie(link_id),
        request.site,
        salt=_SALT,
        max_age=_SECONDS,
        path=url,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return keep_private(response)


def _find_link(request: DeskRequest, link_id: str, secret: str) -> DocumentShare:
    """Invalid addresses are rate-limited by network. Raises: NotFound, TooManyTries."""
    share = actions.find_link(request.site, link_id, secret)
    if share is None:
        attempt = _attempt(request, "")
        sign_in.take_try(attempt)
        sign_in.count_guess(attempt)
        raise NotFound(NO_LINK)
    return share


def _attempt(request: DeskRequest, link_id: str) -> Attempt:
    return Attempt(_WHAT, link_id, sign_in.client_network(request))


def _cookie(link_id: str) -> str:
    return f"shared-{link_id}"


def keep_private(response: HttpResponse) -> HttpResponse:
    """Forbid caching and indexing. SECURE_REFERRER_POLICY keeps our URLs from other sites."""
    response["Cache-Control"] = "private, no-store"
    response["X-Robots-Tag"] = "noindex, nofollow"
    return response


def _form(
    request: DeskRequest, share: DocumentShare, *, error: str = "", closed: str = "", status: int = 200
) -> HttpResponse:
    context = {"share": share, "error": error, "closed": closed, "is_folder": share.type == EntryType.FOLDER}
    return keep_private(render_answer(request, "workflows/links/open.html", None, context, status=status))


def _opened(request: DeskRequest, link_id: str) -> DocumentShare:
    """Return the share of a valid opening; read at each request, so revoking takes effect at once. Raises: NotFound."""
    told = request.get_signed_cookie(_cookie(link_id), "", salt=_SALT, max_age=_SECONDS)
    if told != request.site:
        raise NotFound(gettext("Open this with the link that you were sent."))
    share = share_queries.get_share(request.site, link_id)
    if share_queries.is_over(share) == "expired":
        raise NotFound(actions.OVER["expired"])
    return share


@login_not_required
@require_safe
def show_shared(request: DeskRequest, link_id: str) -> HttpResponse:
    """Show the document, or the folder's documents; ``?folder=``: a folder inside it."""
    share = _opened(request, link_id)
    if share.type == EntryType.FILE:
        return _document_page(request, share, str(share.sharedDocumentId))
    cursor, folder_id = request.GET.get("after"), request.GET.get("folder") or str(share.sharedDocumentId)
    page = queries.list_shared_folder(request.site, share, folder_id, cursor=cursor)
    folder = folder_queries.get_folder(request.site, folder_id)
    denied = find_denied_documents(request, [str(one.documentId) for one in page.rows if not one.is_folder])
    context = {
        "share": share,
        "folder": folder,
        "up": folder.parent_id if folder_id != share.sharedDocumentId else "",
        "rows": [one for one in page.rows if one.is_folder or str(one.documentId) not in denied],
        **page_links(request, page.next, f"{request.path}?folder={folder_id}"),
        "joiner": "&",
    }
    return keep_private(render_answer(request, "workflows/links/folder.html", None, context))


@login_not_required
@require_safe
def show_shared_document(request: DeskRequest, link_id: str, shared_id: str) -> HttpResponse:
    return _document_page(request, _opened(request, link_id), shared_id)


def _document_page(request: DeskRequest, share: DocumentShare, shared_id: str) -> HttpResponse:
    public = _load(request, share, shared_id)
    context: dict[str, Any] = {
        "share": share,
        "public": public,
        "document": public.document,
        "is_folder": share.type == EntryType.FOLDER,
        "may_download": 0 < len(public.pages) <= pictures.MOST_PAGES,
    }
    note_view(request.site, shared_id, by=actions.link_actor(share))
    return keep_private(render_answer(request, "workflows/links/document.html", None, context))


def _load(request: DeskRequest, share: DocumentShare, shared_id: str) -> PublicDocument:
    """Raises: NotFound, also if the link does not include the document."""
    public = load_public_document(request.site, shared_id)
    if not queries.is_shared(request.site, share, public.document):
        raise NotFound(NO_LINK)
    check_document(request, shared_id, Permission.READ)
    return public


@login_not_required
@require_safe
def shared_image(request: DeskRequest, link_id: str, shared_id: str, index: int) -> HttpResponseBase:
    """``index`` is 0-based."""
    share = _opened(request, link_id)
    public = _load(request, share, shared_id)
    body = pictures.stamp_picture(pictures.load_picture(request.site, public, index), public.watermarks)
    smaller = shrink_picture(body, "page")
    response = HttpResponse(smaller or body, content_type="image/webp" if smaller else "image/png")
    return make_inert(keep_private(response))


@login_not_required
@require_safe
def download_shared(request: DeskRequest, link_id: str, shared_id: str) -> HttpResponseBase:
    """Download the images of all pages as a PDF."""
    share = _opened(request, link_id)
    public = _load(request, share, shared_id)
    response = HttpResponse(pictures.write_pdf(request.site, public), content_type="application/pdf")
    name = f"{public.document.name.rpartition('.')[0] or public.document.name}.pdf"
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name) or ""
    return make_inert(keep_private(response))

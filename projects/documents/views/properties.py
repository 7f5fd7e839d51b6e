"""What a person hangs on a document: tags, attributes, entries. Each form works without a script too."""

from collections.abc import Callable

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from config.errors import Conflict, NotFound, Refused
from config.table import InvalidKey
from projects.audit.events import Actor, actor_of
from projects.documents.actions import attributes as attribute_actions
from projects.documents.actions import metadata as metadata_actions
from projects.documents.actions import tags as tag_actions
from projects.documents.views.documents import document_page
from projects.queues import admission
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, wants_fragment


@require_POST
def change_tags(request: DeskRequest, document_id: str) -> HttpResponse:
    """``op``: add, change (``before`` → ``value``) or remove (``value``, or the whole tag without one)."""
    access.check_can_upload(request)
    admission.check_document(request, document_id)
    post, by, site = request.POST, actor_of(request.user), request.site
    key, value = post.get("key", ""), post.get("value", "")

    def write() -> None:
        if post.get("op") == "remove":
            tag_actions.remove_tag(site, document_id, key, post.get("value"), by=by)
        elif post.get("op") == "change":
            tag_actions.change_tag(site, document_id, key, post.get("before", ""), value, by=by)
        else:
            tag_actions.add_tag(site, document_id, key, value, by=by)

    return _answer(request, document_id, "tags", write)


@require_POST
def change_attributes(request: DeskRequest, document_id: str) -> HttpResponse:
    """``op``: set (``value``, several one a line) or remove; ``expected`` are the values that the page showed."""
    access.check_can_upload(request)
    admission.check_document(request, document_id)
    post, by, site = request.POST, actor_of(request.user), request.site
    key, expected = post.get("key", ""), post.getlist("expected")

    def write() -> None:
        if not key:
            raise Refused("Select an attribute.")
        if post.get("op") == "remove":
            attribute_actions.remove_attribute(site, document_id, key, by=by, expected=expected)
            return
        typed = [line for line in post.get("value", "").splitlines() if line.strip()]
        attribute_actions.set_attribute(site, document_id, key, typed or [""], by=by, expected=expected)

    return _answer(request, document_id, "attributes", write)


@require_POST
def change_metadata(request: DeskRequest, document_id: str) -> HttpResponse:
    """``op``: set (``key``, ``value``) or remove; ``before`` is the text that the page showed."""
    access.check_can_upload(request)
    admission.check_document(request, document_id)
    post = request.POST
    value = None if post.get("op") == "remove" else post.get("value", "").strip()

    def write() -> None:
        metadata_actions.set_metadata(
            request.site,
            document_id,
            post.get("key", ""),
            value,
            by=_by(request),
            expected=post.get("before"),
        )

    return _answer(request, document_id, "metadata", write)


def _by(request: DeskRequest) -> Actor:
    return actor_of(request.user)


def _answer(request: DeskRequest, document_id: str, panel: str, write: Callable[[], None]) -> HttpResponse:
    """The panel as it is now; what was refused comes back with its sentence and with what was typed."""
    fragment = f"projects/documents/_{panel}.html"
    try:
        write()
    except (Refused, Conflict, InvalidKey, NotFound) as error:
        status = 409 if isinstance(error, Conflict) else 422
        notice = {"panel": panel, "text": str(error), "tone": "warn" if status == 409 else "bad"}
        typed = request.POST.dict() if status == 422 and request.POST.get("op") != "remove" else {}
        return document_page(
            request, document_id, fragment=fragment, status=status, notice=notice, typed={panel: typed}
        )
    if wants_fragment(request):
        return document_page(request, document_id, fragment=fragment)
    return redirect_after_post(request, f"{reverse('documents:show-document', args=[document_id])}#{panel}")

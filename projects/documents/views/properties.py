"""Views to change a document's type, tags, attributes and metadata, and to restore earlier values."""

from collections.abc import Callable
from dataclasses import replace

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from config.errors import Conflict, NotAllowed, NotFound, Refused
from config.phrase import Phrase
from config.table import InvalidKey
from projects.audit.events import Actor, actor_of
from projects.documents.actions import classification
from projects.documents.actions import properties as attribute_actions
from projects.documents.earlier_values import list_earlier, restore_earlier
from projects.documents.queries import get_document
from projects.documents.views.document import document_page
from projects.personal.access import fields_hidden_from
from projects.personal.masking import MASK
from projects.queues import visibility
from projects.schemas import queries as schema_queries
from projects.schemas.labels.reading import get_labels
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer, wants_fragment


@require_http_methods(["GET", "POST"])
def change_type(request: DeskRequest, document_id: str) -> HttpResponse:
    """``type``: a document type's id; empty for none."""
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    if request.method == "GET":
        return _type_page(request, document_id)
    try:
        chosen = request.POST.get("type", "")
        classification.classify_document(request.site, document_id, chosen, by=actor_of(request.user))
    except (NotFound, InvalidKey):
        return _type_page(request, document_id, error=Phrase("Select a type from the list."), status=422)
    except Refused as error:
        return _type_page(request, document_id, error=str(error), status=422)
    messages.success(request, gettext("Document type saved."))
    return redirect_after_post(request, reverse("documents:show-document", args=[document_id]))


def _type_page(request: DeskRequest, document_id: str, *, error: str = "", status: int = 200) -> HttpResponse:
    document = get_document(request.site, document_id)
    labels = get_labels(request.site)
    offered = [one for one in schema_queries.all_classifications(request.site) if not one.archived]
    kinds = [replace(one, name=labels.name_type(one.id, one.name)) for one in offered]
    context = {"document": document, "error": error, "kinds": kinds, "chosen": document.classification_id or ""}
    return render_answer(request, "projects/documents/type.html", None, context, status=status)


@require_POST
def change_tags(request: DeskRequest, document_id: str) -> HttpResponse:
    """``op``: add, change (``before`` → ``value``) or remove (``value``, or the whole tag without one)."""
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    post, by, site = request.POST, actor_of(request.user), request.site
    key, value = post.get("key", ""), post.get("value", "")

    def write() -> None:
        if post.get("op") == "remove":
            attribute_actions.remove_tag(site, document_id, key, post.get("value"), by=by)
        elif post.get("op") == "change":
            attribute_actions.change_tag(site, document_id, key, post.get("before", ""), value, by=by)
        else:
            attribute_actions.add_tag(site, document_id, key, value, by=by)

    return _answer(request, document_id, "tags", write)


@require_POST
def change_attributes(request: DeskRequest, document_id: str) -> HttpResponse:
    """``op``: set (``value``, several one a line) or remove; ``expected`` are the values that the page showed."""
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    post, by, site = request.POST, actor_of(request.user), request.site
    key, expected = post.get("key", ""), post.getlist("expected")

    def write() -> None:
        if not key:
            raise Refused(gettext("Select an attribute."))
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
    visibility.check_document(request, document_id)
    post = request.POST
    value = None if post.get("op") == "remove" else post.get("value", "").strip()

    def write() -> None:
        attribute_actions.set_metadata(
            request.site,
            document_id,
            post.get("key", ""),
            value,
            by=_by(request),
            expected=post.get("before"),
        )

    return _answer(request, document_id, "metadata", write)


@require_http_methods(["GET", "POST"])
def list_earlier_values(request: DeskRequest, document_id: str) -> HttpResponse:
    """List earlier values; POST restores them: ``kind``, ``key``, ``at``."""
    (access.check_can_upload if request.method == "POST" else access.check_can_view)(request)
    visibility.check_document(request, document_id)
    document, post = get_document(request.site, document_id), request.POST
    hidden = bool(fields_hidden_from(request, document.project_id))
    error = ""
    if request.method == "POST":
        if hidden:
            raise NotAllowed(gettext("You may not see these values, so you cannot put them back."))
        which = (post.get("kind", ""), post.get("key", ""), post.get("at", ""))
        try:
            restore_earlier(request.site, document_id, *which, by=_by(request))
            messages.success(request, gettext("Earlier values restored."))
            return redirect_after_post(request, reverse("documents:show-document", args=[document_id]))
        except (Refused, NotFound, InvalidKey) as refused:
            error = str(refused)
    context = {
        "document": document,
        "rows": list_earlier(request.site, document_id),
        "hidden": hidden,
        "mask": MASK,
        "error": error,
    }
    return render_answer(request, "projects/documents/earlier.html", None, context, status=422 if error else 200)


def _by(request: DeskRequest) -> Actor:
    return actor_of(request.user)


def _answer(request: DeskRequest, document_id: str, panel: str, write: Callable[[], None]) -> HttpResponse:
    """Render the updated panel, or the refused input with its error."""
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

"""Pages of entities: types, lists, one entity with its history, CSV import."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Conflict, CountersignError, NotFound, Refused
from config.phrase import Phrase
from projects.audit.events import actor_of
from projects.audit.items import EntityEvent
from projects.entities import actions, queries
from projects.entities.actions import LONGEST_NAME, EntityDraft, draft_of
from projects.entities.importing import import_entities
from projects.entities.items import MERGED, EntityRow, EntityType
from projects.entities.references import find_duplicate, list_referring, reference_to
from projects.schemas import queries as schema_queries
from projects.schemas.governing import ENTITY
from projects.sites import access
from projects.web.http import DeskRequest, page_links, redirect_after_post, render_answer, version_in
from projects.web.spreadsheets import MOST_BYTES

_MOST_OFFERED = 20
_EVENTS = {
    "created": Phrase("Created"),
    "updated": Phrase("Changed"),
    "deleted": Phrase("Deleted"),
    "merged": Phrase("Merged"),
}


@dataclass(frozen=True)
class Event:
    """A line of an entity's history."""

    words: str
    who: str
    at: str
    changes: Sequence[tuple[str, str, str]]
    is_merge: bool = False


@require_http_methods(["GET", "POST"])
def list_types(request: DeskRequest) -> HttpResponse:
    """POST creates a type: ``name``."""
    error, status = "", 200
    if request.method == "POST":
        access.check_can_govern(request)
        try:
            made = actions.create_type(request.site, request.POST.get("name", ""), by=actor_of(request.user))
        except (Refused, Conflict) as refused:
            error, status = str(refused), 409 if isinstance(refused, Conflict) else 422
        else:
            return redirect_after_post(request, reverse("entities:list-entities", args=[made.type_id]))
    access.check_can_view(request)
    context = {
        "types": queries.list_types(request.site),
        "error": error,
        "typed": request.POST.get("name", ""),
        "longest": LONGEST_NAME,
    }
    return render_answer(request, "projects/entities/types.html", None, context, status=status)


@require_http_methods(["GET", "POST"])
def edit_type(request: DeskRequest, type_id: str) -> HttpResponse:
    """POST renames a type: ``name``, and ``was`` as the form showed it."""
    access.check_can_govern(request)
    kind = queries.get_type(request.site, type_id)
    if request.method == "GET":
        return _type_form(request, kind)
    name, was = request.POST.get("name", ""), request.POST.get("was", "")
    try:
        kind = actions.rename_type(request.site, type_id, name, was=was, by=actor_of(request.user))
    except (Refused, Conflict) as error:
        return _type_form(request, queries.get_type(request.site, type_id), error=error)
    messages.success(request, gettext("%(name)s saved.") % {"name": kind.name})
    return redirect_after_post(request, reverse("entities:list-entities", args=[type_id]))


@require_POST
def delete_type(request: DeskRequest, type_id: str) -> HttpResponse:
    """``sure``: the confirmation checkbox."""
    access.check_can_govern(request)
    kind = queries.get_type(request.site, type_id)
    try:
        _check_sure(request)
        actions.delete_type(request.site, type_id, by=actor_of(request.user))
    except Refused as error:
        return _type_form(request, kind, error=error)
    messages.success(request, gettext("%(name)s deleted.") % {"name": kind.name})
    return redirect_after_post(request, reverse("entities:list-types"))


def _check_sure(request: DeskRequest) -> None:
    """Raises: Refused, if the confirmation checkbox was not sent."""
    if request.POST.get("sure") != "yes":
        raise Refused(gettext("Confirm the permanent deletion: it cannot be undone."))


def _type_form(request: DeskRequest, kind: EntityType, *, error: CountersignError | None = None) -> HttpResponse:
    context = {
        "type": kind,
        "typed": request.POST.get("name", kind.name),
        "kept": actions.tell_what_keeps_type(request.site, kind),
        "error": str(error or ""),
        "longest": LONGEST_NAME,
    }
    status = 200 if error is None else 409 if isinstance(error, Conflict) else 422
    return render_answer(request, "projects/entities/type.html", None, context, status=status)


@require_safe
def suggest_entities(request: DeskRequest) -> HttpResponse:
    """Options for a document's attribute: ``key`` and the beginning of a name, ``value``."""
    access.check_can_view(request)
    rows: Sequence[EntityRow] = ()
    with suppress(NotFound):
        definition = schema_queries.attribute_definition(request.site, request.GET.get("key", ""))
        if definition.kind == ENTITY:
            start = request.GET.get("value", "").strip()[:LONGEST_NAME]
            rows = queries.list_entities(request.site, definition.entity_type, start=start).rows[:_MOST_OFFERED]
    return render_answer(request, "projects/entities/_options.html", None, {"rows": rows})


@require_safe
def list_entities(request: DeskRequest, type_id: str) -> HttpResponse:
    """``?start=``: how one of their names begins."""
    access.check_can_view(request)
    start, cursor = request.GET.get("start", "").strip()[:LONGEST_NAME], request.GET.get("after")
    page = queries.list_entities(request.site, type_id, start=start, cursor=cursor)
    context = {
        "type": queries.get_type(request.site, type_id),
        "rows": page.rows,
        "start": start,
        **page_links(request, page.next, request.path),
    }
    return render_answer(request, "projects/entities/list.html", None, context)


def _draft(request: DeskRequest) -> EntityDraft:
    """Read the form; multiple values one a line, attributes as ``name: value``."""
    post = request.POST if request.method == "POST" else request.GET
    pairs = [line.partition(":") for line in post.get("attributes", "").splitlines() if line.strip()]
    return EntityDraft(
        post.get("name", ""),
        post.get("tax_id", ""),
        [line for line in post.get("ibans", "").splitlines() if line.strip()],
        [line for line in post.get("aliases", "").splitlines() if line.strip()],
        {key.strip(): value.strip() for key, _, value in pairs},
    )


def _check_lines(request: DeskRequest) -> None:
    """Raises: Refused, if a line of the attributes has no name and value."""
    for line in request.POST.get("attributes", "").splitlines():
        name, _, value = line.partition(":")
        if line.strip() and not (name.strip() and value.strip()):
            raise Refused(gettext("Enter “%(line)s” as “name: value”.") % {"line": line.strip()[:60]})


@require_http_methods(["GET", "POST"])
def create_entity(request: DeskRequest, type_id: str) -> HttpResponse:
    """The URL may prefill the form, as links from a document's page do."""
    access.check_can_upload(request)
    kind, draft = queries.get_type(request.site, type_id), _draft(request)
    if request.method == "GET":
        return _form(request, kind, draft)
    try:
        _check_lines(request)
        made = actions.create_entity(request.site, type_id, draft, by=actor_of(request.user))
    except (Refused, Conflict) as error:
        return _form(request, kind, draft, error=error)
    messages.success(request, gettext("%(name)s created.") % {"name": made.name})
    return redirect_after_post(request, reverse("entities:show-entity", args=[type_id, made.entity_id]))


@require_http_methods(["GET", "POST"])
def show_entity(request: DeskRequest, type_id: str, entity_id: str) -> HttpResponse:
    """POST saves changes based on ``version``."""
    access.check_can_view(request)
    kind, entity = queries.get_type(request.site, type_id), queries.get_entity(request.site, type_id, entity_id)
    if request.method == "GET":
        return _form(request, kind, draft_of(entity), entity=entity)
    access.check_can_upload(request)
    draft, by = _draft(request), actor_of(request.user)
    try:
        _check_lines(request)
        actions.update_entity(request.site, type_id, entity_id, draft, version=version_in(request.POST), by=by)
    except (Refused, Conflict) as error:
        entity = queries.get_entity(request.site, type_id, entity_id)
        return _form(request, kind, draft, entity=entity, error=error)
    messages.success(request, gettext("%(name)s saved.") % {"name": draft.name})
    return redirect_after_post(request, reverse("entities:show-entity", args=[type_id, entity_id]))


def _form(
    request: DeskRequest,
    kind: EntityType,
    draft: EntityDraft,
    *,
    entity: EntityRow | None = None,
    error: CountersignError | None = None,
) -> HttpResponse:
    into = None
    if entity is not None and entity.status == MERGED:
        into = queries.get_entity(request.site, kind.type_id, str(entity.merged_into))
    context: dict[str, Any] = {
        "referring": _referring(request.site, entity) if entity and not into else (),
        "type": kind,
        "entity": entity,
        "into": into,
        "draft": draft,
        "ibans": "\n".join(draft.ibans),
        "aliases": "\n".join(draft.aliases),
        "attributes": request.POST.get(
            "attributes", "\n".join(f"{key}: {value}" for key, value in draft.attributes.items())
        ),
        "duplicate": request.POST.get("named", ""),
        "history": [_event(one) for one in queries.list_history(request.site, entity.entity_id)] if entity else (),
        "others": _others(request, kind, entity) if entity and not into else (),
        "error": str(error or ""),
        "longest": LONGEST_NAME,
    }
    status = 200 if error is None else 409 if isinstance(error, Conflict) else 422
    return render_answer(request, "projects/entities/show.html", None, context, status=status)


def _referring(site: str, entity: EntityRow) -> list[tuple[str, str]]:
    """Return the label of each attribute that may refer to the entity, and the list of those documents."""
    found = list_referring(site, entity.type_id)
    if not found:
        return []
    name = str(entity.name)
    same = queries.find_named(site, entity.type_id, name)
    value = name if len(same) == 1 else reference_to(entity.type_id, entity.entity_id)
    url = reverse("documents:list-documents")
    return [(one.label, f"{url}?{urlencode({'a': one.key, 'o': 'is', 'v': value})}") for one in found]


def _others(request: DeskRequest, kind: EntityType, entity: EntityRow) -> list[EntityRow]:
    """Return entities with similar beginnings of names, likely duplicates."""
    rows = queries.list_entities(request.site, kind.type_id, start=str(entity.name)[:3]).rows
    return [one for one in rows if one.entity_id != entity.entity_id]


def _event(row: EntityEvent) -> Event:
    found = row.payload.as_dict()
    changes = [
        (key, str(value.get("before") or ""), str(value.get("after") or ""))
        for key, value in sorted(found.items())
        if isinstance(value, dict)
    ]
    return Event(_EVENTS.get(row.type, row.type), str(row.name or ""), row.inserteddate, changes, row.type == "merged")


@require_POST
def merge_entity(request: DeskRequest, type_id: str, entity_id: str) -> HttpResponse:
    """``named``: a name, tax ID or IBAN of the duplicate to merge into this one; else ``other``, its id."""
    access.check_can_upload(request)
    kind, entity = queries.get_type(request.site, type_id), queries.get_entity(request.site, type_id, entity_id)
    other, named = request.POST.get("other", ""), request.POST.get("named", "").strip()
    try:
        if named:
            other = find_duplicate(request.site, entity, named)
        actions.merge_entities(request.site, type_id, entity_id, other, by=actor_of(request.user))
    except (Refused, Conflict) as error:
        return _form(request, kind, draft_of(entity), entity=entity, error=error)
    messages.success(request, gettext("Merged into %(name)s.") % {"name": entity.name})
    return redirect_after_post(request, reverse("entities:show-entity", args=[type_id, entity_id]))


@require_POST
def delete_entity(request: DeskRequest, type_id: str, entity_id: str) -> HttpResponse:
    """``version`` that was shown; ``sure``: the confirmation checkbox."""
    access.check_can_upload(request)
    kind, entity = queries.get_type(request.site, type_id), queries.get_entity(request.site, type_id, entity_id)
    try:
        _check_sure(request)
        version = version_in(request.POST)
        actions.delete_entity(request.site, type_id, entity_id, version=version, by=actor_of(request.user))
    except (Refused, Conflict) as error:
        return _form(request, kind, draft_of(entity), entity=entity, error=error)
    messages.success(request, gettext("%(name)s deleted.") % {"name": entity.name})
    return redirect_after_post(request, reverse("entities:list-entities", args=[type_id]))


@require_http_methods(["GET", "POST"])
def import_file(request: DeskRequest, type_id: str) -> HttpResponse:
    """``file``: a CSV file."""
    access.check_can_upload(request)
    kind = queries.get_type(request.site, type_id)
    context: dict[str, Any] = {"type": kind}
    status = 200
    if request.method == "POST":
        file = request.FILES.get("file")
        try:
            body = file.read(MOST_BYTES + 1) if file else b""
            context["report"] = import_entities(request.site, type_id, body, by=actor_of(request.user))
        except Refused as error:
            context["error"], status = str(error), 422
    return render_answer(request, "projects/entities/import.html", None, context, status=status)

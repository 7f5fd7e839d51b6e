"""Pages of attribute definitions and schemas."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Conflict, NotAllowed, NotFound, Refused
from config.phrase import Phrase
from projects.audit.events import actor_of
from projects.entities.items import EntityType
from projects.entities.queries import get_type, list_types
from projects.schemas import actions as attribute_definition_actions
from projects.schemas import actions as schema_actions
from projects.schemas import queries as schema_queries
from projects.schemas.editor import (
    SchemaEditor,
    edit_extended_schema,
    edit_posted_schema,
    edit_rearranged_schema,
    editor_of,
    names_to_create,
    post_extended_schema,
)
from projects.schemas.forms import AttributeForm, DefinitionForm, ShortAttributeForm
from projects.schemas.governing import AttributeDefinition, Schema
from projects.schemas.items import SchemaHead
from projects.settings.values import DATE_RANGES
from projects.sites import access
from projects.web.http import DeskRequest, page_links, redirect_after_post, render_answer, version_in

_MORE = ("date_range", "columns", "watermark", "personal")  # that a definition says beside its label


@dataclass(frozen=True)
class _Notice:
    """The message above a refused form."""

    heading: str
    text: str


@require_http_methods(["GET", "POST"])
def list_attributes(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    if request.method == "GET":
        return _list_page(request, AttributeForm(entity_types=list_types(request.site)))
    form = AttributeForm(request.POST, entity_types=list_types(request.site))
    if not form.is_valid():
        return _list_page(request, form, status=422)
    definition = form.definition()
    try:
        attribute_definition_actions.create_definition(request.site, definition, by=actor_of(request.user))
    except Conflict as error:
        form.add_error("key", gettext("%(error)s Choose another key.") % {"error": error})
        return _list_page(request, form, status=409)
    except Refused as error:
        form.add_error("entity_type", str(error))
        return _list_page(request, form, status=422)
    messages.success(
        request, gettext("%(label)s created. Schemas and documents can now use it.") % {"label": definition.label}
    )
    return redirect_after_post(request, reverse("schemas:list-attributes"))


@require_http_methods(["GET", "POST"])
def edit_attribute(request: DeskRequest, key: str) -> HttpResponse:
    access.check_can_govern(request)
    definition = schema_queries.attribute_definition(request.site, key)
    if request.method == "GET":
        return _definition_page(request, definition, _form_of(definition))
    form = DefinitionForm(request.POST, kind=definition.kind)
    if not form.is_valid():
        return _definition_page(request, definition, form, status=422)
    typed = form.cleaned_data
    label, more = typed["label"], {name: typed[name] for name in _MORE if name in typed}
    try:
        attribute_definition_actions.change_definition(
            request.site, key, label, **more, version=version_in(request.POST), by=actor_of(request.user)
        )
    except Conflict as error:
        stored = schema_queries.attribute_definition(request.site, key)
        return _definition_page(
            request, stored, form, notice=_Notice(Phrase("Attribute changed by another user"), str(error)), status=409
        )
    messages.success(request, gettext("%(label)s saved. New runs use it.") % {"label": label})
    return redirect_after_post(request, reverse("schemas:list-attributes"))


@require_POST
def delete_attribute(request: DeskRequest, key: str) -> HttpResponse:
    access.check_can_govern(request)
    try:
        attribute_definition_actions.delete_definition(request.site, key, by=actor_of(request.user))
    except NotAllowed as error:
        definition = schema_queries.attribute_definition(request.site, key)
        form = _form_of(definition)
        return _definition_page(
            request, definition, form, notice=_Notice(Phrase("Attribute not deleted"), str(error)), status=409
        )
    messages.success(request, gettext("%(key)s deleted.") % {"key": key})
    return redirect_after_post(request, reverse("schemas:list-attributes"))


def _form_of(definition: AttributeDefinition) -> DefinitionForm:
    initial = {name: getattr(definition, name) for name in ("label", *_MORE)}
    return DefinitionForm(initial=initial, kind=definition.kind)


def _list_page(request: DeskRequest, form: AttributeForm, *, status: int = 200) -> HttpResponse:
    cursor = request.GET.get("after")
    rows, following = schema_queries.list_attributes(request.site, cursor)
    dates = schema_queries.definitions_of(request.site, [one.key for one in rows if one.kind == "date"])
    context = {
        "form": form,
        "rows": [(one, DATE_RANGES.get(dates[one.key].date_range, "") if one.key in dates else "") for one in rows],
        **page_links(request, following, reverse("schemas:list-attributes")),
    }
    return render_answer(
        request, "projects/schemas/attributes.html", "projects/schemas/_attributes.html", context, status=status
    )


def _definition_page(
    request: DeskRequest,
    definition: AttributeDefinition,
    form: DefinitionForm,
    *,
    notice: _Notice | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "form": form,
        "attribute": definition,
        "list": _entity_type(request.site, definition),
        "uses": schema_queries.schemas_using(request.site, definition.key),
        "allowed": schema_queries.list_allowed_values(request.site, definition.key),
        "notice": notice,
    }
    return render_answer(
        request, "projects/schemas/attribute.html", "projects/schemas/_attribute.html", context, status=status
    )


def _entity_type(site: str, definition: AttributeDefinition) -> EntityType | None:
    try:
        return get_type(site, definition.entity_type) if definition.entity_type else None
    except NotFound:
        return None


_SAVED = Phrase("%(name)s saved. Runs already started keep their fields.")


@require_safe
def list_classifications(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    cursor = request.GET.get("after")
    rows, following = schema_queries.list_classifications(request.site, cursor)
    context = {
        "rows": rows,
        **page_links(request, following, reverse("schemas:list-classifications")),
    }
    return render_answer(request, "projects/schemas/list.html", None, context)


@require_http_methods(["GET", "POST"])
def create_classification(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    wanted = schema_actions.classification_id_from(request.POST.get("classification_id", ""))
    if request.method == "GET":
        return _schema_page(request, editor_of(Schema(""), named=True), classification_id=wanted)
    save = partial(_save_new_classification, request, wanted)
    if order := request.POST.get("rows"):
        return _rows_page(request, order, save, named=True, classification_id=wanted)
    return save(edit_posted_schema(request.POST, named=True))


def _save_new_classification(request: DeskRequest, wanted: str, typed: SchemaEditor) -> HttpResponse:
    page, editor = partial(_schema_page, request, classification_id=wanted), typed.check(request.site)
    if not editor.is_valid:
        return page(editor, status=422)
    try:
        made = schema_actions.create_classification(
            request.site, editor.schema(), by=actor_of(request.user), classification_id=wanted
        )
    except Refused as error:
        return page(replace(editor, refusal=str(error)), status=422)
    messages.success(
        request, gettext("%(name)s created. Projects can now select it in their settings.") % {"name": made.name}
    )
    return redirect_after_post(request, reverse("schemas:list-classifications"))


@require_http_methods(["GET", "POST"])
def edit_classification(request: DeskRequest, classification_id: str) -> HttpResponse:
    access.check_can_govern(request)
    head = schema_queries.get_classification(request.site, classification_id)
    if request.method == "GET":
        return _schema_page(request, editor_of(head.schema, named=True, version=head.number), head=head)
    save = partial(_save_classification, request, head)
    if order := request.POST.get("rows"):
        return _rows_page(request, order, save, named=True, head=head)
    return save(edit_posted_schema(request.POST, named=True))


def _save_classification(request: DeskRequest, head: SchemaHead, typed: SchemaEditor) -> HttpResponse:
    editor = typed.check(request.site)
    if not editor.is_valid:
        return _schema_page(request, editor, head=head, status=422)
    save = partial(schema_actions.save_classification, request.site, head.id)
    try:
        save(editor.schema(), version=editor.version, by=actor_of(request.user))
    except Conflict as error:
        stored = schema_queries.get_classification(request.site, head.id)
        return _schema_page(request, replace(editor, clash=str(error), version=stored.number), head=stored, status=409)
    except Refused as error:
        return _schema_page(request, replace(editor, refusal=str(error)), head=head, status=422)
    messages.success(request, _SAVED.fill(name=editor.schema().name))
    return redirect_after_post(request, reverse("schemas:list-classifications"))


@require_http_methods(["GET", "POST"])
def edit_site_schema(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    head = schema_queries.site_schema(request.site)
    if request.method == "GET":
        return _schema_page(request, editor_of(head.schema, named=False, version=head.number), head=head)
    save = partial(_save_site_schema, request, head)
    if order := request.POST.get("rows"):
        return _rows_page(request, order, save, named=False, head=head)
    return save(edit_posted_schema(request.POST, named=False, name=head.schema.name))


def _save_site_schema(request: DeskRequest, head: SchemaHead, typed: SchemaEditor) -> HttpResponse:
    editor = typed.check(request.site)
    if not editor.is_valid:
        return _schema_page(request, editor, head=head, status=422)
    try:
        schema_actions.save_site_schema(
            request.site, editor.schema(), version=editor.version, by=actor_of(request.user)
        )
    except Conflict as error:
        stored = schema_queries.site_schema(request.site)
        return _schema_page(request, replace(editor, clash=str(error), version=stored.number), head=stored, status=409)
    except Refused as error:
        return _schema_page(request, replace(editor, refusal=str(error)), head=head, status=422)
    messages.success(request, _SAVED.fill(name=Phrase("Site schema")))
    return redirect_after_post(request, reverse("schemas:edit-site-schema"))


@require_POST
def archive_classification(request: DeskRequest, classification_id: str) -> HttpResponse:
    """``archived`` empty: use it again."""
    access.check_can_govern(request)
    archived = bool(request.POST.get("archived"))
    version, by = version_in(request.POST), actor_of(request.user)
    try:
        schema_actions.archive_classification(
            request.site, classification_id, archived=archived, version=version, by=by
        )
    except Conflict as error:
        head = schema_queries.get_classification(request.site, classification_id)
        editor = replace(
            editor_of(head.schema, named=True, version=head.number),
            refusal=Phrase("%(error)s Nothing was changed; review the current version first.").fill(error=error),
        )
        return _schema_page(request, editor, head=head, status=409)
    if archived:
        messages.success(request, gettext("Document type archived. Projects that use it keep it."))
    else:
        messages.success(request, gettext("Document type restored. Projects can select it again."))
    return redirect_after_post(request, reverse("schemas:list-classifications"))


_CREATE = "create"  # the attribute typed beside the rows


def _rows_page(
    request: DeskRequest,
    order: str,
    save: Callable[[SchemaEditor], HttpResponse],
    *,
    named: bool,
    head: SchemaHead | None = None,
    classification_id: str = "",
) -> HttpResponse:
    """Rearrange the rows, or create an attribute and add its row; then ``save`` what only waited for the attribute."""
    data, name = request.POST, head.schema.name if head and not named else ""
    saves = order == _CREATE and bool(names_to_create(data))  # the button then answers for the whole form
    page = partial(_schema_page, request, head=head, classification_id=classification_id, rows=not saves)
    typed = edit_rearranged_schema(data, order, named=named, name=name)
    if order != _CREATE:
        return page(typed)
    form = ShortAttributeForm(data)
    typed = replace(typed, new=form, focus="")
    if not form.is_valid():
        return page(typed, status=422)
    made = form.definition()
    try:
        attribute_definition_actions.create_definition(request.site, made, by=actor_of(request.user))
    except Conflict as error:
        form.add_error("key", gettext("%(error)s Choose another key.") % {"error": error})
        return page(typed, status=409)
    if not saves:
        return page(edit_extended_schema(data, made, named=named, name=name))
    return save(replace(edit_posted_schema(post_extended_schema(data, made), named=named, name=name), made=made.label))


def _schema_page(
    request: DeskRequest,
    editor: SchemaEditor,
    *,
    head: SchemaHead | None = None,
    classification_id: str = "",
    rows: bool = False,
    status: int = 200,
) -> HttpResponse:
    if head is None:
        form_url = reverse("schemas:create-classification")
    elif head.documentId:
        form_url = reverse("schemas:edit-classification", args=[head.id])
    else:
        form_url = reverse("schemas:edit-site-schema")
    context = {
        "form_url": form_url,
        "editor": editor.offer_attributes(request.site),
        "head": head,
        "is_site": head is not None and not head.documentId,
        "classification_id": classification_id,
    }
    response = render_answer(
        request,
        "projects/schemas/edit.html",
        "projects/schemas/_uses.html" if rows else "projects/schemas/_form.html",
        context,
        status=status,
    )
    if editor.missing and not editor.problems and not rows:
        response["HX-Reswap"] = "outerHTML show:#new-next:top"  # what to do next, and not the top of the form
    return response

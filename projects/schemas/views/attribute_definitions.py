"""Pages of attribute definitions: list and make, one with who uses it, rename, delete."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from config.errors import Conflict, NotAllowed
from projects.audit.events import actor_of
from projects.schemas import queries as schema_queries
from projects.schemas.actions import attribute_definitions as attribute_definition_actions
from projects.schemas.forms import AttributeForm, DefinitionForm
from projects.schemas.governing import AttributeDefinition
from projects.settings.values import DATE_RANGES
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer, version_in

_MORE = ("date_range", "columns", "personal")  # that a definition says beside its label


@dataclass(frozen=True)
class _Notice:
    """What stands above a form that was not taken."""

    heading: str
    text: str


@require_http_methods(["GET", "POST"])
def list_attributes(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    if request.method == "GET":
        return _list_page(request, AttributeForm())
    form = AttributeForm(request.POST)
    if not form.is_valid():
        return _list_page(request, form, status=422)
    definition = form.definition()
    try:
        attribute_definition_actions.create_definition(request.site, definition, by=actor_of(request.user))
    except Conflict as error:
        form.add_error("key", f"{error} Choose another key.")
        return _list_page(request, form, status=409)
    messages.success(request, f"{definition.label} created. Schemas and documents can now use it.")
    return redirect_after_post(request, reverse("schemas:list-attributes"))


@require_http_methods(["GET", "POST"])
def edit_attribute(request: DeskRequest, key: str) -> HttpResponse:
    access.check_can_govern(request)
    definition = schema_queries.attribute_definition(request.site, key)
    if request.method == "GET":
        return _page(request, definition, _form_of(definition))
    form = DefinitionForm(request.POST, kind=definition.kind)
    if not form.is_valid():
        return _page(request, definition, form, status=422)
    typed = form.cleaned_data
    label, more = typed["label"], {name: typed[name] for name in _MORE if name in typed}
    try:
        attribute_definition_actions.change_definition(
            request.site, key, label, **more, version=version_in(request.POST), by=actor_of(request.user)
        )
    except Conflict as error:
        stored = schema_queries.attribute_definition(request.site, key)
        return _page(request, stored, form, notice=_Notice("Attribute changed by another user", str(error)), status=409)
    messages.success(request, f"{label} saved. New runs use it.")
    return redirect_after_post(request, reverse("schemas:list-attributes"))


@require_POST
def delete_attribute(request: DeskRequest, key: str) -> HttpResponse:
    access.check_can_govern(request)
    try:
        attribute_definition_actions.delete_definition(request.site, key, by=actor_of(request.user))
    except NotAllowed as error:
        definition = schema_queries.attribute_definition(request.site, key)
        form = _form_of(definition)
        return _page(request, definition, form, notice=_Notice("Attribute not deleted", str(error)), status=409)
    messages.success(request, f"{key} deleted.")
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
        "next_cursor": following,
        "is_first": not cursor,
        "first_url": reverse("schemas:list-attributes"),
    }
    return render_answer(
        request, "projects/schemas/attributes.html", "projects/schemas/_attributes.html", context, status=status
    )


def _page(
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
        "uses": schema_queries.schemas_using(request.site, definition.key),
        "allowed": schema_queries.list_allowed_values(request.site, definition.key),
        "notice": notice,
    }
    return render_answer(
        request, "projects/schemas/attribute.html", "projects/schemas/_attribute.html", context, status=status
    )

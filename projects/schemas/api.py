"""The API of schemas: attributes, the site's schema, and document types."""

from typing import Annotated, Any

from ninja import Field, Router, Schema, Status

from config.errors import Conflict, NotAllowed, Refused
from config.table import InvalidKey
from projects.entities.queries import list_types
from projects.schemas import actions, checks, queries
from projects.schemas.forms import WATERMARK, AttributeForm, DefinitionForm
from projects.schemas.governing import (
    ENTITY,
    KINDS,
    MAX_ALLOWED,
    MAX_COMPOSITE_KEYS,
    MAX_USES,
    PUBLICATION,
    AttributeDefinition,
    AttributeUse,
)
from projects.schemas.governing import Schema as AttributeSchema
from projects.schemas.items import SchemaHead
from projects.settings.columns import TABLE
from projects.settings.values import AROUND, DATE_RANGES
from projects.sites import access
from projects.web.api import (
    FAILURES,
    IF_MATCH,
    OUTDATED,
    REFUSALS,
    ApiRequest,
    Body,
    etag_of,
    read_if_match,
    with_etag,
    with_example,
)
from projects.web.http import problem_response

router = Router(tags=["schemas"])
_IF_MATCH: dict[str, Any] = {"parameters": [IF_MATCH]}
_FIX = "Change this entry as the problem says."


class AttributeRow(Schema):
    """``in_use``: used by schemas or documents, so it cannot be deleted."""

    key: str
    label: str
    type: str
    in_use: bool


class AttributeList(Schema):
    items: list[AttributeRow]
    next: str | None


class UseShape(Schema):
    """``document_type``: null for the site's own schema."""

    document_type: str | None
    name: str


class AttributeDetail(AttributeRow):
    """``used_by``: schemas with it. ``allowed_values``: of all schemas; documents may have others.

    ``plausible_dates``: of a date; ``columns``: of a table, one a line; ``watermark``: of a watermark;
    ``entity_type``: of an entity, the ID of the type that values belong to.
    """

    plausible_dates: str
    columns: str
    watermark: str
    entity_type: str
    personal: bool
    used_by: list[UseShape]
    allowed_values: list[str]


class AttributePatch(Body):
    """Omitted entries stay."""

    model_config = with_example(label="Cost centre (finance)", personal=False)

    label: str = Field("", max_length=80)
    plausible_dates: str = Field("", json_schema_extra={"enum": list(DATE_RANGES)})
    columns: str = ""
    watermark: str = ""
    personal: bool = Field(False, strict=True)


class NewAttribute(AttributePatch):
    """``key``, ``type`` and ``entity_type`` cannot be changed."""

    model_config = with_example(key="cost_centre", label="Cost centre", type="text")

    key: str = Field(min_length=1, max_length=40)
    label: str = Field(min_length=1, max_length=80)
    type: str = Field(json_schema_extra={"enum": [one for one in KINDS if one != PUBLICATION]})
    plausible_dates: str = Field(AROUND, json_schema_extra={"enum": list(DATE_RANGES)})
    entity_type: str = Field("", max_length=64)


class SchemaUse(Body):
    """One attribute of a schema. ``allowed_values``: empty for any; ``default``: used if no value is found."""

    key: str = Field(min_length=1, max_length=40)
    required: bool = Field(False, strict=True)
    allowed_values: list[str] = Field(default_factory=list, max_length=MAX_ALLOWED)
    default: str = ""


Uses = Annotated[list[SchemaUse], Field(default_factory=list, max_length=MAX_USES)]
CompositeKeys = Annotated[list[list[str]], Field(default_factory=list, max_length=MAX_COMPOSITE_KEYS)]


class SchemaWish(Body):
    """Replaces the schema. ``composite_keys``: attributes by which documents are found together."""

    model_config = with_example(attributes=[{"key": "cost_centre", "required": True, "allowed_values": ["4711"]}])

    attributes: Uses
    composite_keys: CompositeKeys


class SchemaShape(Schema):
    attributes: list[SchemaUse]
    composite_keys: list[list[str]]
    version: int


class SavedType(SchemaWish):
    model_config = with_example(name="Delivery note", attributes=[{"key": "cost_centre"}])

    name: str = Field(min_length=1, max_length=120)


class DocumentTypeShape(Schema):
    """``archived``: no longer offered to projects; those that use it keep it."""

    id: str
    name: str
    archived: bool
    updated_at: str | None


class DocumentTypeList(Schema):
    items: list[DocumentTypeShape]
    next: str | None


class DocumentTypeDetail(DocumentTypeShape):
    attributes: list[SchemaUse]
    composite_keys: list[list[str]]
    version: int


class ArchiveWish(Body):
    model_config = with_example(archived=True)

    archived: bool = Field(strict=True)


@router.get(
    "/attributes", response={200: AttributeList, **FAILURES}, operation_id="list_attributes", summary="List attributes"
)
def list_attributes(request: ApiRequest, after: str | None = None) -> AttributeList:
    """By key. Requires GOVERN."""
    access.check_can_govern(request)
    rows, following = queries.list_attributes(request.site, after)
    items = [AttributeRow(key=one.key, label=one.label, type=one.kind, in_use=one.in_use) for one in rows]
    return AttributeList(items=items, next=following)


@router.post(
    "/attributes",
    response={201: AttributeDetail, **REFUSALS},
    operation_id="create_attribute",
    summary="Create an attribute",
)
def create_attribute(request: ApiRequest, wish: NewAttribute) -> Any:
    """Validated like the page. 409 if the key exists. Requires GOVERN."""
    access.check_can_govern(request)
    _check_fits(wish, wish.type)
    form = AttributeForm(_as_form(wish.dict()), entity_types=list_types(request.site))
    if not form.is_valid():
        return _list_problems(form)
    made = form.definition()
    actions.create_definition(request.site, made, by=request.auth.actor)
    return Status(201, _shape_attribute(request, queries.attribute_definition(request.site, made.key)))


@router.get(
    "/attributes/{key}",
    response={200: AttributeDetail, **FAILURES},
    operation_id="show_attribute",
    summary="Get an attribute",
)
def show_attribute(request: ApiRequest, key: str) -> AttributeDetail:
    """Includes the schemas that use it and their allowed values. Returns an ETag. Requires GOVERN."""
    access.check_can_govern(request)
    return _shape_attribute(request, queries.attribute_definition(request.site, key))


@router.patch(
    "/attributes/{key}",
    response={200: AttributeDetail, **OUTDATED},
    operation_id="change_attribute",
    summary="Change an attribute",
    openapi_extra=_IF_MATCH,
)
def change_attribute(request: ApiRequest, key: str, wish: AttributePatch) -> Any:
    """Key and type cannot be changed. Applies to new runs. Requires GOVERN."""
    access.check_can_govern(request)
    stored = queries.attribute_definition(request.site, key)
    read_if_match(request, _attribute_etag(stored), stored.version)
    _check_fits(wish, stored.kind)
    as_stored = {
        "label": stored.label,
        "plausible_dates": stored.date_range,
        "columns": stored.columns,
        "watermark": stored.watermark,
        "personal": stored.personal,
    }
    form = DefinitionForm(_as_form(as_stored | wish.dict(exclude_unset=True)), kind=stored.kind)
    if not form.is_valid():
        return _list_problems(form)
    typed = form.cleaned_data
    more = {name: typed[name] for name in ("date_range", "columns", "watermark", "personal") if name in typed}
    actions.change_definition(request.site, key, typed["label"], **more, version=stored.version, by=request.auth.actor)
    return _shape_attribute(request, queries.attribute_definition(request.site, key))


@router.delete(
    "/attributes/{key}",
    response={204: None, **REFUSALS},
    operation_id="delete_attribute",
    summary="Delete an attribute",
)
def delete_attribute(request: ApiRequest, key: str) -> Status[None]:
    """409 if schemas or documents use it or have used it. Requires GOVERN."""
    access.check_can_govern(request)
    try:
        actions.delete_definition(request.site, key, by=request.auth.actor)
    except NotAllowed as error:
        raise Conflict(str(error)) from error
    return Status(204, None)


@router.get(
    "/schema", response={200: SchemaShape, **FAILURES}, operation_id="show_site_schema", summary="Get the site's schema"
)
def show_site_schema(request: ApiRequest) -> SchemaShape:
    """The attributes of documents of every type. Returns an ETag. Requires GOVERN."""
    access.check_can_govern(request)
    return _shape_schema(request, queries.site_schema(request.site))


@router.put(
    "/schema",
    response={200: SchemaShape, **OUTDATED},
    operation_id="save_site_schema",
    summary="Save the site's schema",
    openapi_extra=_IF_MATCH,
)
def save_site_schema(request: ApiRequest, wish: SchemaWish) -> Any:
    """Applies to new runs. Requires GOVERN."""
    access.check_can_govern(request)
    head = queries.site_schema(request.site)
    read_if_match(request, _schema_etag(head), head.number)
    wanted = _read_schema(wish, head.schema.name)
    if wrong := _find_problems(request.site, wanted):
        return wrong
    return _shape_schema(
        request, actions.save_site_schema(request.site, wanted, version=head.number, by=request.auth.actor)
    )


@router.get(
    "/document-types",
    response={200: DocumentTypeList, **FAILURES},
    operation_id="list_document_types",
    summary="List document types",
)
def list_document_types(request: ApiRequest, after: str | None = None) -> DocumentTypeList:
    """By name, including archived ones. Requires GOVERN."""
    access.check_can_govern(request)
    rows, following = queries.list_classifications(request.site, after)
    items = [
        DocumentTypeShape(id=one.id, name=one.name, archived=one.archived, updated_at=one.updated_at or None)
        for one in rows
    ]
    return DocumentTypeList(items=items, next=following)


@router.post(
    "/document-types",
    response={201: DocumentTypeDetail, **REFUSALS},
    operation_id="create_document_type",
    summary="Create a document type",
)
def create_document_type(request: ApiRequest, wish: SavedType) -> Any:
    """Projects can then use it in their settings. Requires GOVERN."""
    access.check_can_govern(request)
    wanted = _read_schema(wish, wish.name)
    if wrong := _find_problems(request.site, wanted):
        return wrong
    made = actions.create_classification(
        request.site, wanted, by=request.auth.actor, classification_id=actions.new_classification_id()
    )
    return Status(201, _shape_type(request, made))


@router.get(
    "/document-types/{document_type}",
    response={200: DocumentTypeDetail, **FAILURES},
    operation_id="show_document_type",
    summary="Get a document type",
)
def show_document_type(request: ApiRequest, document_type: str) -> DocumentTypeDetail:
    """Its own attributes; those of the site's schema apply too. Returns an ETag. Requires GOVERN."""
    access.check_can_govern(request)
    return _shape_type(request, queries.get_classification(request.site, document_type))


@router.put(
    "/document-types/{document_type}",
    response={200: DocumentTypeDetail, **OUTDATED},
    operation_id="save_document_type",
    summary="Save a document type",
    openapi_extra=_IF_MATCH,
)
def save_document_type(request: ApiRequest, document_type: str, wish: SavedType) -> Any:
    """Applies to new runs. Requires GOVERN."""
    access.check_can_govern(request)
    head = queries.get_classification(request.site, document_type)
    read_if_match(request, _schema_etag(head), head.number)
    wanted = _read_schema(wish, wish.name)
    if wrong := _find_problems(request.site, wanted):
        return wrong
    saved = actions.save_classification(request.site, document_type, wanted, version=head.number, by=request.auth.actor)
    return _shape_type(request, saved)


@router.put(
    "/document-types/{document_type}/archived",
    response={200: DocumentTypeDetail, **OUTDATED},
    operation_id="archive_document_type",
    summary="Archive or restore a document type",
    openapi_extra=_IF_MATCH,
)
def archive_document_type(request: ApiRequest, document_type: str, wish: ArchiveWish) -> DocumentTypeDetail:
    """Projects that use it keep it. Requires GOVERN."""
    access.check_can_govern(request)
    head = queries.get_classification(request.site, document_type)
    read_if_match(request, _schema_etag(head), head.number)
    changed = actions.archive_classification(
        request.site, document_type, archived=wish.archived, version=head.number, by=request.auth.actor
    )
    return _shape_type(request, changed)


_ONLY_OF = {"plausible_dates": "date", "columns": TABLE, "watermark": WATERMARK, "entity_type": ENTITY}


def _check_fits(wish: AttributePatch, kind: str) -> None:
    """Raises: Refused, of what an attribute of this kind does not have."""
    for name in wish.dict(exclude_unset=True):
        if _ONLY_OF.get(name, kind) != kind:
            raise Refused(f"Only attributes of type {_ONLY_OF[name]} have this. Leave it out.", field=name)


def _as_form(sent: dict[str, Any]) -> dict[str, Any]:
    """Return the input under the form's names."""
    names = {"type": "kind", "plausible_dates": "date_range"}
    return {names.get(name, name): value for name, value in sent.items()}


def _list_problems(form: DefinitionForm) -> Any:
    """422 with each entry that the page would mark."""
    names = {"kind": "type", "date_range": "plausible_dates"}
    errors = [
        {"where": names.get(name, name), "problem": str(texts[0]), "fix": _FIX} for name, texts in form.errors.items()
    ]
    return problem_response(422, "The attribute is not valid. Nothing was saved. See errors.", errors=errors)


def _read_schema(wish: SchemaWish, name: str) -> AttributeSchema:
    uses = tuple(AttributeUse(one.key, one.required, tuple(one.allowed_values), one.default) for one in wish.attributes)
    return AttributeSchema(name, uses, tuple(map(tuple, wish.composite_keys)))


def _find_problems(site: str, schema: AttributeSchema) -> Any:
    """422 with each entry that the page would mark; None if there is none."""
    try:
        definitions = queries.definitions_of(site, schema.keys)
    except InvalidKey:  # one that no table can hold is one that there is not
        definitions = {}
    problems = list(checks.schema_problems(checks.normalise_schema(schema, definitions), definitions))
    parts = {"allowed": "allowed_values"}
    errors = [
        {
            "where": f"composite_keys.{one.place}"
            if one.part == "composite"
            else f"attributes.{one.place}.{parts.get(one.part, one.part)}",
            "problem": one.text,
            "fix": _FIX,
        }
        for one in problems
    ]
    sentence = "The schema is not valid. Nothing was saved. See errors."
    return problem_response(422, sentence, errors=errors) if errors else None


def _attribute_etag(one: AttributeDefinition) -> str:
    return etag_of("attribute", one.key, one.version)


def _schema_etag(head: SchemaHead) -> str:
    return etag_of("schema", head.id, head.number)


def _shape_attribute(request: ApiRequest, one: AttributeDefinition) -> AttributeDetail:
    shape = AttributeDetail(
        key=one.key,
        label=one.label,
        type=one.kind,
        in_use=one.in_use,
        plausible_dates=one.date_range,
        columns=one.columns,
        watermark=one.watermark,
        entity_type=one.entity_type,
        personal=one.personal,
        used_by=[
            UseShape(document_type=use.classification_id or None, name=use.name)
            for use in queries.schemas_using(request.site, one.key)
        ],
        allowed_values=list(queries.list_allowed_values(request.site, one.key)),
    )
    return with_etag(request, shape, _attribute_etag(one))


def _describe(schema: AttributeSchema) -> dict[str, Any]:
    uses = [
        SchemaUse(key=one.key, required=one.required, allowed_values=list(one.allowed), default=one.default)
        for one in schema.uses
    ]
    return {"attributes": uses, "composite_keys": list(map(list, schema.composite_keys))}


def _shape_schema(request: ApiRequest, head: SchemaHead) -> SchemaShape:
    return with_etag(request, SchemaShape(**_describe(head.schema), version=head.number), _schema_etag(head))


def _shape_type(request: ApiRequest, head: SchemaHead) -> DocumentTypeDetail:
    shape = DocumentTypeDetail(
        id=head.id,
        name=head.name or head.id,
        archived=head.archived,
        updated_at=head.updated_at,
        version=head.number,
        **_describe(head.schema),
    )
    return with_etag(request, shape, _schema_etag(head))

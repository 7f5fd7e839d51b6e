"""The API of entities: types, entities, their numbers, and merging of duplicates."""

from typing import Any

from ninja import Field, File, Router, Schema, Status, UploadedFile

from projects.entities import actions, importing, queries
from projects.entities.actions import LONGEST_NAME, MOST_ALIASES, MOST_IBANS, EntityDraft
from projects.entities.items import EntityRow
from projects.sites import access
from projects.web.api import FAILURES, REFUSALS, ApiRequest, Body, with_example
from projects.web.spreadsheets import MOST_BYTES

router = Router(tags=["entities"])


class TypeShape(Schema):
    id: str
    name: str


class EntityShape(Schema):
    """``version``: send it back with a change. ``merged_into``: the entity that a duplicate was merged into."""

    id: str
    name: str
    tax_id: str
    ibans: list[str]
    aliases: list[str]
    attributes: dict[str, str]
    version: int
    merged_into: str | None


class EntityList(Schema):
    items: list[EntityShape]
    next: str | None


class TypeWish(Body):
    model_config = with_example(name="Carriers")

    name: str = Field(min_length=1, max_length=LONGEST_NAME)


class TypeChange(Body):
    model_config = with_example(name="Freight carriers")

    name: str = Field(min_length=1, max_length=LONGEST_NAME)


class EntityWish(Body):
    """``tax_id`` and each IBAN belong to one entity of the site."""

    model_config = with_example(
        name="Juniper Mill Ltd",
        ibans=["GB29 NWBK 6016 1331 9268 19"],
        aliases=["The Mill"],
        attributes={"city": "Leeds"},
    )

    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    tax_id: str = ""
    ibans: list[str] = Field(default_factory=list, max_length=MOST_IBANS)
    aliases: list[str] = Field(default_factory=list, max_length=MOST_ALIASES)
    attributes: dict[str, str] = Field(default_factory=dict)

    def draft(self) -> EntityDraft:
        return EntityDraft(self.name, self.tax_id, self.ibans, self.aliases, self.attributes)


class EntityChange(EntityWish):
    model_config = with_example(name="Juniper Mill Limited", version=1)

    version: int = Field(ge=0, lt=10**9)


class RefusedLine(Schema):
    """``line``: of the file; its head is line 1."""

    line: int
    problem: str


class RenamedLine(Schema):
    """``line``: of the file. Its tax ID or IBAN is that of ``entity``, which is now also called ``name``."""

    line: int
    name: str
    entity: str


class ImportShape(Schema):
    """How many lines made or changed an entity, or changed nothing; ``refused``: the first 50 that could not.

    ``renamed``: the first 50 whose name became another name of a known entity.
    """

    created: int
    updated: int
    unchanged: int
    refused: list[RefusedLine]
    renamed: list[RenamedLine]


class MergeWish(Body):
    """``duplicate_id``: merged into the entity of the path."""

    model_config = with_example(duplicate_id="01K0000000000000000000000A")

    duplicate_id: str = Field(min_length=1, max_length=40)


@router.get(
    "", response={200: list[TypeShape], **FAILURES}, operation_id="list_entity_types", summary="List entity types"
)
def list_entity_types(request: ApiRequest) -> list[TypeShape]:
    """Suppliers, customers and others. Requires READ."""
    access.check_can_view(request)
    return [TypeShape(id=one.type_id, name=str(one.name)) for one in queries.list_types(request.site)]


@router.post(
    "", response={201: TypeShape, **REFUSALS}, operation_id="create_entity_type", summary="Create an entity type"
)
def create_entity_type(request: ApiRequest, wish: TypeWish) -> Any:
    """409 if the name exists. Requires GOVERN."""
    access.check_can_govern(request)
    made = actions.create_type(request.site, wish.name, by=request.auth.actor)
    return Status(201, TypeShape(id=made.type_id, name=str(made.name)))


@router.patch(
    "/{type_id}",
    response={200: TypeShape, **REFUSALS},
    operation_id="rename_entity_type",
    summary="Rename an entity type",
)
def rename_entity_type(request: ApiRequest, type_id: str, wish: TypeChange) -> TypeShape:
    """Its ID and its entities stay. 409 if another type has the name. Requires GOVERN."""
    access.check_can_govern(request)
    renamed = actions.rename_type(request.site, type_id, wish.name, by=request.auth.actor)
    return TypeShape(id=renamed.type_id, name=str(renamed.name))


@router.delete(
    "/{type_id}",
    response={204: None, **REFUSALS},
    operation_id="delete_entity_type",
    summary="Delete an empty entity type",
)
def delete_entity_type(request: ApiRequest, type_id: str) -> Status[None]:
    """422 if it has entities, or an attribute refers to it. Requires GOVERN."""
    access.check_can_govern(request)
    actions.delete_type(request.site, type_id, by=request.auth.actor)
    return Status(204, None)


@router.get("/{type_id}", response={200: EntityList, **FAILURES}, operation_id="list_entities", summary="List entities")
def list_entities(request: ApiRequest, type_id: str, start: str = "", after: str | None = None) -> EntityList:
    """By name; ``start``: how a name or other name begins, regardless of case. Requires READ."""
    access.check_can_view(request)
    queries.get_type(request.site, type_id)
    page = queries.list_entities(request.site, type_id, start=start, cursor=after)
    return EntityList(items=[_shape(one) for one in page.rows], next=page.next)


@router.post(
    "/{type_id}", response={201: EntityShape, **REFUSALS}, operation_id="create_entity", summary="Create an entity"
)
def create_entity(request: ApiRequest, type_id: str, wish: EntityWish) -> Any:
    """409 if another entity has one of the numbers. Requires READ and WRITE."""
    access.check_can_upload(request)
    return Status(201, _shape(actions.create_entity(request.site, type_id, wish.draft(), by=request.auth.actor)))


@router.post(
    "/{type_id}/import", response={200: ImportShape, **REFUSALS}, operation_id="import_entities", summary="Import a CSV"
)
def import_entities(request: ApiRequest, type_id: str, file: File[UploadedFile]) -> ImportShape:
    """As on the page: a column ``name``, and ``tax_id``, ``ibans``, ``aliases`` or any attribute.

    Lines known by a number or a name, regardless of case, update their entity. One that is known by its name but has
    another tax ID is refused. Requires READ and WRITE.
    """
    access.check_can_upload(request)
    body = file.read(MOST_BYTES + 1)
    report = importing.import_entities(request.site, type_id, body, by=request.auth.actor)
    refused = [RefusedLine(line=line, problem=problem) for line, problem in report.told]
    renamed = [RenamedLine(line=line, name=name, entity=entity) for line, name, entity in report.names]
    return ImportShape(
        created=report.created, updated=report.updated, unchanged=report.same, refused=refused, renamed=renamed
    )


@router.get(
    "/{type_id}/{entity_id}",
    response={200: EntityShape, **FAILURES},
    operation_id="show_entity",
    summary="Get an entity",
)
def show_entity(request: ApiRequest, type_id: str, entity_id: str) -> EntityShape:
    """Returns merged entities too. Requires READ."""
    access.check_can_view(request)
    return _shape(queries.get_entity(request.site, type_id, entity_id))


@router.put(
    "/{type_id}/{entity_id}",
    response={200: EntityShape, **REFUSALS},
    operation_id="update_entity",
    summary="Change an entity",
)
def update_entity(request: ApiRequest, type_id: str, entity_id: str, wish: EntityChange) -> EntityShape:
    """409 if it was changed since ``version``. Requires READ and WRITE."""
    access.check_can_upload(request)
    actions.update_entity(request.site, type_id, entity_id, wish.draft(), version=wish.version, by=request.auth.actor)
    return _shape(queries.get_entity(request.site, type_id, entity_id))


@router.post(
    "/{type_id}/{entity_id}/merge",
    response={200: EntityShape, **REFUSALS},
    operation_id="merge_entities",
    summary="Merge a duplicate",
)
def merge_entities(request: ApiRequest, type_id: str, entity_id: str, wish: MergeWish) -> EntityShape:
    """Moves the duplicate's names, numbers and attributes into this one; documents follow. Requires READ and WRITE."""
    access.check_can_upload(request)
    actions.merge_entities(request.site, type_id, entity_id, wish.duplicate_id, by=request.auth.actor)
    return _shape(queries.get_entity(request.site, type_id, entity_id))


@router.delete(
    "/{type_id}/{entity_id}",
    response={204: None, **REFUSALS},
    operation_id="delete_entity",
    summary="Delete an entity",
)
def delete_entity(request: ApiRequest, type_id: str, entity_id: str) -> Status[None]:
    """422 if documents refer to it. Requires READ and WRITE."""
    access.check_can_upload(request)
    version = int(queries.get_entity(request.site, type_id, entity_id).version)
    actions.delete_entity(request.site, type_id, entity_id, version=version, by=request.auth.actor)
    return Status(204, None)


def _shape(row: EntityRow) -> EntityShape:
    return EntityShape(
        id=row.entity_id, name=str(row.name), tax_id=row.tax_id or "", ibans=list(row.ibans or ()),
        aliases=list(row.aliases or ()), attributes=dict(row.attributes), version=int(row.version),
        merged_into=row.merged_into,
    )  # fmt: skip

"""The API of entities: types, entities, their numbers, merging duplicates."""

from typing import Any

from ninja import Field, Router, Schema, Status

from projects.entities import actions, queries
from projects.entities.actions import LONGEST_NAME, MOST_ALIASES, MOST_IBANS, EntityDraft
from projects.entities.items import EntityRow
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest, Body, Problem, with_example

router = Router(tags=["entities"])
_REFUSALS: Any = {409: Problem, **FAILURES}


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


class MergeWish(Body):
    """``duplicate_id``: goes into the entity of the address."""

    model_config = with_example(duplicate_id="01K0000000000000000000000A")

    duplicate_id: str = Field(min_length=1, max_length=40)


@router.get("", response={200: list[TypeShape], **FAILURES}, operation_id="list_entity_types", summary="List types")
def list_entity_types(request: ApiRequest) -> list[TypeShape]:
    """Suppliers, customers and others. Requires READ."""
    access.check_can_view(request)
    return [TypeShape(id=one.type_id, name=str(one.name)) for one in queries.list_types(request.site)]


@router.post("", response={201: TypeShape, **_REFUSALS}, operation_id="create_entity_type", summary="Create a type")
def create_entity_type(request: ApiRequest, wish: TypeWish) -> Any:
    """409 if there is one of that name. Requires GOVERN."""
    access.check_can_govern(request)
    made = actions.create_type(request.site, wish.name, by=request.auth.actor)
    return Status(201, TypeShape(id=made.type_id, name=str(made.name)))


@router.get("/{type_id}", response={200: EntityList, **FAILURES}, operation_id="list_entities", summary="List entities")
def list_entities(request: ApiRequest, type_id: str, start: str = "", after: str | None = None) -> EntityList:
    """By name; ``start``: those whose name begins so. Requires READ."""
    access.check_can_view(request)
    queries.get_type(request.site, type_id)
    page = queries.list_entities(request.site, type_id, start=start, cursor=after)
    return EntityList(items=[_shape(one) for one in page.rows], next=page.next)


@router.post(
    "/{type_id}", response={201: EntityShape, **_REFUSALS}, operation_id="create_entity", summary="Create an entity"
)
def create_entity(request: ApiRequest, type_id: str, wish: EntityWish) -> Any:
    """409 if a number is another entity's. Requires READ and WRITE."""
    access.check_can_upload(request)
    return Status(201, _shape(actions.create_entity(request.site, type_id, wish.draft(), by=request.auth.actor)))


@router.get(
    "/{type_id}/{entity_id}", response={200: EntityShape, **FAILURES}, operation_id="show_entity", summary="Get one"
)
def show_entity(request: ApiRequest, type_id: str, entity_id: str) -> EntityShape:
    """Also one that was merged into another. Requires READ."""
    access.check_can_view(request)
    return _shape(queries.get_entity(request.site, type_id, entity_id))


@router.put(
    "/{type_id}/{entity_id}", response={200: EntityShape, **_REFUSALS}, operation_id="update_entity", summary="Change"
)
def update_entity(request: ApiRequest, type_id: str, entity_id: str, wish: EntityChange) -> EntityShape:
    """409 if it was changed since ``version``. Requires READ and WRITE."""
    access.check_can_upload(request)
    actions.update_entity(request.site, type_id, entity_id, wish.draft(), version=wish.version, by=request.auth.actor)
    return _shape(queries.get_entity(request.site, type_id, entity_id))


@router.post(
    "/{type_id}/{entity_id}/merge",
    response={200: EntityShape, **_REFUSALS},
    operation_id="merge_entities",
    summary="Merge a duplicate",
)
def merge_entities(request: ApiRequest, type_id: str, entity_id: str, wish: MergeWish) -> EntityShape:
    """Names, numbers and attributes of the duplicate go into this one. Requires READ and WRITE."""
    access.check_can_upload(request)
    actions.merge_entities(request.site, type_id, entity_id, wish.duplicate_id, by=request.auth.actor)
    return _shape(queries.get_entity(request.site, type_id, entity_id))


def _shape(row: EntityRow) -> EntityShape:
    return EntityShape(
        id=row.entity_id, name=str(row.name), tax_id=row.tax_id or "", ibans=list(row.ibans or ()),
        aliases=list(row.aliases or ()), attributes=dict(row.attributes), version=int(row.version),
        merged_into=row.merged_into,
    )  # fmt: skip

"""The API of languages and labels, in FormKiQ's shapes: locales, and resource items of each."""

from typing import Any

from ninja import Field, Router, Schema, Status

from config.errors import Conflict, Refused
from projects.schemas.labels import actions, queries
from projects.schemas.labels.actions import LONGEST, LabelChange, check_has_text, tidy_label
from projects.schemas.labels.items import LocaleLabel
from projects.schemas.labels.keys import ItemType, LabelKey, item_key, read_item_key
from projects.schemas.labels.originals import check_is_known
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest, Body, Problem, with_example

router = Router(tags=["locales"])
_REFUSALS: Any = {409: Problem, **FAILURES}


class LocaleShape(Schema):
    """``locale``: a BCP 47 tag."""

    locale: str


class LocaleList(Schema):
    locales: list[LocaleShape]
    next: str | None


class LocaleWish(Body):
    model_config = with_example(locale="de")

    locale: str = Field(min_length=1, max_length=20)


class ResourceItem(Schema):
    """``itemKey``: its name in paths, where # is written %23 and % is written %25."""

    itemKey: str  # noqa: N815 - FormKiQ's names
    itemType: str = Field(json_schema_extra={"enum": [one.value for one in ItemType]})  # noqa: N815
    localizedValue: str  # noqa: N815
    interfaceKey: str | None  # noqa: N815
    classificationId: str | None  # noqa: N815
    attributeKey: str | None  # noqa: N815
    allowedValue: str | None  # noqa: N815


class ResourceItemList(Schema):
    resourceItems: list[ResourceItem]  # noqa: N815
    next: str | None


class ResourceItemAnswer(Schema):
    resourceItem: ResourceItem  # noqa: N815


class ItemKey(Schema):
    itemKey: str  # noqa: N815


class ResourceItemBody(Body):
    """INTERFACE has ``interfaceKey``, an attribute's key for its label. SCHEMA has ``attributeKey`` and
    ``allowedValue``. CLASSIFICATION has ``classificationId``; without the others it is the document type's name,
    without ``allowedValue`` what the type calls the attribute.
    """

    itemType: ItemType  # noqa: N815
    localizedValue: str = Field(min_length=1, max_length=LONGEST)  # noqa: N815
    interfaceKey: str = ""  # noqa: N815
    classificationId: str = ""  # noqa: N815
    attributeKey: str = ""  # noqa: N815
    allowedValue: str = ""  # noqa: N815

    def key(self) -> LabelKey:
        """Raises: Refused, if it has what its type does not."""
        given = {
            "interfaceKey": self.interfaceKey,
            "classificationId": self.classificationId,
            "attributeKey": self.attributeKey,
            "allowedValue": self.allowedValue,
        }
        allowed = {
            ItemType.INTERFACE: {"interfaceKey"},
            ItemType.SCHEMA: {"attributeKey", "allowedValue"},
            ItemType.CLASSIFICATION: {"classificationId", "attributeKey", "allowedValue"},
        }[self.itemType]
        if wrong := [name for name, text in given.items() if text and name not in allowed]:
            raise Refused(f"{self.itemType} has no {wrong[0]}. Remove it.")
        if self.allowedValue and not self.attributeKey:
            raise Refused("Send the attributeKey that allowedValue is a value of.")
        return LabelKey(self.itemType, self.interfaceKey, self.classificationId, self.attributeKey, self.allowedValue)


class ResourceItemWish(Body):
    model_config = with_example(
        resourceItem={"itemType": "INTERFACE", "interfaceKey": "vendor", "localizedValue": "Lieferant"}
    )

    resourceItem: ResourceItemBody  # noqa: N815


@router.get("", response={200: LocaleList, **FAILURES}, operation_id="list_locales", summary="List languages")
def list_locales(request: ApiRequest) -> LocaleList:
    """By language tag; a site has up to 20. Requires READ."""
    access.check_can_view(request)
    rows = [one for one in queries.list_locales(request.site) if one.is_active]
    return LocaleList(locales=[LocaleShape(locale=one.tag) for one in rows], next=None)


@router.post("", response={201: LocaleShape, **_REFUSALS}, operation_id="add_locale", summary="Add a language")
def add_locale(request: ApiRequest, wish: LocaleWish) -> Any:
    """409 if the site already has it. Requires GOVERN."""
    access.check_can_govern(request)
    return Status(201, LocaleShape(locale=actions.add_language(request.site, wish.locale, by=request.auth.actor).tag))


@router.delete(
    "/{locale}", response={204: None, **_REFUSALS}, operation_id="delete_locale", summary="Remove a language"
)
def delete_locale(request: ApiRequest, locale: str) -> Status[None]:
    """Also deletes all its labels. Requires GOVERN."""
    access.check_can_govern(request)
    actions.remove_language(request.site, locale, by=request.auth.actor)
    return Status(204, None)


@router.get(
    "/{locale}/resourceItems",
    response={200: ResourceItemList, **FAILURES},
    operation_id="list_resource_items",
    summary="List labels",
)
def list_resource_items(request: ApiRequest, locale: str, after: str | None = None) -> ResourceItemList:
    """The labels of one language. Requires READ."""
    access.check_can_view(request)
    tag = queries.get_locale(request.site, locale).tag
    page = queries.list_labels(request.site, tag, cursor=after)
    return ResourceItemList(resourceItems=[_shape(one) for one in page.rows], next=page.next)


@router.post(
    "/{locale}/resourceItems",
    response={201: ItemKey, **_REFUSALS},
    operation_id="add_resource_item",
    summary="Add a label",
)
def add_resource_item(request: ApiRequest, locale: str, wish: ResourceItemWish) -> Any:
    """409 if the label exists. Requires GOVERN."""
    access.check_can_govern(request)
    try:
        key = _save(request, locale, wish, before="")
    except Conflict as error:
        raise Conflict("There is a label already. Replace it with PUT.") from error
    return Status(201, ItemKey(itemKey=item_key(key)))


@router.get(
    "/{locale}/resourceItems/{item_key}",
    response={200: ResourceItemAnswer, **FAILURES},
    operation_id="show_resource_item",
    summary="Get a label",
)
def show_resource_item(request: ApiRequest, locale: str, item_key: str) -> ResourceItemAnswer:
    """Requires READ."""
    access.check_can_view(request)
    tag = queries.get_locale(request.site, locale).tag
    return ResourceItemAnswer(resourceItem=_shape(queries.get_label(request.site, tag, read_item_key(item_key))))


@router.put(
    "/{locale}/resourceItems/{item_key}",
    response={200: ResourceItemAnswer, **_REFUSALS},
    operation_id="set_resource_item",
    summary="Set a label",
)
def set_resource_item(request: ApiRequest, locale: str, item_key: str, wish: ResourceItemWish) -> ResourceItemAnswer:
    """Creates or replaces the label named in the path. Requires GOVERN."""
    access.check_can_govern(request)
    if wish.resourceItem.key() != read_item_key(item_key):
        raise Refused("The resourceItem is another than the itemKey of the address. Send the same.")
    key = _save(request, locale, wish)
    return ResourceItemAnswer(resourceItem=_shape(queries.get_label(request.site, locale, key)))


@router.delete(
    "/{locale}/resourceItems/{item_key}",
    response={204: None, **_REFUSALS},
    operation_id="delete_resource_item",
    summary="Delete a label",
)
def delete_resource_item(request: ApiRequest, locale: str, item_key: str) -> Status[None]:
    """The site's original name is shown again. Requires GOVERN."""
    access.check_can_govern(request)
    tag, key = queries.get_locale(request.site, locale).tag, read_item_key(item_key)
    queries.get_label(request.site, tag, key)
    actions.save_labels(request.site, tag, [LabelChange(key, "")], by=request.auth.actor)
    return Status(204, None)


def _save(request: ApiRequest, locale: str, wish: ResourceItemWish, before: str | None = None) -> LabelKey:
    """Raises: NotFound, Refused, InvalidKey; Conflict, if it is not as ``before``."""
    tag, key = queries.get_locale(request.site, locale).tag, wish.resourceItem.key()
    check_is_known(request.site, key)
    text = check_has_text(tidy_label(wish.resourceItem.localizedValue))
    saved = actions.save_labels(request.site, tag, [LabelChange(key, text, before)], by=request.auth.actor)
    if before is not None and not saved:
        raise Conflict
    return key


def _shape(row: LocaleLabel) -> ResourceItem:
    key = row.label_key
    return ResourceItem(
        itemKey=item_key(key),
        itemType=key.type,
        localizedValue=row.text,
        interfaceKey=key.interface_key or None,
        classificationId=key.classification_id or None,
        attributeKey=key.attribute_key or None,
        allowedValue=key.allowed_value or None,
    )

"""Our reading of an item against PynamoDB's own, for every kind of item there is."""

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from pynamodb.attributes import Attribute, ListAttribute, MapAttribute, NumberSetAttribute, UnicodeSetAttribute
from pynamodb.connection import base
from pynamodb.expressions.projection import create_projection_expression
from pynamodb.models import Model

from config.item import Item
from tests.each import each

assert apps.ready  # every package of items has been imported with its views


def kinds(base: type[Item] = Item) -> Iterator[type[Item]]:
    for kind in base.__subclasses__():
        if "from_raw_data" not in vars(kind):  # which has a reading of its own, and tests of that
            yield kind
        yield from kinds(kind)


def wire_of(attribute: Attribute[Any]) -> dict[str, Any]:
    if attribute.attr_type == "N":
        return {"N": "12.5"}
    if isinstance(attribute, ListAttribute):
        return {"L": [wire_of(attribute.element_type()) if attribute.element_type else {"S": "x"}]}
    if isinstance(attribute, MapAttribute):
        known = {one.attr_name: wire_of(one) for one in type(attribute).get_attributes().values()}
        return {"M": known or {"a": {"S": "x"}, "b": {"L": [{"N": "1"}, {"NULL": True}]}}}
    if isinstance(attribute, UnicodeSetAttribute):
        return {"SS": ["a", "b"]}
    if isinstance(attribute, NumberSetAttribute):
        return {"NS": ["1", "2"]}
    return {attribute.attr_type: "x"}


def values(item: Model) -> dict[str, tuple[type, Any]]:
    return {name: (type(value), plain(value)) for name, value in item.attribute_values.items()}


def plain(value: Any) -> Any:
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value.as_dict() if isinstance(value, MapAttribute) else value


@each("kind", sorted(set(kinds()), key=lambda kind: f"{kind.__module__}.{kind.__name__}"))
@each("which", ["all", "none", "every other", "null"])
def test_an_item_is_what_pynamodb_makes_of_it(kind: type[Item], which: str) -> None:
    attributes = [one for one in kind.get_attributes().values() if one.attr_type not in {"B", "BS", "BOOL"}]
    attributes = attributes[:: 2 if which == "every other" else 1] if which != "none" else []
    data = {one.attr_name: {"NULL": True} if which == "null" else wire_of(one) for one in attributes}
    theirs = super(Item, kind).from_raw_data(data)
    assert values(kind.from_raw_data(data)) == values(theirs)


def test_what_no_class_names_is_left_out() -> None:
    assert values(Item.from_raw_data({"PK": {"S": "p"}, "taskToken": {"S": "secret"}})) == {"PK": (str, "p")}


@each("names", [["PK", "SK"], ["data", "data.status", "name"], "name", [Item.PK, "SK"]])
def test_names_are_asked_for_as_pynamodb_does(names: Any) -> None:
    for before in ({}, {"PK": "#0"}):
        theirs, ours, again = dict(before), dict(before), dict(before)
        expected = create_projection_expression(names, theirs)
        assert base.create_projection_expression(names, ours) == expected  # type: ignore[attr-defined]
        assert base.create_projection_expression(names, again) == expected  # type: ignore[attr-defined]
        assert ours == again == theirs

"""Every kind of row, built with odd values on the emulator's table and read back by each way that leads to it."""

import string
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pynamodb.attributes import UnicodeAttribute

from config import table as keys
from config.item import Item, VersionItem
from config.table import Entity, InvalidKey
from tests.each import each
from tests.examples import at_most

# What people name; every other part of a key is an id, an instant or a word of ours.
PEOPLES = {
    "tag_key", "tag_value", "key", "value", "name", "entity", "username", "group_name", "keys", "path",
    "interface_key", "attribute_key", "allowed_value",
}  # fmt: skip
MAY_BE_EMPTY = {"tag_value", "value", "parent_document_id", "attribute_key", "allowed_value"}
SENTENCES = (
    "is empty or holds a character that keys are built with.",
    "The text contains an invalid character. Enter it again.",
    "is below zero and would not sort.",
    "This value is too long to be indexed. Including its name it can have up to",
    "What is listed by its value has to have one: a key is never empty.",
)
ODD = ["#", "/", "a#b", "acme/x", "100 %", "%23", "..", " ", "\n", "\x00", "é", "e\u0301", "日本", "😀", "A" * 300]
SITES = st.sampled_from(["default", "acme", "x" * 40])
NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30, places=8)
TEXTS = st.one_of(st.text(min_size=1, max_size=40), st.sampled_from(ODD))
IDS = st.from_regex(r"[A-Za-z0-9_.:+@~\-]{1,40}", fullmatch=True)

on_the_table = settings(
    max_examples=at_most(6),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)


class Row(Item):
    name = UnicodeAttribute(null=True)


class OldRow(VersionItem):
    name = UnicodeAttribute(null=True)


def every(entities: list[Entity]) -> Any:
    return each("entity", entities)


def templates(entity: Entity) -> list[str]:
    found = (entity.pk, entity.sk, entity.gsi1pk, entity.gsi1sk, entity.gsi2pk, entity.gsi2sk)
    return [one for one in found if one]


def parts_of(entity: Entity) -> Iterator[tuple[str, str]]:
    """Each part once, with the format that its template gives it."""
    seen = {name: spec for one in templates(entity) for _, name, spec, _ in string.Formatter().parse(one) if name}
    yield from ((name, spec or "") for name, spec in seen.items())


def strategy(entity: Entity, ids: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    def of(name: str, spec: str) -> st.SearchStrategy[Any]:
        if spec or name == "shard":
            return st.integers(min_value=0, max_value=9999)
        if name == "keys":
            return st.lists(TEXTS, min_size=2, max_size=4).filter(is_text).map(keys.join_parts)
        if name in {"value", "tag_value"}:
            return st.one_of(TEXTS, st.just(""), NUMBERS.map(keys.ordered_number))
        return TEXTS if name in PEOPLES else ids

    return st.fixed_dictionaries({name: of(name, spec) for name, spec in parts_of(entity)})


def is_text(found: Any) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for one in found for letter in str(one))


def build(entity: Entity, site: str, parts: dict[str, Any]) -> Item:
    index: dict[str, Any] = entity.gsi1(site, **parts) if entity.gsi1pk else {}
    if entity.gsi2pk and entity.gsi2pk.startswith("DUE#"):
        index |= keys.due_index(entity, **{name: value for name, value in parts.items() if name != "shard"})
    elif entity.gsi2pk:
        index |= entity.gsi2(site, **parts)
    return (Row if entity.table == "main" else OldRow)(*entity.key(site, **parts), **index)


# --- what is built, and what is refused ----------------------------------------
def fits(entity: Entity, site: str, parts: dict[str, Any]) -> bool:
    """What a key can hold, said once more and independently of how it is built."""
    used = {name: value for name, value in parts.items() if not isinstance(value, int)}
    if not is_text(used.values()):
        return False
    for name, value in used.items():
        if name in PEOPLES:
            if not value and name not in MAY_BE_EMPTY:
                return False
        elif (not value and name not in MAY_BE_EMPTY) or set(value) & {"#", "/"} or not value.isprintable():
            return False
    encoded = {name: keys.encode_part(value) if name in PEOPLES - {"keys"} else value for name, value in parts.items()}
    for i, one in enumerate(templates(entity)):
        due = one.startswith("DUE#") or (i and "{due_at}" in one)
        text = one.format(**encoded)
        prefix = 0 if site == "default" or entity.system or i % 2 else len(site) + 1
        if not text or (not due and len(text.encode()) + prefix > (1024 if i % 2 else 2048)):
            return False
    return True


@pytest.mark.wide
@pytest.mark.examples
@every(keys.ENTITIES)
@settings(max_examples=at_most(30), deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(data=st.data())
def test_a_value_is_in_the_key_or_is_refused_with_a_sentence(entity: Entity, data: st.DataObject) -> None:
    ids = st.one_of(IDS, TEXTS, st.just(""))
    site, parts = data.draw(SITES), data.draw(strategy(entity, ids))
    if fits(entity, site, parts):
        item = build(entity, site, parts)
        assert keys.site_of(item.PK) == (keys.DEFAULT_SITE if entity.system else site)
        return
    with pytest.raises(InvalidKey) as refused:
        build(entity, site, parts)
    assert any(sentence in str(refused.value) for sentence in SENTENCES)


@pytest.mark.wide
@pytest.mark.examples
@every(keys.ENTITIES)
@settings(max_examples=at_most(30), deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(data=st.data())
def test_two_different_things_never_share_a_key(entity: Entity, data: st.DataObject) -> None:
    one, other = data.draw(strategy(entity, IDS)), data.draw(strategy(entity, IDS))
    assume(is_text(one.values()) and is_text(other.values()))
    primary = {name for part in (entity.pk, entity.sk) for _, name, _, _ in string.Formatter().parse(part) if name}
    try:
        same = entity.key("acme", **one) == entity.key("acme", **other)
    except InvalidKey:
        assume(False)

    def meant(parts: dict[str, Any]) -> dict[str, Any]:
        return {name: composed(value) for name, value in parts.items() if name in primary}

    assert same == (meant(one) == meant(other))


def composed(value: Any) -> Any:
    """Two spellings of one letter are the same text."""
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value


@every([one for one in keys.ENTITIES if one.table == "main"])
@each("number", [-1, -(10**9)])
def test_an_integer_below_zero_is_refused(entity: Entity, number: int) -> None:
    numbered = {name for name, spec in parts_of(entity) if spec}
    for name in numbered:
        parts = {part: 1 if part in numbered or part == "shard" else "x" for part, _ in parts_of(entity)}
        with pytest.raises(InvalidKey, match=f"{name} is below zero"):
            build(entity, "default", parts | {name: number})


# --- read back -----------------------------------------------------------------
@pytest.mark.wide
@pytest.mark.examples
@every(keys.ENTITIES)
@on_the_table
@given(data=st.data())
def test_a_row_is_found_by_each_of_its_access_patterns(table: str, entity: Entity, data: st.DataObject) -> None:
    site, parts = data.draw(SITES), data.draw(strategy(entity, IDS))
    try:
        item = build(entity, site, parts)
    except InvalidKey:  # held above
        assume(False)
    item.name = data.draw(TEXTS.filter(lambda text: is_text([text])))  # type: ignore[attr-defined]
    item.save()
    try:
        check_found(entity, site, parts, item)
    finally:
        item.delete()


def check_found(entity: Entity, site: str, parts: dict[str, Any], item: Item) -> None:
    kind = type(item)
    assert kind.load(item.key).attribute_values == item.attribute_values
    for prefix in filter(None, (entity.sort_prefix(), entity.sort_prefix(**parts))):  # labels begin with a language
        listed = kind.page(item.PK, sk=kind.SK.startswith(prefix), consistent=True)
        assert [one.attribute_values for one in listed.rows] == [item.attribute_values]
    for index in ("GSI1", "GSI2"):
        pk, sk = getattr(item, f"{index}PK"), getattr(item, f"{index}SK")
        if pk is None:
            continue
        (found,) = kind.page(pk, sk=getattr(kind, f"{index}SK") == sk, index=index).rows
        assert (found.key, found.name) == (item.key, item.name)
        (listed_one,) = kind.page(pk, index=index).rows
        assert listed_one.key == item.key
    if not entity.system:
        other = "another" if site != "another" else "default"
        assert not kind.page(entity.partition_key(other, **parts), consistent=True).rows


def longest_last(entity: Entity) -> str | None:
    """The part that people name last in the sort key, which makes it as long as they like."""
    names = [name for _, name, _, _ in string.Formatter().parse(entity.sk) if name in PEOPLES - {"keys", "entity"}]
    return names[-1] if names else None


@every([one for one in keys.ENTITIES if longest_last(one)])
def test_a_sort_key_of_its_last_byte_is_read_back_and_one_more_is_refused(table: str, entity: Entity) -> None:
    name = str(longest_last(entity))
    parts: dict[str, Any] = {part: 1 if spec or part == "shard" else "x" for part, spec in parts_of(entity)}
    room = 1024 - len(entity.key("acme", **parts).sk.encode()) + 1
    for text in ("x" * room, "é" * (room // 2) + "x" * (room % 2)):
        item = (
            Row(*entity.key("acme", **parts | {name: text}))
            if entity.table == "main"
            else OldRow(*entity.key("acme", **parts | {name: text}))
        )
        assert len(item.SK.encode()) == 1024
        item.save()
        assert type(item).load(item.key).SK == item.SK
        with pytest.raises(InvalidKey, match="up to 1024 bytes"):
            entity.key("acme", **parts | {name: text + "x"})


@on_the_table
@given(st.lists(NUMBERS, min_size=2, max_size=8, unique=True))
def test_negative_and_decimal_numbers_are_listed_in_their_order(table: str, numbers: list[Decimal]) -> None:
    rows = {}
    for number in numbers:
        parts = {"document_id": "d", "key": "total", "value": keys.ordered_number(number), "value_type": "NUMBER"}
        item = Row(*keys.DOCUMENT_ATTRIBUTE.key("acme", **parts), **keys.DOCUMENT_ATTRIBUTE.gsi1("acme", **parts))
        item.save()
        rows[item.SK] = number
    try:
        pk = keys.DOCUMENT_ATTRIBUTE.gsi1_partition("acme", key="total")
        listed = Row.page(pk, index="GSI1").rows
        assert [rows[one.SK] for one in listed] == sorted(numbers)
        middle = sorted(numbers)[len(numbers) // 2]
        above = Row.page(pk, sk=keys.ordered_number(middle) <= Row.GSI1SK, index="GSI1").rows
        assert [rows[one.SK] for one in above] == [one for one in sorted(numbers) if one >= middle]
    finally:
        for row in Row.page(keys.DOCUMENT_ATTRIBUTE.partition_key("acme", document_id="d"), consistent=True).rows:
            row.delete()

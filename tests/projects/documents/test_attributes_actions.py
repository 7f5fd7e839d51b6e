"""Attributes of a document: typed, checked, found in the order of their values, with what they were before."""

from decimal import Decimal

import pytest

from config import table as keys
from config.errors import Conflict, NotFound, Refused, Unavailable
from projects.audit.events import Actor
from projects.documents import queries as document_queries
from projects.documents.actions import properties
from projects.documents.items import DocumentAttribute, DocumentAttributeVersion
from projects.schemas import actions as schema_actions
from projects.schemas import composite_keys
from projects.schemas import queries as schema_queries
from projects.schemas.attribute_values import format_value
from projects.schemas.governing import AttributeUse, Schema
from tests.aws_faults import fail
from tests.factories import PROJECT, SITE, start_run
from tests.projects.make_schemas import ALICE, INVOICE, make_attributes, make_classification

ROSA, MARTA = Actor("1", "Rosa Marin"), Actor("2", "Marta Kowalczyk")


@pytest.fixture
def document_id(table: str) -> str:
    make_attributes()
    return start_run().document_id


def values(document_id: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in document_queries.list_attributes(SITE, document_id):
        found.setdefault(str(row.key_), []).append(format_value(row.value))
    return found


def archive(document_id: str, key: str) -> list[DocumentAttributeVersion]:
    pk = keys.DOCUMENT_ATTRIBUTE_VERSION.partition_key(SITE, document_id=document_id)
    prefix = keys.DOCUMENT_ATTRIBUTE_VERSION.sort_prefix(key=key)
    page = DocumentAttributeVersion.page(pk, sk=DocumentAttributeVersion.SK.startswith(prefix), consistent=True)
    return list(page.rows)


def by_value(key: str) -> list[str]:
    pk = keys.DOCUMENT_ATTRIBUTE.gsi1_partition(SITE, key=key)
    return [str(row.document_id) for row in DocumentAttribute.page(pk, index="GSI1").rows]


def given(document_id: str, key: str, *texts: str, by: Actor = ROSA) -> bool:
    return properties.set_attribute(SITE, document_id, key, texts, by=by)


def test_values_have_the_type_that_the_site_defined(document_id: str) -> None:
    for key, text in (("vendor", " Acme  Ltd "), ("total", "33.9"), ("paid", "yes"), ("issued", "2024-03-31")):
        assert given(document_id, key, text)
    assert given(document_id, "urgent", "whatever")
    rows = {row.key_: row for row in document_queries.list_attributes(SITE, document_id)}
    assert {key: (row.valueType, row.value) for key, row in rows.items()} == {
        "vendor": ("STRING", "Acme Ltd"),
        "total": ("NUMBER", Decimal("33.90")),
        "paid": ("BOOLEAN", True),
        "issued": ("STRING", "2024-03-31"),
        "urgent": ("KEY_ONLY", ""),
    }
    assert (rows["total"].numberValue, rows["paid"].booleanValue) == (Decimal("33.9"), True)
    assert by_value("urgent") == [document_id]


@pytest.mark.parametrize(("key", "text"), [("total", "a lot"), ("paid", "maybe"), ("issued", "31.3."), ("vendor", " ")])
def test_what_is_no_value_of_the_type_is_refused(document_id: str, key: str, text: str) -> None:
    with pytest.raises(Refused):
        given(document_id, key, text)
    assert values(document_id) == {}


def test_letters_that_look_the_same_are_one_value(document_id: str) -> None:
    given(document_id, "vendor", "Caf\u00e9", "Cafe\u0301")
    assert values(document_id) == {"vendor": ["Caf\u00e9"]}
    assert not given(document_id, "vendor", "Cafe\u0301")


def test_documents_are_found_in_the_order_of_their_numbers(document_id: str) -> None:
    others = [start_run().document_id for _ in range(3)]
    for other, text in zip([document_id, *others], ("10", "-2", "9.5", "-10"), strict=True):
        given(other, "pages", text)
    assert by_value("pages") == [others[2], others[0], others[1], document_id]


def test_what_a_value_was_is_kept_with_the_activity_that_replaced_it(document_id: str) -> None:
    given(document_id, "total", "10")
    given(document_id, "total", "12", by=MARTA)
    properties.remove_attribute(SITE, document_id, "total", by=ROSA)
    first, second = archive(document_id, "total")
    assert {first.numberValue, second.numberValue} == {Decimal(10), Decimal(12)}
    assert {first.archive_sk, second.archive_sk} >= {keys.DOCUMENT_ATTRIBUTE.sort_prefix(key="total") + "2501" + "1"}
    removed, replaced, made, _created = document_queries.list_activities(SITE, document_id).rows
    assert [(one["before"], one["after"]) for one in (*removed.changes, *replaced.changes, *made.changes)] == [
        ("12", None),
        ("10", "12"),
        (None, "10"),
    ]
    assert made.versionSk is None
    assert {removed.versionSk, replaced.versionSk} == {first.SK, second.SK}


def test_the_same_value_may_come_and_go_within_a_second(document_id: str) -> None:
    for _ in range(2):
        given(document_id, "vendor", "a")
        given(document_id, "vendor", "b")
    assert len(archive(document_id, "vendor")) == 3


def test_an_attribute_with_several_values_has_a_row_each(document_id: str) -> None:
    given(document_id, "vendor", "a", "b", "a")
    assert values(document_id) == {"vendor": ["a", "b"]}
    given(document_id, "vendor", "c")
    assert values(document_id) == {"vendor": ["c"]}
    assert [format_value(row.stringValue or "") for row in archive(document_id, "vendor")] == ["a", "b"]


def test_who_saw_other_values_is_told_what_is_there_now(document_id: str) -> None:
    given(document_id, "vendor", "Acme")
    seen = ["Acme"]
    assert properties.set_attribute(SITE, document_id, "vendor", ["Globex"], by=ROSA, expected=seen)
    with pytest.raises(Conflict, match="Current value: Globex"):
        properties.set_attribute(SITE, document_id, "vendor", ["Initech"], by=MARTA, expected=seen)
    with pytest.raises(Conflict, match="changed by another user"):
        properties.remove_attribute(SITE, document_id, "vendor", by=MARTA, expected=seen)
    assert values(document_id) == {"vendor": ["Globex"]}


def test_what_the_site_has_not_defined_cannot_be_given(document_id: str) -> None:
    with pytest.raises(NotFound, match="Create it first"):
        given(document_id, "colour", "red")


def test_a_definition_that_is_used_cannot_be_deleted(document_id: str) -> None:
    given(document_id, "vendor", "Acme")
    assert schema_queries.attribute_definition(SITE, "vendor").in_use


def test_a_failing_activity_undoes_the_change(document_id: str) -> None:
    with fail("dynamodb", "TransactWriteItems", times=9), pytest.raises(Unavailable):
        given(document_id, "vendor", "Acme")
    assert values(document_id) == {}


def test_a_schema_says_which_values_are_allowed(document_id: str) -> None:
    own = Schema("Site schema", (AttributeUse("category", allowed=("goods",)),))
    schema_actions.save_site_schema(SITE, own, version=0, by=ALICE)
    given(document_id, "category", "goods")
    with pytest.raises(Refused, match="Site schema allows: goods"):
        given(document_id, "category", "rent")


def test_rows_of_composite_keys_come_and_go_with_their_values(table: str) -> None:
    make_attributes()
    classification = make_classification(INVOICE)
    document_id = start_run(project={**PROJECT, "classification_id": classification}).document_id
    given(document_id, "category", "goods")
    assert values(document_id) == {"category": ["goods"]}
    given(document_id, "currency", "eur")
    found_by = composite_keys.composite_key(("category", "currency"))
    assert values(document_id)[found_by] == ["goods#EUR"]
    assert by_value(found_by) == [document_id]
    given(document_id, "category", "rent #1")
    assert values(document_id)[found_by] == ["rent %231#EUR"]
    properties.remove_attribute(SITE, document_id, "currency", by=ROSA)
    assert values(document_id) == {"category": ["rent #1"]}
    assert not by_value(found_by)

"""Tags of a document: one value or several, changed by several people at once, found in their indexes."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from config import table as keys
from config.errors import Conflict, NotFound, Refused, Unavailable
from config.item import Item
from projects.audit.events import Actor
from projects.documents import queries as document_queries
from projects.documents.actions import properties
from projects.documents.items import DocumentTag
from tests.aws_faults import fail
from tests.factories import SITE, start_run

ROSA, MARTA = Actor("1", "Rosa Marin"), Actor("2", "Marta Kowalczyk")


@pytest.fixture
def document_id(table: str) -> str:
    return start_run().document_id


def values(document_id: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in document_queries.list_tags(SITE, document_id):
        found.setdefault(row.tag_key, []).append(row.tagValue or "")
    return found


def told(document_id: str) -> list[tuple[str, str | None, str | None, str]]:
    rows = [row for row in document_queries.list_activities(SITE, document_id).rows if row.type == "MODIFY"]
    return [(one["what"], one["before"], one["after"], row.user_name) for row in rows for one in row.changes]


def found_by(key: str, value: str) -> list[str]:
    pk = keys.DOCUMENT_TAG.gsi1_partition(SITE, tag_key=key, tag_value=value)
    return [str(row.document_id) for row in DocumentTag.page(pk, index="GSI1").rows]


def test_a_tag_is_given_changed_and_taken_away_and_each_is_told(document_id: str) -> None:
    assert properties.add_tag(SITE, document_id, "customer", "Acme", by=ROSA)
    assert properties.change_tag(SITE, document_id, "customer", "Acme", "Globex", by=MARTA)
    assert found_by("customer", "Globex") == [document_id]
    assert not found_by("customer", "Acme")
    assert properties.remove_tag(SITE, document_id, "customer", by=ROSA)
    assert values(document_id) == {}
    assert told(document_id) == [
        ("tag customer", "Globex", None, "Rosa Marin"),
        ("tag customer", "Acme", "Globex", "Marta Kowalczyk"),
        ("tag customer", None, "Acme", "Rosa Marin"),
    ]


def test_more_values_of_a_tag_are_a_row_each_and_one_is_a_row_again(document_id: str) -> None:
    for value in ("a", "b", "c"):
        properties.add_tag(SITE, document_id, "topic", value, by=ROSA)
    rows = document_queries.list_tags(SITE, document_id)
    assert [row.SK for row in rows] == ["tags#topic#idx0000", "tags#topic#idx0001", "tags#topic#idx0002"]
    assert {tuple(row.tagValues) for row in rows} == {("a", "b", "c")}
    properties.remove_tag(SITE, document_id, "topic", "a", by=ROSA)
    properties.remove_tag(SITE, document_id, "topic", "c", by=ROSA)
    (row,) = document_queries.list_tags(SITE, document_id)
    assert (row.SK, row.tagValue, row.tagValues) == ("tags#topic", "b", None)
    assert found_by("topic", "b") == [document_id]
    assert not found_by("topic", "a")


def test_what_is_so_already_writes_nothing(document_id: str) -> None:
    properties.add_tag(SITE, document_id, "paid", "", by=ROSA)
    assert not properties.add_tag(SITE, document_id, "paid", "", by=MARTA)
    assert not properties.remove_tag(SITE, document_id, "none", by=MARTA)
    assert len(told(document_id)) == 1


def test_a_value_keeps_its_place_when_others_come(document_id: str) -> None:
    properties.add_tag(SITE, document_id, "topic", "a", by=ROSA)
    (before,) = document_queries.list_tags(SITE, document_id)
    properties.add_tag(SITE, document_id, "topic", "b", by=MARTA)
    first = document_queries.list_tags(SITE, document_id)[0]
    assert (first.GSI1SK, first.userId) == (before.GSI1SK, "1")


def test_values_added_at_once_are_all_there(document_id: str) -> None:
    with ThreadPoolExecutor(6) as lanes:
        list(lanes.map(lambda i: properties.add_tag(SITE, document_id, "topic", f"v{i}", by=ROSA), range(6)))
    assert sorted(values(document_id)["topic"]) == [f"v{i}" for i in range(6)]
    assert len(told(document_id)) == 6
    assert int(document_queries.get_document(SITE, document_id).revision) == 7


def test_who_comes_second_with_a_change_is_told_what_is_there(document_id: str) -> None:
    properties.add_tag(SITE, document_id, "customer", "Acme", by=ROSA)

    def change(after: str) -> str:
        try:
            properties.change_tag(SITE, document_id, "customer", "Acme", after, by=MARTA)
        except Conflict as conflict:
            return str(conflict)
        return after

    with ThreadPoolExecutor(2) as lanes:
        answers = list(lanes.map(change, ["Globex", "Initech"]))
    (won,) = values(document_id)["customer"]
    assert won in answers
    assert f"Current value: {won}." in " ".join(answers)


def test_a_failing_activity_undoes_the_change(document_id: str) -> None:
    with fail("dynamodb", "TransactWriteItems", times=9), pytest.raises(Unavailable):
        properties.add_tag(SITE, document_id, "customer", "Acme", by=ROSA)
    assert values(document_id) == {}


@pytest.mark.parametrize("text", ["a#b", "x/y", "100 %", "Größe", "日本", "idx0000", "a#idx0001"])
def test_any_text_is_a_tag(document_id: str, text: str) -> None:
    properties.add_tag(SITE, document_id, text, text, by=ROSA)
    properties.add_tag(SITE, document_id, text, "other", by=ROSA)
    assert values(document_id) == {text: [text, "other"]}
    assert found_by(text, text) == [document_id]


def test_tags_have_names_and_limits(document_id: str) -> None:
    for key, value in (("", "x"), ("  ", "x"), ("k" * 101, "x"), ("k", "v" * 251)):
        with pytest.raises(Refused):
            properties.add_tag(SITE, document_id, key, value, by=ROSA)
    with pytest.raises(NotFound):
        properties.add_tag(SITE, "nothing", "k", "v", by=ROSA)
    with pytest.raises(NotFound):
        properties.add_tag("acme", document_id, "k", "v", by=ROSA)
    assert not Item.page(keys.DOCUMENT.partition_key("acme", document_id=document_id)).rows


def test_a_document_takes_so_many_tags_and_no_more(document_id: str) -> None:
    for number in range(properties.MAX_ROWS):
        properties.add_tag(SITE, document_id, f"k{number}", "v", by=ROSA)
    with pytest.raises(Refused, match="60 tags"):
        properties.add_tag(SITE, document_id, "one more", "v", by=ROSA)

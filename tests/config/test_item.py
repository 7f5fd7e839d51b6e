from unittest import mock

import pytest
from botocore.client import BaseClient
from django.test import override_settings

from config.errors import Conflict, NotFound, Unavailable
from config.item import Item, VersionItem
from config.table import PROJECT, PROJECT_DOCUMENT, Key
from config.transaction import NEW, Check, Delete, Put, transact
from tests.aws_faults import count_calls, fail
from workflows.runs.items import ProjectDocument


def document(number: int, site: str = "default") -> ProjectDocument:
    key = PROJECT_DOCUMENT.key(site, project_id="p", document_id=f"d{number}")
    stamp = f"2026-11-21T12:00:0{number}"
    index = PROJECT_DOCUMENT.gsi1(site, project_id="p", updated_at=stamp)
    return ProjectDocument(*key, **index, data={"document_id": f"d{number}"}, created_at=stamp, updated_at=stamp)


def fill(table: str, count: int, site: str = "default") -> str:
    for number in range(count):
        document(number, site).save()
    return PROJECT_DOCUMENT.gsi1_partition(site, project_id="p")


def test_what_is_not_there_is_not_found(table: str) -> None:
    with pytest.raises(NotFound):
        ProjectDocument.load(Key("PROJ#p", "DOC#none"))


def test_a_list_goes_on_where_its_page_ended(table: str) -> None:
    pk = fill(table, 5)
    first = ProjectDocument.page(pk, index="GSI1", limit=3, newest_first=True)
    second = ProjectDocument.page(pk, index="GSI1", limit=3, newest_first=True, cursor=first.next)
    assert [row.SK for row in first.rows] == ["DOC#d4", "DOC#d3", "DOC#d2"]
    assert [row.SK for row in second.rows] == ["DOC#d1", "DOC#d0"]
    assert second.next is None


def test_a_cursor_opens_only_the_list_it_was_made_for(table: str) -> None:
    cursor = ProjectDocument.page(fill(table, 3, "acme"), index="GSI1", limit=2).next
    with pytest.raises(NotFound):
        ProjectDocument.page(fill(table, 3), index="GSI1", limit=2, cursor=cursor)
    with pytest.raises(NotFound):
        ProjectDocument.page(fill(table, 3), index="GSI1", limit=2, cursor="made up")


def test_a_cursor_opens_no_other_part_and_no_other_index_of_its_list(table: str) -> None:
    pk, sort = fill(table, 3), ProjectDocument.GSI1SK
    cursor = ProjectDocument.page(pk, index="GSI1", limit=2).next
    for sk in (sort.startswith("2019"), sort >= "3", sort.between("3", "4")):
        with pytest.raises(NotFound):
            ProjectDocument.page(pk, sk=sk, index="GSI1", limit=2, cursor=cursor)
    with pytest.raises(NotFound):
        ProjectDocument.page(pk, limit=2, cursor=cursor)


def test_a_cursor_of_another_key_is_refused(table: str) -> None:
    pk = fill(table, 3)
    cursor = ProjectDocument.page(pk, index="GSI1", limit=2).next
    with override_settings(SECRET_KEY="another"), pytest.raises(NotFound):
        ProjectDocument.page(pk, index="GSI1", limit=2, cursor=cursor)


def test_a_change_under_a_condition_that_does_not_hold_is_a_conflict(table: str) -> None:
    document(1).save()
    with pytest.raises(Conflict):
        ProjectDocument.change(document(1).key, [ProjectDocument.name.set("x")], NEW)


def test_a_change_answers_the_item_as_it_is_now(table: str) -> None:
    document(1).save()
    changed = ProjectDocument.change(document(1).key, [ProjectDocument.name.set("x")], Item.PK.exists())
    assert (changed.name, changed.data["document_id"]) == ("x", "d1")


def test_all_models_share_one_connection(table: str) -> None:
    assert ProjectDocument._get_connection() is Item._get_connection()
    assert PROJECT.key("default", project_id="p").pk == document(1).PK


def test_what_was_lives_in_the_second_table_and_may_be_written_with_what_is(table: str) -> None:
    now, was = document(1), VersionItem("docs#d1", "document#2026-11-21T12:00:00Z")
    transact([Put(now), Put(was)])
    assert VersionItem.load(was.key).SK == was.SK
    with pytest.raises(NotFound):
        Item.load(was.key)
    with pytest.raises(Conflict):
        transact([Check(was.key, NEW, VersionItem), Delete(now.key)])
    transact([Delete(was.key, of=VersionItem)])
    with pytest.raises(NotFound):
        VersionItem.load(was.key)
    assert ProjectDocument.load(now.key).SK == now.SK


def test_items_of_several_kinds_come_in_one_call_and_what_is_not_there_is_left_out(table: str) -> None:
    document(1).save()
    missing = Key("PROJ#p", "DOC#none")
    with count_calls() as calls:
        found = Item.together([document(1).key, missing], only=["data"])
    assert calls.names() == ["dynamodb.BatchGetItem"]
    assert list(found) == [document(1).key]
    assert ProjectDocument.from_raw_data(found[document(1).key]).data["document_id"] == "d1"


def test_a_change_that_meets_a_transaction_is_tried_again(table: str) -> None:
    document(1).save()
    busy = "TransactionConflictException"
    with fail("dynamodb", "UpdateItem", error_code=busy, times=2):
        ProjectDocument.change(document(1).key, [ProjectDocument.name.set("x")], Item.PK.exists())
    assert ProjectDocument.load(document(1).key).name == "x"
    with fail("dynamodb", "UpdateItem", error_code=busy, times=9), pytest.raises(Unavailable):
        ProjectDocument.change(document(1).key, [ProjectDocument.name.set("y")], Item.PK.exists())


def test_a_partly_throttled_batch_is_no_answer(table: str) -> None:
    part = {"Responses": {table: []}, "UnprocessedKeys": {table: {"Keys": [{"PK": {"S": "a"}, "SK": {"S": "b"}}]}}}
    with mock.patch.object(BaseClient, "_make_api_call", return_value=part), pytest.raises(Unavailable):
        Item.together([document(1).key], only=["data"])

"""What is worked out without the table is what the table makes of the same changes."""

from unittest import mock

import pytest
from botocore.client import BaseClient

from config import aws, bulk
from config.errors import Unavailable
from config.item import Item
from config.table import PROJECT_WORKFLOW
from config.transaction import Check, Delete, Put, Update, transact
from workflows.runs.items.documents import ProjectWorkflow

AT = "2026-11-21T12:00:00"


def key(name: str):
    return PROJECT_WORKFLOW.key("default", project_id="p", workflow_id=name)


def row(name: str, **data):
    return ProjectWorkflow(*key(name), data=data, created_at=AT, updated_at=AT)


def stored(table: str):
    return aws.dynamodb_client().scan(TableName=table, ConsistentRead=True)["Items"]


def ordered(items):
    return sorted(items, key=lambda item: item["SK"]["S"])


CHANGES = [
    Put(row("a", status="new", steps={"one": {"status": "pending"}, "two": {"n": 1}}, gone=True)),
    Put(row("b", status="new")),
    Check(key("a"), Item.PK.exists()),
    Update(
        key("a"),
        [
            ProjectWorkflow.data["steps"]["one"]["status"].set("done"),
            ProjectWorkflow.data["steps"]["three"].set({"at": AT, "list": [1, "x", None]}),
            ProjectWorkflow.data["gone"].remove(),
            ProjectWorkflow.data["never"].remove(),
            ProjectWorkflow.updated_at.set("later"),
            ProjectWorkflow.GSI1PK.remove(),
        ],
    ),
    Update(key("new"), [ProjectWorkflow.created_at.set(AT)]),
    Delete(key("b")),
]


def test_rows_are_left_as_the_table_would_leave_them(table: str) -> None:
    for change in CHANGES:
        transact([change])
    assert ordered(row for _, row in bulk.list_rows_left(CHANGES)) == ordered(stored(table))


def test_what_is_left_is_put_and_put_again(table: str) -> None:
    rows = bulk.list_rows_left([Put(row(f"w{i:03d}", n=i)) for i in range(60)])
    for _ in range(2):
        bulk.put_rows(rows)
        assert ordered(stored(table)) == ordered(row for _, row in rows)


@pytest.mark.parametrize(
    "action",
    [
        ProjectWorkflow.TimeToLive.add(1),
        ProjectWorkflow.TimeToLive.set(ProjectWorkflow.TimeToLive + 1),
        ProjectWorkflow.updated_at.set(ProjectWorkflow.updated_at | "x"),
    ],
)
def test_what_needs_the_table_is_refused(action) -> None:
    with pytest.raises(NotImplementedError):
        bulk.list_rows_left([Update(key("a"), [action])])


@pytest.mark.parametrize("times", [1, 99])
def test_what_the_table_leaves_over_is_sent_again(table: str, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    monkeypatch.setattr(bulk.time, "sleep", lambda _seconds: None)
    inner, left = BaseClient._make_api_call, [times]

    def half(client, operation, params):
        if operation != "BatchWriteItem" or not left[0]:
            return inner(client, operation, params)
        left[0] -= 1
        (name, wanted), *_ = params["RequestItems"].items()
        inner(client, operation, {"RequestItems": {name: wanted[:1]}})
        return {"UnprocessedItems": {name: wanted[1:] or wanted}}

    rows = bulk.list_rows_left([Put(row(f"w{i}", n=i)) for i in range(10)])
    with mock.patch.object(BaseClient, "_make_api_call", half):
        if times == 1:
            bulk.put_rows(rows)
            assert len(stored(table)) == 10
        else:
            with pytest.raises(Unavailable, match="Run this again to resume"):
                bulk.put_rows(rows)


def test_a_cast_has_its_own_texts_wherever_the_mould_has_its_marks() -> None:
    rows = [
        ("t", {"PK": {"S": "DOC#ab"}, "at": {"S": "2026-01-01T00:00Z"}, "n": {"N": "17"}, "day": {"S": "2026-01-01"}})
    ]
    mould = bulk.Mould(rows, ["ab", "2026-01-01", "2026-01-01T00:00Z", "17"])
    assert mould.cast(["x", "2027-02-02", "noon", "5"]) == [
        ("t", {"PK": {"S": "DOC#x"}, "at": {"S": "noon"}, "n": {"N": "5"}, "day": {"S": "2027-02-02"}})
    ]
    with pytest.raises(ValueError, match="one thing"):
        bulk.Mould(rows, ["ab", "ab"])

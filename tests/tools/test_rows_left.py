"""What is worked out without the table is what the table makes of the same changes."""

import pytest

from config import aws
from config.item import Item
from config.table import PROJECT_WORKFLOW
from config.transaction import Check, Delete, Put, Update, transact
from tests.tools.rows_left import Mould, list_rows_left
from workflows.runs.items import ProjectWorkflow

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
    assert ordered(row for _, row in list_rows_left(CHANGES)) == ordered(stored(table))


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
        list_rows_left([Update(key("a"), [action])])


def test_a_cast_has_its_own_texts_wherever_the_mould_has_its_marks() -> None:
    rows = [
        ("t", {"PK": {"S": "DOC#ab"}, "at": {"S": "2026-01-01T00:00Z"}, "n": {"N": "17"}, "day": {"S": "2026-01-01"}})
    ]
    mould = Mould(rows, ["ab", "2026-01-01", "2026-01-01T00:00Z", "17"])
    assert mould.cast(["x", "2027-02-02", "noon", "5"]) == [
        ("t", {"PK": {"S": "DOC#x"}, "at": {"S": "noon"}, "n": {"N": "5"}, "day": {"S": "2027-02-02"}})
    ]
    with pytest.raises(ValueError, match="one thing"):
        Mould(rows, ["ab", "ab"])

"""Rows are put in bulk as often as it takes."""

from unittest import mock

import pytest
from botocore.client import BaseClient
from django.conf import settings

from config import aws, bulk
from config.errors import Unavailable
from config.table import PROJECT_WORKFLOW
from workflows.runs.items import ProjectWorkflow

AT = "2026-11-21T12:00:00"


def rows(count: int) -> list[bulk.Row]:
    keys = (PROJECT_WORKFLOW.key("default", project_id="p", workflow_id=f"w{i:03d}") for i in range(count))
    made = (ProjectWorkflow(*key, data={"n": i}, created_at=AT, updated_at=AT) for i, key in enumerate(keys))
    return [(settings.TABLE_NAME, one.serialize()) for one in made]


def stored(table: str):
    return aws.dynamodb_client().scan(TableName=table, ConsistentRead=True)["Items"]


def ordered(items):
    return sorted(items, key=lambda item: item["SK"]["S"])


def test_rows_are_put_and_put_again(table: str) -> None:
    wanted = rows(60)
    for _ in range(2):
        bulk.put_rows(wanted)
        assert ordered(stored(table)) == ordered(row for _, row in wanted)


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

    with mock.patch.object(BaseClient, "_make_api_call", half):
        if times == 1:
            bulk.put_rows(rows(10))
            assert len(stored(table)) == 10
        else:
            with pytest.raises(Unavailable, match="Run this again to resume"):
                bulk.put_rows(rows(10))

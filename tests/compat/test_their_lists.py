"""The seed-000 system's own list queries read what is here, on a fresh table; its conditions and names are literal."""

from typing import Any

import pytest
from boto3.dynamodb.types import TypeDeserializer

from config import aws
from tests.factories import PROJECT_ID, start_run
from tests.projects.projects import make_project
from tests.pump import Pump
from workflows.runs import queries
from workflows.runs.items import END

# What its models require; it knows others, which may be absent.
DOCUMENT = {"document_id", "project_id", "name", "file_type", "file_size", "status", "s3_key"}
PROJECT = {"project_id", "name", "description", "status"}


def listed(table: str, partition: str) -> list[dict[str, Any]]:
    found = aws.dynamodb_client().query(
        TableName=table,
        IndexName="GSI1",
        KeyConditionExpression="GSI1PK = :pk",
        ExpressionAttributeValues={":pk": {"S": partition}},
        ScanIndexForward=False,
    )
    return [{name: TypeDeserializer().deserialize(value) for name, value in row.items()} for row in found["Items"]]


def test_its_list_of_documents_reads_ours(table: str, pump: Pump) -> None:
    run = start_run()
    (row,) = listed(table, f"PROJ#{PROJECT_ID}#DOC")
    assert set(row["data"]) >= DOCUMENT
    assert row["data"]["document_id"] == run.document_id
    assert row["created_at"] <= row["updated_at"]
    pump.run(lambda: queries.execution(run).currentStep == END)
    (row,) = listed(table, f"PROJ#{PROJECT_ID}#DOC")
    assert row["data"]["status"] == "completed"


@pytest.mark.django_db
def test_its_list_of_projects_reads_ours(table: str) -> None:
    project = make_project("Receipts")
    (row,) = [one for one in listed(table, "PROJECTS") if one["PK"] == project.PK]
    assert set(row["data"]) >= PROJECT
    assert (row["data"]["project_id"], row["data"]["name"]) == (project.id, "Receipts")
    assert row["created_at"] <= row["updated_at"]


def test_it_sees_that_an_analysis_is_busy(table: str) -> None:
    run = start_run()
    (row,) = [one for one in listed(table, "STEP#ANALYSIS_STATUS") if one["GSI1SK"] == "in_progress"]
    assert row["PK"] == f"WF#{run.workflow_id}"

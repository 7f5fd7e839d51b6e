"""Which documents stand at which step of a definition: written with each move of a run, and unlisted at its end."""

import pytest

from config import table
from tests.aws_faults import count_calls
from tests.factories import SITE, start_run, waiting_run
from tests.people import alice, charlie, signed_in
from tests.pump import Pump
from tests.workflows.advancing import published
from tests.workflows.test_api import API, program
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.runs import queries
from workflows.runs.items import DefinitionDocument, Run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("machines", "table")]
NAME = DOCUMENT_ANALYSIS.name
PAGE = f"/settings/definitions/{NAME}/documents/"


def steps() -> dict[str, str | None]:
    return {row.document_id: row.current_step for row in queries.list_documents_at_steps(SITE, NAME).rows}


def row_of(run: Run) -> DefinitionDocument:
    return DefinitionDocument.load(table.DEFINITION_DOCUMENT.key(SITE, document_id=run.document_id, workflow_id=NAME))


def test_a_run_is_listed_at_its_step_until_it_ends() -> None:
    run = start_run()
    assert steps() == {run.document_id: "segment_prep"}
    published(run)
    assert steps() == {}
    row = row_of(run)
    assert (row.status, row.currentStepId, row.workflowName) == ("completed", None, DOCUMENT_ANALYSIS.id)
    assert row.actionPk == f"EXECUTION#{run.workflow_id}"


def test_the_page_says_who_waits_for_a_person_and_is_one_query_and_the_names() -> None:
    start_run()
    client = signed_in(alice())
    assert "Segment Prep" in client.get(PAGE).content.decode()
    with count_calls() as calls:
        client.get(PAGE)
    assert calls.names() == ["dynamodb.Query", "dynamodb.BatchGetItem"]
    assert signed_in(charlie()).get(PAGE).status_code == 403


def test_the_api_lists_them_too() -> None:
    run, client = start_run(), program()
    found = client.get(f"{API}/workflows/{NAME}/documents").json()
    assert [(one["document_id"], one["step"], one["needs_review"]) for one in found["items"]] == [
        (run.document_id, "Segment Prep", False)
    ]
    assert client.get(f"{API}/workflows/none/documents").status_code == 404


def test_what_waits_for_a_person_is_marked(pump: Pump) -> None:
    run, _ = waiting_run(pump)
    assert steps() == {run.document_id: "human_review"}
    assert "status warn" in signed_in(alice()).get(PAGE).content.decode()

"""A choice asks for the fields as they stand: the machine's, and what a person made of them."""

from dataclasses import replace
from typing import Any

import pytest

from tests.each import each
from tests.factories import PROJECT_ID, SITE
from workflows.definitions.blueprint import DOCUMENT_APPROVAL, Case
from workflows.definitions.rules import Condition, Operator, Source
from workflows.engine import steps
from workflows.runs.items import DocumentWorkflow, Execution, Run
from workflows.stages.artifacts import write_json
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("table")
RUN = Run(SITE, PROJECT_ID, "0b8d0a52-0000-4000-8000-000000000001", "01J9ZQ4Y0B9K4E3W5T8R7M2N1P")
SMALL = DOCUMENT_APPROVAL.named("needs_approval")
CONTRACT = replace(
    SMALL,
    cases=(
        Case("contract", (Condition(Source.FIELD, Operator.EQ, "contract", "document_type"),)),
        Case("small", (Condition(Source.FIELD, Operator.EQ, "Travel", "classification"), *SMALL.cases[0].conditions)),
    ),
)


def chosen(step: Any = SMALL, *, total: str | None, corrected: dict[str, Any] | None = None, **about: Any) -> str:
    store = DocumentFiles(RUN.site, RUN.project_id, RUN.document_id)
    field = {"name": "total", "label": "Total", "type": "amount", "value": total}
    content = {"document_type": "receipt", "fields": [field], **about}
    found = write_json(store, files.result(RUN.workflow_id), content)
    execution = Execution(result_sha256=files.sha256(found))
    if corrected is not None:
        body = write_json(store, "decision.json", {"corrections": corrected})
        execution.decision_id, execution.decision_sha256 = "01H", files.sha256(body)
        store.write(files.decision(RUN.workflow_id, "01H", files.sha256(body)), body, "application/json")
    link = DocumentWorkflow(data={"file_type": "application/pdf"})
    return steps.choose(RUN, step, execution, link).outcome


@each(
    ("total", "outcome"),
    [
        ("99.99", "small"),
        ("100.00", ""),
        ("1000", ""),
        ("-5.00", "small"),
        ("-100.00", ""),
        ("-5000.00", ""),
        (None, ""),
        ("x", ""),
    ],
)
def test_the_first_case_that_holds_is_taken_and_what_was_not_found_meets_none(total: str | None, outcome: str) -> None:
    assert chosen(total=total) == outcome


@pytest.mark.parametrize(
    ("corrected", "outcome"), [({"total": "20.00"}, "small"), ({"total": None}, ""), ({"company": "A"}, "")]
)
def test_what_a_person_corrected_counts(corrected: dict[str, Any], outcome: str) -> None:
    assert chosen(total="200.00", corrected=corrected) == outcome


def test_the_document_type_and_the_classification_are_asked_for_like_fields() -> None:
    assert chosen(CONTRACT, total="5.00", document_type="contract") == "contract"
    assert chosen(CONTRACT, total="5.00") == ""
    assert chosen(CONTRACT, total="5.00", classification={"name": "travel"}) == "small"
    assert chosen(CONTRACT, total="500.00", classification={"name": "travel"}) == ""

"""Reviews as what can be learned from."""

import pytest

from tests.workflows.decided import decided_run, field, project
from workflows.learning import reviewed
from workflows.learning.lessons import ReviewedDocument, ReviewedField
from workflows.runs.items import Outcome
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("table")


def test_a_review_says_of_each_field_what_was_found_and_what_is_true() -> None:
    project_id = project()
    fields = [
        field("total", "amount", "12.00", label=1.0),
        field("company", "text", "MERANTI"),
        field("address", "text", None),
        field("date", "date", None),
        field("currency", "currency", "EUR", printed=1.0),
    ]
    run = decided_run(project_id, fields, {"total": "RM 13", "address": "LOT 4", "currency": None})
    assert reviewed.list_reviewed_documents("default", project_id) == [
        ReviewedDocument(
            run.workflow_id,
            (
                ReviewedField("total", "amount", "12.00", "13.00", {"label": 1.0}),
                ReviewedField("company", "text", "MERANTI", "MERANTI", {}),
                ReviewedField("address", "text", None, "LOT 4", {}),
                ReviewedField("currency", "currency", "EUR", None, {"printed": 1.0}),
            ),
        )
    ]


def test_what_no_rule_read_is_not_the_rules_to_be_judged_by() -> None:
    project_id = project()
    decided_run(project_id, [field("terms", "text", "net 30") | {"source": "default"}], {})
    assert reviewed.list_reviewed_documents("default", project_id) == []


def test_what_was_approved_without_a_look_teaches_nothing() -> None:
    project_id = project()
    fields = [field("company", "text", "MERANTI"), field("total", "amount", "12.00")]
    decided_run(project_id, fields, {}, unseen=("total",))
    (found,) = reviewed.list_reviewed_documents("default", project_id)
    assert [one.name for one in found.fields] == ["company"]


def test_what_no_one_could_read_teaches_nothing_and_what_is_not_there_does() -> None:
    project_id = project()
    fields = [field("company", "text", "MERANTI"), field("total", "amount", "12.00")]
    corrections, answers = {"company": None, "total": None}, {"company": "absent", "total": "illegible"}
    decided_run(project_id, fields, corrections, answers=answers)
    (found,) = reviewed.list_reviewed_documents("default", project_id)
    assert [(one.name, one.truth) for one in found.fields] == [("company", None)]


def test_only_published_reviews_of_the_project_teach() -> None:
    project_id, other = project(), project(name="Other")
    decided_run(project_id, [field("company", "text", "MERANTI")], {}, outcome=Outcome.REJECTED)
    decided_run(other, [field("company", "text", "MERANTI")], {})
    assert reviewed.list_reviewed_documents("default", project_id) == []


def test_a_changed_object_teaches_nothing() -> None:
    project_id = project()
    run = decided_run(project_id, [field("company", "text", "MERANTI")], {})
    store = DocumentFiles("default", project_id, run.document_id)
    store.write(files.result(run.workflow_id), b"{}", "application/json")
    assert reviewed.list_reviewed_documents("default", project_id) == []


def test_the_last_runs_come_first_and_the_oldest_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    project_id = project()
    made = [decided_run(project_id, [field("company", "text", f"FIRM {n}")], {}).workflow_id for n in range(4)]
    monkeypatch.setattr(reviewed, "_AT_ONCE", 2)
    assert [one.id for one in reviewed.list_reviewed_documents("default", project_id)] == made[::-1]
    monkeypatch.setattr(reviewed, "MOST_DOCUMENTS", 3)
    assert [one.id for one in reviewed.list_reviewed_documents("default", project_id)] == made[:0:-1]

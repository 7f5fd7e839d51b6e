"""A test set is filled by reviews or an upload, changed in versions, and knows no document that was purged."""

import json

import pytest

from config.errors import Conflict, NotFound
from projects.audit.events import Actor
from projects.settings import queries as project_queries
from tests.aws_faults import before_each
from tests.workflows.decided import decided_run, field, project
from workflows.runs.items import Run
from workflows.storage import files
from workflows.storage.objects import DocumentFiles, SiteFiles
from workflows.testsets import actions, queries
from workflows.testsets.actions import Source
from workflows.testsets.cases import Case
from workflows.testsets.items import FAILED, READY
from workflows.testsets.queries import SetRef

SITE, ANNA, BORIS = "default", Actor("1", "Anna Berg"), Actor("2", "Boris Klein")
pytestmark = pytest.mark.usefixtures("table")


def receipt(project_id: str, company: str = "MERANTI", **classified: object) -> Run:
    fields = [
        field("company", "text", company),
        field("total", "amount", "12.00") | {"source": "bedrock"},
        field("date", "date", None),
        field("currency", "currency", "EUR"),
    ]
    return decided_run(project_id, fields, {"total": "13.00", "currency": None}, unseen=("date",))


def new_set(project_id: str) -> SetRef:
    return actions.create_test_set(SITE, project_id, "Receipts", by=ANNA)


def cases_of(ref: SetRef) -> tuple[Case, ...]:
    return queries.load_cases(ref, str(queries.get_test_set(ref).sha256))


def build(ref: SetRef, source: Source | None = None) -> None:
    actions.build_test_set(ref, source or Source(), by=ANNA)


def test_what_a_person_left_or_corrected_is_the_answer_whoever_read_it() -> None:
    project_id = project()
    run, ref = receipt(project_id), new_set(project_id)
    build(ref)
    (case,) = cases_of(ref)
    assert (case.document_id, case.fields) == (run.document_id, 3)
    known = queries.load_answers(SITE, project_id, case)
    assert {one.name: one.value for one in known.fields} == {"company": "MERANTI", "total": "13.00", "currency": None}
    head = queries.get_test_set(ref)
    assert (head.status, int(head.version), head.documents) == (READY, 1, 1)


def test_the_list_of_cases_holds_ids_and_no_answers() -> None:
    project_id = project()
    receipt(project_id, "Secret Seller")
    ref = new_set(project_id)
    build(ref)
    name = files.testset(project_id, ref.testset_id, str(queries.get_test_set(ref).sha256))
    assert b"Secret" not in SiteFiles(SITE).read(name)


def test_the_same_order_twice_makes_one_version_and_more_reviews_the_next() -> None:
    project_id = project()
    receipt(project_id)
    ref = new_set(project_id)
    build(ref)
    actions.announce_building(ref)
    build(ref)
    assert [int(one.version) for one in queries.list_test_set_versions(ref).rows] == [1]
    assert queries.get_test_set(ref).status == READY
    first = cases_of(ref)
    receipt(project_id)
    build(ref)
    assert [int(one.version) for one in queries.list_test_set_versions(ref).rows] == [2, 1]
    assert cases_of(ref)[:1] == first
    assert len(queries.load_cases(ref, str(queries.get_test_set_version(ref, 1).sha256))) == 1


def test_documents_of_one_seller_stay_in_one_half() -> None:
    project_id = project()
    for number in range(12):
        receipt(project_id, f"SELLER {number % 6}")
    ref = new_set(project_id)
    build(ref)
    halves: dict[str, set[str]] = {}
    for case in cases_of(ref):
        company = queries.load_answers(SITE, project_id, case).get("company")
        assert company
        halves.setdefault(str(company.value), set()).add(case.half)
    assert {len(one) for one in halves.values()} == {1}
    head = queries.get_test_set(ref)
    assert int(head.tuning) + int(head.held_back) == 12


def test_only_so_many_and_one_type_if_asked() -> None:
    project_id = project()
    for _ in range(3):
        receipt(project_id)
    ref = new_set(project_id)
    build(ref, Source(most=2))
    assert len(cases_of(ref)) == 2
    other = new_set(project_id)
    build(other, Source(classification_id="invoice"))
    head = queries.get_test_set(other)
    assert (head.status, head.message) == (
        FAILED,
        "No reviewed documents found. Review some documents of this project first.",
    )


def test_an_upload_names_documents_by_id_or_file_name() -> None:
    project_id = project()
    run = decided_run(project_id, [], {})
    ref = new_set(project_id)
    stored = project_queries.get_project(SITE, project_id)
    lines = [{"document": run.document_id, "fields": {"total": "5"}}]
    source = actions.keep_upload(SITE, stored, "\n".join(map(json.dumps, lines)).encode())
    build(ref, source)
    (case,) = cases_of(ref)
    assert queries.load_answers(SITE, project_id, case).fields[0].value == "5.00"
    with pytest.raises(NotFound):
        SiteFiles(SITE).read(files.testset_upload(project_id, source.sha256))
    build(ref, source)  # delivered twice
    assert queries.get_test_set(ref).message is None
    by_name = actions.keep_upload(SITE, stored, b"document,total\nreceipt.pdf,7\n")
    build(ref, by_name)
    assert queries.load_answers(SITE, project_id, cases_of(ref)[0]).fields[0].value == "7.00"
    decided_run(project_id, [], {})  # of the same name
    actions.announce_building(ref)
    refused = actions.keep_upload(SITE, stored, b"document,total\nreceipt.pdf,8\n")
    build(ref, refused)
    assert queries.get_test_set(ref).message == "Line 2 names more than one document. Use its ID. Nothing was added."
    with pytest.raises(NotFound):  # its values are no longer there for a purge to miss
        SiteFiles(SITE).read(files.testset_upload(project_id, refused.sha256))


def test_who_comes_second_adds_to_what_the_first_added() -> None:
    project_id = project()
    ref = new_set(project_id)
    first, second = (Case(name, "0" * 64, "tuning", 1) for name in ("a", "b"))

    def others() -> None:
        actions.add_cases(ref, [first], note="", by=BORIS)

    with before_each("dynamodb", "TransactWriteItems", others):
        assert actions.add_cases(ref, [second], note="", by=ANNA) == 2
    assert [one.document_id for one in cases_of(ref)] == ["a", "b"]


def test_a_document_is_removed_from_what_the_page_showed() -> None:
    project_id = project()
    ref = new_set(project_id)
    actions.add_cases(ref, [Case(name, "0" * 64, "tuning", 1) for name in ("a", "b")], note="", by=BORIS)
    assert actions.remove_case(ref, "a", based_on=1, by=ANNA) == 2
    with pytest.raises(Conflict, match="Anna Berg changed this test set to version 2"):
        actions.remove_case(ref, "b", based_on=1, by=BORIS)
    assert [one.document_id for one in cases_of(ref)] == ["b"]


def test_answers_go_with_their_document() -> None:
    project_id = project()
    run, ref = receipt(project_id), new_set(project_id)
    build(ref)
    (case,) = cases_of(ref)
    DocumentFiles(SITE, project_id, run.document_id).destroy(lambda: None)
    with pytest.raises(NotFound):
        queries.load_answers(SITE, project_id, case)

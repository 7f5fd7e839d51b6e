"""The same file, or an invoice of the same supplier, number and total, goes to a person with a link to the first."""

import json
from pathlib import Path

import pytest

from config import table
from projects.documents import queries as queries_of_copies
from projects.documents.items import DocumentCopy
from projects.documents.queries import list_digests, list_earlier_copies
from review.decide import claims, decisions
from review.decide.redemption import redeem_decision
from review.items.reviews import Review
from tests.factories import PROJECT, REVIEW, ROSA, SITE, ref_of, review_of, start_run, verdict
from tests.flow.test_journey import output_of
from tests.pump import Pump
from tests.tools.paper import Sheet, save
from tests.workflows import stored
from workflows.documents.actions import removals
from workflows.runs import queries
from workflows.runs.items import Run
from workflows.stages.document_copy import WORDS
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

LENIENT = {**PROJECT, "review_policy": {"default_threshold": 0.0, "most_wrong": 0}}


def invoice(folder: Path, name: str, *, number: str = "RE-2024-17", footer: str = "") -> Path:
    sheet = Sheet(300, 400)
    lines = ["ACME TRADING LTD", "12 High Street, London", "INVOICE", f"Invoice number: {number}", "Date: 2024-03-31"]
    for index, line in enumerate([*lines, "TOTAL 1500.00 EUR", footer]):
        sheet.text(20, 40 + 24 * index, line, size=12)
    return save([sheet], folder / name)


def finished(pump: Pump, run: Run) -> None:
    pump.run(lambda: queries.execution(run).status != "running" or int(queries.execution(run).currentStep) == REVIEW)
    pump.run()


def publish(pump: Pump, file: Path) -> Run:
    run = start_run(file, project=LENIENT)
    finished(pump, run)
    assert queries.execution(run).outcome == "published"
    return run


def send(pump: Pump, file: Path) -> Run:
    run = start_run(file, project=LENIENT)
    finished(pump, run)
    return run


def reasons(run: Run) -> list[str]:
    assert int(queries.execution(run).currentStep) == REVIEW
    return list(review_of(ref_of(run)).reasons)


@pytest.mark.wide
def test_the_same_file_goes_to_a_person(pump: Pump, tmp_path: Path) -> None:
    file = invoice(tmp_path, "a.pdf")
    first = publish(pump, file)
    again = send(pump, file)
    assert reasons(again) == [WORDS["file"]]
    assert review_of(ref_of(again)).copies == [f"file#{first.document_id}"]
    store = DocumentFiles(again.site, again.project_id, again.document_id)
    (reason,) = json.loads(store.read(files.assessment(again.workflow_id)))["reasons"]
    assert (reason["field"], reason["code"]) == (None, "copy")


@pytest.mark.wide
def test_the_same_invoice_in_another_file_goes_to_a_person_and_another_number_does_not(
    pump: Pump, tmp_path: Path
) -> None:
    first = publish(pump, invoice(tmp_path, "a.pdf"))
    again = send(pump, invoice(tmp_path, "b.pdf", footer="Second copy"))
    assert reasons(again) == [WORDS["invoice"]]
    assert review_of(ref_of(again)).copies == [f"invoice#{first.document_id}"]
    publish(pump, invoice(tmp_path, "c.pdf", number="RE-2024-18"))


@pytest.mark.wide
def test_what_a_person_corrected_is_what_the_next_is_compared_with(pump: Pump, tmp_path: Path) -> None:
    run = start_run(invoice(tmp_path, "a.pdf", number="RE-2024-l7"), always_review=True)
    finished(pump, run)
    ref = ref_of(run)
    claims.claim_review(ref, run, by=ROSA)
    chosen = verdict(ref, invoice_number="RE-2024-17")
    decisions.decide_review(ref, run, chosen, by=ROSA)
    Review.change(ref.key, [Review.redeem_after.set("2020")], Review.PK.exists())
    assert redeem_decision(ref, chosen.decision_id)
    pump.run(lambda: queries.execution(run).status != "running")
    assert {one["name"]: one["value"] for one in output_of(run)["fields"]}["invoice_number"] == "RE-2024-17"
    assert reasons(send(pump, invoice(tmp_path, "b.pdf"))) == [WORDS["invoice"]]


@pytest.mark.wide
def test_a_deleted_document_is_no_copy_and_a_purged_one_is_forgotten(pump: Pump, tmp_path: Path) -> None:
    file = invoice(tmp_path, "a.pdf")
    first = publish(pump, file)
    removals.delete_document(SITE, first.document_id, by=ROSA)
    publish(pump, file)
    assert len(list_digests(SITE, first.document_id)) == 2
    removals.purge_document(SITE, first.document_id, by=ROSA)
    removals.finish_removal(SITE, first.document_id)
    assert list_digests(SITE, first.document_id) == set()
    known = [one for one in stored.rows().values() if first.document_id in str(one) and "seen_at" in one]
    assert known == []


@pytest.mark.usefixtures("table")
def test_of_two_at_the_same_time_one_at_least_is_told(monkeypatch) -> None:
    monkeypatch.setattr(
        queries_of_copies, "get_documents", lambda site, ids: [DocumentCopy(documentId=one) for one in ids]
    )
    for document_id, at in (("one", "2026-01-01T10:00:00.000000Z"), ("two", "2026-01-01T10:00:20.000000Z")):
        parts = {"digest": "d", "document_id": document_id}
        row = DocumentCopy(*table.DOCUMENT_COPY.key(SITE, **parts), documentId=document_id, kind="file", seen_at=at)
        row.save()
    assert list_earlier_copies(SITE, "two", "d") == ["one"]
    assert list_earlier_copies(SITE, "one", "d") == ["two"]  # their workers' clocks may differ

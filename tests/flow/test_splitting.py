"""A reviewer splits a document: its run ends as rejected, and its parts are documents with runs, each once."""

from pathlib import Path

import pikepdf
import pytest

from config.errors import Conflict, Refused
from projects.documents.queries import document_rows, get_document
from review.decide import claims, decisions
from review.identity import ReviewRef
from tests.factories import MARTA, ROSA, ref_of, review_of, sample_files, start_run, verdict
from tests.flow.protocol import kinds, sweep_until_ended
from tests.projects.projects import make_project
from tests.pump import Pump
from workflows.intake.actions.unpack import check_can_split
from workflows.intake.containers.page_ranges import PageRange
from workflows.intake.tasks import unpack
from workflows.runs import queries
from workflows.runs.items import Run

pytestmark = pytest.mark.django_db
PARTS = [PageRange(1, 1), PageRange(2, 2)]


@pytest.fixture
def waiting(pump: Pump, tmp_path: Path) -> tuple[Run, ReviewRef]:
    path = tmp_path / "scan.pdf"
    with pikepdf.open(sample_files()[0]) as page, pikepdf.new() as pdf:
        pdf.pages.extend([page.pages[0], page.pages[0]])
        pdf.save(path)
    run = start_run(path, always_review=True, pages=2, project_id=make_project().id)
    pump.run(lambda: bool(pump.ran("open_review")))
    claims.claim_review(ref_of(run), run, by=ROSA)
    return run, ref_of(run)


def split_verdict(ref: ReviewRef) -> decisions.Verdict:
    shown = verdict(ref)
    return decisions.Verdict(**{**vars(shown), "decision": "reject", "reject_reason": "Split", "parts": PARTS})


def children(run: Run) -> list[str]:
    return sorted(one.name for one in document_rows(run.site, run.document_id).children)


def split_is_done(run: Run) -> bool:
    record = document_rows(run.site, run.document_id).unpacking
    return bool(record and record.status == "done")


@pytest.mark.wide
def test_the_parts_are_documents_with_runs_and_links_both_ways(waiting: tuple[Run, ReviewRef], pump: Pump) -> None:
    run, ref = waiting
    chosen = split_verdict(ref)
    decisions.decide_review(ref, run, chosen, by=ROSA)
    assert decisions.decide_review(ref, run, chosen, by=ROSA)  # the POST again
    assert children(run) == []  # it can still be undone
    sweep_until_ended(run, pump)
    pump.run(lambda: split_is_done(run))
    assert queries.execution(run).outcome == "rejected"
    assert children(run) == ["scan (page 1).pdf", "scan (page 2).pdf"]
    for child in document_rows(run.site, run.document_id).children:
        part = get_document(run.site, child.documentId)
        assert (part.belongsToDocumentId, part.user_name) == (run.document_id, "test")
        assert queries.project_document(run.site, run.project_id, child.documentId).workflow_id
    assert kinds(run).count("HUMAN_REVIEW_REJECTED") == 1
    unpack(site=run.site, document_id=run.document_id)  # the task again
    assert len(children(run)) == 2
    assert get_document(run.site, run.document_id).status == "rejected"


@pytest.mark.wide
def test_undone_in_time_nothing_is_split(waiting: tuple[Run, ReviewRef], pump: Pump) -> None:
    run, ref = waiting
    chosen = split_verdict(ref)
    decisions.decide_review(ref, run, chosen, by=ROSA)
    decisions.undo_decision(ref, run, decision_id=chosen.decision_id, by=ROSA)
    pump.run(idle=1)
    assert document_rows(run.site, run.document_id).unpacking is None
    decisions.decide_review(ref, run, verdict(ref), by=ROSA)
    sweep_until_ended(run, pump)
    assert queries.execution(run).outcome == "published"


def test_whoever_decides_first_is_the_one(waiting: tuple[Run, ReviewRef], pump: Pump) -> None:
    run, ref = waiting
    mine, other = split_verdict(ref), verdict(ref)
    decisions.decide_review(ref, run, other, by=ROSA)
    with pytest.raises(Conflict):
        decisions.decide_review(ref, run, mine, by=ROSA)
    with pytest.raises(Conflict):
        decisions.decide_review(ref, run, mine, by=MARTA)
    assert review_of(ref).decision_id == other.decision_id


@pytest.mark.wide
def test_a_lost_message_is_sent_again_and_a_second_split_waits_for_the_first(
    waiting: tuple[Run, ReviewRef], pump: Pump
) -> None:
    run, ref = waiting
    pump.hold = lambda message: message.task.endswith("unpack")
    decisions.decide_review(ref, run, split_verdict(ref), by=ROSA)
    sweep_until_ended(run, pump)
    with pytest.raises(Refused, match="being split already"):
        check_can_split(run.site, run.document_id)
    unpack(site=run.site, document_id=run.document_id)
    assert len(children(run)) == 2
    check_can_split(run.site, run.document_id)

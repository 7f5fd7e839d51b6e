"""The table of what ran on which kind of file."""

from pathlib import Path

from projects.audit.events import Actor
from tests.factories import PROJECT, PROJECT_ID, SITE, start_run
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.intake.actions.documents import start
from workflows.operations import process_report
from workflows.operations.process_files import Job
from workflows.operations.process_report import Line
from workflows.runs import queries
from workflows.runs.items import Run
from workflows.runs.new_run import NewRun, Original
from workflows.runs.run_settings import freeze
from workflows.stages import formats


def begun(file_type: str) -> Run:
    original = Original("a", file_type, 10, "projects/p/x")
    return start(
        NewRun(
            Run.new(SITE, PROJECT_ID, f"d-{abs(hash(file_type))}"),
            by=Actor("1", "1"),
            project=PROJECT,
            pinned=freeze(PROJECT),
            original=original,
        )
    )


def test_what_a_kind_of_file_does_not_need_is_on_its_board_from_the_start(table: str) -> None:
    run = begun(formats.DOCX)
    line = process_report.line_of(Job(Path("a.docx"), run, outcome="in_review"))
    assert (line.kind, line.ran) == (formats.DOCX, ("segment_prep",))
    assert dict(line.skipped) == {
        "bda_processor": "Bedrock Data Automation is not enabled for this project.",
        "paddleocr_processor": "OCR needs pages; this file has none.",
        "transcribe": "Only recordings are transcribed.",
        "webcrawler": "Only web page requests are crawled.",
    }
    assert queries.execution(run).left_out == {2, 4, 5, 6}


def test_a_pdf_goes_past_what_it_does_not_need(table: str) -> None:
    assert queries.execution(start_run()).left_out == {2, 5, 6}
    assert queries.document_workflow(SITE, *_ids(start_run())).definition == DOCUMENT_ANALYSIS.id


def test_sound_and_video_go_their_own_ways(table: str) -> None:
    ways = {kind: queries.execution(begun(kind)).left_out for kind in ("audio/mpeg", formats.MP4, formats.QUICKTIME)}
    assert ways == {"audio/mpeg": {2, 3, 4, 6}, formats.MP4: {2, 4, 5, 6}, formats.QUICKTIME: {2, 4, 5, 6}}


def _ids(run: Run) -> tuple[str, str]:
    return run.document_id, run.workflow_id


def test_files_that_went_the_same_way_stand_together_with_the_reasons() -> None:
    skipped = (("transcribe", "Only recordings."),)
    text = process_report.report_table(
        [
            Line("b.pdf", "application/pdf", "published", ("segment_prep", "publish"), skipped),
            Line("x.bin", "refused", "failed", (), (), "This type of file is not supported."),
            Line("a.pdf", "application/pdf", "in_review", ("segment_prep", "publish"), skipped),
        ]
    )
    assert text.splitlines() == [
        "application/pdf  (2 files)",
        "    ran      segment_prep → publish",
        "    skipped  transcribe: Only recordings.",
        "    in_review a.pdf",
        "    published b.pdf",
        "",
        "refused  (1 file)",
        "    failed    x.bin · This type of file is not supported.",
    ]

"""From where an ended run may be run again, and when it goes on itself: a table of its own, without a table of AWS."""

from tests.each import each
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.documents.reruns import EndedRun
from workflows.runs.run_files import Layer
from workflows.stages.artifacts import MAKERS
from workflows.storage import files

STEP = DOCUMENT_ANALYSIS.named


def ended(outcome: str, *visited: str, layers=()) -> EndedRun:
    steps = {name: {"status": "completed"} for name in visited}
    return EndedRun(DOCUMENT_ANALYSIS, outcome, steps, layers)


def test_every_folder_has_a_maker_among_the_steps():
    assert set(MAKERS) == set(files.ARTIFACTS)
    assert set(MAKERS.values()) <= {one.name for one in DOCUMENT_ANALYSIS.steps}


def test_only_stages_that_were_come_to_are_offered():
    run = ended("failed", "segment_prep", "human_review", "publish", "assess")
    assert [one.name for one in run.offered] == ["segment_prep", "assess"]
    skipped = EndedRun(
        DOCUMENT_ANALYSIS, "failed", {"transcribe": {"status": "skipped"}, "assess": {"status": "failed"}}
    )
    assert [one.name for one in skipped.offered] == ["assess"]


def test_an_analysis_begins_with_its_segments():
    run = ended("failed")
    assert run.first(STEP("segment_analyzer")) == STEP("segment_builder")
    assert run.first(STEP("paddleocr_processor")) == STEP("paddleocr_processor")


@each(
    ("step", "anew"),
    [
        ("segment_prep", set(files.ARTIFACTS)),
        ("paddleocr_processor", {"paddleocr/", "transcribe/", "webcrawler/", "analysis/", "graph_work/"}),
        ("segment_builder", {"analysis/", "graph_work/"}),
        ("assess", {"graph_work/"}),
        ("document_summarizer", set()),
    ],
)
def test_what_is_made_anew_and_what_is_inherited(step: str, anew: set[str]):
    run = ended("published")
    assert run.anew(STEP(step)) == anew
    assert set(run.inherit_folders(STEP(step))) == set(files.ARTIFACTS) - anew


@each(
    ("outcome", "visited", "step", "goes_on"),
    [
        ("failed", ("segment_prep",), "segment_prep", True),
        ("partial", ("segment_prep", "assess"), "assess", True),
        ("cancelled", ("assess",), "segment_prep", True),
        ("published", ("assess",), "assess", False),
        ("rejected", ("assess", "human_review"), "assess", False),
        ("expired", ("assess",), "assess", False),
        ("failed", ("assess", "human_review"), "assess", False),  # a person was asked about what would be made again
        ("failed", ("assess", "human_review", "graph_builder"), "graph_builder", True),  # the decision holds on
    ],
)
def test_when_a_run_goes_on_itself(outcome: str, visited: tuple[str, ...], step: str, goes_on: bool):
    assert ended(outcome, *visited).goes_on(STEP(step)) == goes_on


def test_a_run_never_writes_over_what_it_took():
    run = ended("failed", "assess", layers=(Layer("new", ("paddleocr/", "preprocessed/")),))
    assert not run.goes_on(STEP("paddleocr_processor"))
    assert run.goes_on(STEP("segment_builder"))


def test_what_lies_behind():
    run = ended("published")
    assert run.behind_decision(STEP("graph_builder"))
    assert not run.behind_decision(STEP("assess"))
    assert run.behind(STEP("assess"), "segment_builder")
    assert not run.behind(STEP("segment_builder"), "segment_builder")
    assert not run.behind(STEP("assess"), "none")

"""Definitions: which steps a kind of document goes past, and that a published version stays as it is."""

import hashlib
import json
import re

import pytest

from workflows import asl, definitions
from workflows.definitions import DEFINITIONS, DOCUMENT_ANALYSIS, FIRST_ANALYSIS, Asked
from workflows.stages import STAGES, formats
from workflows.status import END


def path(asked: Asked, *outcomes: str) -> list[str]:
    """The steps in their order; ``outcomes``: of the assessment."""
    left_out = DOCUMENT_ANALYSIS.left_out(asked)
    step, found = DOCUMENT_ANALYSIS.steps[0], []
    while True:
        found.append(step.name)
        order = DOCUMENT_ANALYSIS.after(step, outcomes[0] if outcomes and step.name == "assess" else "", left_out)
        if order == END:
            return found
        step = DOCUMENT_ANALYSIS.step(order)


BEHIND = ["segment_builder", "segment_analyzer", "assess", "graph_builder", "document_summarizer", "publish"]


@pytest.mark.parametrize(
    ("asked", "own"),
    [
        (Asked("application/pdf"), ["format_parser", "paddleocr_processor"]),
        (Asked("application/pdf", use_bda=True), ["bda_processor", "format_parser", "paddleocr_processor"]),
        (Asked("image/heic"), ["paddleocr_processor"]),
        (Asked(formats.DOCX), ["format_parser"]),
        (Asked(formats.MAIL), ["format_parser"]),
        (Asked("audio/wav"), ["transcribe"]),
        (Asked(formats.WEB_REQUEST), ["webcrawler"]),
    ],
)
def test_a_document_goes_past_what_it_does_not_need(asked: Asked, own: list[str]) -> None:
    assert path(asked) == ["segment_prep", *own, *BEHIND]


def test_the_ten_stages_are_there_and_each_step_has_its_code() -> None:
    stages = [step for step in DOCUMENT_ANALYSIS.steps if step.type == "stage"]
    assert len(stages) == 11  # seed 000's ten, and the assessment
    for step in stages:
        assert STAGES[step.name].label == step.label


def test_whatever_a_worker_may_answer_the_machine_follows() -> None:
    machine = json.loads(asl.compile_definition(DOCUMENT_ANALYSIS))["States"]
    for step in DOCUMENT_ANALYSIS.steps[:-1]:
        following = machine[f"after_{step.name}"]["Choices"] if f"after_{step.name}" in machine else None
        reachable = DOCUMENT_ANALYSIS.reachable(step)
        assert bool(following and "exists" in following[0]["Condition"]) == step.waits
        if following is None:
            assert len(reachable) == 1
        else:
            led = {choice["Condition"].rsplit(" ", 2)[1] for choice in following if "next" in choice["Condition"]}
            assert led == set(map(str, reachable))


def test_the_first_version_is_published_and_stays_as_it_is() -> None:
    body = asl.compile_definition(FIRST_ANALYSIS)
    assert "'definition'" not in body
    assert "graph_builder" not in body
    assert definitions.active(FIRST_ANALYSIS.name) is DOCUMENT_ANALYSIS
    assert list(DEFINITIONS) == ["document-analysis.v1", "document-analysis.v2"]
    # Where the queues are is the machine's own; what is between them was published and runs are pinned to it.
    placed = re.sub(r'"QueueUrl": "[^"]*/', '"QueueUrl": "', body)
    assert (
        hashlib.sha256(placed.encode()).hexdigest()
        == "553215b9e002c279415423ceb59010b8dadb619442e8f8af5a826cfa53c93711"
    )

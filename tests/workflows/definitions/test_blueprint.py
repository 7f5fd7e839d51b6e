"""Definitions: which steps a kind of document goes past, and that a published version stays as it is."""

import hashlib
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.each import each
from workflows.definitions import asl, blueprint
from workflows.definitions.blueprint import (
    DOCUMENT_ANALYSIS,
    DOCUMENT_APPROVAL,
    FIRST_ANALYSIS,
    SHIPPED,
    Case,
    Definition,
    DocumentFacts,
)
from workflows.definitions.checks import definition_problems
from workflows.definitions.rules import Condition, Operator, Source
from workflows.engine import step_actions
from workflows.runs.items import END
from workflows.stages import formats
from workflows.stages.registry import STAGES


def path(asked: DocumentFacts, *outcomes: str) -> list[str]:
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


@each(
    ("asked", "own"),
    [
        (DocumentFacts("application/pdf"), ["format_parser", "paddleocr_processor"]),
        (DocumentFacts("application/pdf", use_bda=True), ["bda_processor", "format_parser", "paddleocr_processor"]),
        (DocumentFacts("image/heic"), ["paddleocr_processor"]),
        (DocumentFacts(formats.DOCX), ["format_parser"]),
        (DocumentFacts(formats.MAIL), ["format_parser"]),
        (DocumentFacts("audio/wav"), ["transcribe"]),
        (DocumentFacts(formats.WEB_REQUEST), ["webcrawler"]),
    ],
)
def test_a_document_goes_past_what_it_does_not_need(asked: DocumentFacts, own: list[str]) -> None:
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


# Where the queues are is a machine's own; what is between them was published and runs are pinned to it.
PUBLISHED = {
    "document-analysis.v1": "553215b9e002c279415423ceb59010b8dadb619442e8f8af5a826cfa53c93711",
    "document-analysis.v2": "f57597220b6e059e1c36b3f24c769e6e3ae544ccadf7b5cd8df0cbd95e09ff97",
    "document-approval.v1": "dad493b5c5c0719bfe5f072ad616ff1598b19fce48ca257529f1239a6ac279ac",
}


@pytest.mark.parametrize("definition", SHIPPED.values(), ids=lambda one: one.id)
def test_what_is_published_stays_as_it_is(definition: Definition) -> None:
    placed = re.sub(r'"QueueUrl": "[^"]*/', '"QueueUrl": "', asl.compile_definition(definition))
    assert hashlib.sha256(placed.encode()).hexdigest() == PUBLISHED[definition.id]


def test_the_first_version_says_less() -> None:
    body = asl.compile_definition(FIRST_ANALYSIS)
    assert "'definition'" not in body
    assert "graph_builder" not in body
    assert blueprint.newest_definition(FIRST_ANALYSIS.name) is DOCUMENT_ANALYSIS
    assert blueprint.newest_definition("gone") is None


@pytest.mark.parametrize("definition", SHIPPED.values(), ids=lambda one: one.id)
def test_what_is_shipped_can_be_run(definition: Definition) -> None:
    assert definition_problems(definition) == []
    for step in definition.steps:
        assert not step.does or step.does in step_actions.STEP_ACTIONS


def broken(at: int, **changed: Any) -> Definition:
    steps = [replace(step, **changed) if step.order == at else step for step in DOCUMENT_APPROVAL.steps]
    return replace(DOCUMENT_APPROVAL, steps=tuple(steps))


BY_WORD = Case("small", (Condition(Source.FIELD, Operator.LT, "much", "total"),))
BY_TEXT = Case("small", (Condition(Source.TEXT, Operator.CONTAINS, "x"),))


@each(
    ("definition", "told"),
    [
        (broken(3, order=30), "must be numbered"),
        (broken(3, name="assess"), "same name"),
        (broken(10, next={"": 11}), "cases without a next step"),
        (broken(10, cases=(BY_WORD,)), "not a number or date"),
        (broken(10, cases=(BY_TEXT,)), "not available"),
        (broken(11, next={"": 12}), "no next step after approval"),
        (broken(11, next={"approve": 99, "": 18}), "a step that does not exist"),
        (broken(14, next={"x": 15}), "no default outcome"),
        (broken(14, next={"": END}), "cannot be the last step"),
        (broken(15, does=""), "does nothing"),
        (broken(18, ends=None), "must set the outcome"),
        (broken(14, next={"": 16}), "No step leads to mark_accepted"),
        (broken(14, next={"": 9, "x": 15}), "leads back to step 9"),
    ],
)
def test_what_cannot_be_run_is_told_before_it_is_published(definition: Definition, told: str) -> None:
    assert told in " ".join(definition_problems(definition))

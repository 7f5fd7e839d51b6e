import json
from pathlib import Path

import pytest

from tests.workflows.stages.memory import context, kept, run_all
from workflows.stages import document_summarizer, formats, graph_builder
from workflows.stages.base import StageContext
from workflows.stages.text import sentences

LETTER = """# Delivery of pens
Paper & Pens Ltd writes to Alder GmbH about the delivery of pens in March.
Date: 12/03/2024
Contact: ann@pens.example or www.pens.example

The delivery of pens to the house of Alder was late by three days because of snow on the roads. Nobody was hurt by it.
Paper & Pens Ltd offers a discount of ten per cent on the next delivery of pens to Alder GmbH. The weather was bad.
"""


def letter(folder: Path, text: str = LETTER) -> StageContext:
    path = folder / "a.txt"
    path.write_text(text)
    ctx = context(path, formats.TEXT)
    run_all(ctx)
    return ctx


def test_who_and_what_a_document_names_and_what_belongs_together(tmp_path: Path) -> None:
    graph = kept(letter(tmp_path)).json("graph_work/entities.json")
    found = {(one["type"], one["name"]): one for one in graph["entities"]}
    assert {("organisation", "Paper & Pens Ltd"), ("organisation", "Alder GmbH")} <= set(found)
    assert {("email", "ann@pens.example"), ("website", "www.pens.example"), ("date", "2024-03-12")} <= set(found)
    seller, buyer = found["organisation", "Paper & Pens Ltd"], found["organisation", "Alder GmbH"]
    assert seller["mentions"] == 2
    assert seller["mentioned_in"][0]["segment_index"] == 0
    assert "writes to" in seller["mentioned_in"][0]["context"]
    ends = {frozenset((one["source"], one["target"])) for one in graph["relations"] if one["type"] == "RELATED_TO"}
    assert frozenset((seller["id"], buyer["id"])) in ends


def test_the_document_leads_to_its_fields_as_a_person_corrected_them(tmp_path: Path) -> None:
    ctx = letter(tmp_path)
    decided = json.dumps({"corrections": {"company": "Quill AG"}}).encode()
    ctx.artifacts.write("runs/run1/decisions/d.json", decided, "application/json")
    corrected = StageContext(**{**vars(ctx), "decision": "runs/run1/decisions/d.json"})
    result = graph_builder.run(corrected)
    graph = kept(ctx).json("graph_work/entities.json")
    (company,) = [one for one in graph["entities"] if one["name"] == "Quill AG"]
    assert company["role"] == "Company"
    edge = {"source": "document", "target": company["id"], "type": "COMPANY", "weight": 1}
    assert edge in graph["relations"]
    assert result.facts["entity_count"] == len(graph["entities"])
    document_summarizer.run(corrected)
    assert kept(ctx).json("analysis/summary.json")["document_summary"].startswith("Document of Quill AG, 2024-03-12")


def test_an_entity_is_the_same_in_every_document_of_a_project() -> None:
    assert graph_builder.entity_id("p", "ACME") == graph_builder.entity_id("p", "ACME")
    assert graph_builder.entity_id("p", "ACME") != graph_builder.entity_id("q", "ACME")
    assert len(graph_builder.entity_id("p", "ACME")) == 16


@pytest.mark.wide
def test_a_document_that_names_thousands_keeps_the_strongest(tmp_path: Path) -> None:
    lines = [f"mail{number}@a.example wrote to the Strong Company Ltd" for number in range(4_000)]
    graph = kept(letter(tmp_path, "\n".join(lines))).json("graph_work/entities.json")
    assert len(graph["entities"]) == graph_builder.MOST_ENTITIES
    assert len(graph["relations"]) <= graph_builder.MOST_RELATIONS + 10
    assert graph["entities"][0]["name"].endswith("Strong Company Ltd")
    assert len(graph["entities"][0]["mentioned_in"]) <= graph_builder.MOST_MENTIONS


def test_a_summary_quotes_what_says_most_and_describes_each_segment(tmp_path: Path) -> None:
    summary = kept(letter(tmp_path)).json("analysis/summary.json")
    assert (summary["language"], summary["total_pages"], summary["method"]) == ("en", 1, "extractive")
    assert "The delivery of pens to the house of Alder was late by three days" in summary["document_summary"]
    assert "The weather was bad." not in summary["document_summary"]
    assert summary["pages"][0]["page"] == 0
    assert summary["pages"][0]["description"]


def test_a_document_without_sentences_has_a_summary_without_any(tmp_path: Path) -> None:
    summary = kept(letter(tmp_path, "4711")).json("analysis/summary.json")
    assert (summary["document_summary"], summary["pages"][0]["description"]) == ("", "4711")


def test_the_same_sentence_in_other_words_is_chosen_once() -> None:
    text = (
        "The invoice is due in thirty days from now. The invoice is due in thirty days from today. A bird sings there."
    )
    counts = sentences.words(text)
    found = list(enumerate(sentences.sentences(text)))
    assert len([one for _, one in sentences.best(found, counts, most=5, letters=900) if "due" in one]) == 1

"""A project whose reviewers corrected what the rules cannot find: the sponsor of an order."""

from typing import Any

from tests.workflows.decided import decided_run, project
from tests.workflows.stages.extractor.drawn import NAMES, SPONSOR, order
from workflows.runs.items import Run
from workflows.stages.fields.candidates import Document
from workflows.stages.pages import layout

SITE = "default"


def sponsor_field(value: str | None = None) -> dict[str, Any]:
    return {
        "name": SPONSOR.name, "label": SPONSOR.label, "type": "text", "required": False, "threshold": 0.8,
        "value": value, "raw": value, "confidence": 0.4, "page": None, "box": None, "source": "rules", "candidates": [],
    }  # fmt: skip


def segment_of(document: Document, index: int = 0) -> dict[str, Any]:
    page = document.pages[index]
    return {
        "segment_index": index, "source": page.source, "width": page.width, "height": page.height, "slope": 0.0,
        "status": "completed", "words": layout.words_to_store(page.lines), "text_content": "",
    }  # fmt: skip


def decide_order(project_id: str, number: int, **options: Any) -> Run:
    truth = {"sponsor": f"Friends of {NAMES[number % 8]}"}
    return decided_run(project_id, [sponsor_field()], truth, segments=[segment_of(order(number))], **options)


def project_of_orders(count: int = 16, **options: Any) -> str:
    project_id = project(name="Orders")
    for number in range(count):
        decide_order(project_id, number, **options)
    return project_id

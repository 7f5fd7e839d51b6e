"""Runs with a page that was read, and questions about it."""

import json
from typing import Any

from projects.audit.events import Actor
from tests.factories import start_run
from workflows.runs.items import Run
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

BY = Actor("1", "Alice Novak")
WORDS = ("Alder & Quill", "Total due 120.00", "The goods stay our property until they are paid.")


def segment(index: int = 0, status: str = "completed") -> dict[str, object]:
    words = []
    for row, text in enumerate(WORDS):
        for place, word in enumerate(text.split()):
            left, top = 0.05 + 0.09 * place, 0.1 + 0.05 * row
            words.append({"text": word, "box": [left, top, left + 0.08, top + 0.02], "score": 0.99, "block": row})
    return {
        "segment_index": index, "segment_type": "PAGE", "status": status, "source": "ocr", "width": 1000,
        "height": 1400, "slope": 0.0, "words": words, "text_content": "\n".join(WORDS),
        "image_uri": files.page_image(index), "ai_analysis": [],
    }  # fmt: skip


def read_run(status: str = "completed", **more: Any) -> Run:
    """A run whose only page was prepared and read; ``more``: of ``start_run``."""
    run = start_run(**more)
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    of_page = {name: segment()[name] for name in ("segment_index", "segment_type", "width", "height")}
    prepared = {"segment_count": 1, "segments": [{**of_page, "image": files.page_image(0)}]}
    store.write(files.PREPARED, json.dumps(prepared).encode(), "application/json")
    store.write(files.segment(0), json.dumps(segment(status=status)).encode(), "application/json")
    return run

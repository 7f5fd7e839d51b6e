"""A document's artifacts in memory, and pages of text made by hand: what the stages' tests stand on."""

import json
from pathlib import Path
from typing import Any

from config.errors import NotFound
from workflows.stages.base import FieldSpec, RunSettings, StageContext, StageResult
from workflows.stages.fields.candidates import Document
from workflows.stages.pages.layout import Line, Page, Word

FIELDS = (
    FieldSpec("company", "Company", "text", required=True, threshold=0.8),
    FieldSpec("date", "Date", "date", required=True, threshold=0.8),
    FieldSpec("address", "Address", "text", required=False, threshold=0.8),
    FieldSpec("total", "Total", "amount", required=True, threshold=0.8),
    FieldSpec("invoice_number", "Invoice number", "text", required=False, threshold=0.8),
    FieldSpec("currency", "Currency", "currency", required=False, threshold=0.8),
)


class MemoryStore:
    """An ArtifactStore."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def read(self, name: str) -> bytes:
        if name not in self.kept:
            raise NotFound(name)
        return self.kept[name]

    def write(self, name: str, body: bytes, content_type: str) -> str:
        self.kept[name] = body
        return f"s3://memory/{name}"

    def write_new(self, name: str, body: bytes, content_type: str) -> bool:
        return self.kept.setdefault(name, body) is body

    def exists(self, name: str) -> bool:
        return name in self.kept

    def uri(self, name: str) -> str:
        return f"s3://memory/{name}"

    def json(self, name: str) -> Any:
        return json.loads(self.kept[name])


class Beats:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


def settings(**changes: Any) -> RunSettings:
    values: dict[str, Any] = {
        "language": "en",
        "document_prompt": "",
        "ocr_model": "pp-ocrv5",
        "ocr_options": {},
        "fields": FIELDS,
        "default_threshold": 0.8,
    }
    return RunSettings(**(values | changes))


def context(
    original: Path, file_type: str = "application/pdf", *, only: frozenset[int] | None = None, **changes: Any
) -> StageContext:
    return StageContext(
        workflow_id="run1",
        file_name=original.name,
        file_type=file_type,
        original=original,
        settings=settings(**changes),
        artifacts=MemoryStore(),
        heartbeat=Beats(),
        only=only,
    )


def kept(ctx: StageContext) -> MemoryStore:
    assert isinstance(ctx.artifacts, MemoryStore)
    return ctx.artifacts


def list_reasons(ctx: StageContext) -> list[str]:
    """Why a person should look at the document, in full."""
    return [one["text"] for one in kept(ctx).json("runs/run1/assessment.json")["reasons"]]


def run_all(ctx: StageContext) -> dict[str, StageResult]:
    from workflows.stages.registry import STAGES  # noqa: PLC0415 - the fields' tests do not need them

    return {name: stage.run(ctx) for name, stage in STAGES.items()}


def page(*rows: str, index: int = 0, source: str = "ocr", score: float = 0.99) -> Page:
    """Rows of text, " | " between the lines of a row; twelve even columns to a word's width."""
    lines = []
    for number, row in enumerate(rows):
        for position, text in enumerate(row.split(" | ")):
            x, y, words = 0.05 + 0.32 * position, 0.03 + 0.02 * number, []
            for word in text.split():
                width = 0.009 * len(word)
                words.append(Word(word, (x, y, x + width, y + 0.014), score))
                x += width + 0.009
            lines.append(Line(index, tuple(words)))
    return Page(index, 1000, 1400, source, tuple(lines))


def document(*rows: str, **changes: Any) -> Document:
    return Document((page(*rows, **changes),))

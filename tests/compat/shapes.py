"""What that system writes for one document: its steps and its files, in its own words (CONTRACTS.md)."""

import datetime as dt
import io
from dataclasses import dataclass
from typing import Any

from PIL import Image

_BEGIN = dt.datetime(2025, 3, 4, 9, 0, tzinfo=dt.UTC)
STEPS = {
    "segment_prep": "Segment Prep",
    "bda_processor": "BDA Processing",
    "format_parser": "Format Parsing",
    "paddleocr_processor": "PaddleOCR Processing",
    "transcribe": "Transcription",
    "webcrawler": "Web Crawling",
    "segment_builder": "Building Segments",
    "segment_analyzer": "Segment Analysis",
    "graph_builder": "Building Knowledge Graph",
    "document_summarizer": "Document Summary",
}
PDF, PNG, MP4, DOCX, WEB = (
    "application/pdf",
    "image/png",
    "video/mp4",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/x-webreq",
)


def iso(minutes: float) -> str:
    return (_BEGIN + dt.timedelta(minutes=minutes)).isoformat()


@dataclass(frozen=True)
class Document:
    """One document of that system: what it is, how far it came, and its ids."""

    name: str
    mime: str
    status: str
    document_id: str
    workflow_id: str | None
    pages: int = 0


def steps(document: Document, run: str) -> dict[str, dict[str, Any]]:
    unneeded = {"bda_processor", "transcribe", "webcrawler"}
    if document.mime == WEB:
        unneeded = {"bda_processor", "transcribe", "paddleocr_processor", "format_parser"}
    if document.mime == MP4:
        unneeded = {"bda_processor", "webcrawler", "paddleocr_processor", "format_parser"}
    names = list(STEPS)
    reached = {
        "completed": len(names),
        "analyzing": names.index("segment_analyzer"),
        "reanalyzing": names.index("segment_analyzer"),
        "stuck": names.index("segment_analyzer"),
        "ocr_failed": names.index("paddleocr_processor"),
        "pending": 0,
    }[run]
    steps: dict[str, dict[str, Any]] = {}
    for i, (name, label) in enumerate(STEPS.items()):
        if name in unneeded:
            steps[name] = {"status": "skipped", "label": label}
        elif i < reached:
            steps[name] = {"status": "completed", "label": label, "started_at": iso(6 + i), "ended_at": iso(6.5 + i)}
        elif i == reached and run == "ocr_failed":
            steps[name] = {"status": "failed", "label": label, "started_at": iso(6 + i), "ended_at": iso(8 + i)}
            steps[name]["error"] = "chunk_0001 could not be read"
        elif i == reached and run in {"analyzing", "reanalyzing", "stuck"}:
            steps[name] = {"status": "in_progress", "label": label, "started_at": iso(6 + i)}
        else:
            steps[name] = {"status": "pending", "label": label}
    if run == "completed":
        steps["graph_builder"] |= {"entity_count": 12, "relationship_count": 5}
        steps["segment_builder"]["segment_count"] = document.pages
    return steps


def preprocess(step: str, status: str) -> dict[str, Any]:
    made: dict[str, Any] = {"required": status != "skipped", "status": status}
    if status == "completed":
        made |= {"started_at": iso(9), "ended_at": iso(9.5)}
    if status == "skipped":
        made["reason"] = f"{step} is not for this file"
    return made


def ocr(pages: int) -> dict[str, Any]:
    block = {"block_id": 0, "block_label": "text", "block_content": "x", "block_bbox": [1, 1, 9, 9], "block_order": 0}
    found = [
        {
            "page_index": i,
            "content": f"OCR of page {i + 1}",
            "blocks": [block | {"group_id": 0}],
            "width": 40,
            "height": 60,
        }
        for i in range(pages)
    ]
    return {
        "success": True,
        "format": "markdown",
        "model": "pp-ocrv5",
        "model_options": {},
        "pages": found,
        "page_count": pages,
        "content": "\n\n".join(page["content"] for page in found),
    }


def blank_segment(index: int) -> dict[str, Any]:
    return {
        "segment_index": index,
        "segment_type": "PAGE",
        "status": "indexing",
        "image_uri": None,
        "width": None,
        "height": None,
        "file_uri": "",
        "bda_indexer": "",
        "format_parser": "",
        "paddleocr": "",
        "paddleocr_blocks": None,
        "ai_analysis": [],
    }


def segment(prepared: dict[str, Any], *, built: bool) -> dict[str, Any]:
    index = int(prepared["segment_index"])
    segment = blank_segment(index) | prepared
    if not built:
        return segment
    return segment | {
        "status": "completed",
        "format_parser": f"Layer of page {index + 1}",
        "paddleocr": f"OCR of page {index + 1}",
        "paddleocr_blocks": {"blocks": [], "width": 40, "height": 60},
        "ai_analysis": [
            {"analysis_query": f"Page {index + 1} Analysis", "content": f"It shows **figure {index + 1}** <b>."},
            {"analysis_query": "Which unit?", "content": "Millimetres"},
        ],
        "page_description": f"Description of page {index + 1}",
        "graph_entities": [
            {"name": "Pump", "mentioned_in": [{"segment_index": index, "qa_index": 0, "context": "the pump"}]}
        ],
    }


def summary(pages: int) -> dict[str, Any]:
    return {
        "language": "ko",
        "document_summary": "A manual about pumps & valves.\n\nIt has tables.",
        "total_pages": pages,
        "pages": [{"page": i + 1, "description": f"Description of page {i + 1}"} for i in range(pages)],
    }


def picture() -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (40, 60), "white").save(stream, "PNG")
    return stream.getvalue()

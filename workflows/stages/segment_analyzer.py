"""Stage segment_analyzer, locally: document type and fields by rules, where each value stands, how sure it is."""

from collections.abc import Sequence
from typing import Any

from workflows import files
from workflows.stages import artifacts, fields, layout
from workflows.stages.base import FieldSpec, RunSettings, StageContext, StageResult
from workflows.stages.document_type import document_type
from workflows.stages.fields.candidates import Candidate, Document

# Issuer, date and number stand at the front, sums at the end; what is between would only cost memory.
FIRST, LAST = 8, 4
SHOWN = 5  # candidates kept for the reviewer
SOURCE, DEFAULT = "rules", "default"


def run(context: StageContext) -> StageResult:
    count = artifacts.read_json(context.artifacts, files.PREPARED)["segment_count"]
    described, pages = [], []
    for index in range(count):
        segment = artifacts.read_json(context.artifacts, files.segment(index))
        page = _page(segment)
        described.append(_description(segment, page))
        if index < FIRST or index >= count - LAST:
            pages.append(page)
        _analysed(context, segment, page)
        context.heartbeat()
    document = Document(tuple(pages))
    found = [_field(spec, fields.find(document, spec)) for spec in context.settings.fields]
    result = {
        "version": 1,
        "document_type": document_type(document.text),
        "classification": _classification(context.settings),
        "pages": described,
        "fields": found,
        "notes": _notes(context, described),
    }
    artifacts.write_json(context.artifacts, files.result(context.workflow_id), result)
    facts = {"document_type": result["document_type"], "fields": sum(field["value"] is not None for field in found)}
    return StageResult("completed", facts=facts)


def _classification(settings: RunSettings) -> dict[str, Any] | None:
    """By which schema the fields were read, and which version of it; None where the project's own list says it."""
    if not settings.classification_id:
        return None
    return {
        "id": settings.classification_id,
        "name": settings.classification_name,
        "version": settings.classification_version,
    }


def _page(segment: dict[str, Any]) -> layout.Page:
    return layout.Page(
        index=segment["segment_index"],
        width=segment["width"],
        height=segment["height"],
        source=segment["source"],
        lines=layout.lines_of(segment["words"], segment["segment_index"]),
        slope=segment["slope"],
    )


def _description(segment: dict[str, Any], page: layout.Page) -> dict[str, Any]:
    return {
        "index": page.index,
        "width": page.width,
        "height": page.height,
        "image": segment["image_uri"],
        "source": page.source,
        "words": sum(len(line.words) for line in page.lines),
    }


def _analysed(context: StageContext, segment: dict[str, Any], page: layout.Page) -> None:
    text = "\n".join(row.text for row in page.rows)
    question = f"Page {page.index + 1} Analysis"
    segment["ai_analysis"] = [{"analysis_query": question, "content": text or "The page has no readable text."}]
    segment["status"] = "completed"
    artifacts.write_json(context.artifacts, files.segment(page.index), segment)


def _field(spec: FieldSpec, found: Sequence[Candidate]) -> dict[str, Any]:
    """With the policy it is judged by, so that whoever shows the result reads nothing else."""
    best = found[0] if found else None
    shown = _read(best) if best or not spec.default else _given(spec.default)
    return {
        "name": spec.name,
        "label": spec.label,
        "type": spec.type,
        "required": spec.required,
        "threshold": spec.threshold,
        "allowed": list(spec.allowed),
        "default": spec.default,
        **shown,
        "candidates": [
            {
                "value": candidate.value,
                "raw": candidate.raw,
                "confidence": candidate.confidence,
                "page": candidate.page,
                "box": _rounded(candidate.box),
                "evidence": {name: round(value, 3) for name, value in candidate.evidence.items()},
            }
            for candidate in found[:SHOWN]
        ],
    }


def _read(best: Candidate | None) -> dict[str, Any]:
    return {
        "value": best.value if best else None,
        "raw": best.raw if best else None,
        "confidence": best.confidence if best else 0.0,
        "page": best.page if best else None,
        "box": _rounded(best.box) if best else None,
        "source": SOURCE,
    }


def _given(default: str) -> dict[str, Any]:
    """A person decided what stands for nothing found, so nobody has to be asked again."""
    return {"value": default, "raw": None, "confidence": 1.0, "page": None, "box": None, "source": DEFAULT}


def _rounded(box: layout.Box) -> list[float]:
    return [round(value, 5) for value in box]


def _notes(context: StageContext, pages: Sequence[dict[str, Any]]) -> list[str]:
    """What a person should know that belongs to no field; each becomes a reason to look."""
    notes = []
    if context.artifacts.exists(files.OCR):
        note = artifacts.read_json(context.artifacts, files.OCR).get("note")
        notes += [note] if note else []
    if all(page["words"] == 0 for page in pages):
        notes.append("No page has readable text")
    return notes

"""The document's OCR record, written with the advance into and out of the OCR step."""

from collections.abc import Mapping
from typing import Any

from config import table
from config.transaction import Change, Put
from workflows.runs.items import DocumentOcr, Run, StepStatus

STEP = "paddleocr_processor"
_STATUS = {
    StepStatus.COMPLETED: "successful",
    StepStatus.SKIPPED: "skipped",
    StepStatus.FAILED: "failed",
}


def request_ocr(run: Run, step: str, now: str) -> list[Change]:
    """Return the changes with the advance into ``step``: OCR is requested."""
    return [_record(run, "requested", now)] if step == STEP else []


def record_ocr(run: Run, step: str, status: StepStatus, facts: Mapping[str, Any], now: str) -> list[Change]:
    """Return the changes with the advance out of ``step``: none, or the record of the latest run."""
    if step != STEP or status not in _STATUS:
        return []
    return [_record(run, _STATUS[status], now, engine=facts.get("model"))]


def _record(run: Run, status: str, now: str, *, engine: str | None = None) -> Put:
    row = DocumentOcr(
        *table.DOCUMENT_OCR.key(run.site, document_id=run.document_id),
        documentId=run.document_id,
        inserteddate=now,
        userId="system",
        contentType="application/json",
        ocrEngine=engine,
        ocrStatus=status,
        jobId=run.workflow_id,
        ocrOutputType="JSON" if status == _STATUS[StepStatus.COMPLETED] else None,
    )
    return Put(row, overwrite=True)

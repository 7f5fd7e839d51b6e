"""The document's OCR record, which changes with the advance out of the OCR step."""

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


def record_ocr(run: Run, step: str, status: StepStatus, facts: Mapping[str, Any], now: str) -> list[Change]:
    """What the advance out of ``step`` writes beside itself: nothing, or the latest run's record over the last one."""
    if step != STEP or status not in _STATUS:
        return []
    row = DocumentOcr(
        *table.DOCUMENT_OCR.key(run.site, document_id=run.document_id),
        documentId=run.document_id,
        inserteddate=now,
        userId="system",
        contentType="application/json",
        ocrEngine=facts.get("model"),
        ocrStatus=_STATUS[status],
        jobId=run.workflow_id,
        ocrOutputType="JSON" if status == StepStatus.COMPLETED else None,
    )
    return [Put(row, overwrite=True)]

"""Rows of invented documents and reviews for scale tests and the benchmark: the same index makes the same key."""

import datetime as dt
import json

from config import clock, table
from review.identity import DEFAULT_QUEUE, ReviewRef
from review.items.reviews import Review
from review.status import ReviewStatus
from workflows import files
from workflows.items.documents import ProjectDocument

_BEGIN = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def document(site: str, project: str, index: int) -> ProjectDocument:
    document_id = f"fill-{index:08d}"
    at = clock.iso(_BEGIN + dt.timedelta(seconds=index))
    name, size = f"Filled document {index + 1}.pdf", 100_000 + index
    key = table.PROJECT_DOCUMENT.key(site, project_id=project, document_id=document_id)
    return ProjectDocument(
        key.pk,
        key.sk,
        **table.PROJECT_DOCUMENT.gsi1(site, project_id=project, updated_at=at),
        data={"document_id": document_id, "project_id": project, "name": name, "file_size": size},
        name=name,
        status="completed",
        outcome="published",
        document_id=document_id,
        workflow_id=f"fill-run-{index:08d}",
        project_id=project,
        file_type="application/pdf",
        file_size=size,
        page_count=1,
        created_at=at,
        updated_at=at,
    )


def review_ref(site: str, index: int) -> ReviewRef:
    return ReviewRef(site, f"fill-{index:08d}", f"fill-review-{index:08d}")


def review(site: str, project: str, index: int, *, result_sha256: str = "0" * 64) -> Review:
    """An open review in the queue; its run does not exist: a decision on it is recorded and never applied."""
    ref = review_ref(site, index)
    now, deadline = clock.iso(_BEGIN), clock.iso(clock.in_seconds(86_400 + index))
    return Review(
        *ref.key,
        **table.REVIEW.gsi1(site, queue=DEFAULT_QUEUE, deadline=deadline, review_id=ref.review_id),
        reviewId=ref.review_id,
        status=ReviewStatus.PENDING,
        createdAt=now,
        queue=DEFAULT_QUEUE,
        name=f"Filled document {index + 1}.pdf",
        project_id=project,
        project_name="Filled",
        document_id=ref.document_id,
        workflow_id=f"fill-run-{index:08d}",
        page_count=1,
        reasons=["Total 58 %, needs 80 %"],
        fields_unsure=1,
        deadline=deadline,
        result_sha256=result_sha256,
        last_transition="fill",
        step=7,
        definition="document-analysis.v1",
        version=1,
        created_at=now,
        updated_at=now,
    )


_FIELDS = (
    ("company", "Company", "text", "Grossmarkt Ruhr", 0.97),
    ("date", "Date", "date", "2024-03-31", 0.93),
    ("address", "Address", "text", "12 Harbour Street, Saltmarsh", 0.88),
    ("total", "Total", "amount", "33.90", 0.55),
    ("invoice_number", "Invoice number", "text", "AQ-2024-0418", 0.91),
    ("currency", "Currency", "currency", "EUR", 0.98),
)


def result() -> bytes:
    """A stored result of six fields, of which one is unsure, as the segment analyzer writes it."""
    fields = [
        {
            "name": name, "label": label, "type": kind, "required": False, "threshold": 0.8, "value": value,
            "raw": value, "confidence": confidence, "page": 0, "box": [0.1, 0.1 + row / 10, 0.4, 0.13 + row / 10],
            "source": "rules",
            "candidates": [{"value": "38.90", "confidence": 0.4, "page": 0, "box": None}] if name == "total" else [],
        }
        for row, (name, label, kind, value, confidence) in enumerate(_FIELDS)
    ]  # fmt: skip
    page = {"index": 0, "width": 1240, "height": 1754, "image": files.page_image(0), "source": "ocr"}
    shape = {"version": 1, "document_type": "receipt", "pages": [page], "fields": fields, "notes": []}
    return json.dumps(shape).encode()

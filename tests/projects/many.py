"""Many documents of one kind, as the actions write their rows, in a second: for what long lists cost."""

import datetime as dt
from decimal import Decimal
from typing import Any

from config import bulk, clock, table
from config.transaction import Put
from projects.audit.events import Actor
from projects.documents.actions.documents import Content, NewDocument, create_document
from projects.documents.index_queries import ByAttribute, ByClassification, ByDay, ByStatus, ByTag, QueryPlan, Span
from projects.documents.items import DocumentAttribute, DocumentStatus, DocumentTag
from projects.schemas import composite_keys
from projects.schemas.attribute_values import in_key, value_columns
from tests.factories import PROJECT, PROJECT_ID, SITE
from tests.tools.rows_left import list_rows_left
from workflows.intake.actions.documents import project_document
from workflows.runs.actions.document_rows import DocumentState
from workflows.runs.items import Run
from workflows.runs.new_run import Original

CLASSIFICATION = "33333333-3333-3333-3333-333333333333"
BEGIN = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
KEYS = ("vendor", "category")
NAME = "A document with a name as long as they are.pdf"


def write(count: int, site: str = SITE) -> None:
    """Documents of one day, each with a tag, an attribute, a number and a composite key."""
    bulk.put_rows([row for i in range(count) for row in _rows(i, site)])


def _rows(i: int, site: str) -> list[bulk.Row]:
    at, document_id = BEGIN + dt.timedelta(minutes=i), f"{i:08d}-0000-4000-8000-000000000000"
    content = Content("application/pdf", 123_456, f"projects/{PROJECT_ID}/documents/{document_id}.pdf", "0" * 64, "v1")
    new = NewDocument(document_id, PROJECT_ID, str(PROJECT["name"]), NAME, content, CLASSIFICATION)
    original = Original(NAME, content.file_type, content.file_size, content.s3_key, 1, content.sha256, "v1")
    run = Run(site, PROJECT_ID, document_id, f"{i:026d}")
    state = DocumentState(DocumentStatus.IN_PROGRESS, run.workflow_id)
    flat = {
        "name": NAME, "document_id": document_id, "project_id": PROJECT_ID, "project_name": str(PROJECT["name"]),
        "created_at": clock.iso(at),
    }  # fmt: skip
    changes: list[Any] = [
        Put(project_document(run, PROJECT, original, state, clock.iso(at))),
        *create_document(site, new, by=Actor("1", "Rosa Marin"), at=at),
        Put(_tag(site, document_id, at, flat)),
        *(Put(one) for one in _attributes(site, document_id, i, flat)),
    ]
    return list_rows_left(changes)


def _tag(site: str, document_id: str, at: dt.datetime, flat: dict[str, Any]) -> DocumentTag:
    parts = {"document_id": document_id, "tag_key": "customer", "tag_value": "Acme", "datetime": table.datetime_s(at)}
    entity = table.DOCUMENT_TAG
    return DocumentTag(
        *entity.key(site, **parts), **entity.gsi1(site, **parts), **entity.gsi2(site, **parts), **flat, tagValue="Acme"
    )


def _attributes(site: str, document_id: str, i: int, flat: dict[str, Any]) -> list[DocumentAttribute]:
    values: list[tuple[str, Any, str, dict[str, Any]]] = [
        (key, in_key(value), kind, value_columns(value))
        for key, value, kind in (("vendor", "Acme", "STRING"), ("total", Decimal(i), "NUMBER"))
    ]
    together = composite_keys.composite_value(["Acme", "goods"])
    values.append((composite_keys.composite_key(KEYS), together, composite_keys.VALUE_TYPE, {"stringValue": together}))
    found = []
    for key, value, kind, stored in values:
        parts = {"document_id": document_id, "key": key, "value": value}
        place, index = table.DOCUMENT_ATTRIBUTE.key(site, **parts), table.DOCUMENT_ATTRIBUTE.gsi1(site, **parts)
        found.append(DocumentAttribute(*place, **index, **flat, **stored, documentId=document_id, valueType=kind))
    return found


WAYS: dict[str, QueryPlan] = {
    "documents of a day": ByDay(BEGIN.date()),
    "documents with a status": ByStatus(DocumentStatus.IN_PROGRESS),
    "documents of a classification": ByClassification(CLASSIFICATION),
    "documents of a classification and a day": ByClassification(CLASSIFICATION, BEGIN.date()),
    "documents with a tag": ByTag("customer"),
    "documents with a tag and its value": ByTag("customer", "Acme"),
    "documents with an attribute’s value": ByAttribute("vendor", Span(exact="Acme")),
    "documents with an attribute from – to": ByAttribute(
        "total", Span(low=in_key(Decimal(0)), high=in_key(Decimal(9999))), numeric=True
    ),
    "documents with a composite key": ByAttribute(composite_keys.composite_key(KEYS), Span(exact="Acme#goods")),
    "documents with a composite key’s first parts": ByAttribute(
        composite_keys.composite_key(KEYS), Span(prefix="Acme#")
    ),
}

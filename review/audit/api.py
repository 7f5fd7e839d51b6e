"""The API of the audit: who changed, decided or did what, for the whole site, a person, a document or a record."""

from typing import Literal

from django.conf import settings
from ninja import Router, Schema

from config.errors import NotFound
from config.table import InvalidKey
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest
from review.audit import timeline
from review.audit.names import name_rows
from review.audit.timeline import AuditRow
from review.audit.views import find_sources, read_day

router = Router(tags=["audit"])


class AuditChange(Schema):
    """``before``: null if there was nothing to compare with."""

    what: str
    before: str | None
    after: str | None


class AuditLineShape(Schema):
    """``kind``: settings, document, decision or run. ``action``: in words; ``what``: name of what it is about."""

    at: str
    kind: str
    by: str
    by_id: str
    action: str
    what: str
    document_id: str | None
    record_type: str | None
    record_id: str | None
    changes: list[AuditChange]
    reason: str | None


class AuditList(Schema):
    items: list[AuditLineShape]
    next: str | None


@router.get("/audit", response={200: AuditList, **FAILURES}, operation_id="list_audit", summary="List the audit log")
def list_audit(
    request: ApiRequest,
    *,
    kind: Literal["", "settings", "document", "decision", "run"] = "",
    day: str = "",
    document: str = "",
    user: str = "",
    record_type: str = "",
    record: str = "",
    after: str | None = None,
) -> AuditList:
    """Newest first: of the site, or of one `document`, `user` (ID) or record (`record_type` and `record`).

    `day` is a date, such as 2026-11-23. Runs are listed for one document only. Personal values are masked.
    Requires ADMIN.
    """
    access.check_can_configure(request)
    asked = {
        "kind": kind, "day": read_day(day), "document": document, "user": user, "person": "", "type": record_type,
        "record": record,
    }  # fmt: skip
    try:
        rows, following = timeline.merge_page(find_sources(request, asked), after, settings.PAGE_SIZE)
    except InvalidKey as error:
        raise NotFound("No entries match this ID. Copy the ID from the record.") from error
    shown = timeline.redact_rows(request, name_rows(request.site, rows))
    return AuditList(items=[_shape(one) for one in shown], next=following)


def _shape(row: AuditRow) -> AuditLineShape:
    return AuditLineShape(
        at=row.at,
        kind=row.kind,
        by=str(row.who),
        by_id=str(row.user_id),
        action=str(row.words),
        what=str(row.what),
        document_id=row.document_id or None,
        record_type=row.record_type or None,
        record_id=row.record_id or None,
        changes=[
            AuditChange(what=str(one["what"]), before=_text(one["before"]), after=_text(one["after"]))
            for one in row.changes
        ],
        reason=row.reason or None,
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)

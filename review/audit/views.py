"""The audit page and its export: for the whole site, a person, a document or a record."""

import datetime as dt
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import islice

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpResponse, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from config.errors import NotFound
from config.phrase import Phrase
from config.table import InvalidKey, encode_part
from projects.audit.events import actor_of
from projects.documents.actions.activity import record_reveal
from projects.queues import visibility
from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from projects.web.spreadsheets import csv_line
from review.audit import timeline
from review.audit.names import name_rows
from review.audit.timeline import AuditRow, Source

_MOST = 10_000  # rows per export; the last row has the URL of the next
_EXPORT_PAGE = 200
_COLUMNS = (
    "at", "kind", "who", "words", "what", "changes", "reason", "user_id", "document_id", "record_type", "record_id",
)  # fmt: skip
_FORMS = ("csv", "json")
_NOBODY = "0"  # account ids start at 1
_FILTERS = ("document", "user", "person", "type", "record", "kind", "day")
_KINDS = {
    "settings": Phrase("Settings and sign-ins"),
    "document": Phrase("Documents"),
    "decision": Phrase("Decisions"),
    "run": Phrase("Runs"),
}


@require_http_methods(["GET", "HEAD", "POST"])
def show_audit(request: DeskRequest) -> HttpResponse:
    """Show the audit. A POST reveals this page's personal values, in this response only, and is recorded first."""
    access.check_can_configure(request)
    shown = request.method == "POST"
    if shown:
        access.check_can_see_personal(request)
    asked, cursor = _read_filters(request), request.GET.get("after")
    unknown = ""
    try:
        rows, following = timeline.merge_page(find_sources(request, asked), cursor, settings.PAGE_SIZE)
    except InvalidKey:
        rows, following, unknown = [], None, Phrase("No entries match this ID. Copy the ID from the record's page.")
    query, url = _filter_query(asked), reverse("audit:show-audit")
    rows = name_rows(request.site, rows)
    redacted = timeline.redact_rows(request, rows)
    may_show = any(one.is_masked for one in redacted) and access.can_see_personal(request)
    if shown and may_show:
        for document_id, labels in timeline.list_masked(redacted).items():
            record_reveal(request.site, document_id, labels, by=actor_of(request.user))
        redacted, may_show = timeline.redact_rows(request, rows, shown=True), False
    context = {
        "rows": redacted,
        "may_show": may_show,
        "here": request.get_full_path(),
        "asked": asked,
        "kinds": [one for one in _KINDS.items() if one[0] != "run" or asked["document"]],  # only documents have these
        "unknown": unknown,
        "next_cursor": following,
        "is_first": not cursor,
        "list_url": url,
        "first_url": f"{url}?{query}" if query else url,
        "joiner": "&" if query else "?",
        "export_query": query,
    }
    return render_answer(request, "review/audit/audit.html", None, context)


@require_safe
def export_audit(request: DeskRequest, form: str) -> HttpResponseBase:
    access.check_can_configure(request)
    if form not in _FORMS:
        raise NotFound(gettext("Unsupported export format. Use csv or json."))
    try:
        asked = _read_filters(request)
        start = request.GET.get("after")
        rows = timeline.list_rows(find_sources(request, asked), start=start, limit=_EXPORT_PAGE, most=_MOST)
    except InvalidKey as error:
        raise NotFound(gettext("No entries match this ID. Select the filter again.")) from error
    rows = _redact_stream(request, _with_rest(rows, reverse("audit:export-audit", args=[form]), asked))
    lines, kind = (_json_lines(rows), "application/json") if form == "json" else (_csv_lines(rows), "text/csv")
    response = StreamingHttpResponse(lines, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="audit-{request.site}.{form}"'
    response["Cache-Control"] = "no-store"
    return response


def _with_rest(rows: Iterator[AuditRow | str], url: str, asked: dict[str, str]) -> Iterator[AuditRow]:
    """Append a last row with the URL of the remainder if the file is incomplete."""
    for row in rows:
        if isinstance(row, str):
            address = f"{url}?{_filter_query(asked | {'after': row})}"
            yield AuditRow(
                "", "notice", "", "", f"Limited to {_MOST:,} rows. Continue at the address in this row.", address
            )
        else:
            yield row


def _redact_stream(request: DeskRequest, rows: Iterator[AuditRow]) -> Iterator[AuditRow]:
    while some := list(islice(rows, _EXPORT_PAGE)):
        yield from timeline.redact_rows(request, name_rows(request.site, some))


def _read_filters(request: DeskRequest) -> dict[str, str]:
    asked = {name: request.GET.get(name, "").strip() for name in _FILTERS}
    return asked | {"kind": asked["kind"] if asked["kind"] in _KINDS else "", "day": read_day(asked["day"])}


def read_day(text: str) -> str:
    """Return the day in the URL; empty (all days) if it is invalid."""
    try:
        return dt.date.fromisoformat(text).isoformat()
    except ValueError:
        return ""


def _filter_query(asked: dict[str, str]) -> str:
    query = QueryDict(mutable=True)
    query.update({name: value for name, value in asked.items() if value})
    return query.urlencode()


def find_sources(request: DeskRequest, asked: dict[str, str]) -> Sequence[Source]:
    """Raises: InvalidKey; NotFound, of a document in a queue that does not let the person in."""
    return timeline.narrow(_all_sources(request, asked), kind=asked["kind"], day=asked["day"])


def _all_sources(request: DeskRequest, asked: dict[str, str]) -> Sequence[Source]:
    if asked["document"]:
        _check_shown(request, asked["document"])
        return timeline.of_document(request.site, asked["document"])
    if asked["record"] and asked["type"]:
        if asked["type"] == "document":
            _check_shown(request, asked["record"])
        return timeline.of_record(request.site, asked["type"], encode_part(asked["record"]))
    if asked["user"]:
        return timeline.of_user(request.site, asked["user"])
    if asked["person"]:
        return timeline.of_user(request.site, _id_of(asked["person"]))
    return timeline.all_sources(request.site)


def _check_shown(request: DeskRequest, document_id: str) -> None:
    if timeline.find_hidden_documents(request, [document_id]):
        raise NotFound(visibility.MISSING)


def _id_of(username: str) -> str:
    """Return the person's id, or one of nobody: whether an account exists elsewhere must not be revealed."""
    account = User.objects.only("pk").filter(username=username).first()
    return str(account.pk) if account else _NOBODY


def _json_lines(rows: Iterator[AuditRow]) -> Iterator[str]:
    head = "[\n"
    for row in rows:
        yield head + json.dumps(asdict(row), ensure_ascii=False, default=str)
        head = ",\n"
    yield "]\n" if head == ",\n" else "[]\n"


def _csv_lines(rows: Iterator[AuditRow]) -> Iterator[str]:
    yield csv_line(*_COLUMNS)
    for row in rows:
        values = asdict(row) | {"changes": "\n".join(_describe_change(**one) for one in row.told)}
        yield csv_line(*(values[name] for name in _COLUMNS))


def _describe_change(what: str, before: str | None, after: str | None) -> str:
    """Describe a change for people; programs use the JSON.

    >>> _describe_change("Total", "39.53", "29.53"), _describe_change("version", None, "2")
    ('Total: 39.53 → 29.53', 'version: 2')
    """
    if before is None:
        return f"{what}: {after or 'none'}"
    return f"{what}: {before} → {after or 'none'}"

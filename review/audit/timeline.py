"""The audit timeline: settings changes, document activity, decisions and lineage, merged in time order.

Each source costs one Query a page. A page has the newest rows of all sources; its cursor holds each source's position.
"""

import base64
import binascii
import datetime as dt
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition

from config import table
from config.errors import NotFound
from config.item import Item, Page
from config.phrase import Phrase
from config.table import Key
from projects.audit.items import AuditLine, EntityEvent
from projects.audit.words import describe_event as describe_change
from projects.audit.words import name_fact
from projects.documents.items import HANDED_OVER, DocumentActivity
from projects.documents.page import activity_of
from projects.personal.access import find_personal_documents
from projects.personal.masking import MASK, mask_changes
from projects.prompts.queries import PromptRef
from projects.queues import visibility
from projects.sites.sign_in import UNKNOWN
from projects.web import days
from projects.web.http import DeskRequest
from review.audit.values import tell_changes
from review.identity import ReviewRef, queue_id
from review.items.reviews import ReviewDecision
from review.queries import decision_place
from workflows.runs.items import DecidedFields, DocumentEvent
from workflows.runs.queries import decision_key
from workflows.runs.views.timeline import describe_event
from workflows.stages.tables.changes import tell_cells

_ENDED = "-"
_A_DAY = dt.timedelta(days=1)
HIDDEN = Phrase("Document in a restricted queue")
# Where a run's file and work are found outside this application.
_TRACED = ("bucket", "s3_key", "s3version", "executionArn", "jobId", "retryCount")
_FIELDS = {"corrected", "confirmed", "unseen"}  # counted in the lineage, listed by the decision's own row
_DECISIONS = {
    "approve": Phrase("Approved"),
    "reject": Phrase("Rejected"),
    "split": Phrase("Split"),
    "undone": Phrase("Decision undone"),
}


@dataclass(frozen=True)
class PromptChange:
    """The two prompt versions that an event compares; ``against``: 0 if there was no version before."""

    project_id: str
    slug: str
    version: int
    against: int


@dataclass(frozen=True)
class AuditRow:
    """``at``: stored instant. ``kind``: settings, document, decision or run. ``changes``: what, before, after.

    ``reason``: given by a person. ``record_type`` and ``record_id``: the subject of a settings change.
    """

    at: str
    kind: str
    who: str
    user_id: str
    words: str
    what: str
    document_id: str = ""
    changes: Sequence[Mapping[str, Any]] = ()
    prompt: PromptChange | None = None
    reason: str = ""
    record_type: str = ""
    record_id: str = ""

    @property
    def is_masked(self) -> bool:
        """Return whether any change or the reason is masked."""
        return self.reason == MASK or any(MASK in (one["before"], one["after"]) for one in self.changes)

    @property
    def told(self) -> Sequence[Mapping[str, Any]]:
        """The changes for people: those of a table by cell."""
        return list(tell_cells(self.changes))

    @property
    def review_id(self) -> str:
        """The review's id if another system asked for it, since it has no document; empty otherwise."""
        handed = self.document_id.startswith(HANDED_OVER)
        return self.document_id.removeprefix(HANDED_OVER) if handed else ""


@dataclass(frozen=True)
class Source:
    """One list in the table: partition, index, sort-key prefix, and how its rows are described.

    The prefix is followed by the time, so that the rows of one day are a single Query too.
    """

    model: type[Item]
    pk: str
    row: Callable[[Any], AuditRow]
    prefix: str
    kind: str
    index: str | None = None
    span: tuple[str, str] | None = None  # stored instants; the second is later than all rows

    @property
    def sk(self) -> Condition | None:
        keys = {None: self.model.SK, "GSI1": self.model.GSI1SK, "GSI2": self.model.GSI2SK}
        if self.span:
            return keys[self.index].between(*(self.prefix + one for one in self.span))
        return keys[self.index].startswith(self.prefix) if self.prefix else None

    def page(self, cursor: str | None, limit: int) -> Page[Any]:
        return self.model.page(self.pk, sk=self.sk, index=self.index, cursor=cursor, limit=limit, newest_first=True)

    def behind(self, row: Item) -> str:
        return row.cursor(self.pk, self.index, self.sk)


def all_sources(site: str) -> list[Source]:
    """Return all sources of a site, except run steps, which are in each document's lineage."""
    lines, activity, decisions = table.AUDIT_LINE, table.DOCUMENT_ACTIVITY, table.REVIEW_DECISION
    return [
        Source(AuditLine, lines.partition_key(site), _settings, lines.sort_prefix(), "settings"),
        Source(
            DocumentActivity, activity.gsi2_partition(site), _activity, activity.gsi2_prefix(), "document", index="GSI2"
        ),
        Source(
            ReviewDecision, decisions.gsi2_partition(site), _decision, decisions.gsi2_prefix(), "decision", index="GSI2"
        ),
    ]


def of_user(site: str, user_id: str) -> list[Source]:
    """Raises: InvalidKey."""
    events, activity, decisions = table.ENTITY_EVENT, table.DOCUMENT_ACTIVITY, table.REVIEW_DECISION
    of_events = events.gsi2_partition(site, user_id=user_id)
    of_activity = activity.gsi1_partition(site, username=user_id)
    of_decisions = decisions.gsi1_partition(site, user_id=user_id)
    return [
        Source(EntityEvent, of_events, _event, events.gsi2_prefix(), "settings", index="GSI2"),
        Source(DocumentActivity, of_activity, _activity, activity.gsi1_prefix(), "document", index="GSI1"),
        Source(ReviewDecision, of_decisions, _decision, decisions.gsi1_prefix(), "decision", index="GSI1"),
    ]


def of_document(site: str, document_id: str) -> list[Source]:
    """Return a document's activity and lineage, including decisions. Raises: InvalidKey."""
    activity, lineage = table.DOCUMENT_ACTIVITY, table.DOCUMENT_EVENT
    of_activity = activity.partition_key(site, document_id=document_id)
    of_lineage = lineage.partition_key(site, document_id=document_id)
    return [
        Source(DocumentActivity, of_activity, _activity, activity.sort_prefix(), "document"),
        Source(DocumentEvent, of_lineage, _lineage, lineage.sort_prefix(), "run"),
    ]


def of_record(site: str, entity_type: str, entity_id: str) -> list[Source]:
    """Return the changes of one record. Raises: InvalidKey."""
    pk = table.ENTITY_EVENT.partition_key(site, entity_type=entity_type, entity_id=entity_id)
    return [Source(EntityEvent, pk, _settings, table.ENTITY_EVENT.sort_prefix(), "settings")]


def narrow(sources: Sequence[Source], *, kind: str = "", day: str = "") -> list[Source]:
    """Keep the sources of one kind, limited to one day (``2026-11-23``, in the viewer's time zone); empty: all."""
    span = None
    if day:
        first = dt.date.fromisoformat(day)
        # To the second: keys write fractions in two ways, and both sort after it.
        span = (_second(first), _second(first + _A_DAY))
    return [replace(one, span=span) for one in sources if kind in ("", one.kind)]


def _second(day: dt.date) -> str:
    return table.datetime_s(days.start_of(day)).removesuffix("Z")


def merge_page(sources: Sequence[Source], cursor: str | None, limit: int) -> tuple[list[AuditRow], str | None]:
    """Return the next ``limit`` rows of all sources, newest first, and the cursor after them.

    Raises:
        NotFound: the cursor belongs to another list.

    """
    starts = _starts(cursor, len(sources))
    pages = [
        Page([], None) if start == _ENDED else source.page(start, limit)
        for source, start in zip(sources, starts, strict=True)
    ]
    found = [
        (source.row(item), number, item)
        for number, (source, one) in enumerate(zip(sources, pages, strict=True))
        for item in one.rows
    ]
    taken = sorted(found, key=lambda one: one[0].at, reverse=True)[:limit]
    following: list[str | None] = []
    for number, (source, one) in enumerate(zip(sources, pages, strict=True)):
        mine = [item for _, owner, item in taken if owner == number]
        if len(mine) == len(one.rows):
            following.append(one.next or _ENDED)
        else:
            following.append(source.behind(mine[-1]) if mine else starts[number])
    rows = _complete_rows([(row, item) for row, _, item in taken])
    return rows, None if all(one == _ENDED for one in following) else _join_cursors(following)


def _complete_rows(taken: Sequence[tuple[AuditRow, Item]]) -> list[AuditRow]:
    """Load what the indexes do not project: one call per hundred rows, or none.

    For decisions: changes by field and the reason; for settings changes by a person: what changed.
    """
    own = {key: item for _, item in taken if (key := _key_of_own_row(item))}
    keys = list(own)
    found = {
        key: raw
        for start in range(0, len(keys), _MOST_TOGETHER)
        for key, raw in Item.together(keys[start : start + _MOST_TOGETHER], only=_COMPLETING).items()
    }
    return [
        _complete_row(row, item, found[key]) if (key := _key_of_own_row(item)) in found else row for row, item in taken
    ]


_MOST_TOGETHER = 100
_COMPLETING = sorted({one.attr_name for kind in (DecidedFields, EntityEvent) for one in kind.get_attributes().values()})


def _complete_row(row: AuditRow, item: Item, raw: Mapping[str, Any]) -> AuditRow:
    if isinstance(item, EntityEvent):
        return _settings(EntityEvent.from_raw_data(dict(raw)))
    decided = DecidedFields.from_raw_data(dict(raw))
    changes = [*_drop_counts(row.changes), *decided.tell()]
    return replace(row, changes=changes, reason=row.reason or decided.reason or "")


def _drop_counts(changes: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [one for one in changes if one["what"] not in _FIELDS]


def _key_of_own_row(item: Item) -> Key | None:
    if isinstance(item, DocumentEvent):
        return decision_key(item)
    if isinstance(item, EntityEvent):
        return item.key if item.payload is None else None
    return item.key if isinstance(item, ReviewDecision) else None


def list_rows(
    sources: Sequence[Source], *, start: str | None = None, limit: int, most: int
) -> Iterator[AuditRow | str]:
    """Yield all rows after the cursor ``start``; after ``most`` rows, the cursor of the rest.

    Raises:
        NotFound: the cursor belongs to another list.

    """
    first = merge_page(sources, start, limit)
    return _list_following(sources, first, limit=limit, pages=most // limit)


def _list_following(
    sources: Sequence[Source], first: tuple[list[AuditRow], str | None], *, limit: int, pages: int
) -> Iterator[AuditRow | str]:
    found, cursor = first
    yield from found
    for _ in range(pages - 1):
        if cursor is None:
            return
        found, cursor = merge_page(sources, cursor, limit)
        yield from found
    if cursor is not None:
        yield cursor


def find_hidden_documents(request: DeskRequest, document_ids: Iterable[str]) -> frozenset[str]:
    """Return documents and external reviews that the person may not see; no call if nothing is restricted."""
    ids = {one for one in document_ids if one}
    closed = visibility.list_closed_queues(request)
    asked = {one for one in ids if one.startswith(HANDED_OVER)}
    if not closed or not asked:
        return visibility.find_hidden_documents(request, ids - asked)
    keys = {ReviewRef(request.site, one, one.removeprefix(HANDED_OVER)).key: one for one in asked}
    found = Item.together(list(keys), only=["queue"])
    # An expired one no longer names its queue, so it is hidden too.
    open_ = {keys[key] for key, row in found.items() if queue_id(row["queue"]["S"]) not in closed}
    return visibility.find_hidden_documents(request, ids - asked) | (asked - open_)


def redact_rows(request: DeskRequest, rows: Sequence[AuditRow], *, shown: bool = False) -> list[AuditRow]:
    """Return the rows with hidden documents reduced to who did what and when, without names and values.

    Personal values are left out too, unless they are ``shown``; what changed stays.
    """
    unseen = find_hidden_documents(request, (row.document_id for row in rows))
    changed = (row.document_id for row in rows if row.changes or row.reason)
    masked = frozenset() if shown else find_personal_documents(request, changed)
    return [
        replace(row, what=HIDDEN, document_id="", record_id="", changes=(), reason="")
        if row.document_id in unseen
        else replace(row, changes=mask_changes(row.changes), reason=row.reason and MASK)
        if row.document_id in masked
        else row
        for row in rows
    ]


def list_masked(rows: Iterable[AuditRow]) -> dict[str, list[str]]:
    """Return document → its masked fields in these rows."""
    found: dict[str, list[str]] = {}
    for row in rows:
        hidden = [str(one["what"]) for one in row.changes if MASK in (one["before"], one["after"])]
        hidden += ["Reason"] if row.reason == MASK else []
        if hidden:
            found[row.document_id] = list(dict.fromkeys([*found.get(row.document_id, ()), *hidden]))
    return found


def _join_cursors(following: Sequence[str | None]) -> str:
    return base64.urlsafe_b64encode(json.dumps(following, separators=(",", ":")).encode()).decode()


def _starts(cursor: str | None, count: int) -> list[str | None]:
    # Each part is signed for its own list, so the join needs no signature.
    if not cursor:
        return [None] * count
    try:
        starts = json.loads(base64.urlsafe_b64decode(cursor))
    except (ValueError, binascii.Error) as error:
        raise NotFound(gettext("This page is no longer available. Go to page 1.")) from error
    if not isinstance(starts, list) or len(starts) != count or any(not isinstance(one, str | None) for one in starts):
        raise NotFound(gettext("This page is no longer available. Go to page 1."))
    return starts


def _settings(row: AuditLine | EntityEvent) -> AuditRow:
    who = row.user_name if isinstance(row, AuditLine) else str(row.metadata.as_dict().get("name") or row.userId)
    payload = row.payload.as_dict()
    prompt = _find_prompt_change(row.entityId, payload) if row.entityType == "prompt" else None
    if row.entityType == "prompt" and {"before", "after"} <= payload.keys():
        none = Phrase("general prompt") if row.type.startswith("production") else Phrase("none")
        payload["version"] = {side: payload.pop(side) or none for side in ("before", "after")}
    reason = str(payload.pop("reason", None) or "")
    changed = payload.pop("changes", None)
    listed = {**changed, **payload} if isinstance(changed, dict) else payload
    changes = _tell_all(row.entityType, listed)
    name = entity_id = table.decode_part(row.entityId)
    if isinstance(payload.get("name"), str):  # people know it by its name; the id stays searchable
        changes = [
            {"what": name_fact("id"), "before": None, "after": name},
            *(one for one in changes if one["what"] != name_fact("name")),
        ]
        name = payload["name"]
    elif row.entityType == "attribute" and isinstance(payload.get("label"), str):
        name = payload["label"]
        changes = [one for one in changes if one["what"] != "label"]
    if row.entityType in ("account", "group"):
        name = str(payload.get("account") or (Phrase("Unknown account") if row.entityId == UNKNOWN else name))
        changes = [one for one in changes if one["what"] != name_fact("account")]
    return AuditRow(
        row.inserteddate, "settings", who, row.userId, describe_change(row.entityType, row.type), name,
        name if row.entityType == "document" else "", changes, prompt, reason, row.entityType, entity_id,
    )  # fmt: skip


def _find_prompt_change(entity_id: str, payload: Mapping[str, Any]) -> PromptChange | None:
    """Return None if the event names no version, such as the end of a candidate's trial."""
    version = int(payload.get("after", payload.get("version", 0)))
    project_id, purpose, scope = table.decode_part(entity_id).split(".")
    against = int(payload.get("before", version - 1))
    return (
        PromptChange(project_id, PromptRef("", project_id, purpose, scope).slug, version, against) if version else None
    )


def _event(row: EntityEvent) -> AuditRow:
    """Describe an event from its keys alone, since the index does not project the payload."""
    _, entity_type, entity_id = row.PK.rsplit("#", 2)
    user_id, at = str(row.GSI2PK).rpartition("userId")[2], row.SK.partition("#")[2]
    words = describe_change(entity_type, row.status or "changed")
    name = table.decode_part(entity_id)
    return AuditRow(
        at, "settings", row.name or user_id, user_id, words, name, name if entity_type == "document" else ""
    )


def _tell_all(kind: str, facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [one for name, value in facts.items() for one in tell_changes(kind, name, value)]


def _activity(row: DocumentActivity) -> AuditRow:
    view = activity_of(row)
    return AuditRow(
        view.at, "document", view.who, row.userId, view.words, row.name or row.documentId, row.documentId, view.changes
    )


def _decision(row: ReviewDecision) -> AuditRow:
    words: str = _DECISIONS.get(row.status or "", Phrase("Decided"))
    document_id = row.document_id or ""
    if decision_place("", row)[0].is_check:
        words = Phrase("Second review: %(decision)s").fill(decision=words)
    return AuditRow(
        row.created_at or "", "decision", row.holder_name or "", row.holder or "", words, row.name or document_id,
        document_id,
    )  # fmt: skip


def _lineage(row: DocumentEvent) -> AuditRow:
    words = describe_event(row.type)
    facts = row.facts.as_dict() if row.facts else {}
    reason = str(facts.pop("reason", None) or "")
    changes = _tell_all("run", facts)
    document_id = row.PK.rpartition("#")[2]
    traced = {name: getattr(row, name) for name in _TRACED if getattr(row, name) is not None}
    changes += _tell_all("run", traced)
    return AuditRow(
        row.occurredAt, "run", row.by or "", row.userId or "", words, document_id, document_id, changes, reason=reason
    )

"""Who did what: changes of settings, activity of documents, decisions and lineage, merged in the order of time.

Each source is one Query a page. A page takes the newest rows of all of them; its cursor says where each source goes on.
"""

import base64
import binascii
import datetime as dt
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pynamodb.expressions.condition import Condition

from config import table
from config.errors import NotFound
from config.item import Item, Page
from config.table import Key
from projects.audit.items import AuditLine, EntityEvent
from projects.documents.items import DocumentActivity
from projects.documents.page import activity_of
from projects.personal.access import find_personal_documents
from projects.personal.masking import MASK, mask_changes
from projects.prompts.queries import PromptRef
from projects.queues import admission
from projects.sites.sign_in import UNKNOWN
from projects.web import days
from projects.web.http import DeskRequest
from review.identity import HANDED_OVER, ReviewRef, queue_id
from review.items.reviews import ReviewDecision
from review.queries import decision_place
from workflows.runs.items import DecidedFields, DocumentEvent
from workflows.runs.queries import decision_key
from workflows.runs.views.timeline import describe_event

_ENDED = "-"
_A_DAY = dt.timedelta(days=1)
HIDDEN = "Document in a restricted queue"
# Where a run's file and work are found outside the desk.
_TRACED = ("bucket", "s3_key", "s3version", "executionArn", "jobId", "retryCount")
_FIELDS = {"corrected", "confirmed", "unseen"}  # counted in the lineage, listed by the decision's own row
_DECISIONS = {"approve": "Approved", "reject": "Rejected", "split": "Split", "undone": "Decision undone"}


@dataclass(frozen=True)
class PromptChange:
    """Two versions of a prompt whose difference an event is about; ``against``: 0 if there was none before."""

    project_id: str
    slug: str
    version: int
    against: int


@dataclass(frozen=True)
class AuditRow:
    """``at``: stored instant. ``kind``: settings, document, decision or run. ``changes``: what, before, after."""

    at: str
    kind: str
    who: str
    user_id: str
    words: str
    what: str
    document_id: str = ""
    changes: Sequence[Mapping[str, Any]] = ()
    prompt: PromptChange | None = None

    @property
    def is_masked(self) -> bool:
        """Whether something of its changes is."""
        return any(MASK in (one["before"], one["after"]) for one in self.changes)

    @property
    def review_id(self) -> str:
        """Of what another system handed over, which is a review and no document; empty for every other row."""
        handed = self.document_id.startswith(HANDED_OVER)
        return self.document_id.removeprefix(HANDED_OVER) if handed else ""


@dataclass(frozen=True)
class Source:
    """One list of the table: its partition, its index, the head of its sort keys, and what its rows say.

    After the head of a sort key stands the time, so that the rows of a day are one Query as well.
    """

    model: type[Item]
    pk: str
    row: Callable[[Any], AuditRow]
    prefix: str
    kind: str
    index: str | None = None
    span: tuple[str, str] | None = None  # stored instants, of which the second lies behind all rows

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
    """What happens on a site, but for the steps of its runs, which each document's own lineage has."""
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
    """Its activity and its lineage, the decisions among it. Raises: InvalidKey."""
    activity, lineage = table.DOCUMENT_ACTIVITY, table.DOCUMENT_EVENT
    of_activity = activity.partition_key(site, document_id=document_id)
    of_lineage = lineage.partition_key(site, document_id=document_id)
    return [
        Source(DocumentActivity, of_activity, _activity, activity.sort_prefix(), "document"),
        Source(DocumentEvent, of_lineage, _lineage, lineage.sort_prefix(), "run"),
    ]


def of_record(site: str, entity_type: str, entity_id: str) -> list[Source]:
    """The changes of one record. Raises: InvalidKey."""
    pk = table.ENTITY_EVENT.partition_key(site, entity_type=entity_type, entity_id=entity_id)
    return [Source(EntityEvent, pk, _settings, table.ENTITY_EVENT.sort_prefix(), "settings")]


def narrow(sources: Sequence[Source], *, kind: str = "", day: str = "") -> list[Source]:
    """Only what is of this kind and of this day (``2026-11-23``) of who looks; all if neither is said."""
    span = None
    if day:
        first = dt.date.fromisoformat(day)
        # To the second: keys write the rest of an instant in two ways, and both sort behind.
        span = (_second(first), _second(first + _A_DAY))
    return [replace(one, span=span) for one in sources if kind in ("", one.kind)]


def _second(day: dt.date) -> str:
    return table.datetime_s(days.start_of(day)).removesuffix("Z")


def merge_page(sources: Sequence[Source], cursor: str | None, limit: int) -> tuple[list[AuditRow], str | None]:
    """The next ``limit`` rows of all sources, newest first, and the cursor after them.

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
    rows = _with_fields([(row, item) for row, _, item in taken])
    return rows, None if all(one == _ENDED for one in following) else _join_cursors(following)


def _with_fields(taken: Sequence[tuple[AuditRow, Item]]) -> list[AuditRow]:
    """Decisions with what they did field by field: their index carries no values, so their own rows are read."""
    keys = [_decision_key(item) for _, item in taken]
    decided = {found.key: found for found in DecidedFields.load_many([key for key in keys if key])}
    return [
        replace(row, changes=[*_drop_counts(row.changes), *decided[key].tell()]) if key in decided else row
        for (row, _), key in zip(taken, keys, strict=True)
    ]


def _drop_counts(changes: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [one for one in changes if one["what"] not in _FIELDS]


def _decision_key(item: Item) -> Key | None:
    if isinstance(item, DocumentEvent):
        return decision_key(item)
    return item.key if isinstance(item, ReviewDecision) else None


def list_rows(
    sources: Sequence[Source], *, start: str | None = None, limit: int, most: int
) -> Iterator[AuditRow | str]:
    """All rows after the cursor ``start``, page by page; after ``most`` of them the cursor of the rest.

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
    """Documents and handed over reviews that do not let the person in; no call if nothing is closed to them."""
    ids = {one for one in document_ids if one}
    closed = admission.list_closed_queues(request)
    asked = {one for one in ids if one.startswith(HANDED_OVER)}
    if not closed or not asked:
        return admission.find_hidden_documents(request, ids - asked)
    keys = {ReviewRef(request.site, one, one.removeprefix(HANDED_OVER)).key: one for one in asked}
    found = Item.together(list(keys), only=["queue"])
    # One whose time to be kept is over says its queue no more: it is hidden too.
    open_ = {keys[key] for key, row in found.items() if queue_id(row["queue"]["S"]) not in closed}
    return admission.find_hidden_documents(request, ids - asked) | (asked - open_)


def redact_rows(request: DeskRequest, rows: Sequence[AuditRow], *, shown: bool = False) -> list[AuditRow]:
    """The same rows; of a hidden document they say who did what and when, without its name and values.

    Of one that may have personal values they say what changed, without the values, unless those are ``shown``.
    """
    unseen = find_hidden_documents(request, (row.document_id for row in rows))
    changed = (row.document_id for row in rows if row.changes)
    masked = frozenset() if shown else find_personal_documents(request, changed)
    return [
        replace(row, what=HIDDEN, document_id="", changes=())
        if row.document_id in unseen
        else replace(row, changes=mask_changes(row.changes))
        if row.document_id in masked
        else row
        for row in rows
    ]


def list_masked(rows: Iterable[AuditRow]) -> dict[str, list[str]]:
    """Document → what of it is masked in these rows."""
    found: dict[str, list[str]] = {}
    for row in rows:
        hidden = [str(one["what"]) for one in row.changes if MASK in (one["before"], one["after"])]
        if hidden:
            found[row.document_id] = list(dict.fromkeys([*found.get(row.document_id, ()), *hidden]))
    return found


def _join_cursors(following: Sequence[str | None]) -> str:
    return base64.urlsafe_b64encode(json.dumps(following, separators=(",", ":")).encode()).decode()


def _starts(cursor: str | None, count: int) -> list[str | None]:
    # Each part is signed for its own list; what joins them needs no seal.
    if not cursor:
        return [None] * count
    try:
        starts = json.loads(base64.urlsafe_b64decode(cursor))
    except (ValueError, binascii.Error) as error:
        raise NotFound("This page is no longer available. Go to page 1.") from error
    if not isinstance(starts, list) or len(starts) != count or any(not isinstance(one, str | None) for one in starts):
        raise NotFound("This page is no longer available. Go to page 1.")
    return starts


def _settings(row: AuditLine | EntityEvent) -> AuditRow:
    who = row.user_name if isinstance(row, AuditLine) else str(row.metadata.as_dict().get("name") or row.userId)
    payload = row.payload.as_dict()
    prompt = _find_prompt_change(row.entityId, payload) if row.entityType == "prompt" else None
    if row.entityType == "prompt" and {"before", "after"} <= payload.keys():
        none = "general prompt" if row.type.startswith("production") else "none"
        payload["version"] = {side: payload.pop(side) or none for side in ("before", "after")}
    changed = payload.pop("changes", None)
    listed = {**changed, **payload} if isinstance(changed, dict) else payload
    changes = [_change(name, value) for name, value in listed.items()]
    name = table.decode_part(row.entityId)
    if isinstance(payload.get("name"), str):  # people know it by that; the id stays findable
        changes = [{"what": "id", "before": None, "after": name}, *(one for one in changes if one["what"] != "name")]
        name = payload["name"]
    if row.entityType in ("account", "group"):
        name = str(payload.get("account") or ("Unknown account" if row.entityId == UNKNOWN else name))
        changes = [one for one in changes if one["what"] != "account"]
    return AuditRow(
        row.inserteddate, "settings", who, row.userId, _describe_event(row.entityType, row.type), name,
        name if row.entityType == "document" else "", changes, prompt,
    )  # fmt: skip


def _find_prompt_change(entity_id: str, payload: Mapping[str, Any]) -> PromptChange | None:
    """None if the event names no version, as the end of a candidate's trial."""
    version = int(payload.get("after", payload.get("version", 0)))
    project_id, purpose, scope = table.decode_part(entity_id).split(".")
    against = int(payload.get("before", version - 1))
    return (
        PromptChange(project_id, PromptRef("", project_id, purpose, scope).slug, version, against) if version else None
    )


def _event(row: EntityEvent) -> AuditRow:
    """From the index, which carries no payload: the keys tell what was done to what."""
    _, entity_type, entity_id = row.PK.rsplit("#", 2)
    user_id, at = str(row.GSI2PK).rpartition("userId")[2], row.SK.partition("#")[2]
    words = _describe_event(entity_type, row.status or "changed")
    name = table.decode_part(entity_id)
    return AuditRow(
        at, "settings", row.name or user_id, user_id, words, name, name if entity_type == "document" else ""
    )


def _describe_event(entity_type: str, told: str) -> str:
    """``Queue updated``; what an account did itself is said without its kind: ``Signed in``."""
    told = told.replace("_", " ")
    if entity_type == "account" and told not in ("created", "updated", "deleted"):
        return told[:1].upper() + told[1:]
    return f"{_word(entity_type)} {told}"


def _word(entity_type: str) -> str:
    known = {"sitegroup": "Group", "apikey": "API key", "classification": "Document type"}
    return known.get(entity_type, entity_type.replace("_", " ").capitalize())


def _change(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, dict) and set(value) == {"before", "after"}:
        return {"what": name, **{side: _short(one) for side, one in value.items()}}
    return {"what": name, "before": None, "after": _short(value)}


def _short(value: Any) -> str | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else f"{text[:200]}…"


def _activity(row: DocumentActivity) -> AuditRow:
    view = activity_of(row)
    return AuditRow(
        view.at, "document", view.who, row.userId, view.words, row.name or row.documentId, row.documentId, view.changes
    )


def _decision(row: ReviewDecision) -> AuditRow:
    words = _DECISIONS.get(row.status or "", "Decided")
    document_id = row.document_id or ""
    if decision_place("", row)[0].is_check:
        words = f"Second review: {words.lower()}"
    return AuditRow(
        row.created_at or "", "decision", row.holder_name or "", row.holder or "", words, row.name or document_id,
        document_id,
    )  # fmt: skip


def _lineage(row: DocumentEvent) -> AuditRow:
    words = describe_event(row.type)
    facts = row.facts.as_dict() if row.facts else {}
    changes = [_change(name, value) for name, value in facts.items()]
    document_id = row.PK.rpartition("#")[2]
    traced = {name: getattr(row, name) for name in _TRACED if getattr(row, name) is not None}
    changes += [_change(name, value) for name, value in traced.items()]
    return AuditRow(row.occurredAt, "run", row.by or "", row.userId or "", words, document_id, document_id, changes)

"""Reads of documents, lists, counters and deleted documents: one Query or GetItem each."""

import datetime as dt
from collections import Counter as Sums
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.conf import settings
from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition

from config import clock, table
from config.errors import NotFound
from config.item import Item, Page
from config.phrase import Phrase
from config.table import InvalidKey, Key
from projects.documents.counting import EVERYTHING, POSTPONED, Kind
from projects.documents.index_queries import ByAttribute, ByClassification, ByDay, ByStatus, ByTag, QueryPlan, Span
from projects.documents.items import (
    ChildDocument,
    Counter,
    Document,
    DocumentActivity,
    DocumentAttribute,
    DocumentCopy,
    DocumentDigests,
    DocumentRemoval,
    DocumentStatus,
    DocumentTag,
    DocumentUnpacking,
    DocumentVersion,
    ListedDocument,
    RemovalState,
    SoftDeletedDocument,
)
from projects.documents.states import STATUS_LABELS, StatusLabel
from projects.schemas.governing import KINDS
from projects.schemas.queries import definitions_of
from projects.web import days

_Row = ListedDocument


def list_documents(site: str, way: QueryPlan, *, cursor: str | None = None) -> Page[ListedDocument]:
    """Return a page of a list, newest first, or in the order of values.

    Raises:
        InvalidKey: a filter value cannot be part of a key.
        NotFound: the cursor belongs to another list.

    """
    return _BY[type(way)](site, way, cursor)


def _by_day(site: str, way: ByDay, cursor: str | None) -> Page[ListedDocument]:
    """A local day usually spans two UTC days: one Query, and a second if a page reaches into both."""
    rows: list[ListedDocument] = []
    spans = _spans_of(way.day)
    for number, (date, sk) in enumerate(spans, 1):
        pk, limit = table.DOCUMENT.gsi1_partition(site, date=date.isoformat()), settings.PAGE_SIZE - len(rows)
        try:
            page = _Row.page(pk, sk=sk, index="GSI1", newest_first=True, limit=limit, cursor=cursor)
        except NotFound:  # it goes on in the next span, or in none
            if number == len(spans):
                raise
            continue
        cursor = None
        rows += page.rows
        if page.next:
            return Page(rows, page.next)
    return Page(rows, None)


def _spans_of(day: dt.date) -> list[tuple[dt.date, Condition | None]]:
    """Return the UTC parts of a local day, later one first, with their sort-key ranges."""
    begin, end = (days.start_of(one).astimezone(dt.UTC) for one in (day, day + dt.timedelta(days=1)))
    if begin.time() == dt.time():
        return [(day, None)]
    sk: Any = _Row.GSI1SK
    return [(end.date(), sk < _second(end)), (begin.date(), sk >= _second(begin))]


def _second(moment: dt.datetime) -> str:
    """Truncate to the second, so that it sorts before longer keys."""
    return table.datetime_s(moment).removesuffix("Z")


def _by_status(site: str, way: ByStatus, cursor: str | None) -> Page[ListedDocument]:
    pk = table.DOCUMENT_BY_STATUS.gsi2_partition(site, status=way.status)
    page = _Row.page(pk, index="GSI2", newest_first=True, cursor=cursor)
    for row in page.rows:  # which keeps seed 000's own words for it
        row.status = way.status.value
    return page


def _by_classification(site: str, way: ByClassification, cursor: str | None) -> Page[ListedDocument]:
    pk = table.DOCUMENT_BY_CLASSIFICATION.gsi2_partition(site, classification_id=way.classification_id)
    within = None
    if way.day:
        begin, end = (days.start_of(one) for one in (way.day, way.day + dt.timedelta(days=1)))
        within = _Row.GSI2SK.between(_second(begin), _second(end))
    return _Row.page(pk, sk=within, index="GSI2", newest_first=True, cursor=cursor)


def _by_tag(site: str, way: ByTag, cursor: str | None) -> Page[ListedDocument]:
    if way.value is None:
        pk = table.DOCUMENT_TAG.gsi2_partition(site, tag_key=way.key)
        return _Row.page(pk, index="GSI2", cursor=cursor)
    pk = table.DOCUMENT_TAG.gsi1_partition(site, tag_key=way.key, tag_value=way.value)
    return _Row.page(pk, index="GSI1", newest_first=True, cursor=cursor)


def _by_attribute(site: str, way: ByAttribute, cursor: str | None) -> Page[ListedDocument]:
    pk = table.DOCUMENT_ATTRIBUTE.gsi1_partition(site, key=way.key)
    return _Row.page(pk, sk=_within(way.span), index="GSI1", cursor=cursor)


_BY: dict[type[Any], Callable[..., Page[ListedDocument]]] = {
    ByDay: _by_day,
    ByStatus: _by_status,
    ByClassification: _by_classification,
    ByTag: _by_tag,
    ByAttribute: _by_attribute,
}


def _within(span: Span) -> Condition | None:
    sk: Any = _Row.GSI1SK
    found: Condition | None = None
    if span.exact:
        found = sk == span.exact
    elif span.prefix:
        found = sk.startswith(span.prefix)
    elif span.low and span.high:
        found = sk.between(span.low, span.high)
    elif span.low:
        found = sk >= span.low
    elif span.high:
        found = sk <= span.high
    return found


def value_of(row: ListedDocument, way: QueryPlan) -> str:
    """Return the value that the row was found by; empty if it follows from the filter."""
    if isinstance(way, ByTag) and way.value is None:
        return table.decode_part((row.GSI2SK or "").partition("#")[0])
    if not isinstance(way, ByAttribute) or way.composite or way.span.exact:
        return ""
    text = row.GSI1SK or ""
    if way.numeric and text != "#":
        return f"{table.number_of(text).normalize():f}"
    return "" if text == "#" else table.decode_part(text)


MOST_COPIES = 3  # that one document is told of
_CLOCKS = dt.timedelta(minutes=1)  # that two workers' clocks may differ by


def list_digests(site: str, document_id: str) -> set[str]:
    """Return a document's digests: a strong read."""
    try:
        return set(DocumentDigests.load(table.DOCUMENT_DIGESTS.key(site, document_id=document_id)).digests or ())
    except NotFound:
        return set()


def list_earlier_copies(site: str, document_id: str, digest: str) -> list[str]:
    """Return live documents that had this digest before ``document_id``: one strong Query, and a read if there are any.

    Of two concurrent documents at least one finds the other: each writes its row before it asks.
    """
    rows = DocumentCopy.page(table.DOCUMENT_COPY.partition_key(site, digest=digest), consistent=True).rows
    mine = next((one.seen_at for one in rows if one.documentId == document_id), clock.iso(clock.now()))
    latest = clock.iso(clock.parse(mine) + _CLOCKS)
    earlier = sorted((one.seen_at, one.documentId) for one in rows if one.documentId != document_id)
    ids = [one for at, one in earlier if at <= latest]
    live = {one.documentId for one in get_documents(site, ids)}
    return [one for one in ids if one in live][:MOST_COPIES]


def get_documents(site: str, document_ids: Sequence[str]) -> list[Document]:
    """Return the live documents, unordered: one strong BatchGetItem."""
    return Document.load_many([table.DOCUMENT.key(site, document_id=one) for one in document_ids])


_WAITING = DocumentStatus.WAITING.value
_ALL_SHARDS = 1000  # rows: far more than one counter's shards; all counters of a kind go on from page to page
_EVERY = 10_000  # rows of a hundred queues and more: less than a Query answers at once


@dataclass(frozen=True)
class Counts:
    """Documents by status; statuses without documents are left out."""

    by_status: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.by_status.values())

    @property
    def figures(self) -> list[tuple[DocumentStatus, StatusLabel, int, str]]:
        """Existing statuses with label, count and words, in life-cycle order."""
        found = [(status, look, self.count_of(status)) for status, look in STATUS_LABELS.items()]
        return [(status, look, number, _in_words(look, number)) for status, look, number in found if number]

    def count_of(self, status: DocumentStatus) -> int:
        return self.by_status.get(status.value, 0)


_IN_SENTENCE = {
    "Running": Phrase("running"),
    "Published": Phrase("published"),
    "Rejected": Phrase("rejected"),
    "Review expired": Phrase("review expired"),
    "Failed": Phrase("failed"),
    "Partial": Phrase("partial"),
    "Cancelled": Phrase("cancelled"),
    "Unpacked": Phrase("unpacked"),
}


def _in_words(look: StatusLabel, number: int) -> str:
    """Describe a count: three documents *need* review, one *needs* it."""
    if look is STATUS_LABELS[DocumentStatus.WAITING]:
        return Phrase("needs review") if number == 1 else Phrase("need review")
    return _IN_SENTENCE[look.words]


def count_documents(site: str) -> Counts:
    """Count the documents of the whole site."""
    return Counts(_sum(site, Kind.SITE, EVERYTHING))


def documents_of_project(site: str, project_id: str) -> Counts:
    return Counts(_sum(site, Kind.PROJECT, project_id))


def documents_of_classification(site: str, classification_id: str) -> int:
    return _sum(site, Kind.CLASSIFICATION, classification_id).get("documents", 0)


@dataclass(frozen=True)
class Queued:
    """The number of waiting and of postponed reviews of a queue."""

    waiting: int = 0
    postponed: int = 0


def count_by_queue(site: str) -> dict[str, Queued]:
    """Count by queue (stored form), for every queue that ever had a review."""
    rows = Counter.page(table.COUNTER.partition_key(site, kind=Kind.QUEUE), limit=_EVERY).rows
    sums: dict[str, Sums[str]] = {}
    for row in rows:
        sums.setdefault(row.counted, Sums()).update(row.numbers)
    return {queue: Queued(max(one[_WAITING], 0), max(one[POSTPONED], 0)) for queue, one in sums.items()}


def count_waiting_by_queue(site: str) -> dict[str, int]:
    """Count waiting reviews by queue (stored form)."""
    return {queue: one.waiting for queue, one in count_by_queue(site).items() if one.waiting}


def list_shards(site: str, kind: Kind, counted: str = "") -> list[Counter]:
    """Return counter rows, strongly consistent, of one counter or a whole kind; a Query per thousand."""
    pk, cursor = table.COUNTER.partition_key(site, kind=kind), None
    rows: list[Counter] = []
    prefix = Counter.SK.startswith(table.COUNTER.sort_prefix(counted=counted)) if counted else None
    while True:
        page = Counter.page(pk, sk=prefix, limit=_ALL_SHARDS, consistent=True, cursor=cursor)
        rows += page.rows
        cursor = page.next
        if not cursor:
            return rows


def _sum(site: str, kind: Kind, counted: str) -> dict[str, int]:
    try:
        prefix = Counter.SK.startswith(table.COUNTER.sort_prefix(counted=counted))
    except InvalidKey:
        return {}
    rows = Counter.page(table.COUNTER.partition_key(site, kind=kind), sk=prefix, limit=_ALL_SHARDS).rows
    sums: Sums[str] = Sums()
    for row in rows:
        sums.update(row.numbers)
    return {name: number for name, number in sums.items() if number > 0}


R = TypeVar("R", bound=Item)
# Rows that one document may have, of one kind and together, with room above the limits of the actions.
_ALL, _PARTITION = 400, 900
_A_BATCH = 100  # the most that one BatchGetItem reads


def get_document(site: str, document_id: str) -> Document:
    """Return a live document: a strong read.

    Raises:
        NotFound: no such document on this site, or it was deleted.

    """
    try:
        return Document.load(table.DOCUMENT.key(site, document_id=document_id))
    except (NotFound, InvalidKey) as error:
        raise NotFound(gettext("Document not found.")) from error


def is_earlier(site: str, document_id: str) -> bool:
    """Return whether it is a document of the seed-000 system: it has runs but no document row of seed 002."""
    entity = table.DOCUMENT_WORKFLOW
    runs = Item.SK.startswith(entity.sort_prefix() + table.EARLIER_RUN)
    try:
        heads = [one.partition_key(site, document_id=document_id) for one in (entity, table.WEB_WORKFLOW)]
    except InvalidKey:
        return False
    return any(Item.page(pk, sk=runs, limit=1).rows for pk in heads)


@dataclass(frozen=True)
class Belonging:
    """A document's queue, folder and uploader; no uploader for deleted documents."""

    document_id: str
    queue: str
    folder_id: str
    user_id: str


def list_belongings(site: str, document_ids: Iterable[str]) -> list[Belonging]:
    """Return belongings of documents, including deleted and purged ones; one strong BatchGetItem per fifty.

    Raises:
        Unavailable: some keys were throttled; nothing is returned.

    """
    keys: dict[Key, str] = {}
    for one in dict.fromkeys(document_ids):
        with suppress(InvalidKey):
            keys[table.DOCUMENT.key(site, document_id=one)] = one
            keys[table.DOCUMENT_REMOVAL.key(site, document_id=one)] = one
    found: list[Belonging] = []
    wanted = list(keys)
    for start in range(0, len(wanted), _A_BATCH):
        rows = Item.together(wanted[start : start + _A_BATCH], only=["queue", "folder_id", "userId"])
        for key, row in rows.items():
            queue, folder_id = (row.get(name, {}).get("S", "") for name in ("queue", "folder_id"))
            if queue or folder_id:
                live = key == table.DOCUMENT.key(site, document_id=keys[key])
                found.append(Belonging(keys[key], queue, folder_id, row["userId"]["S"] if live else ""))
    return found


@dataclass(frozen=True)
class DocumentRows:
    """A document with all dependent rows."""

    document: Document
    tags: Sequence[DocumentTag]
    attributes: Sequence[DocumentAttribute]
    children: Sequence[ChildDocument]
    unpacking: DocumentUnpacking | None
    is_public: bool = False  # whether a version of it is open to everyone


def document_rows(site: str, document_id: str) -> DocumentRows:
    """Return a document with all rows by one strongly consistent Query.

    Raises:
        NotFound: no such document on this site, or it was deleted.

    """
    try:
        key = table.DOCUMENT.key(site, document_id=document_id)
    except InvalidKey as error:
        raise NotFound(gettext("Document not found.")) from error
    found = Item.partition(key.pk, limit=_PARTITION)

    def rows_of_kind(kind: type[R], prefix: str) -> list[R]:
        return [kind.from_raw_data(row) for row in found if row["SK"]["S"].startswith(prefix)]

    document = [row for row in found if row["SK"]["S"] == key.sk]
    if not document:
        raise NotFound(gettext("Document not found."))
    return DocumentRows(
        Document.from_raw_data(document[0]),
        rows_of_kind(DocumentTag, table.DOCUMENT_TAG.sort_prefix()),
        rows_of_kind(DocumentAttribute, table.DOCUMENT_ATTRIBUTE.sort_prefix()),
        rows_of_kind(ChildDocument, table.CHILD_DOCUMENT.sort_prefix()),
        next(iter(rows_of_kind(DocumentUnpacking, table.DOCUMENT_UNPACKING.sk)), None),
        any(row["SK"]["S"] == table.DOCUMENT_PUBLICATION.sk for row in found),
    )


def list_versions(site: str, document_id: str, *, cursor: str | None = None) -> Page[DocumentVersion]:
    """Return a document's file versions, newest first."""
    pk = table.DOCUMENT_VERSION.partition_key(site, document_id=document_id)
    prefix = DocumentVersion.SK.startswith(table.DOCUMENT_VERSION.sort_prefix())
    return DocumentVersion.page(pk, sk=prefix, newest_first=True, cursor=cursor)


def has_one_version(document: Document) -> bool:
    """Return whether the document has only its first file, described by its own row."""
    return document.content_at == table.datetime_s(clock.parse(document.inserteddate))


def only_version(document: Document) -> DocumentVersion:
    """Return the only file version of a document, without a call."""
    key = table.DOCUMENT_VERSION.key(
        table.site_of(document.PK), document_id=document.document_id, datetime_s=document.content_at
    )
    names = ("contentType", "contentLength", "checksum", "checksumType", "s3version", "s3_key", "name", "inserteddate",
             "userId", "user_name")  # fmt: skip
    return DocumentVersion(*key, **{name: getattr(document, name) for name in names})


def first_version(site: str, document_id: str) -> DocumentVersion:
    """Return the first file version. Raises: NotFound."""
    pk = table.DOCUMENT_VERSION.partition_key(site, document_id=document_id)
    prefix = DocumentVersion.SK.startswith(table.DOCUMENT_VERSION.sort_prefix())
    found = DocumentVersion.page(pk, sk=prefix, limit=1, consistent=True).rows
    if not found:
        raise NotFound(gettext("Document not found."))
    return found[0]


def get_version(site: str, document_id: str, at: str) -> DocumentVersion:
    """Return the file version stored under the second ``at``, as in its key.

    Raises:
        NotFound: no such version.

    """
    try:
        return DocumentVersion.load(table.DOCUMENT_VERSION.key(site, document_id=document_id, datetime_s=at))
    except (NotFound, InvalidKey) as error:
        raise NotFound(gettext("File version not found.")) from error


def list_latest_activities(site: str, document_id: str, *, limit: int) -> Sequence[DocumentActivity]:
    """Return a document's latest activity, latest first: a strong read."""
    pk = table.DOCUMENT_ACTIVITY.partition_key(site, document_id=document_id)
    prefix = DocumentActivity.SK.startswith(table.DOCUMENT_ACTIVITY.sort_prefix())
    return DocumentActivity.page(pk, sk=prefix, newest_first=True, limit=limit, consistent=True).rows


def list_activities(site: str, document_id: str, *, cursor: str | None = None) -> Page[DocumentActivity]:
    """Return a document's activity, latest first."""
    pk = table.DOCUMENT_ACTIVITY.partition_key(site, document_id=document_id)
    prefix = DocumentActivity.SK.startswith(table.DOCUMENT_ACTIVITY.sort_prefix())
    return DocumentActivity.page(pk, sk=prefix, newest_first=True, cursor=cursor)


def list_tags(site: str, document_id: str) -> Sequence[DocumentTag]:
    """Return the document's tags by name: a strong read, at most one page."""
    return _of_document(DocumentTag, table.DOCUMENT_TAG.sort_prefix(), site, document_id)


def in_order(rows: Iterable[DocumentAttribute]) -> list[DocumentAttribute]:
    """Sort an attribute's values as they were given; the table sorts them as text."""
    return sorted(rows, key=lambda row: int(row.index or 0))


def list_watermarks(site: str, document_id: str) -> list[str]:
    """Return the watermark texts: one Query, and one BatchGetItem for the definitions found."""
    pk = table.DOCUMENT_ATTRIBUTE.gsi2_partition(site, document_id=document_id)
    prefix = table.DOCUMENT_ATTRIBUTE.gsi2_prefix(value_type=KINDS["watermark"].data_type)
    page = DocumentAttribute.page(pk, sk=DocumentAttribute.GSI2SK.startswith(prefix), index="GSI2", limit=_A_BATCH)
    keys = [table.decode_part(str(row.GSI2SK).removeprefix(prefix)) for row in page.rows]
    found = definitions_of(site, keys)
    return [found[key].watermark for key in sorted(keys) if key in found and found[key].watermark]


def list_attributes(site: str, document_id: str) -> Sequence[DocumentAttribute]:
    """Return the document's attribute rows, including composite keys: a strong read."""
    return _of_document(DocumentAttribute, table.DOCUMENT_ATTRIBUTE.sort_prefix(), site, document_id)


def _of_document(kind: type[R], prefix: str, site: str, document_id: str) -> Sequence[R]:
    pk = table.DOCUMENT.partition_key(site, document_id=document_id)
    return kind.page(pk, sk=kind.SK.startswith(prefix), limit=_ALL, consistent=True).rows


DELETED, PURGED = "deleted", "purged"  # the two lists


def get_removal(site: str, document_id: str) -> DocumentRemoval:
    """Return the record of a deleted or purged document: a strong read.

    Raises:
        NotFound: there is no such document, or it is live.

    """
    try:
        return DocumentRemoval.load(table.DOCUMENT_REMOVAL.key(site, document_id=document_id))
    except (NotFound, InvalidKey) as error:
        raise NotFound(gettext("Document not found.")) from error


def is_purged(site: str, document_id: str) -> bool:
    """Return whether it is purged or being purged: one strong read."""
    try:
        return get_removal(site, document_id).status in {RemovalState.PURGING, RemovalState.PURGED}
    except NotFound:
        return False


def is_gone(site: str, document_id: str) -> bool:
    """Return whether it is deleted or purged and not being restored: one strong read."""
    try:
        return get_removal(site, document_id).status != RemovalState.RESTORING
    except NotFound:
        return False


def soft_deleted(site: str, document_id: str) -> SoftDeletedDocument:
    """Raises: NotFound."""
    return SoftDeletedDocument.load(table.SOFT_DELETED_DOCUMENT.key(site, document_id=document_id))


def get_soft_deleted(site: str, document_ids: Sequence[str]) -> list[SoftDeletedDocument]:
    """Return deleted, unpurged documents, unordered: one strong BatchGetItem."""
    keys = [table.SOFT_DELETED_DOCUMENT.key(site, document_id=one) for one in document_ids]
    return SoftDeletedDocument.load_many(keys)


def list_removals(site: str, which: str, *, cursor: str | None = None) -> Page[DocumentRemoval]:
    """Return ``DELETED`` or ``PURGED`` documents, latest first."""
    pk = table.DOCUMENT_REMOVAL.gsi1_partition(site, state=which)
    return DocumentRemoval.page(pk, index="GSI1", newest_first=True, cursor=cursor)

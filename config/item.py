"""Base class of all table items: shared connection, strict reads, and lists of one Query a page."""

import base64
import functools
import json
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypeVar

from django.conf import settings
from django.core import signing
from pynamodb.attributes import SERIALIZE_CLASS_MAP, Attribute, MapAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.connection import base
from pynamodb.connection.table import TableConnection
from pynamodb.constants import NULL
from pynamodb.exceptions import DoesNotExist, PynamoDBException, UpdateError
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.projection import create_projection_expression
from pynamodb.expressions.update import Action
from pynamodb.indexes import GlobalSecondaryIndex, IncludeProjection
from pynamodb.models import Model

from config import aws
from config.errors import Conflict, CountersignError, NotFound, Unavailable
from config.phrase import PHRASES
from config.table import FIRST_INDEX_ATTRIBUTES, INDEX_ATTRIBUTES, Key

# PynamoDB asks for the very class of what a map holds.
SERIALIZE_CLASS_MAP.update(dict.fromkeys(PHRASES, SERIALIZE_CLASS_MAP[str]))  # type: ignore[attr-defined]  # a dict, in the stubs a mapping
THROTTLED = {"ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"}


# A transaction holds the item for an instant, and botocore does not try again (AWS: "Transactions: conflicts").
_BUSY = "TransactionConflictException"
_PAUSES = (0.02, 0.05, 0.1, 0.2)


def make_store_error(code: str) -> CountersignError:
    """Return the domain error for DynamoDB's error ``code``; an empty code means no answer."""
    if code == "ResourceNotFoundException":
        return Unavailable("The table does not exist. Run `manage.py bootstrap`, then try again.")
    if code == _BUSY:
        return Unavailable("Too many simultaneous changes. Nothing was changed; try again.")
    if not code or code in THROTTLED or code.startswith("Internal"):
        return Unavailable("The database is not responding. Nothing was changed; try again.")
    return CountersignError(f"The database rejected the request: {code}.")


def _code(error: PynamoDBException) -> str:
    """Return DynamoDB's error code; empty without an answer. PynamoDB's property fails on a closed connection."""
    response = getattr(error.cause, "response", None) or {}
    return str(response.get("Error", {}).get("Code") or "")


@contextmanager
def translate_store_errors() -> Iterator[None]:
    """Translate PynamoDB's errors into domain errors.

    Raises:
        Conflict: the condition did not hold.
        NotFound: there is no such item.
        Unavailable: throttled, unreachable, or an error of AWS's own.

    """
    try:
        yield
    except DoesNotExist as error:
        raise NotFound("Record not found.") from error
    except PynamoDBException as error:
        code = _code(error)
        if code == "ConditionalCheckFailedException":
            raise Conflict from error
        raise make_store_error(code) from error
    except aws.UNANSWERED as error:
        raise Unavailable("The database is unreachable. Try again in a moment.") from error


INDEX_KEYS = ("GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK")
_WITHOUT_DATA = ("GSI1PK", "GSI1SK", *(name for name in FIRST_INDEX_ATTRIBUTES if name != "data"))


class GSI1(GlobalSecondaryIndex["Item"]):  # type: ignore[no-untyped-call]
    class Meta:
        index_name = "GSI1"
        projection = IncludeProjection(list(FIRST_INDEX_ATTRIBUTES))

    GSI1PK = UnicodeAttribute(hash_key=True)
    GSI1SK = UnicodeAttribute(range_key=True)


class GSI2(GlobalSecondaryIndex["Item"]):  # type: ignore[no-untyped-call]
    class Meta:
        index_name = "GSI2"
        projection = IncludeProjection(list(INDEX_ATTRIBUTES))

    GSI2PK = UnicodeAttribute(hash_key=True)
    GSI2SK = UnicodeAttribute(range_key=True)


def map_attribute(*, null: bool = False) -> Any:
    """Declare a map updated path by path (``Model.data["status"].set(…)``), so that concurrent updates survive."""
    return MapAttribute(null=null)  # type: ignore[no-untyped-call]


T = TypeVar("T", bound="Item")


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list; ``next`` is an opaque cursor, or None on the last page."""

    rows: Sequence[T]
    next: str | None


class Item(Model):
    """A row. No discriminator: rows of older writers have none, and every access pattern knows its key prefix."""

    class Meta:
        table_name = settings.TABLE_NAME
        region = settings.AWS_REGION

    PK = UnicodeAttribute(hash_key=True)
    SK = UnicodeAttribute(range_key=True)
    GSI1PK = UnicodeAttribute(null=True)
    GSI1SK = UnicodeAttribute(null=True)
    GSI2PK = UnicodeAttribute(null=True)
    GSI2SK = UnicodeAttribute(null=True)
    TimeToLive = NumberAttribute(null=True)
    gsi1 = GSI1()
    gsi2 = GSI2()
    _shared: ClassVar[dict[str, TableConnection]] = {}

    @classmethod
    def _get_connection(cls) -> TableConnection:
        # PynamoDB builds a client for each class; ours live in two tables, and one client serves them all.
        name = cls.Meta.table_name
        if name not in Item._shared:
            cls._connection = None
            table = super()._get_connection()
            known = table.connection
            table.connection = aws.dynamodb_connection()
            for meta in known._tables.values():
                table.connection.add_meta_table(meta)
            Item._shared[name] = table
        return Item._shared[name]

    @classmethod
    def from_raw_data(cls, data: dict[str, Any]) -> Self:
        """Build an item from the wire form. PynamoDB's own method takes four passes, a third of a list's time."""
        defaults, attributes = _layout(cls)
        item = cls.__new__(cls)
        item.attribute_values = values = dict(defaults)
        for stored, wire in data.items():
            if stored not in attributes or not wire or NULL in wire:
                continue
            name, attribute, kept_as = attributes[stored]
            if kept_as in wire:
                values[name] = wire[kept_as]
            elif isinstance(attribute, MapAttribute):
                value = attribute.deserialize(attribute.get_value(wire))  # type: ignore[no-untyped-call]
                setattr(item, name, value)  # which makes a map of it
            else:
                values[name] = attribute.deserialize(attribute.get_value(wire))
        return item

    @property
    def key(self) -> Key:
        return Key(self.PK, self.SK)

    @property
    def index_keys(self) -> dict[str, str]:
        """Return the row's index keys; empty if it is in no index."""
        return {name: value for name in INDEX_KEYS if (value := getattr(self, name))}

    def cursor(self, pk: str, index: str | None = None, sk: Condition | None = None) -> str:
        """Return the cursor after this row for ``page`` with the same arguments, for pages that merge lists."""
        names = ("PK", "SK", *([f"{index}PK", f"{index}SK"] if index else ()))
        return _cursor({name: {"S": getattr(self, name)} for name in names}, _list(pk, index, sk))

    @classmethod
    def load(cls, key: Key, *, consistent: bool = True, only: Sequence[str] | None = None) -> Self:
        """Raises: NotFound."""
        with translate_store_errors():
            return cls.get(key.pk, key.sk, consistent_read=consistent, attributes_to_get=only)

    @classmethod
    def load_many(cls, keys: Sequence[Key], *, consistent: bool = True) -> list[Self]:
        """Return the existing items of ``keys``, unordered; one BatchGetItem per hundred."""
        if not keys:
            return []
        with translate_store_errors():
            return list(cls.batch_get([tuple(key) for key in dict.fromkeys(keys)], consistent_read=consistent))

    @classmethod
    def together(cls, keys: Sequence[Key], *, only: Sequence[str]) -> dict[Key, dict[str, Any]]:
        """Read items of several kinds in one strongly consistent call, as raw data for ``from_raw_data``.

        Missing items are left out. It is no snapshot: a transaction may fall between two of the reads.

        Raises:
            Unavailable: some keys were throttled; nothing is returned.

        """
        name = cls.Meta.table_name
        with translate_store_errors():
            answer = cls._get_connection().batch_get_item(
                [{"PK": key.pk, "SK": key.sk} for key in keys],  # type: ignore[misc]  # pynamodb's hint is narrower
                consistent_read=True,
                attributes_to_get=sorted({"PK", "SK", *only}),
            )
        if answer.get("UnprocessedKeys"):
            raise make_store_error("ThrottlingException")
        return {Key(found["PK"]["S"], found["SK"]["S"]): found for found in answer["Responses"].get(name, ())}

    @classmethod
    def partition(cls, pk: str, *, limit: int) -> list[dict[str, Any]]:
        """Read a small partition with items of several kinds in one strongly consistent Query, as raw data."""
        with translate_store_errors():
            answer = cls._get_connection().query(pk, limit=limit, consistent_read=True)
        items: list[dict[str, Any]] = answer["Items"]
        return items

    @classmethod
    def change(cls, key: Key, actions: Sequence[Action], condition: Condition) -> Self:
        """Make one conditional UpdateItem and return the updated item.

        Raises:
            Conflict: the condition did not hold.

        """
        item = cls(key.pk, key.sk)
        with translate_store_errors():
            for pause in _PAUSES:
                try:
                    item.update(list(actions), condition=condition)
                except UpdateError as error:
                    if _code(error) != _BUSY:
                        raise
                    time.sleep(random.uniform(0.5, 1) * pause)
                else:
                    return item
            item.update(list(actions), condition=condition)
        return item

    @classmethod
    def page(
        cls,
        pk: str,
        *,
        sk: Condition | None = None,
        index: str | None = None,
        limit: int = settings.PAGE_SIZE,
        cursor: str | None = None,
        newest_first: bool = False,
        consistent: bool = False,
        only: Sequence[str] | None = None,
    ) -> Page[Self]:
        """Return one page of a list: one Query, whatever the size of the partition.

        ``only``: the stored names to read beside the key; by default all, in GSI1 without ``data``, which others read.

        Raises:
            NotFound: the cursor belongs to another list or was tampered with.

        """
        which = _list(pk, index, sk)
        if index == "GSI1" and not only and "data" in cls.get_attributes():
            only = _WITHOUT_DATA
        with translate_store_errors():
            found = cls.query(
                pk,
                sk,
                index_name=index,
                scan_index_forward=not newest_first,
                limit=limit,
                consistent_read=consistent,
                last_evaluated_key=_start(cursor, which) if cursor else None,
                attributes_to_get=["PK", "SK", *only] if only else None,
            )
            rows = list(found)
        return Page(rows, _cursor(found.last_evaluated_key, which) if found.last_evaluated_key else None)

    @classmethod
    def count_rows(cls, pk: str, *, sk: Condition | None = None, index: str | None = None, limit: int) -> int:
        """Return how many rows ``page`` would have, up to ``limit``, by one counting Query."""
        with translate_store_errors():
            return cls.count(pk, sk, index_name=index, limit=limit)

    @classmethod
    def every(
        cls,
        pk: str,
        *,
        sk: Condition | None = None,
        index: str | None = None,
        newest_first: bool = False,
        consistent: bool = False,
    ) -> Iterator[Self]:
        """Yield all rows; one Query per hundred."""
        cursor: str | None = None
        while True:
            page = cls.page(
                pk, sk=sk, index=index, limit=100, cursor=cursor, newest_first=newest_first, consistent=consistent
            )
            yield from page.rows
            cursor = page.next
            if cursor is None:
                return


def forget_connections() -> None:
    """Drop connections in a forked process, which must not use its parent's sockets."""
    Item._shared.clear()
    aws.forget_clients()


class VersionItem(Item):
    """A row of the second table, which keeps earlier versions (seed 002); keys are built as everywhere."""

    class Meta:
        table_name = settings.VERSIONS_TABLE_NAME
        region = settings.AWS_REGION


@functools.cache
def _layout(model: type[Item]) -> tuple[dict[str, Any], dict[str, tuple[str, Attribute[Any], str]]]:
    """Return the defaults of absent attributes and, by stored name, each attribute's name, descriptor and wire type.

    The type is empty if the wire value needs conversion.
    """
    attributes = model.get_attributes()
    defaults = {name: attribute.default for name, attribute in attributes.items() if attribute.default is not None}
    if any(callable(default) for default in defaults.values()):
        raise CountersignError(f"{model.__name__}: a default that is worked out for each item is not supported.")
    return defaults, {one.attr_name: (name, one, _kept_as(one)) for name, one in attributes.items()}


def _kept_as(attribute: Attribute[Any]) -> str:
    kind = type(attribute)
    as_it_is = kind.deserialize is Attribute.deserialize and kind.get_value is Attribute.get_value
    return attribute.attr_type if as_it_is else ""


def _read_attribute(attribute: Attribute[Any], instance: Any, owner: Any) -> Any:
    if isinstance(instance, Item):
        stored = attribute.attr_path[-1]
        names = instance._dynamo_to_python_attrs  # type: ignore[attr-defined]  # of PynamoDB's metaclass
        return instance.attribute_values.get(names.get(stored, stored))
    return _read_elsewhere(attribute, instance, owner)


# PynamoDB asks three functions first what kind of thing ``instance`` is: with 650 reads, a tenth of a page of 25 rows.
_read_elsewhere = Attribute.__get__
Attribute.__get__ = _read_attribute  # type: ignore[method-assign,assignment]


def _project(attributes_to_get: Any, placeholders: dict[str, str]) -> str:
    names = attributes_to_get if isinstance(attributes_to_get, list) else ()
    if placeholders or not names or not all(isinstance(one, str) for one in names):
        return _project_anew(attributes_to_get, placeholders)
    expression, known = _projection(tuple(names))
    placeholders.update(known)
    return expression


@functools.lru_cache(maxsize=256)
def _projection(attributes: tuple[str, ...]) -> tuple[str, Mapping[str, str]]:
    names: dict[str, str] = {}
    return _project_anew(list(attributes), names), names


# Where a review is opened seventy names are asked for, the same each time: to write them took a fortieth of the page.
_project_anew = create_projection_expression
base.create_projection_expression = _project  # type: ignore[attr-defined]


def _list(pk: str, index: str | None, sk: Condition | None) -> str:
    """Return the identity of a list, kept in its cursors: DynamoDB refuses a start key outside the queried range."""
    return f"{pk} {index or ''} {sk if sk is not None else ''}"


def _cursor(key: dict[str, Any], which: str) -> str:
    text = base64.urlsafe_b64encode(json.dumps(key, separators=(",", ":")).encode()).decode()
    return signing.Signer(salt=f"cursor {which}").sign(text)


def _start(cursor: str, which: str) -> dict[str, Any]:
    # Signed with the list: a cursor of another site's must not be a way into it.
    try:
        text = signing.Signer(salt=f"cursor {which}").unsign(cursor)
    except signing.BadSignature as error:
        raise NotFound("This page is no longer available. Go to page 1.") from error
    start: dict[str, Any] = json.loads(base64.urlsafe_b64decode(text))
    return start

"""Atomic transactions: changes together with the audit events that record them."""

import datetime as dt
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError
from pynamodb.constants import (
    TRANSACT_CONDITION_CHECK,
    TRANSACT_DELETE,
    TRANSACT_ITEMS,
    TRANSACT_PUT,
    TRANSACT_UPDATE,
    TRANSACT_WRITE_ITEMS,
)
from pynamodb.exceptions import VerboseClientError
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import aws, clock
from config.errors import Conflict, CountersignError, Unavailable
from config.item import THROTTLED, Item, make_store_error
from config.table import Key

_ATTEMPTS = 6
NEW: Condition = Item.PK.does_not_exist()
EXISTS: Condition = Item.PK.exists()


@dataclass(frozen=True)
class Put:
    """Put an item if its key is free, or ``overwrite``. ``name``: as in ``Update``."""

    item: Item
    overwrite: bool = False
    name: str = ""

    @property
    def key(self) -> Key:
        return self.item.key

    @property
    def of(self) -> type[Item]:
        return type(self.item)


@dataclass(frozen=True)
class Update:
    """``of``: an item class of the table. ``name``: reported in ``Conflict.failed`` if the condition does not hold."""

    key: Key
    actions: Sequence[Action]
    condition: Condition | None = None
    of: type[Item] = Item
    name: str = ""


@dataclass(frozen=True)
class Delete:
    """``of`` and ``name``: as in ``Update``."""

    key: Key
    condition: Condition | None = None
    of: type[Item] = Item
    name: str = ""


@dataclass(frozen=True)
class Check:
    """``of`` and ``name``: as in ``Update``."""

    key: Key
    condition: Condition
    of: type[Item] = Item
    name: str = ""


Change = Put | Update | Delete | Check
EventAt = Callable[[dt.datetime], Item]
# A record and the rows that list it elsewhere: written together, the first is what ``transact`` answers.
RecordAt = Callable[[dt.datetime], Item | tuple[Item, ...]]


def transact(changes: Sequence[Change], *events: RecordAt, token: str | None = None) -> list[Item]:
    """Write ``changes`` and ``events`` in one TransactWriteItems and return the events as written.

    An event's key is its instant: if another has the same microsecond, it is moved on by one. ``token``: the
    ClientRequestToken (≤ 36 characters, remembered for ten minutes) that makes the call idempotent.

    Raises:
        Conflict: a condition did not hold; ``failed`` names the changes.
        CountersignError: two changes have the same key, which DynamoDB refuses; nothing was sent.
        Unavailable: throttled or unreachable, or conflicting transactions after retries.

    """
    at = clock.now()
    for attempt in range(_ATTEMPTS):
        built = [_rows(event(at + dt.timedelta(microseconds=i))) for i, event in enumerate(events)]
        puts = [Put(row) for rows in built for row in rows]
        _check_keys_differ([*changes, *puts])
        reasons = _write([*changes, *puts], token)
        if not reasons:
            return [rows[0] for rows in built]
        failed = [i for i, code in enumerate(reasons) if code == "ConditionalCheckFailed"]
        if any(i < len(changes) for i in failed):
            names = (changes[i].name for i in failed if i < len(changes))
            raise Conflict(failed=frozenset(name for name in names if name))
        if failed:  # only an event's key was taken: next microsecond, and the old token would not fit any more
            at += dt.timedelta(microseconds=len(puts))
            token = None
            continue
        if not {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"} & set(reasons):
            raise CountersignError(f"The database rejected the request: {', '.join(sorted(set(reasons)))}.")
        time.sleep(random.uniform(0.01, 0.05) * 2**attempt)
    raise Unavailable("Too many simultaneous changes. Nothing was changed; try again.")


def _rows(built: Item | tuple[Item, ...]) -> tuple[Item, ...]:
    return built if isinstance(built, tuple) else (built,)


def _check_keys_differ(changes: Sequence[Change]) -> None:
    """Raises: CountersignError."""
    seen: dict[tuple[str, Key], int] = {}
    for number, one in enumerate(changes, start=1):
        place = (one.of.Meta.table_name, one.key)
        if place in seen:  # by their numbers: a message must not show a key
            raise CountersignError(f"Changes {seen[place]} and {number} of one transaction have the same key.")
        seen[place] = number


def _write(changes: Sequence[Change], token: str | None) -> list[str]:
    """Write once; return each change's cancellation code in order, or an empty list on success."""
    # Not pynamodb's TransactWrite: it sends checks, deletes, puts, updates in that order, and the reasons with it.
    request: dict[str, Any] = {TRANSACT_ITEMS: [_request(change) for change in changes]}
    if token:
        request["ClientRequestToken"] = token
    try:
        aws.dynamodb_connection().dispatch(TRANSACT_WRITE_ITEMS, request)
    except VerboseClientError as error:
        code = error.response["Error"].get("Code", "")
        if code == "TransactionCanceledException":
            return [reason.code if reason else "None" for reason in error.cancellation_reasons]
        if code == "IdempotentParameterMismatchException":  # the same decision again, built at another moment
            raise Conflict from error
        if code in THROTTLED or code == "TransactionInProgressException":
            return ["ThrottlingError"]
        raise make_store_error(code) from error
    except (*aws.UNANSWERED, ClientError) as error:
        raise Unavailable("The database is unreachable. Try again in a moment.") from error
    return []


def _request(change: Change) -> dict[str, Any]:
    if isinstance(change, Put):
        item = change.item
        kwargs = item.get_save_kwargs_from_instance(condition=None if change.overwrite else NEW)
        return {TRANSACT_PUT: kwargs}
    kwargs = change.of._get_connection().get_operation_kwargs(
        change.key.pk,
        change.key.sk,
        actions=change.actions if isinstance(change, Update) else None,
        condition=change.condition,
    )
    kind = {Update: TRANSACT_UPDATE, Delete: TRANSACT_DELETE, Check: TRANSACT_CONDITION_CHECK}[type(change)]
    return {kind: kwargs}

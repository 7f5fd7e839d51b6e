"""Rows in bulk: what changes would leave, worked out without the table, and put twenty-five a call. Never atomic."""

import json
import random
import re
import time
from collections.abc import Iterable, Sequence
from typing import Any

from pynamodb.expressions.operand import Path, Value
from pynamodb.expressions.update import RemoveAction, SetAction

from config import aws
from config.errors import Unavailable
from config.transaction import Change, Check, Delete, Put

_BATCH = 25  # DynamoDB's limit of one BatchWriteItem
_ATTEMPTS = 8
Attributes = dict[str, Any]
Row = tuple[str, Attributes]  # the table's name and the item in the wire's form


def list_rows_left(changes: Iterable[Change]) -> list[Row]:
    """The rows that these changes, made one after the other on an empty table, would leave; no condition is asked.

    Raises:
        NotImplementedError: an update does more than set plain values and remove.

    """
    rows: dict[tuple[str, str, str], Attributes] = {}
    for change in changes:
        if isinstance(change, Check):
            continue
        of, key = (type(change.item), change.item.key) if isinstance(change, Put) else (change.of, change.key)
        at = (of.Meta.table_name, *key)
        if isinstance(change, Put):
            rows[at] = change.item.serialize()
        elif isinstance(change, Delete):
            rows.pop(at, None)
        else:
            row = rows.setdefault(at, {"PK": {"S": key.pk}, "SK": {"S": key.sk}})
            for action in change.actions:
                _apply(row, action)
    return [(at[0], row) for at, row in rows.items()]


def _apply(row: Attributes, action: Any) -> None:
    path = action.values[0]
    if not isinstance(action, SetAction | RemoveAction) or not isinstance(path, Path):
        raise NotImplementedError(f"{type(action).__name__} is not worked out without the table.")
    *above, name = path.path
    for part in above:
        row = row[part]["M"]
    if isinstance(action, RemoveAction):
        row.pop(name, None)
        return
    if not isinstance(action.values[1], Value):
        raise NotImplementedError("Only plain values are set without the table.")
    row[name] = action.values[1].value


class Mould:
    """Rows to cast others from that differ in some texts only: ten times as fast as working each out.

    ``marks`` are the texts of ``rows`` that differ, none twice; a cast has its own in their place, whatever is around
    them. A longer mark counts before a shorter one that it begins with.
    """

    def __init__(self, rows: Sequence[Row], marks: Sequence[str]) -> None:
        number = {mark: i for i, mark in enumerate(marks)}
        if len(number) < len(marks):
            raise ValueError("A mark stands for one thing.")
        pattern = "|".join(re.escape(mark) for mark in sorted(marks, key=len, reverse=True))
        self._parts = re.split(f"({pattern})", json.dumps(rows))
        self._marks = [(i, number[self._parts[i]]) for i in range(1, len(self._parts), 2)]

    def cast(self, marks: Sequence[str]) -> list[Row]:
        """The same rows with these ``marks``, which need no escape in JSON."""
        parts = list(self._parts)
        for at, number in self._marks:
            parts[at] = marks[number]
        return [(name, row) for name, row in json.loads("".join(parts))]


def put_rows(rows: Sequence[Row]) -> None:
    """Write over whatever is there; again is harmless.

    Raises:
        Unavailable: the table took some of them only, also after several tries.

    """
    for start in range(0, len(rows), _BATCH):
        wanted: dict[str, list[Any]] = {}
        for name, row in rows[start : start + _BATCH]:
            wanted.setdefault(name, []).append({"PutRequest": {"Item": row}})
        _put(wanted)


def _put(wanted: dict[str, list[Any]]) -> None:
    for attempt in range(_ATTEMPTS):
        with aws.translate_aws_errors():
            wanted = aws.dynamodb_client().batch_write_item(RequestItems=wanted).get("UnprocessedItems") or {}
        if not wanted:
            return
        time.sleep(random.uniform(0.02, 0.1) * 2**attempt)
    raise Unavailable("The table is throttling writes. Run this again to resume.")

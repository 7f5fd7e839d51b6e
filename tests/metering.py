"""What an action costs: its AWS calls, and DynamoDB's units worked out from the items themselves.

The emulator reports every read as half a unit, so nothing is taken from its answers but the items (AWS: "DynamoDB
read and write capacity": a write unit a KiB begun, twice in a transaction, and one more for each index row written).
"""

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from botocore.client import BaseClient
from django.conf import settings

from config.table import FIRST_INDEX_ATTRIBUTES, INDEX_ATTRIBUTES, VERSIONS_INDEX_ATTRIBUTES

Attributes = dict[str, dict[str, Any]]
_INNER = BaseClient._make_api_call
_WRITES = {"PutItem", "UpdateItem", "DeleteItem"}


@dataclass
class Meter:
    calls: list[str] = field(default_factory=list)
    writes: float = 0
    reads: float = 0
    rows: list[str] = field(default_factory=list)  # each write: the sort key's head, bytes, units


@contextmanager
def metered() -> Iterator[Meter]:
    meter = Meter()

    def wrapped(client: BaseClient, operation: str, params: dict[str, Any]) -> Any:
        service = client.meta.service_model.service_name
        if operation not in {"ReceiveMessage", "DeleteMessage"}:  # the test's own deliveries
            meter.calls.append(f"{service}.{operation}")
        if service != "dynamodb":
            return _INNER(client, operation, params)
        keys = _written(operation, params)
        before = [_item(client, *key) for key in keys]
        answer = _INNER(client, operation, params)
        factor = 2 if operation.startswith("Transact") else 1
        for key, old in zip(keys, before, strict=True):
            _count(meter, key, old, _item(client, *key), factor)
        whole = answer
        if operation == "Query" and "ProjectionExpression" in params:  # read and paid for, not sent
            whole = _INNER(client, operation, _without_choice(params))
        meter.reads += _reads(operation, params, whole)
        return answer

    with mock.patch.object(BaseClient, "_make_api_call", wrapped):
        yield meter


def _without_choice(params: dict[str, Any]) -> dict[str, Any]:
    names = params.get("ExpressionAttributeNames", {})
    asked = params.get("KeyConditionExpression", "") + params.get("FilterExpression", "")
    used = {place: name for place, name in names.items() if re.search(rf"{place}\b", asked)}
    rest = {
        key: value for key, value in params.items() if key not in {"ProjectionExpression", "ExpressionAttributeNames"}
    }
    return {**rest, "ExpressionAttributeNames": used} if used else rest


def _written(operation: str, params: dict[str, Any]) -> list[tuple[str, Attributes]]:
    if operation in _WRITES:
        return [_key(params)]
    if operation == "TransactWriteItems":
        return [_key(next(iter(change.values()))) for change in params["TransactItems"]]
    return []


def _key(change: dict[str, Any]) -> tuple[str, Attributes]:
    source = change.get("Key") or change["Item"]
    return change["TableName"], {"PK": source["PK"], "SK": source["SK"]}


def _item(client: BaseClient, table: str, key: Attributes) -> Attributes:
    found = _INNER(client, "GetItem", {"TableName": table, "Key": key, "ConsistentRead": True})
    item: Attributes = found.get("Item", {})
    return item


def _count(meter: Meter, at: tuple[str, Attributes], old: Attributes, new: Attributes, factor: int) -> None:
    table, key = at
    ours = table == settings.TABLE_NAME
    projected = (
        {"GSI1": FIRST_INDEX_ATTRIBUTES, "GSI2": INDEX_ATTRIBUTES}
        if ours
        else dict.fromkeys(("GSI1", "GSI2"), VERSIONS_INDEX_ATTRIBUTES)
    )
    bytes_ = max(size(old), size(new))
    units = factor * math.ceil(bytes_ / 1024) + sum(
        _index_units(old, new, name, names) for name, names in projected.items()
    )
    meter.writes += units
    meter.rows.append(f"{key['SK']['S'].split('#')[0] or '#METADATA'} {bytes_} B, {units} units")


def _index_units(old: Attributes, new: Attributes, name: str, projected: Sequence[str]) -> int:
    before, after = _projected(old, name, projected), _projected(new, name, projected)
    if before == after:
        return 0
    keys = [tuple(str(row.get(f"{name}{part}")) for part in ("PK", "SK")) for row in (before, after) if row]
    sizes = [math.ceil(size(row) / 1024) for row in (before, after) if row]
    moved = len(keys) == 2 and keys[0] != keys[1]
    return sum(sizes) if moved else max(sizes)


def _projected(item: Attributes, name: str, projected: Sequence[str]) -> Attributes:
    if f"{name}PK" not in item:
        return {}
    wanted = {"PK", "SK", f"{name}PK", f"{name}SK", *projected}
    return {attribute: value for attribute, value in item.items() if attribute in wanted}


def _reads(operation: str, params: dict[str, Any], answer: dict[str, Any]) -> float:
    items = answer.get("Items") or ([answer["Item"]] if answer.get("Item") else [])
    if operation == "BatchGetItem":  # each item for itself, one that is not there as one unit
        wanted = params["RequestItems"].values()
        found = [item for items in answer["Responses"].values() for item in items]
        return sum(len(keys["Keys"]) for keys in wanted) + sum(math.ceil(size(item) / 4096) - 1 for item in found)
    if operation not in {"Query", "GetItem"}:
        return 0
    strong = 1.0 if params.get("ConsistentRead") else 0.5
    return max(math.ceil(sum(map(size, items)) / 4096), 1) * strong


def size(item: Attributes) -> int:
    """Bytes as DynamoDB counts them, numbers by their digits."""
    return sum(len(name.encode()) + _value(value) for name, value in item.items())


def _value(value: dict[str, Any]) -> int:
    kind, content = next(iter(value.items()))
    if kind == "M":
        return 3 + size(content) + len(content)
    if kind == "L":
        return 3 + sum(_value(entry) + 1 for entry in content)
    if kind == "N":
        return math.ceil(len(content) / 2) + 1
    return len(content.encode()) if kind == "S" else 1

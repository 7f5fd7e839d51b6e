"""Batch writes of rows, 25 per call; not atomic."""

import random
import time
from collections.abc import Sequence
from typing import Any

from config import aws
from config.errors import Unavailable

_BATCH = 25  # DynamoDB's limit of one BatchWriteItem
_ATTEMPTS = 8
Attributes = dict[str, Any]
Row = tuple[str, Attributes]  # the table's name and the item in the wire's form


def put_rows(rows: Sequence[Row]) -> None:
    """Put ``rows``, replacing what is there; idempotent.

    Raises:
        Unavailable: some rows were still unprocessed after several attempts.

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

"""A copy of a small result beside its review, so that opening the review is one call (ADR 0052)."""

import base64
import zlib
from typing import Self

from pynamodb.attributes import UnicodeAttribute

from config.item import Item
from config.table import Key
from workflows.storage import files

LARGEST = 6144  # characters: six write units, twice as much as a result of twenty fields takes
_LARGEST_OBJECT = 1 << 18  # bytes; a larger one is not worth compressing to find out


class ReviewResult(Item):
    """``body``: the stored result, compressed, in base64; as a binary value botocore's slower parser would read it."""

    body = UnicodeAttribute()

    @classmethod
    def copy(cls, key: Key, stored: bytes, *, keep_until: int) -> Self | None:
        """Return the row; None if the result is too large for one. ``keep_until``: seconds since 1970."""
        if len(stored) > _LARGEST_OBJECT:
            return None
        body = base64.b64encode(zlib.compress(stored)).decode()
        return cls(*key, body=body, TimeToLive=keep_until) if len(body) <= LARGEST else None

    def read(self, sha256: str) -> bytes | None:
        """Return the result; None if it is damaged or not the one with this checksum."""
        try:
            stored = zlib.decompress(base64.b64decode(self.body))
        except (ValueError, zlib.error):  # the first is of base64
            return None
        return stored if files.sha256(stored) == sha256 else None

"""Numbers that browsers send, in addresses and hidden fields: whatever stands there, a number comes of it."""

from collections.abc import Mapping
from typing import Any

_DIGITS = 9  # what no count of ours reaches; longer texts are slow to read and refused by the table


def read_number(text: str | None, *, otherwise: int = 0) -> int:
    """A number from 0 up to nine digits; ``otherwise`` if the text is none.

    >>> read_number("12"), read_number("²"), read_number("-1"), read_number(None, otherwise=1)
    (12, 0, 0, 1)
    """
    # not isdigit: it takes superscripts, which int() does not
    return int(text) if text and len(text) <= _DIGITS and text.isdecimal() else otherwise


def version_in(data: Mapping[str, Any], name: str = "version") -> int:
    """The version that the page showed; a form that lost it was based on nothing we know, and loses: -1."""
    return read_number(str(data.get(name, "")), otherwise=-1)

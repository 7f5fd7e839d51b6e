"""Conversion of attribute values between input, plain value and stored form. Pure functions."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext

from config.errors import Refused
from config.table import Encoded, ordered_number
from projects.schemas.governing import BARE, AttributeDefinition, to_stored_value
from projects.settings.columns import TABLE

Value = str | Decimal | bool
LONGEST = 250  # characters
_DIGITS = 38  # DynamoDB's limit for numbers


def parse_values(definition: AttributeDefinition, texts: Sequence[str]) -> list[Value]:
    """Parse typed values, unique and in order; a type without values has an empty one.

    Raises:
        Refused: a value is invalid for the attribute's type, or too long; the message quotes it.

    """
    if definition.data_type in BARE:
        return [""]
    return list(dict.fromkeys(_parse_value(definition, text) for text in texts))


def _parse_value(definition: AttributeDefinition, text: str) -> Value:
    if definition.kind == TABLE:
        raise Refused(
            gettext("%(label)s is a table. Documents have it as a field, not as an attribute.")
            % {"label": definition.label}
        )
    stored = to_stored_value(definition.kind, text)
    if stored is None:
        raise Refused(
            gettext("“%(text)s” is not a valid value for %(label)s (type: %(kind_label)s).")
            % {"text": text[:60], "label": definition.label, "kind_label": definition.kind_label}
        )
    if len(stored) > LONGEST:
        raise Refused(
            gettext("%(label)s is too long. Use at most %(longest)s characters.")
            % {"label": definition.label, "longest": LONGEST}
        )
    if definition.data_type == "BOOLEAN":
        return stored == "true"
    if definition.data_type == "NUMBER":
        number = Decimal(stored)
        if len(number.as_tuple().digits) > _DIGITS:
            raise Refused(
                gettext("%(label)s has more than %(digits)s digits. Round it.")
                % {"label": definition.label, "digits": _DIGITS}
            )
        return number
    return stored


def in_key(value: Value) -> str:
    """Encode the value for a key so that text order is value order, also for numbers; no value is ``#``.

    An index takes no empty text, and no encoded text is a bare ``#``.
    """
    if value == "":
        return Encoded("#")
    if isinstance(value, bool):
        return format_value(value)
    return ordered_number(value) if isinstance(value, Decimal) else value


def format_value(value: Value) -> str:
    """Format for a form. The table stores no trailing zeros, so none are shown.

    >>> format_value(Decimal("12.50")), format_value(Decimal("100")), format_value(True), format_value("x")
    ('12.5', '100', 'true', 'x')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value.normalize():f}" if isinstance(value, Decimal) else value


def value_columns(value: Value) -> dict[str, Any]:
    """Return the typed attribute of a row (seed 002); KEY_ONLY's empty text needs none."""
    if isinstance(value, bool):
        return {"booleanValue": value}
    if isinstance(value, Decimal):
        return {"numberValue": value}
    return {"stringValue": value} if value else {}

"""Values of attributes between what people type, the plain value, and the table's rows; pure."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from config.errors import Refused
from config.table import Encoded, ordered_number
from projects.schemas.governing import BARE, AttributeDefinition, to_stored_value
from projects.settings.columns import TABLE

Value = str | Decimal | bool
LONGEST = 250  # letters
_DIGITS = 38  # DynamoDB's own limit of a number


def parse_values(definition: AttributeDefinition, texts: Sequence[str]) -> list[Value]:
    """The values that were typed, each once, in their order; one without a value has an empty one.

    Raises:
        Refused: one is no value of the attribute's type, or too long; the sentence names it.

    """
    if definition.data_type in BARE:
        return [""]
    return list(dict.fromkeys(_parse_value(definition, text) for text in texts))


def _parse_value(definition: AttributeDefinition, text: str) -> Value:
    if definition.kind == TABLE:
        raise Refused(f"{definition.label} is a table. Documents have it as a field, not as an attribute.")
    stored = to_stored_value(definition.kind, text)
    if stored is None:
        raise Refused(f"“{text[:60]}” is not a valid value for {definition.label} (type: {definition.kind_label}).")
    if len(stored) > LONGEST:
        raise Refused(f"{definition.label} is too long. Use at most {LONGEST} characters.")
    if definition.data_type == "BOOLEAN":
        return stored == "true"
    if definition.data_type == "NUMBER":
        number = Decimal(stored)
        if len(number.as_tuple().digits) > _DIGITS:
            raise Refused(f"{definition.label} has more than {_DIGITS} digits. Round it.")
        return number
    return stored


def in_key(value: Value) -> str:
    """The value as a part of a key: text order is the values' order, also for numbers; no value is ``#``.

    An index takes no empty text, and no text of people's becomes a bare ``#``.
    """
    if value == "":
        return Encoded("#")
    if isinstance(value, bool):
        return format_value(value)
    return ordered_number(value) if isinstance(value, Decimal) else value


def format_value(value: Value) -> str:
    """As a form sends it back. The table keeps no zeros behind a number's last digit, so none are shown.

    >>> format_value(Decimal("12.50")), format_value(Decimal("100")), format_value(True), format_value("x")
    ('12.5', '100', 'true', 'x')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value.normalize():f}" if isinstance(value, Decimal) else value


def value_columns(value: Value) -> dict[str, Any]:
    """The attribute of a row that keeps the value by its type (seed 002); KEY_ONLY's empty text needs none."""
    if isinstance(value, bool):
        return {"booleanValue": value}
    if isinstance(value, Decimal):
        return {"numberValue": value}
    return {"stringValue": value} if value else {}

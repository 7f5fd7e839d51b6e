"""Arithmetic checks of tables: quantity × price in each row, and column sums. Pure functions."""

from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation

from projects.settings.columns import Column
from workflows.stages.tables.headings import concept_of

_CENT = Decimal("0.01")


def adds_up(columns: Sequence[Column], row: Sequence[str]) -> bool | None:
    """Return whether quantity × price is the amount, within the price's precision; None if one is missing."""
    figures = {
        concept: _figure(cell) for column, cell in zip(columns, row, strict=False) if (concept := concept_of(column))
    }
    count, price, amount = (figures.get(name) for name in ("quantity", "unit_price", "amount"))
    if count is None or price is None or amount is None:
        return None
    return abs(count * price - amount) <= max(_CENT, abs(count) * _half_digit(price))


def _half_digit(price: Decimal) -> Decimal:
    """Return half of the last printed digit, the largest rounding error."""
    exponent = price.as_tuple().exponent
    return Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0) / 2


def sum_of(rows: Iterable[Sequence[str]], place: int) -> Decimal | None:
    """Return None if no cell has a value, or one is not a number."""
    cells = [row[place] for row in rows if row[place]]
    figures = [_figure(cell) for cell in cells]
    if not figures or None in figures:
        return None
    return sum((one for one in figures if one is not None), Decimal(0))


def _figure(text: str) -> Decimal | None:
    try:
        return Decimal(text) if text else None
    except InvalidOperation:
        return None

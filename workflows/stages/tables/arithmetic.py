"""Whether the figures of a table agree: quantity times price in each row, a column with its sum; pure."""

from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation

from projects.settings.columns import Column
from workflows.stages.tables.headings import concept_of

_CENT = Decimal("0.01")


def adds_up(columns: Sequence[Column], row: Sequence[str]) -> bool | None:
    """Whether quantity × price is the amount, as far as the price's digits tell; None if one of them is not there."""
    figures = {
        concept: _figure(cell) for column, cell in zip(columns, row, strict=False) if (concept := concept_of(column))
    }
    count, price, amount = (figures.get(name) for name in ("quantity", "unit_price", "amount"))
    if count is None or price is None or amount is None:
        return None
    return abs(count * price - amount) <= max(_CENT, abs(count) * _half_digit(price))


def _half_digit(price: Decimal) -> Decimal:
    """Half of its last printed digit, which rounding may have taken from it."""
    exponent = price.as_tuple().exponent
    return Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0) / 2


def sum_of(rows: Iterable[Sequence[str]], place: int) -> Decimal | None:
    """None if a cell that is filled is no figure, or none is."""
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

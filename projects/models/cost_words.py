"""Costs in words. The prices are in the settings and the catalogue; ``workflows/runs/prices.py`` applies them."""

from config.phrase import Figure, Phrase


def money(micros: int) -> str:
    """Write an amount of millionths of a dollar.

    >>> money(0), money(45), money(210), money(70_000), money(12_345_678)
    ('$0.00', '$0.000045', '$0.0002', '$0.07', '$12.35')
    """
    dollars = micros / 1_000_000
    digits = 2 if not micros or dollars >= 0.01 else 4 if dollars >= 0.0001 else 6
    return Phrase("$%(dollars)s").fill(dollars=Figure(f"{dollars:.{digits}f}"))


def describe_cost(micros: int | None) -> str:
    """Describe the cost of one use; ``micros``: None if it has no price.

    >>> describe_cost(None), describe_cost(0), describe_cost(70_000)
    ('no price set', 'free', '$0.07')
    """
    if micros is None:
        return Phrase("no price set")
    return money(micros) if micros else Phrase("free")


def describe_sum(micros: int, *, unpriced: bool) -> str:
    """Describe the cost of many uses. ``unpriced``: some of them have no price.

    >>> describe_sum(0, unpriced=True), describe_sum(70_000, unpriced=True), describe_sum(0, unpriced=False)
    ('no price set', 'at least $0.07, some prices not set', '$0.00')
    """
    if not unpriced:
        return money(micros)
    return (
        Phrase("at least %(micros)s, some prices not set").fill(micros=money(micros)) if micros else describe_cost(None)
    )

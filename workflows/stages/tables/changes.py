"""What a correction changed in a table, cell by cell, for people. Pure functions; stored changes stay whole."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from config.phrase import Phrase, count_phrase
from workflows.stages.tables.rows import Rows, match_rows, read_rows

_MOST = 30  # changes of one table that are listed; the others are counted
_EMPTY = Phrase("empty")
_CUT = "…"  # ends a value that was too long for its row


def tell_cells(changes: Iterable[Mapping[str, Any]], columns: Sequence[str] = ()) -> Iterator[Mapping[str, Any]]:
    r"""Yield the changes (what, before, after), those of a table by cell; rows are counted as they are afterwards.

    A change says neither its field's type nor its columns: a table is known by its tabs, and a column by its number
    unless the caller knows the labels of the ``columns``.

    >>> [dict(one) for one in tell_cells([{"what": "Items", "before": "Oak\t12", "after": "Oak\t13"}])]
    [{'what': 'Items, row 1, column 2', 'before': '12', 'after': '13'}]
    """
    for one in changes:
        before, after = one["before"] or "", one["after"] or ""
        is_cut = before.endswith(_CUT) or after.endswith(_CUT)
        if is_cut or "\t" not in before + after:
            yield one
        elif before and "\t" not in after:
            rows = len(read_rows(before))
            yield {**one, "before": count_phrase("%(count)s row", "%(count)s rows", rows)}
        else:
            cells = list(_differing(one["what"], read_rows(before), read_rows(after), columns))
            yield from cells[:_MOST] or [one]
            if more := len(cells[_MOST:]):
                told = count_phrase("%(count)s more change", "%(count)s more changes", more)
                yield {"what": one["what"], "before": None, "after": told}


def list_cells(change: Mapping[str, Any], columns: Sequence[str] = ()) -> list[Mapping[str, Any]]:
    """Return what changed in a table by cell; empty for another value, and for a table that is told whole."""
    told = list(tell_cells([change], columns))
    return [] if told == [change] else told


def _differing(field: str, before: Rows, after: Rows, columns: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    width = max(len(row) for row in (*before, *after))
    first, second = ([row + ("",) * (width - len(row)) for row in rows] for rows in (before, after))
    was = match_rows(first, second)
    for place, row in enumerate(first):
        if place not in was:
            yield _tell_row(Phrase("%(field)s, row %(row)s removed"), field, place, row)
    for place, (row, at) in enumerate(zip(second, was, strict=True)):
        if at is None:
            yield _tell_row(Phrase("%(field)s, row %(row)s added"), field, place, row)
            continue
        for column, (old, new) in enumerate(zip(first[at], row, strict=True), 1):
            if old != new:
                known = columns[column - 1] if column <= len(columns) else None
                named = known or Phrase("column %(number)s").fill(number=column)
                yield {
                    "what": Phrase("%(field)s, row %(row)s, %(column)s").fill(field=field, row=place + 1, column=named),
                    "before": old or _EMPTY,
                    "after": new or _EMPTY,
                }


def _tell_row(words: Phrase, field: str, place: int, row: Iterable[str]) -> Mapping[str, Any]:
    return {"what": words.fill(field=field, row=place + 1), "before": None, "after": " · ".join(filter(None, row))}

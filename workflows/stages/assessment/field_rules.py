"""Validation rules across a document's values: warnings while typing, and contradictions. Pure functions.

The same rules apply to extracted, typed and submitted values.
"""

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

from stdnum import get_cc_module, iban

from config.phrase import FullDay, Phrase, Sentence, join_phrases, write_full_day
from projects.settings.columns import TABLE
from projects.settings.values import ANY, PAST, date_range
from workflows.stages import results, values
from workflows.stages.results import Field
from workflows.stages.tables import arithmetic
from workflows.stages.tables import rows as table_rows

FARTHEST = 30  # years that a plausible date on a new document may be in the past or future
_CENT = Decimal("0.01")
_MOST_CELLS = 5  # of a table, that are echoed
_MOST_ADJUSTMENTS = 6  # adjustments, each of which may be included in the sum already
# The parts of a sum, by words of field names.
TOTALS = ("total", "grand_total", "gross_total", "total_gross", "total_amount", "amount_due")
_NETS = ("net_total", "net", "subtotal", "sub_total", "net_amount", "tax_basis_total", "total_net")
_TAX_SUMS = ("tax_total", "vat_total", "total_tax", "total_vat")
_TAX = re.compile(r"\b(tax|vat|gst|cgst|sgst|igst|pst|hst|sst|mwst|ust|tva|iva|btw)\b")
_NO_SUM = re.compile(r"\b(rate|percent|id|no|number|basis|base|net|code)\b")
_TAKEN = re.compile(
    r"\b(discount|rebate|voucher|coupon|deposit|prepaid|prepayment|advance|credit|skonto|rabatt|remise)\b"
)
_ADDED = re.compile(
    r"\b(shipping|freight|delivery|postage|handling|packing|surcharge|fee|service|tip|insurance|versand|fracht|"
    r"round\w*|rundung)\b"
)
_ISSUED = ("date", "issue_date", "invoice_date")
_DUE = ("due_date", "payment_due_date", "payment_due", "due")
_IBAN = re.compile(r"(^|_)iban($|_)")
_VAT_ID = re.compile(r"(^|_)(vat_(id|number|no)|ust_id|ustid|ust_idnr)$")


@dataclass(frozen=True)
class Warn:
    """``text`` begins with the field's label, like reasons. ``beside``: the other field that it concerns.

    ``repair``: the value, in stored form, that would fit; empty if no single value would.
    """

    field: str
    text: str
    beside: str = ""
    repair: str = ""


def list_warnings(
    fields: Sequence[Field], texts: Mapping[str, str], *, today: str, read: Mapping[str, str | None] | None = None
) -> list[Warn]:
    """List a reviewer's warnings, in the order of the rules; a field may have several.

    ``texts``: field → text in any form; ``today``: ISO. ``read``: field → value as extracted. Unchanged rows were
    checked against the page, including discounts without a field.

    An invalid value is an error from ``validate_corrections``, not a warning.
    """
    found = dict(_store(fields, texts))
    changed = {name for name, value in found.items() if value != (read or {}).get(name)}
    return [
        *_check_each(fields, found, today),
        *list_contradictions(fields, found),
        *_check_items(fields, found, changed),
    ]


def list_contradictions(fields: Sequence[Field], stored: Mapping[str, str]) -> list[Warn]:
    """List contradictions. ``stored``: field → value in stored form."""
    return [*_check_total(fields, stored), *_check_due(fields, stored)]


def _store(fields: Iterable[Field], texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for one in fields:
        text = texts.get(one.name, "")
        stored = results.to_allowed_form(one, text) if text else None
        if stored:
            yield one.name, stored


def _check_each(fields: Iterable[Field], stored: Mapping[str, str], today: str) -> Iterator[Warn]:
    for one in fields:
        value = stored.get(one.name)
        if value and (text := describe_odd_value(one, value, today)):
            yield Warn(one.name, text)


def describe_odd_value(field: Field, value: str, today: str) -> str:
    """Describe what is wrong with a value by itself; empty if nothing is. ``value``: in stored form; ``today``: ISO."""
    if odd := find_odd_date(value, today, date_range(field.name, field.type, field.date_range)):
        return f"{field.label} {value} {odd}"
    return describe_bad_number(field, value)


def describe_bad_number(field: Field, value: str) -> str:
    """Describe why a value cannot be the number that its field is for; empty if it can."""
    if field.type == "text" and _IBAN.search(field.name) and not iban.is_valid(value):
        return f"{field.label} is not a valid IBAN: its check digits do not match"
    if field.type == "text" and _VAT_ID.search(field.name) and not _is_vat_id(value):
        return f"{field.label} is not a valid VAT ID for its country"
    return ""


def _is_vat_id(text: str) -> bool:
    """Also True for countries with an unknown format."""
    country = re.match(r"\s*([A-Za-z]{2})", text)
    known = get_cc_module(country[1].lower().replace("el", "gr"), "vat") if country else None
    return known is None or bool(known.is_valid(text))


def find_odd_date(value: str, today: str, plausible: str) -> str:
    """Describe what is odd about an ISO date. ``plausible``: a key of ``DATE_RANGES``; empty for other values."""
    if plausible in {"", ANY}:
        return ""
    # Tomorrow in UTC is today in half of the world.
    if plausible == PAST and value > (dt.date.fromisoformat(today) + dt.timedelta(days=1)).isoformat():
        return "is in the future"
    years = int(value[:4]) - int(today[:4])
    if years < -FARTHEST:
        return f"is more than {FARTHEST} years ago"
    return f"is more than {FARTHEST} years ahead" if years > FARTHEST else ""


def _check_total(fields: Sequence[Field], stored: Mapping[str, str]) -> Iterator[Warn]:
    """Check that net and taxes, with any of discount, shipping, rounding and the like, add up to the total.

    A discount may be included in the net, and a deposit be below the total: each is optional. Taxes are not.
    """
    amounts = {one.name: Decimal(stored[one.name]) for one in fields if one.type == "amount" and one.name in stored}
    total, net = (next((one for one in names if one in amounts), None) for names in (TOTALS, _NETS))
    taxes = _list_taxes(amounts)
    if total is None or net is None or not taxes:
        return
    steps = _list_adjustments(amounts)
    base = amounts[net] + sum((amounts[one] for one in taxes), Decimal(0))
    if _leads(base, amounts[total], steps, _CENT):
        return
    label = {one.name: one.label for one in fields}[total]
    parts = [amounts[net], *(amounts[one] for one in taxes), *steps]
    text = Sentence("%(field)s %(value)s is not %(sum)s").fill(
        field=label, value=values.plain(amounts[total]), sum=_write_sum(parts)
    )
    yield Warn(total, text, repair=values.plain(sum(parts, Decimal(0))))


def _list_taxes(amounts: Mapping[str, Decimal]) -> list[str]:
    """Return the fields of several rates, or the one with their sum."""
    summed = next((one for one in _TAX_SUMS if one in amounts), None)
    if summed:
        return [summed]
    words = {name: name.replace("_", " ") for name in amounts if name not in (*TOTALS, *_NETS)}
    return [name for name, text in words.items() if _TAX.search(text) and not _NO_SUM.search(text)]


def _list_adjustments(amounts: Mapping[str, Decimal]) -> list[Decimal]:
    """Deductions are negative, however they are written; additions keep their sign."""
    steps = []
    for name, value in amounts.items():
        words = name.replace("_", " ")
        if name in (*TOTALS, *_NETS) or _TAX.search(words) or not value:
            continue
        if _TAKEN.search(words):
            steps.append(-abs(value))
        elif _ADDED.search(words):
            steps.append(value)
    return steps[:_MOST_ADJUSTMENTS]


def _leads(base: Decimal, target: Decimal, steps: Sequence[Decimal], tolerance: Decimal) -> bool:
    some = (chosen for count in range(len(steps) + 1) for chosen in combinations(steps, count))
    return any(abs(base + sum(chosen, Decimal(0)) - target) <= tolerance for chosen in some)


def _write_sum(parts: Sequence[Decimal]) -> str:
    first, *others = parts
    signed = "".join(f" {'−' if one < 0 else '+'} {values.plain(abs(one))}" for one in others)
    return f"{values.plain(first)}{signed} = {values.plain(sum(parts, Decimal(0)))}"


def _check_items(fields: Sequence[Field], stored: Mapping[str, str], changed: Set[str]) -> Iterator[Warn]:
    """Check that a table column adds up to the field that its schema names."""
    known = {one.name: one for one in fields}
    amounts = {one.name: Decimal(stored[one.name]) for one in fields if one.type == "amount" and one.name in stored}
    steps = _list_adjustments(amounts)
    for one in fields:
        if one.type != TABLE or one.name not in stored:
            continue
        rows = table_rows.read_rows(stored[one.name], len(one.table_columns))
        for place, column in enumerate(one.table_columns):
            is_asked = column.total in amounts and not changed.isdisjoint({one.name, column.total})
            added = arithmetic.sum_of(rows, place) if is_asked else None
            if added is not None and not _leads(added, amounts[column.total], steps, _CENT):
                said = Sentence("%(field)s: %(column)s adds up to %(sum)s, not %(total)s")
                total = f"{known[column.total].label} {values.plain(amounts[column.total])}"
                told = said.fill(field=one.label, column=column.label, sum=values.plain(added), total=total)
                yield Warn(one.name, told)


def _check_due(fields: Sequence[Field], stored: Mapping[str, str]) -> Iterator[Warn]:
    dates = {one.name: one for one in fields if one.type == "date" and one.name in stored}
    issued, due = (next((dates[one] for one in names if one in dates), None) for names in (_ISSUED, _DUE))
    if issued and due and stored[due.name] < stored[issued.name]:
        text = Sentence("%(due)s %(day)s is before %(issued)s %(other)s").fill(
            due=due.label, day=stored[due.name], issued=issued.label, other=stored[issued.name]
        )
        yield Warn(due.name, text, beside=issued.name)


def localise(field: Field, text: str, *, day_first: bool) -> str:
    """Convert a typed date, or a table's, by the document's order of day and month; other values stay."""
    if field.type == TABLE:
        return table_rows.localise_dates(field.table_columns, text, day_first=day_first)
    return (values.date(text, day_first=day_first) or text) if field.type == "date" else text


def describe_stored(field: Field, text: str, *, day_first: bool) -> str:
    """Describe what will be stored if it differs from what was typed: ``12.50`` for 12,5; 3 April 2025 for 03/04/2025.

    Empty also if it cannot be stored.
    """
    if not text:
        return ""
    if field.type == TABLE:
        return _describe_cells(field, text, day_first=day_first)
    typed = " ".join(text.split())
    if field.type == "text" and not field.allowed:
        return ""
    stored = results.to_allowed_form(field, localise(field, typed, day_first=day_first))
    if stored is None or stored == typed:
        return ""
    if field.type == "date":
        return name_day(stored)
    return stored


def _describe_cells(field: Field, text: str, *, day_first: bool) -> str:
    rows = table_rows.read_rows(text)
    local = table_rows.read_rows(localise(field, text, day_first=day_first))
    dates = [
        (number, "date", cell)
        for number, (before, after) in enumerate(zip(rows, local, strict=True), 1)
        for cell, was in zip(after, before, strict=False)
        if cell != was
    ]
    cells = table_rows.list_stored_cells(field.table_columns, table_rows.write_rows(local))
    stored = sorted([*dates, *cells], key=lambda one: one[0])
    told = [
        Phrase("%(value)s (row %(row)s)").fill(value=name_day(value) if kind == "date" else value, row=number)
        for number, kind, value in stored[:_MOST_CELLS]
    ]
    return join_phrases([*told, "…"] if len(stored) > _MOST_CELLS else told) if told else ""


def name_day(value: str) -> FullDay:
    """Write an ISO date unambiguously in words.

    >>> name_day("2025-04-03")
    '3 April 2025'
    """
    return write_full_day(dt.date.fromisoformat(value))

"""Consistency of a document's sender with the site's entities (suppliers and others), by IBAN, tax ID and name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from stdnum import iban as iban_numbers
from stdnum.eu import vat as vat_numbers

from config.errors import Refused
from config.phrase import Sentence
from projects.entities import queries
from projects.entities.items import EntityRow
from projects.entities.numbers import tidy_tax_id
from projects.entities.queries import IBAN, TAX_ID
from projects.sites import directory
from workflows.runs.items import Run
from workflows.stages import values
from workflows.stages.fields.vendors import likeness

_NAMES = ("company", "seller", "issuer", "supplier", "vendor")
# Fields that hold a tax ID of any country, and those whose number is not the sender's.
_TAX_FIELD = re.compile(
    r"(^|_)(vat|tax|ust|uid|abn|ein|gst)_?(id|idnr|number|no|nr|reg|registration)(_|$)|^(uid|abn|ein)$"
)
_RECIPIENT = re.compile(r"(^|_)(buyer|customer|recipient|client|bill_to)(_|$)")
_ALIKE = 60.0  # of 100: similarity from which names match; legal forms and places may be missing
_MOST = 6  # numbers checked for a document
_MOST_TYPES = 5  # in which its name is looked up


def find_entity_doubts(run: Run, result: Mapping[str, Any]) -> list[str]:
    """Return sentences for reviewers; none if no entities are known, or everything is consistent.

    One BatchGetItem for a document with such numbers, one more for their owners; without an owner, the name is looked
    up, with two calls for each type, three for an entity of before ADR 0074.
    """
    numbers = list(dict.fromkeys(_numbers(result["fields"])))[:_MOST]
    if not numbers or not directory.has_entities(run.site):
        return []
    known = queries.find_by_numbers(run.site, numbers)
    keys = {queries.entity_key(run.site, one.entityTypeId, one.documentId) for one in known.values()}
    entities = {one.entity_id: one for one in EntityRow.load_many(sorted(keys))}
    owners = {number: entities[row.documentId] for number, row in known.items() if row.documentId in entities}
    name = _name(result["fields"])
    named = _find_named(run.site, name) if name and not owners else None
    return _doubts(numbers, owners, name, named)


def describe_sender(fields: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the sender's data for the form of an entity; empty without a name."""
    name, numbers = _name(fields), list(_numbers(fields))
    if not name:
        return {}
    tax_id = next((number for kind, number in numbers if kind == TAX_ID), "")
    ibans = "\n".join(number for kind, number in numbers if kind == IBAN)
    return {"name": name, "tax_id": tax_id, "ibans": ibans}


def _find_named(site: str, name: str) -> EntityRow | None:
    """Return the entity with this name or other name in any case; None if there are several."""
    types = queries.list_types(site)[:_MOST_TYPES]
    found = [one for kind in types for one in queries.find_named(site, kind.type_id, name)]
    return found[0] if len(found) == 1 else None


def _doubts(
    numbers: Sequence[tuple[str, str]],
    owners: Mapping[tuple[str, str], EntityRow],
    name: str,
    named: EntityRow | None,
) -> list[str]:
    """Pure. ``named``: the entity with this name, if none of the numbers is known."""
    by_tax = next((one for (kind, _), one in owners.items() if kind == TAX_ID), named)
    sender = named or next(iter(owners.values()), None)
    found: list[str] = []
    for kind, number in numbers:
        owner = owners.get((kind, number))
        if kind == TAX_ID:
            found += _doubt_tax_id(number, owner, name, sender)
            continue
        if owner is None and by_tax is not None and by_tax.ibans:
            found.append(Sentence("IBAN %(number)s is not listed for %(name)s").fill(number=number, name=by_tax.name))
        elif owner is not None and by_tax is not None and owner.entity_id != by_tax.entity_id:
            found.append(
                Sentence("IBAN %(number)s belongs to %(name)s, the tax ID to %(other)s").fill(
                    number=number, name=owner.name, other=by_tax.name
                )
            )
        elif owner is not None and name and not _is_called(owner, name):
            found.append(
                Sentence("IBAN %(number)s belongs to %(name)s; the document names %(other)s").fill(
                    number=number, name=owner.name, other=name[:60]
                )
            )
    return found


def _doubt_tax_id(number: str, owner: EntityRow | None, name: str, sender: EntityRow | None) -> list[str]:
    listed = sender.tax_id if sender is not None else ""
    if owner is None and sender is not None and listed:
        if listed.endswith(number) or number.endswith(listed):  # one of them is without its country
            return []
        return [Sentence("Tax ID %(number)s is not listed for %(name)s").fill(number=number, name=sender.name)]
    if owner is not None and name and not _is_called(owner, name):
        words = Sentence("Tax ID %(number)s belongs to %(name)s; the document names %(other)s")
        return [words.fill(number=number, name=owner.name, other=name[:60])]
    return []


def _is_called(entity: EntityRow, name: str) -> bool:
    said = values.words(name)
    return any(likeness(said, values.words(one)) >= _ALIKE for one in (str(entity.name), *(entity.aliases or ())))


def _numbers(fields: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield valid IBANs and EU VAT IDs of any field, and what fields for tax IDs hold, whatever its country."""
    for one in fields:
        text, name = str(one.get("value") or ""), str(one["name"])
        if len(text) > 60:
            continue
        if iban_numbers.is_valid(text):
            yield IBAN, str(iban_numbers.compact(text))
        elif _RECIPIENT.search(name):
            continue
        elif vat_numbers.is_valid(text):
            yield TAX_ID, str(vat_numbers.compact(text))
        elif _TAX_FIELD.search(name) and any(map(str.isdigit, text)):
            with suppress(Refused):
                yield TAX_ID, tidy_tax_id(text)


def _name(fields: Sequence[Mapping[str, Any]]) -> str:
    found = {str(one["name"]): str(one.get("value") or "") for one in fields}
    return next((found[one] for one in _NAMES if found.get(one)), "")

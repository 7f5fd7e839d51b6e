"""Import of entities from CSV: each line is written separately, so that a repeated import continues."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext

from config.errors import Conflict, NotFound, Refused
from projects.audit.events import Actor
from projects.entities import actions, queries
from projects.entities.actions import EntityDraft, draft_of
from projects.entities.items import EntityRow
from projects.web.spreadsheets import read_csv

MOST_LINES = 2_000
_NAMES = {
    "name": "name", "company": "name", "tax_id": "tax_id", "tax id": "tax_id", "vat": "tax_id", "vat id": "tax_id",
    "iban": "ibans", "ibans": "ibans", "alias": "aliases", "aliases": "aliases", "other names": "aliases",
}  # fmt: skip
_SEVERAL = "|"  # between values of one cell
_TOLD = 50  # lines that were refused, which the report names


@dataclass
class ImportReport:
    """``refused``: the number of a line (1 is the head) and why.

    ``renamed``: number and name of a line whose number is that of an entity with another name, and that entity's name.
    """

    created: int = 0
    updated: int = 0
    same: int = 0
    refused: list[tuple[int, str]] = field(default_factory=list)
    renamed: list[tuple[int, str, str]] = field(default_factory=list)

    @property
    def told(self) -> list[tuple[int, str]]:
        return self.refused[:_TOLD]

    @property
    def names(self) -> list[tuple[int, str, str]]:
        return self.renamed[:_TOLD]


def import_entities(site: str, type_id: str, body: bytes, *, by: Actor) -> ImportReport:
    """Make what is new, and add to what is known by its tax ID, an IBAN, or a name regardless of case.

    Raises:
        NotFound: no such type.
        Refused: the file is no CSV with a column for names, or too large.

    """
    queries.get_type(site, type_id)
    report = ImportReport()
    columns, lines = _read_lines(body)
    for number, row in lines:
        try:
            _import_one(site, type_id, _draft(columns, row), report, by=by, line=number)
        except (Refused, Conflict) as error:
            report.refused.append((number, str(error)))
    return report


def _read_lines(body: bytes) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the columns, and the lines with their number. Raises: Refused."""
    rows = read_csv(body, most_lines=MOST_LINES)
    if not rows or "name" not in (columns := [_NAMES.get(one.strip().lower(), one.strip()) for one in rows[0]]):
        raise Refused(gettext("The first line must name the columns. One of them must be “name”."))
    twice = next((one for at, one in enumerate(columns) if one and one in columns[:at]), None)
    if twice is not None:
        raise Refused(gettext("There are two columns “%(name)s”. Remove or rename one.") % {"name": twice})
    return columns, [(number, row) for number, row in enumerate(rows[1:], start=2) if any(map(str.strip, row))]


def _draft(columns: Sequence[str], row: Sequence[str]) -> EntityDraft:
    """Raises: Refused if a comma without quotes has moved the cells."""
    if any(map(str.strip, row[len(columns) :])):
        raise Refused(gettext("This line has more cells than columns. Put text with separators in quotes."))
    cells = dict(zip(columns, row, strict=False))

    def several(name: str) -> list[str]:
        return [one for one in cells.get(name, "").split(_SEVERAL) if one.strip()]

    own = {"name", "tax_id", "ibans", "aliases", ""}
    return EntityDraft(
        cells.get("name", ""),
        cells.get("tax_id", ""),
        several("ibans"),
        several("aliases"),
        {key: value for key, value in cells.items() if key not in own},
    )


def _import_one(site: str, type_id: str, draft: EntityDraft, report: ImportReport, *, by: Actor, line: int) -> None:
    """Raises: Refused, Conflict."""
    draft = draft.tidy()
    known = _find_known(site, type_id, draft)
    if known is None:
        actions.create_entity(site, type_id, draft, by=by)
        report.created += 1
        return
    before = draft_of(known)
    if draft.tax_id and before.tax_id and draft.tax_id != before.tax_id:
        raise Refused(
            gettext("%(name)s is listed with the tax ID %(number)s. Change it on its page, or use another name.")
            % {"name": before.name, "number": before.tax_id}
        )
    names = dict.fromkeys([*before.aliases, draft.name, *draft.aliases])
    merged = EntityDraft(
        before.name,
        draft.tax_id or before.tax_id,
        list(dict.fromkeys([*before.ibans, *draft.ibans])),
        [one for one in names if one != before.name],
        {**before.attributes, **draft.attributes},
    ).tidy()
    if merged == before:
        report.same += 1
        return
    actions.update_entity(site, type_id, known.entity_id, merged, version=int(known.version), by=by)
    report.updated += 1
    if len(merged.called) > len(before.called) and draft.called[0] not in before.called:
        report.renamed.append((line, draft.name, before.name))


def _find_known(site: str, type_id: str, draft: EntityDraft) -> EntityRow | None:
    for row in queries.find_by_numbers(site, draft.numbers).values():
        if row.entityTypeId == type_id:
            try:
                return queries.get_entity(site, type_id, row.documentId)
            except NotFound:  # deleted meanwhile
                continue
    same = queries.find_named(site, type_id, draft.name)
    return same[0] if same and (len(same) == 1 or same[0].name == draft.name) else None

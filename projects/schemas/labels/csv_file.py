"""Export and import of a language's labels as CSV, for translators."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext

from config.errors import NotFound, Refused
from projects.audit.events import Actor
from projects.schemas.labels import actions, queries
from projects.schemas.labels.actions import LabelChange, tidy_label
from projects.schemas.labels.keys import read_item_key
from projects.schemas.labels.originals import check_is_known
from projects.schemas.labels.sheet import list_all
from projects.web.spreadsheets import csv_line, read_csv

MOST_LINES = 10_000
COLUMNS = ("item_key", "original", "translation")
_BOM = "\ufeff"  # by which spreadsheets know UTF-8
_TOLD = 50  # lines that were refused, which the report names


@dataclass
class ImportReport:
    """``refused``: the number of a line (1 is the head) and why."""

    saved: int = 0
    same: int = 0
    refused: list[tuple[int, str]] = field(default_factory=list)

    @property
    def told(self) -> list[tuple[int, str]]:
        return self.refused[:_TOLD]


def write_lines(site: str, tag: str) -> Iterator[str]:
    """Everything that can have a label, with an empty translation where there is none."""
    labels = queries.read_labels(site, tag)
    yield _BOM + csv_line(*COLUMNS)
    for one in list_all(site, labels):
        yield csv_line(one.id, one.text, labels[one.key].text if one.key in labels else "")


def import_labels(site: str, tag: str, body: bytes, *, by: Actor) -> ImportReport:
    """Save each line that has a translation; an empty one changes nothing. The same file again changes nothing.

    Raises:
        NotFound: the site does not have the language.
        Refused: the file is no CSV with these columns, or too large.

    """
    queries.get_locale(site, tag)
    report = ImportReport()
    stored = queries.read_labels(site, tag)
    known = {one.key for one in list_all(site, stored)}
    changes: dict[object, LabelChange] = {}
    for number, name, text in _read_lines(body):
        try:
            key, label = read_item_key(name), tidy_label(text)
            if key not in known:
                check_is_known(site, key)
        except (NotFound, Refused) as error:
            report.refused.append((number, f"“{name[:60]}”: {error}"))
            continue
        if label:
            changes[key] = LabelChange(key, label)
    report.saved = actions.save_labels(site, tag, list(changes.values()), by=by)
    report.same = len(changes) - report.saved
    return report


def _read_lines(body: bytes) -> Iterator[tuple[int, str, str]]:
    """Number of the line, key and translation. Raises: Refused."""
    rows = read_csv(body, most_lines=MOST_LINES)
    columns = [one.strip().lower() for one in rows[0]] if rows else []
    if not {"item_key", "translation"} <= set(columns):
        raise Refused(
            gettext("The first line must name the columns item_key and translation. Export the file to see them.")
        )
    for number, row in enumerate(rows[1:], start=2):
        cells = dict(zip(columns, row, strict=False))
        if cells.get("item_key", "").strip():
            yield number, _strip_apostrophe(cells["item_key"].strip()), _strip_apostrophe(cells.get("translation", ""))


def _strip_apostrophe(cell: str) -> str:
    """Remove the apostrophe with which ``csv_line`` prevents formulas."""
    bare = cell.removeprefix("'")
    return bare if csv_line(bare).strip().strip('"').startswith("'") and cell != bare else cell

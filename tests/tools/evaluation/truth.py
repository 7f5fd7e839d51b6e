"""What is known of the documents of a folder: one JSON object a line, ``{"file", "kind", "fields": {name: text}}``.

With ``items``: rows of description, quantity, unit price and amount.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.errors import Refused

NAME = "ground_truth.jsonl"
# Other data sets' names for what the default fields are.
_ALSO = {
    "seller": "company", "issuer": "company", "issue_date": "date", "grand_total": "total", "amount": "total",
}  # fmt: skip


@dataclass(frozen=True)
class Entry:
    path: Path
    kind: str
    fields: Mapping[str, str]
    items: tuple[tuple[str, ...], ...] | None = None  # its line items where they are known
    group: str = ""  # papers of one seller or layout, where the truth says so


def entries(folder: Path, file: Path | None = None) -> list[Entry]:
    """The documents below ``folder`` of which the truth file tells something, in the order of their names.

    Raises:
        Refused: no truth file, none of its documents is there, or it cannot be read.

    """
    truth = file or next((at / NAME for at in (folder, folder.parent) if (at / NAME).is_file()), None)
    if truth is None or not truth.is_file():
        raise Refused(f"There is no {NAME} in {folder} or above it. Name the file with --truth.")
    try:
        told = [json.loads(line) for line in truth.read_text(encoding="utf-8").splitlines() if line.strip()]
        found = [one for entry in told if (one := _entry(entry, folder, truth.parent))]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Refused(f"{truth} is not one JSON object a line, each with file and fields.") from error
    if not found:
        raise Refused(f"{truth} tells nothing of a document in {folder}.")
    return sorted(found, key=lambda one: str(one.path))


def _entry(told: Mapping[str, Any], folder: Path, beside: Path) -> Entry | None:
    """None: the document lies elsewhere, or nothing is told of it. Names are beside the truth, else in the folder."""
    path = next((at for at in (beside / told["file"], folder / told["file"]) if at.is_file()), None)
    fields = {_ALSO.get(name, name): text for name, text in (told.get("fields") or {}).items() if isinstance(text, str)}
    if path is None or not fields or folder.resolve() not in path.resolve().parents:
        return None
    items = tuple(tuple(map(str, row)) for row in told["items"]) if "items" in told else None
    return Entry(path, str(told.get("kind") or ""), fields, items, str(told.get("group") or ""))

"""The values after the review: the machine's result with people's corrections."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from config.errors import NotFound
from workflows.stages import artifacts
from workflows.stages.base import StageContext
from workflows.stages.document_types import of_result
from workflows.storage import files


@dataclass(frozen=True)
class Values:
    """``fields``: as in the result, with the final values. ``type_id``: its classification, if any."""

    document_type: str
    fields: tuple[Mapping[str, Any], ...]
    type_id: str = ""

    def first_of(self, *names: str) -> str:
        """Return the first of these fields that has a value."""
        found = {one["name"]: str(one["value"]) for one in self.fields if one.get("value")}
        return next((found[name] for name in names if name in found), "")


def values(context: StageContext) -> Values:
    """Empty if the analysis left no result."""
    try:
        result = artifacts.read_json(context.artifacts, files.result(context.workflow_id))
    except NotFound:
        return Values("other", ())
    corrected = artifacts.read_json(context.artifacts, context.decision)["corrections"] if context.decision else {}
    result = of_result.apply_type_choice(result, corrected.get(of_result.KEY))
    fields = ({**one, "value": corrected.get(one["name"], one.get("value"))} for one in result["fields"])
    type_id = str((result.get("classification") or {}).get("id") or "")
    return Values(str(result["document_type"]), tuple(fields), type_id)


def sentence(found: Values) -> str:
    """Summarize the fields in one sentence; empty if they say next to nothing.

    >>> sentence(Values("receipt", ({"name": "company", "value": "ACME Ltd"}, {"name": "total", "value": "4.00"})))
    'Receipt of ACME Ltd, total 4.00.'
    """
    issuer, date = found.first_of("company", "seller", "issuer"), found.first_of("date", "issue_date", "invoice_date")
    number, total = found.first_of("invoice_number", "number"), found.first_of("total", "grand_total", "amount")
    parts = [
        date,
        f"number {number}" if number else "",
        f"total {total} {found.first_of('currency')}".strip() if total else "",
    ]
    told = [part for part in parts if part]
    if not issuer or not told:
        return ""
    kind = found.document_type.capitalize() if found.document_type != "other" else "Document"
    return f"{kind} of {issuer}, {', '.join(told)}."

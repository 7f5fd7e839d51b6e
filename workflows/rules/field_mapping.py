"""Which published fields become which attributes of the document; pure, pinned by each run."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from projects.settings.columns import TABLE


@dataclass(frozen=True)
class FieldMapping:
    """One mapping: pairs of a field's name and an attribute's key. ``project_id`` empty: of every project."""

    id: str
    name: str
    pairs: tuple[tuple[str, str], ...]
    project_id: str = ""


@dataclass(frozen=True)
class MappedAttribute:
    """An attribute to set. ``mapping``: the name of the one that says so."""

    key: str
    value: str
    mapping: str


def map_output(mappings: Iterable[FieldMapping], output: Mapping[str, Any], project_id: str) -> list[MappedAttribute]:
    """What a published result sets, in the order of the mappings; a field without a value sets nothing.

    ``output`` holds what was approved where a person corrected it. Of two that set one attribute the first counts.
    """
    single = (field for field in output["fields"] if field.get("value") and field.get("type") != TABLE)
    values = {field["name"]: str(field["value"]) for field in single}
    found: dict[str, MappedAttribute] = {}
    for mapping in mappings:
        if mapping.project_id in ("", project_id):
            for field, key in mapping.pairs:
                if field in values:
                    found.setdefault(key, MappedAttribute(key, values[field], mapping.name))
    return list(found.values())


def read_mapping(data: Mapping[str, Any]) -> FieldMapping:
    pairs = tuple((str(field), str(key)) for field, key in data["pairs"])
    return FieldMapping(data["id"], data["name"], pairs, data.get("project_id", ""))

"""Mappings from published fields to document attributes, pinned by each run. Pure functions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from projects.settings.columns import TABLE


@dataclass(frozen=True)
class FieldMapping:
    """One mapping: pairs of field name and attribute key. ``project_id`` empty: for every project."""

    id: str
    name: str
    pairs: tuple[tuple[str, str], ...]
    project_id: str = ""


@dataclass(frozen=True)
class MappedAttribute:
    """An attribute to set. ``mapping``: the name of the mapping that sets it."""

    key: str
    value: str
    mapping: str


def map_output(mappings: Iterable[FieldMapping], output: Mapping[str, Any], project_id: str) -> list[MappedAttribute]:
    """List the attributes that a published result sets, by order of mappings; fields without a value set nothing.

    ``output`` includes a person's corrections. If two mappings set one attribute, the first wins.
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

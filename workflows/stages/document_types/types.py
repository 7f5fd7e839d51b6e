"""The document types that a run pinned, and the ranking of them for a document."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from workflows.stages.field_spec import FieldSpec, with_threshold

OWN = ""  # the id of no type: the project's own fields apply


@dataclass(frozen=True)
class TypeSpec:
    """A classification of the site with its fields, under the project's thresholds."""

    id: str
    name: str
    version: int
    fields: tuple[FieldSpec, ...]

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> "TypeSpec":
        """Raises: KeyError."""
        fields = tuple(FieldSpec.from_stored(one) for one in stored["fields"])
        return cls(str(stored["id"]), str(stored["name"]), int(stored["version"]), fields)

    @property
    def head(self) -> dict[str, Any]:
        return {"id": self.id, "name": self.name, "version": self.version}


@dataclass(frozen=True)
class RatedType:
    """How likely a type is, 0–1; all types and none of them add up to 1."""

    id: str
    confidence: float


@dataclass(frozen=True)
class TypeRanking:
    """``candidates``: every type of the run, likeliest first. ``source``: rules, or the model."""

    candidates: tuple[RatedType, ...]
    source: str = "rules"
    none: float = 0.0  # probability of no type, 0–1

    @property
    def best(self) -> RatedType | None:
        """Return None if no type is likelier than none."""
        first = self.candidates[0] if self.candidates else None
        return first if first and first.confidence > self.none else None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> "TypeRanking":
        rated = tuple(RatedType(str(one["id"]), float(one["confidence"])) for one in stored["candidates"])
        return cls(rated, str(stored["source"]), float(stored["none"]))


@dataclass(frozen=True)
class PinnedTypes:
    """Empty if the project determines its documents' type."""

    types: tuple[TypeSpec, ...] = ()
    by_id: Mapping[str, TypeSpec] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_id", {one.id: one for one in self.types})

    def with_threshold(self, before: float, after: float) -> "PinnedTypes":
        return PinnedTypes(tuple(replace(one, fields=with_threshold(one.fields, before, after)) for one in self.types))


def book_of(stored: Sequence[Mapping[str, Any]]) -> PinnedTypes:
    return PinnedTypes(tuple(TypeSpec.from_stored(one) for one in stored))

"""Learned extractors: hashed features and their weights, by document type and field.

Pinned by a run and passed to its analysis; without one, only rules apply.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

SOURCE = "extractor"  # the source of a value that only the extractor found


@dataclass(frozen=True)
class LearnedField:
    """``buckets``: sorted hashes of features, with their ``weights``; other features weigh nothing.

    ``slope`` and ``shift``: from the logit of a value's share to that of its confidence.
    """

    buckets: NDArray[np.int64]
    weights: NDArray[np.float64]
    slope: float = 1.0
    shift: float = 0.0

    def weigh(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the sum of weights by row of features."""
        if not len(self.buckets) or not ids.size:
            return np.zeros(len(ids))
        single, where = np.unique(ids, return_inverse=True)
        place = np.minimum(np.searchsorted(self.buckets, single), len(self.buckets) - 1)
        found = np.where(self.buckets[place] == single, self.weights[place], 0.0)
        total: NDArray[np.float64] = found[where.reshape(ids.shape)].sum(axis=1)
        return total


@dataclass(frozen=True)
class Extractor:
    """``version`` 0: nothing was learned. ``types``: document type id, empty for none → field → weights.

    ``seen``: fingerprints of the documents that it was fitted to.
    """

    version: int = 0
    types: Mapping[str, Mapping[str, LearnedField]] = field(default_factory=dict)
    seen: tuple[str, ...] = ()


UNLEARNED = Extractor()


def extractor_from(content: Mapping[str, Any], version: int) -> Extractor:
    """Raises: KeyError, TypeError, ValueError if it is invalid."""
    types = {
        str(type_id): {str(name): _field_from(one) for name, one in fields.items()}
        for type_id, fields in content["types"].items()
    }
    return Extractor(version, types, tuple(map(str, content.get("seen", ()))))


def _field_from(stored: Mapping[str, Any]) -> LearnedField:
    buckets = np.array(stored["buckets"], dtype=np.int64)
    weights = np.array(stored["weights"], dtype=np.float64)
    if buckets.shape != weights.shape or np.any(np.diff(buckets) <= 0) or not np.all(np.isfinite(weights)):
        raise ValueError("Features and weights of an extractor do not belong together.")
    return LearnedField(buckets, weights, float(stored["slope"]), float(stored["shift"]))


def to_content(learned: Extractor) -> dict[str, Any]:
    """JSON-able, without the version, so that equal training gives equal content."""
    return {
        "types": {
            type_id: {name: _describe_field(one) for name, one in fields.items()}
            for type_id, fields in learned.types.items()
        },
        "seen": list(learned.seen),
    }


def _describe_field(one: LearnedField) -> dict[str, Any]:
    return {
        "buckets": one.buckets.tolist(),
        "weights": [round(float(weight), 3) for weight in one.weights],
        "slope": round(one.slope, 4),
        "shift": round(one.shift, 4),
    }

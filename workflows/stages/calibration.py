"""Calibrations: evidence weights by field, and confirmed sellers, as learned from a project's reviews.

Pinned by a run and passed to its stages; without one, a hand-tuned prior applies.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Vendor:
    """A seller that people confirmed, as spelled on its documents; ``addresses``: latest confirmed first."""

    company: str
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Calibration:
    """``version`` 0 is the prior. ``weights``: field → feature → weight of its logistic, including ``bias``.

    ``limits``: permitted share of errors among unreviewed values ("0.01") → the confidence that keeps it. ``seen``:
    fingerprints of the documents that it was fitted to.
    """

    version: int = 0
    weights: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    vendors: tuple[Vendor, ...] = ()
    limits: Mapping[str, float] = field(default_factory=dict)
    seen: tuple[str, ...] = ()

    def limit(self, name: str, most_wrong: float) -> float | None:
        """Return the confidence that a value of the field needs; None until reviews tell one."""
        return self.limits.get(limit_key(most_wrong)) if name in self.weights else None


UNCALIBRATED = Calibration()


def limit_key(most_wrong: float) -> str:
    return f"{most_wrong:g}"


def calibration_from(content: Mapping[str, Any], version: int) -> Calibration:
    """Parse a calibration; ``limits`` and ``seen`` are optional. Raises: KeyError, TypeError, ValueError if invalid."""
    return Calibration(
        version,
        {name: {feature: float(one) for feature, one in of.items()} for name, of in content["weights"].items()},
        vendors_from(content["vendors"]),
        {share: float(limit) for share, limit in content.get("limits", {}).items()},
        tuple(map(str, content.get("seen", ()))),
    )


def vendors_from(stored: Sequence[Mapping[str, Any]]) -> tuple[Vendor, ...]:
    return tuple(Vendor(str(one["company"]), tuple(map(str, one["addresses"]))) for one in stored)


def plain(calibration: Calibration) -> dict[str, Any]:
    """JSON-able, without the version, so that equal lessons are equal content."""
    return {
        "weights": {name: dict(of) for name, of in calibration.weights.items()},
        "vendors": [asdict(vendor) for vendor in calibration.vendors],
        "limits": dict(calibration.limits),
        "seen": list(calibration.seen),
    }

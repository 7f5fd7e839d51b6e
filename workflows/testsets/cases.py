"""Cases of a test set and their known answers, as values. Pure functions.

The list of cases has ids only. Known answers are personal data and stored among the document's own objects.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from django.utils.translation import gettext

from config.errors import Refused
from workflows.stages import results

TUNING, HELD_BACK = HALVES = ("tuning", "held_back")
MOST_CASES = 2_000
_SELLER = "company"  # the field with the seller, as in calibrations


@dataclass(frozen=True)
class KnownField:
    """``value`` in its stored form; None: the document does not have it."""

    name: str
    label: str
    type: str
    value: str | None


@dataclass(frozen=True)
class KnownAnswers:
    """Fields that are not listed are not scored."""

    fields: tuple[KnownField, ...]

    def get(self, name: str) -> KnownField | None:
        return next((one for one in self.fields if one.name == name), None)

    def to_bytes(self) -> bytes:
        return _to_bytes({"version": 1, "fields": [asdict(one) for one in self.fields]})


@dataclass(frozen=True)
class Case:
    """``sha256`` of the known answers, and the number of ``fields``."""

    document_id: str
    sha256: str
    half: str
    fields: int


def answers_from(body: bytes) -> KnownAnswers:
    return KnownAnswers(tuple(KnownField(**one) for one in json.loads(body)["fields"]))


def cases_to_bytes(cases: Iterable[Case]) -> bytes:
    return _to_bytes({"version": 1, "cases": [asdict(one) for one in cases]})


def cases_from(body: bytes) -> tuple[Case, ...]:
    return tuple(Case(**one) for one in json.loads(body)["cases"])


def choose_half(document_id: str, answers: KnownAnswers) -> str:
    """Choose by seller if known, so that a prompt is not tuned and measured on the same seller's documents.

    >>> one = KnownAnswers((KnownField("company", "Company", "text", "Alder & Quill Ltd"),))
    >>> choose_half("a", one) == choose_half("b", one)
    True
    >>> {choose_half(str(number), KnownAnswers(())) for number in range(9)} == {TUNING, HELD_BACK}
    True
    """
    company = answers.get(_SELLER)
    seller = results.normalise_value("text", company.value) if company else ""
    key = f"seller {seller}" if seller else f"document {document_id}"
    return HALVES[hashlib.sha256(key.encode()).digest()[0] & 1]


def merge_cases(known: Sequence[Case], new: Iterable[Case]) -> tuple[Case, ...]:
    """Replace a document's answers by newer ones; it stays in its half.

    >>> before = (Case("a", "00", TUNING, 1), Case("b", "01", HELD_BACK, 1))
    >>> [(one.document_id, one.sha256, one.half) for one in merge_cases(before, [Case("a", "02", HELD_BACK, 2)])]
    [('a', '02', 'tuning'), ('b', '01', 'held_back')]

    Raises:
        Refused: there are too many.

    """
    merged = {one.document_id: one for one in known}
    for one in new:
        before = merged.get(one.document_id)
        merged[one.document_id] = Case(one.document_id, one.sha256, before.half if before else one.half, one.fields)
    if len(merged) > MOST_CASES:
        raise Refused(
            gettext("A test set has at most %(most_cases)s documents. Add fewer, or start another set.")
            % {"most_cases": f"{MOST_CASES:,}"}
        )
    return tuple(merged.values())


def count_halves(cases: Iterable[Case]) -> Mapping[str, int]:
    counts = dict.fromkeys(HALVES, 0)
    for one in cases:
        counts[one.half] += 1
    return counts


def _to_bytes(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()

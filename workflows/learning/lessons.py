"""What reviews teach: observations for the weights, confirmed sellers, and how reliable the outcome would be; pure."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

from workflows.learning import fitting, reliability
from workflows.learning.fitting import FEWEST, FEWEST_OF_FOLDS, Observation
from workflows.learning.reliability import Judgement
from workflows.stages import results, values
from workflows.stages.calibration import UNCALIBRATED, Calibration, Vendor
from workflows.stages.fields import confidence, vendors
from workflows.stages.fields.confidence import VENDOR

MOST_VENDORS, MOST_ADDRESSES = 500, 5  # of a project; of a vendor
FOLDS = 5
_AUC_NOISE = 0.01  # what one wrong value in fifty, ranked otherwise, makes of it


@dataclass(frozen=True)
class ReviewedField:
    """``value``: the machine's, with its ``evidence``; ``truth``: the person's. None: the document does not have it."""

    name: str
    type: str
    value: str | None
    truth: str | None
    evidence: Mapping[str, float]

    def is_right(self, value: str | None) -> bool:
        return results.normalise_value(self.type, value) == results.normalise_value(self.type, self.truth)


@dataclass(frozen=True)
class ReviewedDocument:
    id: str
    fields: tuple[ReviewedField, ...]

    def truth(self, name: str) -> str:
        return next((one.truth or "" for one in self.fields if one.name == name), "")

    @property
    def seller(self) -> str:
        """Papers of one seller look alike; empty if no one knows him."""
        return values.words(self.truth("company"))

    @property
    def fingerprint(self) -> str:
        """The same wherever the paper is read: of who, when and how much, else of its id."""
        facts = [
            results.normalise_value(one.type, one.truth)
            for name in ("company", "date", "total")
            for one in self.fields
            if one.name == name
        ]
        text = "|".join(facts) if sum(map(bool, facts)) > 1 else self.id
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def learn_calibration(reviewed: Sequence[ReviewedDocument]) -> Calibration:
    """``reviewed``: the last decided first. The same reviews teach the same."""
    return replace(learn_weights(reviewed), limits=reliability.find_limits(cross_judged(reviewed)))


def learn_weights(reviewed: Sequence[ReviewedDocument]) -> Calibration:
    """The same without limits, which take several times as long."""
    return Calibration(
        weights=fitting.fit_weights(collect_observations(reviewed)),
        vendors=confirm_vendors(reviewed),
        seen=tuple(sorted({one.fingerprint for one in reviewed})),
    )


def confirm_vendors(reviewed: Iterable[ReviewedDocument]) -> tuple[Vendor, ...]:
    """Sellers in the order of their last document; without a company the addresses stand alone."""
    found: dict[str, list[str]] = {}
    for document in reviewed:
        company, address = document.truth("company"), document.truth("address")
        if not company and not address:
            continue
        if company not in found and len(found) == MOST_VENDORS:
            continue
        known = found.setdefault(company, [])
        if address and address not in known and len(known) < MOST_ADDRESSES:
            known.append(address)
    return tuple(Vendor(company, tuple(addresses)) for company, addresses in found.items())


def collect_observations(reviewed: Sequence[ReviewedDocument]) -> list[Observation]:
    """Every value that a person judged, as it would be read with what the other documents confirmed."""
    found: list[Observation] = []
    for name in sorted({one.name for document in reviewed for one in document.fields}):
        elsewhere = _OtherDocuments(name, reviewed)
        for document in reviewed:
            for one in document.fields:
                if one.name == name and one.value is not None:
                    found.append(_make_observation(document, one, elsewhere))
    return found


class _OtherDocuments:
    """What is confirmed of a field by other documents than the one that is looked at."""

    def __init__(self, name: str, reviewed: Sequence[ReviewedDocument]) -> None:
        self._memory = vendors.vendor_memory(name, confirm_vendors(reviewed))
        self._in: dict[str, set[str]] = {}
        for document in reviewed:
            self._in.setdefault(document.truth(name), set()).add(document.id)

    def find_closest(self, value: str, document: str) -> str | None:
        hit = self._memory.closest(value, unless=lambda known: self._in.get(known, set()) <= {document})
        return hit[0] if hit else None


def _make_observation(document: ReviewedDocument, one: ReviewedField, elsewhere: _OtherDocuments) -> Observation:
    value = one.value or ""
    known = None if VENDOR in one.evidence else elsewhere.find_closest(value, document.id)
    if known is None:
        return Observation(document.id, one.name, one.evidence, one.is_right(value), document.seller)
    return Observation(document.id, one.name, {**one.evidence, VENDOR: 1.0}, one.is_right(known), document.seller)


def cross_judged(reviewed: Sequence[ReviewedDocument]) -> list[Judgement]:
    """Each document judged by what the others teach: no value has a say in its own confidence."""
    spreads = fitting.choose_spreads(collect_observations(reviewed))
    found: list[Judgement] = []
    for fold in range(FOLDS):
        inside = [one for one in reviewed if fold_of(one.id) == fold]
        others = collect_observations([one for one in reviewed if fold_of(one.id) != fold])
        weights = fitting.fit_weights(others, FEWEST_OF_FOLDS, spreads)
        # Of sellers every other document tells, as it will for the next one that comes.
        ids = {one.id for one in inside}
        found += [judge_observation(one, weights) for one in collect_observations(reviewed) if one.document in ids]
    return found


def prior_judged(reviewed: Sequence[ReviewedDocument]) -> list[Judgement]:
    """As without any calibration, sellers unknown."""
    return [judge_observation(one, {}) for one in _bare_observations(reviewed)]


@dataclass(frozen=True)
class Comparison:
    """What was fitted beside what is in force, on values of sellers that the fit did not see.

    ``loss``: the mean surprise at the truth; ``auc``: None if nothing, or everything, is wrong.
    """

    sellers: int
    loss: float
    present_loss: float
    auc: float | None
    present_auc: float | None

    @property
    def is_better(self) -> bool:
        ranks = self.auc is None or self.present_auc is None or self.auc >= self.present_auc - _AUC_NOISE
        return ranks and self.loss < self.present_loss


def compare_on_other_sellers(reviewed: Sequence[ReviewedDocument], present: Calibration) -> Comparison:
    """``present`` counts only on papers that it has not seen; if those are too few, the prior stands in its place."""
    unseen = [one for one in reviewed if one.fingerprint not in present.seen]
    if sum(len(one.fields) for one in unseen) < FEWEST:
        unseen, present = list(reviewed), UNCALIBRATED
    spreads = fitting.choose_spreads(collect_observations(reviewed))
    fitted: list[Judgement] = []
    now: list[Judgement] = []
    for fold in range(fitting.FOLDS):
        others = collect_observations([one for one in reviewed if _seller_fold(one) != fold])
        weights = fitting.fit_weights(others, FEWEST_OF_FOLDS, spreads)
        for one in _bare_observations([one for one in unseen if _seller_fold(one) == fold]):
            fitted.append(judge_observation(one, weights))
            now.append(judge_observation(one, present.weights))
    return Comparison(
        len({one.seller or one.id for one in reviewed}),
        reliability.mean_loss(fitted),
        reliability.mean_loss(now),
        reliability.area_under_curve(fitted),
        reliability.area_under_curve(now),
    )


def _seller_fold(document: ReviewedDocument) -> int:
    return fitting.fold_of_seller(Observation(document.id, "", {}, right=True, seller=document.seller))


def _bare_observations(reviewed: Iterable[ReviewedDocument]) -> list[Observation]:
    return [
        Observation(document.id, one.name, _bare(one), one.is_right(one.value), document.seller)
        for document in reviewed
        for one in document.fields
        if one.value is not None
    ]


def _bare(field: ReviewedField) -> dict[str, float]:
    return {name: value for name, value in field.evidence.items() if name != VENDOR}


def judge_observation(one: Observation, weights: Mapping[str, Mapping[str, float]]) -> Judgement:
    of = weights.get(one.field) or confidence.prior_weights(one.field)
    return Judgement(one.document, one.field, confidence.share(of, one.evidence), one.right)


def fold_of(document: str) -> int:
    return shuffle_key(document) % FOLDS


def shuffle_key(document: str) -> int:
    """By the id alone, so that a document is always in the same part, wherever it stands among others."""
    return crc32(document.encode())

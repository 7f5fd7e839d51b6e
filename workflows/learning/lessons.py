"""Training data from reviews: observations for the weights, confirmed sellers, and cross-validated reliability.

Pure.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

from workflows.learning import fitting, reliability
from workflows.learning.fitting import FEWEST, FEWEST_OF_FOLDS, Observation
from workflows.learning.reliability import Judgement
from workflows.stages import results, values
from workflows.stages.calibration import UNCALIBRATED, Calibration, Vendor
from workflows.stages.fields import confidence, vendors
from workflows.stages.fields.confidence import VENDOR

MOST_VENDORS, MOST_ADDRESSES = 500, 5  # vendors of a project; addresses of a vendor
FOLDS = 5


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
        """A key of the seller, whose documents look alike; empty if unknown."""
        return values.words(self.truth("company"))

    @property
    def fingerprint(self) -> str:
        """Equal for duplicates of a document: seller, date and amount, else its id."""
        facts = [
            results.normalise_value(one.type, one.truth)
            for name in ("company", "date", "total")
            for one in self.fields
            if one.name == name
        ]
        text = "|".join(facts) if sum(map(bool, facts)) > 1 else self.id
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Lesson:
    """What reviews teach, and how it judges held-out values.

    ``judged``: each document by the others. ``elsewhere``: each by those of other sellers, so that its seller is
    unknown.
    """

    calibration: Calibration
    judged: Sequence[Judgement]
    elsewhere: Sequence[Judgement]


def learn_calibration(reviewed: Sequence[ReviewedDocument]) -> Lesson:
    """``reviewed``: the latest decided first. Deterministic.

    A confidence counts if it significantly keeps the limit among documents like those reviewed, and keeps it among
    unknown sellers, who are fewer: on 254 receipts, no confidence kept 1 % when the interval was required of these too.
    """
    spreads = fitting.choose_spreads(list_unaided(reviewed))
    judged, elsewhere = cross_judged(reviewed, spreads), judge_elsewhere(reviewed, spreads)
    inside, outside = reliability.find_limits(judged), reliability.find_limits(elsewhere, sure=False)
    limits = {share: max(limit, outside[share]) for share, limit in inside.items() if share in outside}
    return Lesson(replace(learn_weights(reviewed, spreads), limits=limits), judged, elsewhere)


def learn_weights(reviewed: Sequence[ReviewedDocument], spreads: Mapping[str, float] | None = None) -> Calibration:
    """Learn without limits, which take several times as long."""
    return Calibration(
        weights=_fit(reviewed, fitting.FEWEST, spreads),
        vendors=confirm_vendors(reviewed),
        seen=tuple(sorted({one.fingerprint for one in reviewed})),
    )


def _fit(
    reviewed: Sequence[ReviewedDocument], fewest: int, spreads: Mapping[str, float] | None
) -> dict[str, dict[str, float]]:
    """Fit weights to values as they were read, then the weight of a known seller.

    Fitted together, a name that memory had corrected counted as read correctly however badly it was read, and the AUC
    of unseen sellers' names fell below the prior's.
    """
    weights = fitting.fit_weights(list_unaided(reviewed), fewest, spreads)
    return fitting.fit_memory(weights, collect_observations(reviewed))


def confirm_vendors(reviewed: Iterable[ReviewedDocument]) -> tuple[Vendor, ...]:
    """List sellers by their latest document; without a company, the addresses stand alone."""
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


def collect_observations(
    reviewed: Sequence[ReviewedDocument], memory: Sequence[ReviewedDocument] | None = None
) -> list[Observation]:
    """List every reviewed value, as it would be extracted with what other documents confirmed.

    ``memory``: the documents from which sellers are known; all ``reviewed`` by default.
    """
    elsewhere = _OtherDocuments(reviewed if memory is None else memory)
    return [
        _make_observation(document, one, elsewhere)
        for document in reviewed
        for one in document.fields
        if one.value is not None
    ]


class _OtherDocuments:
    """The sellers that documents other than the current one confirm."""

    def __init__(self, reviewed: Sequence[ReviewedDocument]) -> None:
        self._sellers = vendors.Sellers(confirm_vendors(reviewed))
        self._in: dict[tuple[str, str], set[str]] = {}
        for document in reviewed:
            for name in vendors.REMEMBERED:
                self._in.setdefault((name, document.truth(name)), set()).add(document.id)

    def recognise(self, document: ReviewedDocument, one: ReviewedField) -> str | None:
        """Return the known value of the field, or None."""
        if one.name not in vendors.REMEMBERED or one.value is None:
            return None
        other = vendors.REMEMBERED[one.name]
        read = [field.value for field in document.fields if field.name == other and field.value]
        beside = self._sellers.list_readings(other, read, lambda known: self._is_elsewhere(other, known, document.id))
        return self._sellers.recognise(
            one.name, one.value, beside, lambda known: self._is_elsewhere(one.name, known, document.id)
        )

    def _is_elsewhere(self, name: str, known: str, document: str) -> bool:
        return not self._in.get((name, known), set()) <= {document}


def _make_observation(document: ReviewedDocument, one: ReviewedField, elsewhere: _OtherDocuments) -> Observation:
    known = None if VENDOR in one.evidence else elsewhere.recognise(document, one)
    if known is None:
        return Observation(document.id, one.name, one.evidence, one.is_right(one.value), document.seller)
    return Observation(document.id, one.name, {**one.evidence, VENDOR: 1.0}, one.is_right(known), document.seller)


def cross_judged(reviewed: Sequence[ReviewedDocument], spreads: Mapping[str, float] | None = None) -> list[Judgement]:
    """Judge each document by weights fitted to the others, so that no value affects its own confidence."""
    return _judge_folds(reviewed, lambda one: fold_of(one.id), spreads, reviewed)


def judge_elsewhere(
    reviewed: Sequence[ReviewedDocument], spreads: Mapping[str, float] | None = None
) -> list[Judgement]:
    """Judge each document by weights fitted to other sellers, like the first document of a seller."""
    return _judge_folds(reviewed, _seller_fold, spreads, None)


def _judge_folds(
    reviewed: Sequence[ReviewedDocument],
    fold_of_document: Callable[[ReviewedDocument], int],
    spreads: Mapping[str, float] | None,
    memory: Sequence[ReviewedDocument] | None,
) -> list[Judgement]:
    """``memory``: the documents from which sellers are known; None: those of the other folds."""
    chosen = spreads or fitting.choose_spreads(list_unaided(reviewed))
    found: list[Judgement] = []
    for fold in range(FOLDS):
        others = [one for one in reviewed if fold_of_document(one) != fold]
        inside = [one for one in reviewed if fold_of_document(one) == fold]
        weights = _fit(others, FEWEST_OF_FOLDS, chosen)
        known = others if memory is None else memory
        found += [judge_observation(one, weights) for one in collect_observations(inside, known)]
    return found


def prior_judged(reviewed: Sequence[ReviewedDocument]) -> list[Judgement]:
    """Judge without any calibration and known sellers."""
    return [judge_observation(one, {}) for one in _bare_observations(reviewed)]


@dataclass(frozen=True)
class Comparison:
    """The fitted calibration beside the active one, on values of held-out sellers.

    ``loss``: the mean log loss; ``auc``: None if nothing, or everything, is wrong.
    """

    sellers: int
    loss: float
    present_loss: float
    auc: float | None
    present_auc: float | None

    @property
    def is_better(self) -> bool:
        ranks = self.auc is None or self.present_auc is None or self.auc >= self.present_auc
        return ranks and self.loss < self.present_loss


def compare_on_other_sellers(reviewed: Sequence[ReviewedDocument], lesson: Lesson, present: Calibration) -> Comparison:
    """``present`` is used on documents that it has not seen; if those are too few, the prior replaces it."""
    unseen = [one for one in reviewed if one.fingerprint not in present.seen]
    if sum(len(one.fields) for one in unseen) < FEWEST:
        unseen, present = list(reviewed), UNCALIBRATED
    ids = {one.id for one in unseen}
    fitted = [one for one in lesson.elsewhere if one.document in ids]
    now = [judge_observation(one, present.weights) for one in _bare_observations(unseen)]
    return Comparison(
        len({one.seller or one.id for one in reviewed}),
        reliability.mean_loss(fitted),
        reliability.mean_loss(now),
        reliability.area_under_curve(fitted),
        reliability.area_under_curve(now),
    )


def _seller_fold(document: ReviewedDocument) -> int:
    return fitting.fold_of_seller(Observation(document.id, "", {}, right=True, seller=document.seller))


def list_unaided(reviewed: Iterable[ReviewedDocument]) -> list[Observation]:
    """List every reviewed value as read without memory, as if no seller were known."""
    return [
        Observation(document.id, one.name, one.evidence, one.is_right(one.value), document.seller)
        for document in reviewed
        for one in document.fields
        if one.value is not None and VENDOR not in one.evidence
    ]


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
    """Derive the order from the id alone, so that a document is always in the same fold."""
    return crc32(document.encode())

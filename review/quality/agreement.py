"""Agreement of blind reviewers on a document, field by field. Pure functions."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from config.phrase import Phrase, count_phrase
from review.quality.comparison import FieldPair, compare_decisions
from review.status import Decision

Vote = Mapping[str, Any]  # a decision's object
_BY_FIELD = ("corrections", "confirmed", "answers")
BLIND = Phrase("Blind review")  # prefix of the reason that says so


class Quorum(NamedTuple):
    """``needed`` of at most ``of`` reviewers must agree."""

    needed: int
    of: int


def read_quorum(stored: str) -> Quorum:
    """Read the quorum pinned on the run.

    >>> read_quorum("2/3")
    Quorum(needed=2, of=3)
    """
    needed, of = stored.split("/")
    return Quorum(int(needed), int(of))


def describe_quorum(quorum: Quorum, given: int) -> str:
    """Describe the quorum for queue and page, without revealing answers.

    >>> describe_quorum(Quorum(2, 3), 1)
    'Blind review: 2 of 3 reviewers must agree, 1 has decided'
    """
    said = count_phrase(
        "%(kind)s: %(needed)s of %(of)s reviewers must agree, %(count)s has decided",
        "%(kind)s: %(needed)s of %(of)s reviewers must agree, %(count)s have decided",
        given,
        kind=BLIND,
        needed=quorum.needed,
        of=quorum.of,
    )
    none = Phrase("%(kind)s: %(needed)s of %(of)s reviewers must agree, none has decided")
    return said if given else none.fill(kind=BLIND, needed=quorum.needed, of=quorum.of)


@dataclass(frozen=True)
class Dispute:
    """A field without enough agreement. ``values``: the reviewers' values, sorted, in stored form; None: no value."""

    name: str
    label: str
    values: tuple[str | None, ...]


@dataclass(frozen=True)
class Agreement:
    """``is_open``: a further reviewer may still bring agreement. ``decision``: the agreed one, or None.

    ``sources``: field → index of the first vote with the agreed value.
    """

    is_open: bool
    decision: Decision | None = None
    sources: Mapping[str, int] = field(default_factory=dict)
    disputes: tuple[Dispute, ...] = ()

    @property
    def is_reached(self) -> bool:
        return self.decision is not None and not self.disputes and not self.is_open


def lead_reasons(reasons: Sequence[str], quorum: str) -> list[str]:
    """Return the reasons with the quorum first; ``quorum``: as pinned on the run, empty if one person decides."""
    return [describe_quorum(read_quorum(quorum), 0), *reasons] if quorum else list(reasons)


def find_agreement(result: Mapping[str, Any], votes: Sequence[Vote], *, needed: int, of: int) -> Agreement:
    """``result``: the one under review. ``needed`` of at most ``of`` reviewers have to agree.

    If no further vote can bring agreement, it is neither open nor reached; then a person who sees all answers decides.
    """
    left = of - len(votes)
    by_kind: dict[str, list[int]] = {}
    for number, vote in enumerate(votes):
        by_kind.setdefault(_kind(vote), []).append(number)
    approvals = by_kind.pop(_APPROVED, [])
    rejections = max(by_kind.values(), key=len, default=[])
    if len(rejections) >= needed:
        return Agreement(is_open=False, decision=Decision.REJECT)
    fields = _group_fields(result, votes, approvals)
    sources = {name: one.best[0] for name, one in fields.items() if len(one.best) >= needed}
    if len(approvals) >= needed and len(sources) == len(fields):
        return Agreement(is_open=False, decision=Decision.APPROVE, sources=sources)
    may_approve = all(left + len(one) >= needed for one in (approvals, *(each.best for each in fields.values())))
    return Agreement(
        is_open=may_approve or left + len(rejections) >= needed,
        decision=Decision.APPROVE if len(approvals) >= needed else None,
        sources=sources,
        disputes=tuple(one.dispute for name, one in fields.items() if name not in sources and one.is_disputed),
    )


def _kind(vote: Vote) -> str:
    """Return what makes decisions equal; rejections with different splits differ."""
    return json.dumps([vote["decision"], list(vote.get("parts") or ())], sort_keys=True)


_APPROVED = _kind({"decision": Decision.APPROVE})


@dataclass(frozen=True)
class _Field:
    """One field in several approvals: value → indexes of the votes for it."""

    pair: FieldPair  # the first approval compared with itself: name, label, type, extracted value
    groups: tuple[tuple[str | None, tuple[int, ...]], ...]

    @property
    def best(self) -> tuple[int, ...]:
        return max((numbers for _, numbers in self.groups), key=len)

    @property
    def is_disputed(self) -> bool:
        """Return whether the field is disputed; a value that only one approval has counts too."""
        return len(self.groups) > 1 or not self.pair.equals(self.groups[0][0], self.pair.found)

    @property
    def dispute(self) -> Dispute:
        values = sorted((value for value, _ in self.groups), key=lambda one: (one is None, one or ""))
        return Dispute(self.pair.name, self.pair.label, tuple(values))


def _group_fields(result: Mapping[str, Any], votes: Sequence[Vote], approvals: Sequence[int]) -> dict[str, _Field]:
    pairs: dict[str, FieldPair] = {}
    values: dict[str, dict[int, str | None]] = {}
    for number in approvals:
        for pair in compare_decisions(result, votes[approvals[0]], votes[number]).pairs:
            pairs.setdefault(pair.name, pair)
            values.setdefault(pair.name, {})[approvals[0]] = pair.first
            values[pair.name][number] = pair.second
    found = {}
    for name, pair in pairs.items():
        groups: list[tuple[str | None, tuple[int, ...]]] = []
        for number in approvals:
            value = values[name].get(number)  # a field of another document type has none
            place = next((at for at, (one, _) in enumerate(groups) if pair.equals(one, value)), None)
            if place is None:
                groups.append((value, (number,)))
            else:
                groups[place] = (groups[place][0], (*groups[place][1], number))
        found[name] = _Field(pair, tuple(groups))
    return found


def merge_votes(votes: Sequence[Vote], found: Agreement) -> dict[str, Any]:
    """Build the agreed decision's object; with ``disputed``, the starting point of the person who decides.

    Each field is taken from the first reviewer who gave the agreed value, with their change.
    """
    alike = [one for one in votes if found.decision is None or one["decision"] == found.decision]
    base = alike[-1]
    judges = list(dict.fromkeys(str(one) for vote in votes for one in vote["judges"]))
    if found.decision == Decision.REJECT:
        return {**base, "judges": judges}
    merged: dict[str, Any] = {**base, "judges": judges, "reason": ""}
    for part in _BY_FIELD:
        merged[part] = {
            name: votes[number][part][name]
            for name, number in found.sources.items()
            if name in (votes[number].get(part) or {})
        }
    for part in ("changes", "warnings"):
        merged[part] = [
            one
            for name, number in found.sources.items()
            for one in votes[number].get(part) or ()
            if one["field"] == name
        ]
    merged["unseen"] = [name for name, number in found.sources.items() if name in (votes[number].get("unseen") or ())]
    if not found.is_reached:
        merged["disputed"] = {one.name: list(one.values) for one in found.disputes}
        merged["agreed"] = list(_list_settled(votes, found))
    return merged


def _list_settled(votes: Sequence[Vote], found: Agreement) -> Iterator[str]:
    """List the agreed fields that none of those who approved left unseen: nobody has to settle them again."""
    approvals = [one for one in votes if one["decision"] == Decision.APPROVE]
    unseen = {name for one in approvals for name in one.get("unseen") or ()}
    return (name for name in found.sources if name not in unseen)

"""Whether enough reviewers, who did not see each other's answers, agree on a document: field by field; pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from review.quality.comparison import FieldPair, compare_decisions
from review.status import Decision

Vote = Mapping[str, Any]  # a decision's object
_BY_FIELD = ("corrections", "confirmed", "answers")
BLIND = "Blind review"  # how the reason begins that says so


class Quorum(NamedTuple):
    """``needed`` reviewers have to agree, ``of`` so many at most."""

    needed: int
    of: int


def read_quorum(stored: str) -> Quorum:
    """As the run froze it.

    >>> read_quorum("2/3")
    Quorum(needed=2, of=3)
    """
    needed, of = stored.split("/")
    return Quorum(int(needed), int(of))


def describe_quorum(quorum: Quorum, given: int) -> str:
    """What the queue and the page say, which tells nothing of what was given.

    >>> describe_quorum(Quorum(2, 3), 1)
    'Blind review: 2 of 3 reviewers must agree, 1 has decided'
    """
    have = "none has decided" if not given else f"{given} {'has' if given == 1 else 'have'} decided"
    return f"{BLIND}: {quorum.needed} of {quorum.of} reviewers must agree, {have}"


@dataclass(frozen=True)
class Dispute:
    """A field on which too few agree. ``values``: what reviewers gave, sorted, in stored form; None: no value."""

    name: str
    label: str
    values: tuple[str | None, ...]


@dataclass(frozen=True)
class Agreement:
    """``is_open``: a further reviewer may still bring it about. ``decision``: that enough took, None if too few did.

    ``sources``: field → the number of the first vote with the value that enough gave.
    """

    is_open: bool
    decision: Decision | None = None
    sources: Mapping[str, int] = field(default_factory=dict)
    disputes: tuple[Dispute, ...] = ()

    @property
    def is_reached(self) -> bool:
        return self.decision is not None and not self.disputes and not self.is_open


def lead_reasons(reasons: Sequence[str], quorum: str) -> list[str]:
    """Why a review waits that no one has decided; ``quorum``: as the run froze it, empty if one person decides."""
    return [describe_quorum(read_quorum(quorum), 0), *reasons] if quorum else list(reasons)


def find_agreement(result: Mapping[str, Any], votes: Sequence[Vote], *, needed: int, of: int) -> Agreement:
    """``result``: the one that all decided on. ``needed``: reviewers who have to agree, ``of`` so many at most.

    If no further vote can make enough of them agree, it is neither open nor reached: then a person decides who sees
    what the others gave.
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
    """Two rejections that split the document otherwise are two decisions."""
    return json.dumps([vote["decision"], list(vote.get("parts") or ())], sort_keys=True)


_APPROVED = _kind({"decision": Decision.APPROVE})


@dataclass(frozen=True)
class _Field:
    """One field as several approvals left it: the numbers of the votes with the same value, for each value."""

    pair: FieldPair  # of the first approval with itself: name, label, type, what the machine found
    groups: tuple[tuple[str | None, tuple[int, ...]], ...]

    @property
    def best(self) -> tuple[int, ...]:
        return max((numbers for _, numbers in self.groups), key=len)

    @property
    def is_disputed(self) -> bool:
        """Also a value that one approval alone has and the machine has not."""
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
    """The object of the decision that enough agree on; or, with ``disputed``, what the person begins with who decides.

    Each field is as the first reviewer left it who gave the value that enough gave, with that reviewer's change.
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
    return merged

"""Paths through a state machine: one over each way out of each state, with what its tokens have to be answered.

Nothing of the product is asked where a machine leads: what the machine's own text says is walked, and the emulator's
history is held against it.
"""

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

DECISION = {"review_id": "r", "decision": "approve", "decision_id": "d", "uri": "s3://b/k", "sha256": "0", "last": "l"}
_NEXT = re.compile(r"result\.next = (-?\d+) ")
_START = re.compile(r"start_at = '(\w+)'")
NO_STEP = 9_999  # an answer that no branch knows
OK, ERROR, TIMEOUT, RETRY = "ok", "error", "timeout", "retry"


@dataclass(frozen=True)
class Way:
    """Out of a state: ``kind`` ok, error, timeout or retry; ``condition`` of a choice, empty for its default."""

    state: str
    to: str
    kind: str = OK
    condition: str = ""


@dataclass
class Path:
    """``states`` as they are to be entered. ``answers``: of the tasks in their order, kind and output."""

    name: str
    ways: list[Way]
    answers: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    start_at: str = ""

    @property
    def states(self) -> list[str]:
        return [way.state for way in self.ways if way.kind != RETRY] + [self.ways[-1].to]


def ways_of(name: str, state: Mapping[str, Any]) -> Iterator[Way]:
    """The usual one first, so that the shortest path home is one that nothing went wrong on."""
    if state["Type"] == "Choice":
        yield from (Way(name, one["Next"], condition=one["Condition"]) for one in state["Choices"])
        yield Way(name, state["Default"])
        return
    if "Next" in state:
        yield Way(name, state["Next"])
    for one in state.get("Retry", ()):
        yield Way(name, name, RETRY, one["ErrorEquals"][0])
    for one in state.get("Catch", ()):
        yield Way(name, one["Next"], TIMEOUT if one["ErrorEquals"] == ["States.Timeout"] else ERROR)


def paths(machine: Mapping[str, Any]) -> list[Path]:
    """One over each way out of each state: shortest there, shortest home."""
    states: Mapping[str, Any] = machine["States"]
    ends = {name for name, state in states.items() if state["Type"] in ("Succeed", "Fail")}
    found = []
    for name, state in states.items():
        for number, way in enumerate(ways_of(name, state)):
            before = _shortest(states, machine["StartAt"], {name})
            after = _shortest(states, way.to, ends)
            found.append(_answered(states, Path(f"{name}-{number}", [*before, way, *after])))
    return found


def whole(machine: Mapping[str, Any], first: str) -> list[Path]:
    """Every path from ``first`` to an end on which nothing fails and nobody waits."""
    states: Mapping[str, Any] = machine["States"]
    start = next(way for way in ways_of(machine["StartAt"], states[machine["StartAt"]]) if way.to == first)
    walked = list(_walk(states, [start]))
    return [_answered(states, Path(f"whole-{number}", ways)) for number, ways in enumerate(walked)]


def _walk(states: Mapping[str, Any], ways: list[Way]) -> Iterator[list[Way]]:
    here = ways[-1].to
    if states[here]["Type"] in ("Succeed", "Fail"):
        yield ways
        return
    seen = {way.state for way in ways}
    for way in ways_of(here, states[here]):
        on = way.kind == OK and (states[here]["Type"] != "Choice" or _NEXT.search(way.condition))
        if on and way.to not in seen:
            yield from _walk(states, [*ways, way])


def _shortest(states: Mapping[str, Any], start: str, ends: set[str]) -> list[Way]:
    """Over a timeout only where there is no other way: it takes a second."""
    return _found(states, start, ends, {OK, ERROR}) or _found(states, start, ends, {OK, ERROR, TIMEOUT}) or []


def _found(states: Mapping[str, Any], start: str, ends: set[str], kinds: set[str]) -> list[Way] | None:
    left: deque[tuple[str, list[Way]]] = deque([(start, [])])
    seen = {start}
    while left:
        here, ways = left.popleft()
        if here in ends:
            return ways
        for way in ways_of(here, states[here]):
            if way.to not in seen and way.kind in kinds:
                seen.add(way.to)
                left.append((way.to, [*ways, way]))
    return None


def _answered(states: Mapping[str, Any], path: Path) -> Path:
    """What each task's token is answered, so that the choice behind it goes the path's way."""
    for way, then in zip(path.ways, [*path.ways[1:], None], strict=True):
        if states[way.state]["Type"] == "Choice":
            named = _START.search(way.condition)
            path.start_at = named[1] if named else path.start_at
        elif states[way.state]["Type"] == "Task":
            chosen = then is not None and states[then.state]["Type"] == "Choice"
            path.answers.append((way.kind, _output(then.condition) if chosen and then else dict(DECISION)))
    return path


def _output(condition: str) -> dict[str, Any]:
    """An answer on which a choice of the compiler takes the branch with this condition."""
    if number := _NEXT.search(condition):
        return {"next": int(number[1])}
    if "result.wait" in condition:
        return {"wait": 1}
    return dict(DECISION) if "decision_id" in condition else {"next": NO_STEP, "expired": True}

"""Policy decisions: the input of a request and the interpretation of the result."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from config import clock
from projects.policies import engine, server
from projects.policies.engine import PolicyFailed
from projects.policies.language import PolicyText

PERSON, PROGRAM, OUTSIDER = "person", "key", "link"
_MOST_REASONS, _LONGEST_REASON = 5, 300


@dataclass(frozen=True)
class Subject:
    """The requester. ``kind``: person, API key or link."""

    id: str = ""
    username: str = ""
    groups: Sequence[str] = ()
    kind: str = PERSON

    @property
    def words(self) -> Mapping[str, Any]:
        """``roles``: what FormKiQ calls groups."""
        groups = sorted(self.groups)
        return {"id": self.id, "username": self.username, "groups": groups, "roles": groups, "kind": self.kind}


@dataclass(frozen=True)
class Case:
    """One request; ``document``: with the names of ``language.KNOWN``."""

    subject: Subject
    action: str
    document: Mapping[str, Any]


@dataclass(frozen=True)
class Decision:
    """``reasons``: of a denial, from the policy. ``failed``: the policy's error, which also denies."""

    version: int
    allowed: bool
    reasons: tuple[str, ...] = field(default=())
    failed: str = ""


def describe_time(moment: dt.datetime) -> Mapping[str, Any]:
    """Describe the time in UTC and in nanoseconds, as Rego's functions expect."""
    now = moment.astimezone(dt.UTC)
    return {
        "ns": int(now.timestamp()) * 1_000_000_000,
        "iso": clock.iso(now),
        "date": now.date().isoformat(),
        "hour": now.hour,
        "minute": now.minute,
        "weekday": f"{now:%A}",
    }


def decide(
    site: str, policy: PolicyText, version: int, cases: Sequence[Case], *, at: dt.datetime | None = None
) -> list[Decision]:
    """Decide each case. A failing policy denies all."""
    time = describe_time(at or clock.now())
    inputs = [
        {"site": site, "action": one.action, "user": one.subject.words, "document": one.document, "time": time}
        for one in cases
    ]
    try:
        found = (
            server.evaluate(site, policy, version, inputs)
            if settings.OPA_URL
            else engine.evaluate(policy.source, policy.package, inputs)
        )
        return [_read_decision(policy, version, one) for one in found]
    except PolicyFailed as error:
        return [Decision(version, allowed=False, failed=str(error))] * len(cases)


def _read_decision(policy: PolicyText, version: int, found: Mapping[str, Any]) -> Decision:
    """Allow if no ``deny`` rule holds and, if there is an ``allow`` rule, it is true.

    Raises: PolicyFailed if a rule has a value of an unusable type.
    """
    denied, reasons = _read_deny(list(found["deny"]))
    allow = list(found["allow"])
    if any(not isinstance(one, bool) for one in allow):
        raise PolicyFailed("“allow” is neither true nor false.")
    if policy.has_allow and allow != [True]:
        denied = True
    return Decision(version, not denied, tuple(one[:_LONGEST_REASON] for one in reasons[:_MOST_REASONS]))


def _read_deny(values: Sequence[Any]) -> tuple[bool, list[str]]:
    """Read ``deny``: a set of messages, an object with messages as keys, or a boolean."""
    denied, reasons = False, list[str]()
    for value in values:
        if isinstance(value, bool):
            denied |= value
        elif isinstance(value, list | dict):
            told = list(value)
            if any(not isinstance(one, str) for one in told):
                raise PolicyFailed("“deny” contains a value that is not text. Use sentences only.")
            denied |= bool(told)
            reasons += told
        else:
            raise PolicyFailed("“deny” is neither sentences nor true or false.")
    return denied, sorted(reasons)

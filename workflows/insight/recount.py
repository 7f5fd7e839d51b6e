"""Recount of rollups: compares them with what every run has added, and with what every run is."""

from collections import Counter as Sums
from collections.abc import Mapping
from typing import NamedTuple

from pynamodb.expressions.operand import Path

from config import clock
from config.due import actions as due_work
from config.transaction import Update, transact
from projects.audit.events import Actor, entity_event
from projects.documents.counting import EVERYTHING, Kind
from workflows.insight import actions, queries
from workflows.insight.actions import RollupKey, Span
from workflows.insight.items import Rollup
from workflows.runs.items import RunFigures

BY = Actor("recount", "Recount")


class Difference(NamedTuple):
    """Figures of a day or week that differ from what its runs added, by name: stored and expected."""

    key: RollupKey
    said: Mapping[str, int]
    found: Mapping[str, int]

    @property
    def words(self) -> str:
        names = sorted(name for name in {*self.said, *self.found} if self.said.get(name) != self.found.get(name))
        told = (f"{name} {self.said.get(name, 0)}, counted {self.found.get(name, 0)}" for name in names)
        place = " ".join(self.key)
        return f"{place}: {'; '.join(told)}"


def find_differences(site: str) -> list[Difference]:
    """Run it while the site is idle: a run that is counted meanwhile looks like a difference."""
    found: dict[RollupKey, Sums[str]] = {}
    for row in queries.every_run(site):
        parts = actions.spread(row.project_id, str(row.classification_id or ""), actions.read_counted(row))
        for key, numbers in parts:
            found.setdefault(key, Sums()).update(numbers)
    scopes = {(Kind.SITE, EVERYTHING), *((key.kind, key.counted) for key in found)}
    said = {
        _key_of(kind, counted, row): row.numbers
        for kind, counted in scopes
        for row in queries.every_sum(site, kind, counted)
    }
    both = ((key, said.get(key, {}), dict(found.get(key, {}))) for key in sorted({*said, *found}))
    return [Difference(*one) for one in both if one[1] != one[2]]


def _key_of(kind: Kind, counted: str, row: Rollup) -> RollupKey:
    span, type_, first = row.SK.split("#")
    return RollupKey(Span(span), kind, counted, type_, first)


def repair_sums(site: str, difference: Difference) -> None:
    """Add the difference, with its audit event; concurrent counts are not lost."""
    key, said, found = difference
    changed = {name: found.get(name, 0) - said.get(name, 0) for name in sorted({*said, *found})}
    adds = [Path([name]).add(by) for name, by in changed.items() if by]
    name = "-".join(key)
    event = entity_event(site, "figures", name, "repaired", by=BY, payload={"figures": difference.words[:2000]})
    transact([Update(key.at(site), adds, of=Rollup)], event)


def count_again(site: str) -> int:
    """Let the sweeper count every run again; return the number of runs."""
    number = 0
    for row in queries.every_run(site):
        if not row.workflow_id:  # purged
            continue
        at = clock.iso(clock.now())
        RunFigures.change(
            row.key, due_work.schedule_actions(RunFigures, at, workflow_id=str(row.workflow_id)), RunFigures.PK.exists()
        )
        number += 1
    return number

"""Drift detection: whether the audit sample confirms the accuracy that a calibration promised."""

import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import comb

from config.errors import NotFound
from workflows.learning import reviewed
from workflows.learning.reviewed import DecidedRun
from workflows.runs.run_files import files_of
from workflows.stages import results
from workflows.stages.assessment import proofs
from workflows.stages.fields.candidates import RULES
from workflows.storage import files

LAST = 50  # newest audited documents that are counted
_MOST_RUNS = 500  # decided runs that are searched for audited documents
_LEAST_WRONG = 2  # a single error is not significant
_BY_CHANCE = 0.02  # significance level: probability of the errors if the promise held


@dataclass(frozen=True)
class Audited:
    """Values of audited documents that were accepted by confidence, and how many of them a person corrected."""

    documents: int
    values: int
    wrong: int


def count_audited(site: str, project_id: str, version: int) -> Audited:
    """Count the latest audited documents whose runs pinned this calibration; for tasks."""
    decided = itertools.islice(reviewed.list_decided_runs(site, project_id), _MOST_RUNS)
    audited = (one for one in decided if _is_audited(one, version))
    return sum_audited(_judge_accepted(one) for one in itertools.islice(audited, LAST))


def sum_audited(documents: Iterable[Iterable[bool]]) -> Audited:
    """``documents``: for each, whether its accepted values were right."""
    held = [list(one) for one in documents]
    every = list(itertools.chain.from_iterable(held))
    return Audited(len(held), len(every), every.count(False))


def is_drifting(found: Audited, most_wrong: float) -> bool:
    """Return True if so many errors are significant, given that at most ``most_wrong`` of all values are wrong."""
    fewer = sum(
        comb(found.values, count) * most_wrong**count * (1 - most_wrong) ** (found.values - count)
        for count in range(found.wrong)
    )
    return found.wrong >= _LEAST_WRONG and 1 - fewer < _BY_CHANCE


def _is_audited(decided: DecidedRun, version: int) -> bool:
    run = decided.run
    try:
        assessed = json.loads(files_of(run).read(files.assessment(run.workflow_id)))
    except NotFound:
        return False
    return assessed.get("calibration") == version and [one["code"] for one in assessed["reasons"]] == ["audit"]


def _judge_accepted(decided: DecidedRun) -> Iterator[bool]:
    for field in decided.seen_fields:
        learned = (field.get("proof") or "") in proofs.LEARNED
        if field.get("source") == RULES and field.get("value") is not None and learned:
            kind = str(field["type"])
            yield results.normalise_value(kind, decided.correct(field)) == results.normalise_value(kind, field["value"])

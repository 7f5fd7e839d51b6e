"""Whether what no one looks at is as right as its calibration promised: the audit sample's verdict."""

import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import comb

from config.errors import NotFound
from workflows.learning import reviewed
from workflows.learning.reviewed import DecidedRun
from workflows.stages import results
from workflows.stages.assessment import proofs
from workflows.stages.fields.candidates import RULES
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

LAST = 50  # audited documents that are looked at, the newest
_MOST_RUNS = 500  # decided ones that they are looked for among
_LEAST_WRONG = 2  # one wrong value proves nothing
_BY_CHANCE = 0.02  # how unlikely what was found must be if the promise were kept


@dataclass(frozen=True)
class Audited:
    """Values of audited documents that were accepted by their confidence; how many of them a person corrected."""

    documents: int
    values: int
    wrong: int


def count_audited(site: str, project_id: str, version: int) -> Audited:
    """Of the last audited documents whose runs pinned this calibration; for a task."""
    decided = itertools.islice(reviewed.list_decided_runs(site, project_id), _MOST_RUNS)
    audited = (one for one in decided if _is_audited(one, version))
    return sum_audited(_judge_accepted(one) for one in itertools.islice(audited, LAST))


def sum_audited(documents: Iterable[Iterable[bool]]) -> Audited:
    """``documents``: of each, whether its accepted values were right."""
    held = [list(one) for one in documents]
    every = list(itertools.chain.from_iterable(held))
    return Audited(len(held), len(every), every.count(False))


def is_drifting(found: Audited, most_wrong: float) -> bool:
    """Whether so many wrong values are no chance if at most ``most_wrong`` of all are."""
    fewer = sum(
        comb(found.values, count) * most_wrong**count * (1 - most_wrong) ** (found.values - count)
        for count in range(found.wrong)
    )
    return found.wrong >= _LEAST_WRONG and 1 - fewer < _BY_CHANCE


def _is_audited(decided: DecidedRun, version: int) -> bool:
    run = decided.run
    try:
        assessed = json.loads(
            DocumentFiles(run.site, run.project_id, run.document_id).read(files.assessment(run.workflow_id))
        )
    except NotFound:
        return False
    return assessed.get("calibration") == version and [one["code"] for one in assessed["reasons"]] == ["audit"]


def _judge_accepted(decided: DecidedRun) -> Iterator[bool]:
    for field in decided.seen_fields:
        learned = (field.get("proof") or "") in proofs.LEARNED
        if field.get("source") == RULES and field.get("value") is not None and learned:
            kind = str(field["type"])
            yield results.normalise_value(kind, decided.correct(field)) == results.normalise_value(kind, field["value"])

"""Registry of changes in the transaction that ends a run: packages register here, so that runs import none of them."""

from collections.abc import Callable

from config.transaction import Change
from workflows.runs.items import Outcome, Run

PlanEnd = Callable[[Run, Outcome, int, str], list[Change]]
_PLANS: list[PlanEnd] = []


def at_end(plan: PlanEnd) -> PlanEnd:
    """Register ``plan``, which gets the run, its outcome, the attempt and the stored instant."""
    _PLANS.append(plan)
    return plan


def plan_end(run: Run, outcome: Outcome, attempt: int, now: str) -> list[Change]:
    return [change for plan in _PLANS for change in plan(run, outcome, attempt, now)]

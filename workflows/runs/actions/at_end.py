"""What other packages write in the transaction that ends a run: each registers a function, so runs import none."""

from collections.abc import Callable

from config.transaction import Change
from workflows.runs.items import Outcome, Run

PlanEnd = Callable[[Run, Outcome, int, str], list[Change]]
_PLANS: list[PlanEnd] = []


def at_end(plan: PlanEnd) -> PlanEnd:
    """Register ``plan``, which gets the run, its outcome, the attempt and the instant that are stored."""
    _PLANS.append(plan)
    return plan


def plan_end(run: Run, outcome: Outcome, attempt: int, now: str) -> list[Change]:
    return [change for plan in _PLANS for change in plan(run, outcome, attempt, now)]

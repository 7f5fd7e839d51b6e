"""Registry of what is deleted with a run: packages register here, so that the purge imports none of them."""

from collections.abc import Callable

from workflows.runs.items import Run

Forget = Callable[[Run], None]
_FORGETTERS: list[Forget] = []


def at_run_purge(forget: Forget) -> Forget:
    """Register a function that deletes data of a run. It has to be idempotent."""
    _FORGETTERS.append(forget)
    return forget


def forget_everywhere(run: Run) -> None:
    for forget in _FORGETTERS:
        forget(run)

"""The review that a run waits at: reviews are not the engine's, so their package registers its finder."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from config.errors import CountersignError
from workflows.runs.items import Execution, Run


@dataclass(frozen=True)
class WaitingReview:
    """``deadline``: stored instant; ``decision``: what the machine goes on with, once there is one."""

    review_id: str
    deadline: str
    decision: Mapping[str, Any] | None = None


Finder = Callable[[Run, Execution], WaitingReview | None]
_finders: list[Finder] = []


def review_finder(finder: Finder) -> Finder:
    """Register who finds the review that a run waits at, whatever its status."""
    _finders[:] = [finder]
    return finder


def find_waiting_review(run: Run, execution: Execution) -> WaitingReview | None:
    """Return the review that the run waits at, or None.

    Raises:
        CountersignError: no finder is registered; taken for None, each waiting run would be started again.

    """
    if not _finders:
        raise CountersignError("No app has registered how a run's review is found.")
    return _finders[0](run, execution)

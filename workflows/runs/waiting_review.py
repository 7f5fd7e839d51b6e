"""The interface to a run's open review: the review app, in a higher layer, registers its finder here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from config.errors import CountersignError
from workflows.runs.items import Execution, Run


@dataclass(frozen=True)
class WaitingReview:
    """``deadline``: stored instant; ``decision``: the input of the following step, once there is one."""

    review_id: str
    deadline: str
    decision: Mapping[str, Any] | None = None


Finder = Callable[[Run, Execution], WaitingReview | None]
_finders: list[Finder] = []


def review_finder(finder: Finder) -> Finder:
    """Register the function that finds a run's review, whatever its status."""
    _finders[:] = [finder]
    return finder


def find_waiting_review(run: Run, execution: Execution) -> WaitingReview | None:
    """Return the review that the run waits for, or None.

    Raises:
        CountersignError: no finder is registered; if this returned None, each waiting run would be restarted.

    """
    if not _finders:
        raise CountersignError(gettext("No app has registered how a run's review is found."))
    return _finders[0](run, execution)

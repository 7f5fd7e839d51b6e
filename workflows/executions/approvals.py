"""The reviews that executions wait for: reviews are another app's, so their package registers what it knows of them."""

from collections.abc import Sequence
from typing import Protocol

from config.errors import CountersignError
from config.transaction import Change
from workflows.executions.items import InputExecution


class Reviews(Protocol):
    """What an execution has to do with the reviews that it asked for."""

    def is_waiting(self, site: str, execution: InputExecution) -> bool:
        """Whether the review that it waits for will still be answered by itself."""

    def plan_withdrawal(self, site: str, execution: InputExecution) -> Sequence[Change]:
        """What takes its open review out of the queue."""

    def path(self, review_id: str) -> str:
        """Of the review's page, on the site that is served."""

    def forget(self, site: str, execution: InputExecution) -> None:
        """Destroy all of its reviews; again is harmless."""


_registered: list[Reviews] = []


def register_reviews(reviews: Reviews) -> None:
    _registered[:] = [reviews]


def _reviews() -> Reviews:
    if not _registered:
        raise CountersignError("No app has registered how the reviews of executions are found.")
    return _registered[0]


def is_waiting(site: str, execution: InputExecution) -> bool:
    return bool(execution.review) and _reviews().is_waiting(site, execution)


def plan_withdrawal(site: str, execution: InputExecution) -> Sequence[Change]:
    return _reviews().plan_withdrawal(site, execution) if execution.review else ()


def review_path(execution: InputExecution) -> str:
    return _reviews().path(execution.review) if execution.review else ""


def forget_reviews(site: str, execution: InputExecution) -> None:
    if execution.reviews:
        _reviews().forget(site, execution)

"""The interface to the reviews that executions wait for. The review app, in a higher layer, registers itself here."""

from collections.abc import Sequence
from typing import Protocol

from django.utils.translation import gettext

from config.errors import CountersignError
from config.transaction import Change
from workflows.executions.items import InputExecution


class Reviews(Protocol):
    """The operations that executions need on their reviews."""

    def is_waiting(self, site: str, execution: InputExecution) -> bool:
        """Return True if the review will still answer the execution."""

    def plan_withdrawal(self, site: str, execution: InputExecution) -> Sequence[Change]:
        """Return the changes that remove its open review from the queue."""

    def path(self, review_id: str) -> str:
        """Return the path of the review's page, on the current site."""

    def forget(self, site: str, execution: InputExecution) -> None:
        """Destroy all of its reviews. Idempotent."""


_registered: list[Reviews] = []


def register_reviews(reviews: Reviews) -> None:
    _registered[:] = [reviews]


def _reviews() -> Reviews:
    if not _registered:
        raise CountersignError(gettext("No app has registered how the reviews of executions are found."))
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

"""How many drawn examples a test has: a fifth in ``make test``, all in ``make test-slow``, which sets EXAMPLES=all."""

import os

from hypothesis import settings

ALL = os.environ.get("EXAMPLES") == "all"


def at_most(number: int) -> int:
    return number if ALL else max(2, number // 5)


def load_profile() -> None:
    """Also for tests that do not say how many examples they want. Before any is collected: a decorator reads it.

    Without a deadline for one example: on a busy machine it tells of the other tests.
    """
    settings.register_profile("countersign", max_examples=at_most(100), deadline=None)
    settings.load_profile("countersign")

"""One test for many cases: each runs, and all that fail are in its message.

As ``pytest.mark.parametrize`` is written, without a setup and a line of its own for each. For cases that leave nothing
behind for the next; the others are parametrised.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]
TIMED_OUT = "from pytest-timeout"  # its own sentence says so, and its type is that of every failure


def each(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[Test], Test]:
    named = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    listed = [one if len(named) > 1 else (one,) for one in cases]

    def decorate(test: Test) -> Test:
        @functools.wraps(test, updated=())
        def run(**fixtures: Any) -> None:
            failed = []
            for case in listed:
                given = dict(zip(named, case, strict=True))
                try:
                    test(**fixtures, **given)
                except (Exception, pytest.fail.Exception) as error:
                    if TIMED_OUT in str(error):  # the alarm rings once: nothing would end the cases after this one
                        raise
                    failed.append((given, error))
            assert listed, "there is no case"
            if failed:
                said = "\n".join(f"{given}:\n{type(error).__name__}: {error}" for given, error in failed)
                raise AssertionError(f"{len(failed)} of {len(listed)} cases:\n{said}") from failed[0][1]

        asked = inspect.signature(test).parameters.values()
        run.__signature__ = inspect.Signature([one for one in asked if one.name not in named])  # type: ignore[attr-defined]
        if hasattr(test, "pytestmark"):
            run.pytestmark = list(test.pytestmark)  # type: ignore[attr-defined]
        del run.__wrapped__  # type: ignore[attr-defined]
        return run

    return decorate

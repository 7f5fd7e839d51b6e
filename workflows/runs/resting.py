"""Registry of listeners for runs that no longer need a machine, so that engine and intake import none of them."""

from collections.abc import Callable

from workflows.runs.items import Run

Hear = Callable[[Run, str], None]
_HEARERS: list[Hear] = []


def when_run_rests(hear: Hear) -> Hear:
    """Register ``hear``, which gets the run and its batch line's mark. It must not raise."""
    _HEARERS.append(hear)
    return hear


def run_rests(run: Run, mark: str | None) -> None:
    """The run or its extraction has ended, or it is in review.

    ``mark``: of its batch line; without one, nobody is notified.
    """
    for hear in _HEARERS if mark else ():
        hear(run, str(mark))

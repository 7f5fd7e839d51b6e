"""Who hears that no machine works on a run any more: a package registers, so engine and intake import none of them."""

from collections.abc import Callable

from workflows.runs.items import Run

Hear = Callable[[Run, str], None]
_HEARERS: list[Hear] = []


def when_run_rests(hear: Hear) -> Hear:
    """Register ``hear``, which gets the run and its mark: whose line of a batch it is. It raises nothing."""
    _HEARERS.append(hear)
    return hear


def run_rests(run: Run, mark: str | None) -> None:
    """The run has ended, or its unpacking, or a person is asked. ``mark``: of its line; nothing is told without one."""
    for hear in _HEARERS if mark else ():
        hear(run, str(mark))

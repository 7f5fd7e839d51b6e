"""How long one tenant's single page takes behind another's hundreds of them, on real workers. ``make fair`` runs it.

The workers stand still until all are in the queue, which is the worst that uploads can do. Numbers to read, not a
bound: what holds anywhere is in test_aside.py.
"""

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from config import clock
from tests.factories import start_run
from tests.flow.processes import LiveDesk
from tests.flow.test_big import REVIEW, big_pdf, here
from tests.flow.test_fair import SLICES, desk, single_page  # noqa: F401
from tests.projects.make_sites import make_site
from tests.workflows.make_rules import arrived
from workflows.runs import queries
from workflows.runs.items import Run

RUNS = int(os.environ.get("FAIR_RUNS") or 0)
LARGE = 40  # pages of a third tenant's document
NEVER = 10**9
pytestmark = pytest.mark.skipif(not RUNS, reason="FAIR_RUNS is not set: it takes minutes")


@contextmanager
def standing_still(desk: LiveDesk) -> Iterator[None]:  # noqa: F811
    groups = [desk.children[name].pid for name in ("steps", *SLICES)]
    for group in groups:
        os.killpg(group, signal.SIGSTOP)
    try:
        yield
    finally:
        for group in groups:
            os.killpg(group, signal.SIGCONT)


def finished(run: Run) -> bool:
    return not 0 < here(run) < REVIEW


def seconds_of(run: Run, began: str) -> float:
    """Until its review or its publication, as the run recorded it."""
    ended = queries.last_transition(run, queries.execution(run)).occurredAt
    return (clock.parse(ended) - clock.parse(began)).total_seconds()


def ended(run: Run) -> bool:
    """So that nothing of it is in a queue any more."""
    return bool(queries.execution(run).outcome) or here(run) == REVIEW


def wait_for_all(runs: Iterable[Run], far: Callable[[Run], bool] = finished) -> None:
    deadline, left = time.monotonic() + 1800, list(runs)
    while left := [run for run in left if not far(run)]:
        assert time.monotonic() < deadline, f"{len(left)} runs are not done"
        time.sleep(2)


def measure(desk: LiveDesk, what: str, file: Path) -> None:  # noqa: F811
    with standing_still(desk):
        crowd = [arrived(site="busy") for _ in range(RUNS)]
        large = start_run(file, site="globex", pages=LARGE)
        page = start_run(site="acme", pages=1)
    began = clock.iso(clock.now())
    print(f"\n{what}: {sum(bool(queries.execution(one).aside) for one in crowd)} of {RUNS} pages of a site stand aside")
    wait_for_all([page])
    print(f"another's page: {seconds_of(page, began):.1f} s")
    wait_for_all([large])
    print(f"a third's document of {LARGE} pages: {seconds_of(large, began):.1f} s")
    wait_for_all(crowd)
    print(f"all of the site's own: {max(seconds_of(one, began) for one in crowd):.1f} s")
    wait_for_all([*crowd, large, page], ended)


@pytest.mark.timeout(3600)
def test_how_long_a_page_takes_behind_hundreds(desk: LiveDesk, tmp_path: Path, settings) -> None:  # noqa: F811
    for site in ("acme", "globex", "busy"):
        make_site(site)
    file = big_pdf(tmp_path / "large.pdf", LARGE)
    print(f"\na page alone: {single_page(None):.1f} s, the first one of its worker")
    for what, most in (("all alike", NEVER), ("aside", settings.BUSY_RUNS)):
        settings.BUSY_RUNS = most
        measure(desk, what, file)

"""How long one tenant's single page takes beside another's thousands, on real workers. ``make fair`` runs it.

Measured in pairs, the large document's workers stopped and going on by turns, so that what else the machine does falls
on both alike. A number to read, not a bound: one emulator and two cores do the work of all services here. What holds
anywhere is in test_slots.py.
"""

import os
import signal
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from config.supervisor import give_way
from tests.factories import start_run
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from tests.flow.test_big import REVIEW, big_pdf, here
from tests.projects.sites import make_site
from workflows.actions import joins
from workflows.frozen import Run

PAGES = int(os.environ.get("FAIR_PAGES") or 0)
PAIRS = int(os.environ.get("FAIR_PAIRS") or 12)
SLICES = ("slices1", "slices2")
pytestmark = pytest.mark.skipif(not PAGES, reason="FAIR_PAGES is not set: it takes minutes")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[LiveDesk]:
    prepared = tmp_path / "prepared"
    prepare(prepared, **account())
    desk = LiveDesk(prepared, tmp_path / "desk")
    try:
        desk.start_emulator()
        desk.start_worker("desk", settings.DESK_QUEUE)
        desk.start_worker("steps", settings.STEPS_QUEUE)
        for name in SLICES:
            desk.start_worker(name, settings.SLICES_QUEUE)
            give_way(desk.children[name].pid, 10)
        with looking_at(desk):
            yield desk
    finally:
        tell(desk, signal.SIGCONT)
        desk.stop()


def tell(desk: LiveDesk, what: signal.Signals) -> None:
    for name in SLICES:
        if name in desk.children:
            os.killpg(desk.children[name].pid, what)


def single_page() -> float:
    """Seconds from the start of a tenant's single page to its review or its publication."""
    began = time.monotonic()
    run = start_run(site="acme", pages=1)
    while 0 < here(run) < REVIEW:
        assert time.monotonic() - began < 120
        time.sleep(0.02)
    return time.monotonic() - began


def slices_done(run: Run) -> int:
    found = (joins.load(run, stage, 1) for stage in ("segment_prep", "format_parser", "paddleocr_processor"))
    return sum(len(join.done or ()) for join in found if join)


@pytest.mark.timeout(3600)
def test_how_long_a_single_page_takes_beside_a_large_document(desk: LiveDesk, tmp_path: Path) -> None:
    make_site("acme")
    single_page()  # models are loaded
    large = start_run(big_pdf(tmp_path / "big.pdf", PAGES), pages=PAGES)
    wait_for(lambda: slices_done(large) > 0, "the first slice", 600)
    before_all, alone, beside = slices_done(large), [], []
    for _ in range(PAIRS):
        tell(desk, signal.SIGSTOP)
        alone.append(single_page())
        tell(desk, signal.SIGCONT)
        beside.append(single_page())
        assert here(large) > 0, "the large document is done: give it more pages"
    pairs = [after / before for before, after in zip(alone, beside, strict=True)]
    middle = statistics.median
    print(f"\nalone {middle(alone):.2f} s, beside {PAGES} pages {middle(beside):.2f} s, medians of {PAIRS}")
    print(f"of the large one {slices_done(large) - before_all} slices were done meanwhile")
    print(f"ratio of medians {middle(beside) / middle(alone):.2f}, of pairs {middle(pairs):.2f}")

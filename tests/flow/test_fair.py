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

from config import clock
from config.laptop.supervisor import give_way
from tests.factories import start_run
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from tests.flow.test_big import REVIEW, big_pdf, here
from tests.projects.make_sites import make_site
from tests.tools import paper
from workflows.engine import joins
from workflows.runs import queries
from workflows.runs.items import Run

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


def scanned(path: Path) -> Path:
    sheet = paper.Sheet(298, 421)
    for line in range(12):
        sheet.text(30, 40 + 30 * line, f"Line {line + 1} of a scanned page")
    picture = path.with_suffix(".png")
    paper.picture(sheet, 150).save(picture)
    page = paper.Sheet(298, 421)
    page.canvas.do.draw_image(picture, 0, 0, 298, 421)
    return paper.save([page], path)


def tell(desk: LiveDesk, what: signal.Signals) -> None:
    for name in SLICES:
        if name in desk.children:
            os.killpg(desk.children[name].pid, what)


def single_page(file: Path | None) -> float:
    """Seconds from the start of a tenant's single page to its review or its publication, as its run recorded them.

    Seldom looked at: an observer that asks again and again is itself what a page waits for.
    """
    began, deadline = clock.now(), time.monotonic() + 120
    run = start_run(file, site="acme", pages=1)
    while 0 < here(run) < REVIEW:
        assert time.monotonic() < deadline
        time.sleep(1)
    ended = queries.last_transition(run, queries.execution(run)).occurredAt
    return (clock.parse(ended) - began).total_seconds()


def slices_done(run: Run) -> int:
    found = (joins.load(run, stage, 1) for stage in ("segment_prep", "format_parser", "paddleocr_processor"))
    return sum(len(join.done or ()) for join in found if join)


def measure(desk: LiveDesk, what: str, file: Path | None) -> None:
    alone, beside = [], []
    for _ in range(PAIRS):
        tell(desk, signal.SIGSTOP)
        alone.append(single_page(file))
        tell(desk, signal.SIGCONT)
        beside.append(single_page(file))
    pairs = [after / before for before, after in zip(alone, beside, strict=True)]
    middle = statistics.median
    print(f"\n{what}: alone {middle(alone):.2f} s, beside {PAGES} pages {middle(beside):.2f} s, medians of {PAIRS}")
    print(f"ratio of medians {middle(beside) / middle(alone):.2f}, of pairs {middle(pairs):.2f}")


@pytest.mark.timeout(3600)
def test_how_long_a_single_page_takes_beside_a_large_document(desk: LiveDesk, tmp_path: Path) -> None:
    make_site("acme")
    scan = scanned(tmp_path / "scan.pdf")
    for file in (None, scan):
        single_page(file)  # models are loaded
    large = start_run(big_pdf(tmp_path / "big.pdf", PAGES), pages=PAGES)
    wait_for(lambda: slices_done(large) > 0, "the first slice", 600)
    before_all = slices_done(large)
    measure(desk, "a page with a text layer", None)
    measure(desk, "a scanned page", scan)
    print(f"of the large one {slices_done(large) - before_all} slices were done meanwhile")
    assert here(large) > 0, "the large document is done: give it more pages"

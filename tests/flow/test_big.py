"""A document of thousands of pages on real workers, three of which are killed on the way. ``make big`` runs it."""

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.conf import settings

from tests.commands.desk import overrides
from tests.factories import start_run
from tests.flow import gate as gates
from tests.flow.counting import CountingGate
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from tests.flow.visitor import Visitor
from tests.tools import paper
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import joins
from workflows.runs import queries
from workflows.runs.items import Run
from workflows.runs.run_files import files_of
from workflows.storage import files

PAGES = int(os.environ.get("BIG_PAGES") or 0)
SCAN_EVERY = 100  # the others have text of their own
LIGHT, OCR = 50, 20  # pages of a slice
REVIEW = DOCUMENT_ANALYSIS.named("human_review").order
READING = DOCUMENT_ANALYSIS.named("paddleocr_processor").order
MEMORY = 1.2 * 2**20  # KiB, of one worker process
pytestmark = pytest.mark.skipif(not PAGES, reason="BIG_PAGES is not set: it takes minutes")


def big_pdf(path: Path, pages: int) -> Path:
    sheets = []
    for number in range(pages):
        sheet = paper.Sheet(298, 421)  # A6: the fan-out is asked about, not pdfium
        if number % SCAN_EVERY:
            sheet.text(30, 60, f"Page {number + 1} of the register")
            sheet.text(30, 80, "Total due 12.50 EUR")
        else:
            scan = paper.Sheet(298, 421)
            scan.text(30, 60, f"Scan {number + 1} of the register", size=14)
            picture = path.with_name(f"scan-{number}.png")
            paper.picture(scan, 100).save(picture)
            sheet.canvas.do.draw_image(picture, 0, 0, 298, 421)
        sheets.append(sheet)
    return paper.save(sheets, path)


@dataclass
class Watched:
    """What the workers took meanwhile, and how long the run's page did."""

    peaks: dict[int, int] = field(default_factory=dict)  # KiB, by process
    pages: list[float] = field(default_factory=list)  # seconds

    def look(self, desk: LiveDesk, rosa: Visitor, run: Run) -> None:
        for name, child in desk.children.items():
            if name.startswith(("steps", "slices")):
                for pid in _family(child.pid):
                    self.peaks[pid] = max(self.peaks.get(pid, 0), _peak(pid))
        began = time.monotonic()
        status, text = rosa.get(f"/workflows/{run.document_id}/{run.workflow_id}/")
        assert status == 200, text
        self.pages.append(time.monotonic() - began)


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(one for child in children for one in _family(int(child)))]


def _peak(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[LiveDesk]:
    prepared = tmp_path / "prepared"
    prepare(prepared, **account())
    brisk = overrides(QUEUE_VISIBILITY_SECONDS=30, STEP_LEASE_SECONDS=20)
    desk = LiveDesk(prepared, tmp_path / "desk", **brisk)
    try:
        desk.start_emulator()
        desk.start_web()
        desk.start_worker("desk", settings.DESK_QUEUE)
        desk.start_sweeper()
        with looking_at(desk):
            yield desk
    finally:
        desk.stop()


def here(run: Run) -> int:
    return int(queries.execution(run).currentStep)


def is_half_done(run: Run, stage: str) -> bool:
    join = joins.load(run, stage, 1)
    return join is not None and 0 < len(join.done or ()) < int(join.slices) - 1


@pytest.mark.timeout(7200)
def test_a_big_document_is_read_whole_though_workers_die(desk: LiveDesk, tmp_path: Path) -> None:
    with gates.opened(int(desk.port), CountingGate) as gate:
        gated = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{gate.port}"}
        desk.start_worker("steps", settings.STEPS_QUEUE, **gated)
        for name in ("slices1", "slices2"):
            desk.start_worker(name, settings.SLICES_QUEUE, **gated)
        rosa = Visitor(desk.web)
        wait_for(rosa.is_answered, "the web server", 60)
        rosa.sign_in("rosa", desk.password("rosa"))
        began, watched = time.monotonic(), Watched()
        run = start_run(big_pdf(tmp_path / "big.pdf", PAGES))
        to_die = ["segment_prep", "format_parser", "segment_analyzer"]
        while 0 < here(run) < REVIEW:
            watched.look(desk, rosa, run)
            if to_die and is_half_done(run, to_die[0]):
                to_die.pop(0)
                desk.kill("slices1")
                desk.start_worker("slices1", settings.SLICES_QUEUE, **gated)
            time.sleep(0.5)
        took = time.monotonic() - began
        assert not to_die
    report(gate, watched, took)
    assert_whole(run, gate)
    assert_within(gate, watched)


def report(gate: CountingGate, watched: Watched, took: float) -> None:
    pages = sorted(watched.pages)
    print(f"\n{PAGES} pages, {PAGES // SCAN_EVERY} of them scans, in {took:.0f} s with three workers killed")
    print(f"messages by step {dict(gate.slices)} and one each; writes of joins {dict(gate.joins)}")
    print(f"worker memory at most {max(watched.peaks.values()) / 1024:.0f} MiB of {len(watched.peaks)} processes")
    print(f"the run's page in {pages[len(pages) // 2]:.2f} s (median), {pages[-1]:.2f} s at most")
    print(f"segments put {Counter(gate.built.values())}, analysed {Counter(gate.analysed.values())}")


def assert_whole(run: Run, gate: CountingGate) -> None:
    assert queries.execution(run).status == "running"  # it waits for a person
    assert gate.built == dict.fromkeys(range(PAGES), 1)
    assert set(gate.analysed) == set(range(PAGES))
    listed, cursor = [], None
    while True:
        page = queries.segments(run.site, run.workflow_id, cursor=cursor)
        listed += [int(row.data["segment_index"]) for row in page.rows]
        if (cursor := page.next) is None:
            break
    assert listed == list(range(PAGES))
    store = files_of(run)
    assert len(json.loads(store.read(files.result(run.workflow_id)))["pages"]) == PAGES
    for index in (0, 1, PAGES // 2, PAGES - 1):
        segment = json.loads(store.read(files.segment(index)))
        assert segment["status"] == "completed"
        assert str(index + 1) in segment["text_content"]


def assert_within(gate: CountingGate, watched: Watched) -> None:
    """On 3,000 pages 61 messages of light work and 151 of OCR, and as many writes of the join."""
    light, slow = -(-PAGES // LIGHT), -(-PAGES // OCR)
    for step, sent in gate.slices.items():
        assert sent <= (slow if step == READING else light)  # and the order itself
    for sk, written in gate.joins.items():
        assert written <= (slow if "paddleocr" in sk else light) + 1, sk
    assert max(watched.peaks.values()) < MEMORY

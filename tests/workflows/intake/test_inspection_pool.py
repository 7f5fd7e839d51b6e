"""Files that a parser does not come to an end with, or dies of, and the process that goes on."""

import logging
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from django.conf import settings

from config.errors import Refused
from tests.tools import samples
from tests.workflows.boxes import mailed
from workflows.intake import inspection_pool
from workflows.intake import inspection_process as program


@pytest.fixture
def looping(tmp_path: Path) -> Path:
    """A PDF whose page draws a form that draws itself twice."""
    path = tmp_path / "loop.pdf"
    with pikepdf.new() as pdf:
        page = pdf.add_blank_page()
        form = pdf.make_stream(b"/F Do /F Do", Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Form, BBox=[0, 0, 9, 9])
        form.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(F=form))
        page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(F=form))
        page.Contents = pdf.make_stream(b"/F Do")
        pdf.save(path)
    return path


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    path = tmp_path / "clean.txt"
    path.write_text("Total 12.50 EUR\n")
    return path


def look(path: Path, **wanted: Any) -> inspection_pool.Inspection:
    return inspection_pool.inspect(path, path.name, containers=wanted.get("containers", False))


def inspectors() -> list[int]:
    """Programs that this process runs, whichever of its threads started them."""
    found = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    running = [int(pid) for one in found for pid in one.read_text().split()]
    return [pid for pid in running if "workflows.intake.inspection_process" in Path(f"/proc/{pid}/cmdline").read_text()]


def looks(inspector: int) -> list[int]:
    """Its child that looks at a file, if one does."""
    return [int(pid) for pid in Path(f"/proc/{inspector}/task/{inspector}/children").read_text().split()]


def soon(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 20
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


def test_what_is_found_comes_back_and_so_does_a_refusal(clean: Path, tmp_path: Path) -> None:
    assert look(clean).file_type == "text/plain"
    empty = tmp_path / "empty.txt"
    empty.touch()
    with pytest.raises(Refused, match="This file is empty"):
        look(empty)


def test_mails_are_taken_for_what_is_in_them_where_that_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    path.write_bytes(mailed({}, text="words"))
    assert not look(path).is_container
    assert look(path, containers=True).is_container


@pytest.mark.wide
def test_a_file_that_never_ends_is_refused_and_the_next_one_is_read(
    looping: Path, clean: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = time.monotonic()
    with monkeypatch.context() as brief:
        brief.setattr(inspection_pool, "_WALL_SECONDS", 3)
        with pytest.raises(Refused, match=r"within 3 seconds.*Try again in a few minutes.*open it, export it again"):
            look(looping)
    assert time.monotonic() - began < 20
    assert look(clean).file_type == "text/plain"


@pytest.mark.wide
def test_a_file_that_never_ends_keeps_nobody_else_waiting(
    looping: Path, clean: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(clean)
    monkeypatch.setattr(inspection_pool, "_WALL_SECONDS", 12)
    refused: list[str] = []

    def hang() -> None:
        with pytest.raises(Refused) as error:
            look(looping)
        refused.append(str(error.value))

    other = threading.Thread(target=hang)
    other.start()
    time.sleep(0.5)
    look(clean)
    assert not refused  # the other one is still looked at
    other.join()
    assert refused


def test_a_sound_file_that_a_busy_machine_does_not_come_to_is_to_be_sent_again(
    clean: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(clean)
    (inspector,) = inspectors()
    monkeypatch.setattr(inspection_pool, "_WALL_SECONDS", 0.3)
    os.kill(inspector, signal.SIGSTOP)  # it gets no turn
    with pytest.raises(Refused, match=r"the server may be busy\. Try again in a few minutes"):
        look(clean)
    monkeypatch.undo()
    assert look(clean).file_type == "text/plain"


def test_a_look_that_is_killed_costs_one_file(looping: Path, clean: Path) -> None:
    look(clean)
    (inspector,) = inspectors()

    def kill() -> None:
        for pid in soon(lambda: looks(inspector)):
            os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(Refused, match="crashes the reader"):
        look(looping)
    killer.join()
    assert look(clean).file_type == "text/plain"
    assert inspectors() == [inspector]


@pytest.mark.wide
def test_an_inspector_that_was_killed_is_started_again(clean: Path) -> None:
    look(clean)
    for pid in inspectors():
        os.kill(pid, signal.SIGKILL)
    assert look(clean).file_type == "text/plain"


@pytest.mark.wide
def test_nothing_goes_on_behind_a_worker_that_was_killed(looping: Path, tmp_path: Path) -> None:
    program = (
        "import os, django; django.setup(); from pathlib import Path; from workflows.intake import inspection_pool\n"
        "print('ready', flush=True)\n"
        f"inspection_pool.inspect(Path({str(looping)!r}), 'loop.pdf', containers=False)"
    )
    worker = subprocess.Popen([sys.executable, "-c", program], cwd=settings.BASE_DIR, stdout=subprocess.PIPE)
    with worker:
        assert worker.stdout
        assert worker.stdout.readline() == b"ready\n"
        children = Path(f"/proc/{worker.pid}/task/{worker.pid}/children")
        (inspector,) = soon(lambda: children.read_text().split())
        (child,) = soon(lambda: looks(int(inspector)))
        worker.kill()
    soon(lambda: not Path(f"/proc/{inspector}").exists() and not Path(f"/proc/{child}").exists())


def test_a_look_has_a_limit_of_memory_and_of_the_processor(looping: Path, clean: Path) -> None:
    look(clean)
    (inspector,) = inspectors()
    limits: list[str] = []

    def read() -> None:
        (child,) = soon(lambda: looks(inspector))
        limit = Path(f"/proc/{child}/limits")
        soon(lambda: str(program.MEMORY) in limit.read_text())
        limits.append(limit.read_text())
        os.kill(child, signal.SIGKILL)

    reader = threading.Thread(target=read)
    reader.start()
    with pytest.raises(Refused):
        look(looping)
    reader.join()
    assert re.search(rf"Max cpu time +{inspection_pool.CPU_SECONDS} ", limits[0])


def test_the_place_is_told_where_a_parser_fails_and_none_of_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    gone = tmp_path / "secret-name.pdf"
    with caplog.at_level(logging.DEBUG), pytest.raises(Refused, match="This file cannot be read"):
        look(gone)
    assert "FileNotFoundError" in str([vars(record) for record in caplog.records])
    assert "secret-name" not in str([vars(record) for record in caplog.records])


def test_the_inspector_gets_no_key_of_this_process(clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    look(clean)
    (inspector,) = inspectors()
    environment = Path(f"/proc/{inspector}/environ").read_text()
    assert "PATH=" in environment
    assert "AWS_" not in environment
    assert "COUNTERSIGN_" not in environment


def test_a_relative_path_is_this_process_own(clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(clean.parent)
    assert look(Path(clean.name)).file_type == "text/plain"


def test_the_samples_of_the_demo_are_taken(tmp_path: Path) -> None:
    for path in samples.write_samples(tmp_path):
        assert look(path).page_count

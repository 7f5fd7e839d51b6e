"""Files that a parser does not come to an end with, or dies of, and the process that goes on."""

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from config.errors import Refused
from tests.workflows.boxes import mailed
from workflows import inspecting, samples


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


def look(path: Path, **wanted: Any) -> inspecting.Inspection:
    return inspecting.inspect(path, path.name, containers=wanted.get("containers", False))


def children() -> set[int]:
    # Threads' children too: the pool's are not the main thread's.
    found = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {int(pid) for one in found for pid in one.read_text().split()}


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


def test_a_file_that_never_ends_is_refused_and_the_next_one_is_read(
    looping: Path, clean: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspecting, "_WALL_SECONDS", 3)
    began = time.monotonic()
    with pytest.raises(Refused, match="open it, save or export it anew"):
        look(looping)
    assert time.monotonic() - began < 20
    assert look(clean).file_type == "text/plain"


def test_a_file_that_never_ends_keeps_nobody_else_waiting(
    looping: Path, clean: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(clean)
    monkeypatch.setattr(inspecting, "_WALL_SECONDS", 8)
    refused: list[str] = []

    def hang() -> None:
        with pytest.raises(Refused) as error:
            look(looping)
        refused.append(str(error.value))

    other = threading.Thread(target=hang)
    other.start()
    time.sleep(0.5)
    began = time.monotonic()
    look(clean)
    assert time.monotonic() - began < 4
    other.join()
    assert refused


def test_a_process_that_is_killed_costs_one_file(looping: Path, clean: Path) -> None:
    look(clean)

    def kill() -> None:
        time.sleep(1)
        for pid in children():
            if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text():
                os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(Refused):
        look(looping)
    killer.join()
    assert look(clean).file_type == "text/plain"


def test_the_samples_of_the_demo_are_taken(tmp_path: Path) -> None:
    for path in samples.write_samples(tmp_path):
        assert look(path).page_count

"""Writes a filling: so many invented documents and reviews in lanes; stopped and started again it goes on."""

import contextlib
import datetime as dt
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from django.core.management.base import OutputWrapper

from config import bulk, clock, table
from config.bulk import Row
from config.errors import Conflict
from config.transaction import Put, Update, transact
from projects.settings import actions as project_actions
from projects.settings import queries as project_queries
from projects.settings.items import Project
from tests.tools import filling as filled
from tests.tools.filling import Filling, Kind
from tests.tools.filling_record import FillingRecord
from workflows.runs.actions import segments
from workflows.runs.items import Run

_CHUNK = 25  # documents that one lane writes at a time
_LANES = 4
_RECORD_SECONDS = 2.0  # so much is done again after a kill


def fill(
    site: str,
    project: str,
    *,
    documents: int,
    reviews: int,
    segment_count: int,
    again: bool,
    out: OutputWrapper,
    progress: OutputWrapper,
) -> None:
    """``again``: write everything over, whatever was done."""
    _ensure_project(site, project)
    for kind, count in (("documents", documents), ("reviews", reviews)):
        if count:
            out.write(_fill(site, project, kind, count, again=again, progress=progress))
    if segment_count:
        segments.write(Run(site, project, "fill-document", "fill-run"), segment_count)
        out.write(f"segments   {segment_count}")


def _fill(site: str, project: str, kind: str, count: int, *, again: bool, progress: OutputWrapper) -> str:
    record = _record(site, project, kind)
    first = 0 if again else min(int(record.done), count)
    filling = Filling(site, project, clock.parse(record.began))
    write = _write_waiting if kind == "reviews" else _write_published
    note = partial(_note, filling, "waiting" if kind == "reviews" else "published", record)
    began = recorded = time.monotonic()
    done = first
    for done in _chunks(first, count, lambda index: write(filling, index)):
        if time.monotonic() - recorded > _RECORD_SECONDS:
            note(done)
            recorded = time.monotonic()
        _show_progress(progress, kind, done, count, (done - first) / max(time.monotonic() - began, 1e-6))
    note(done)
    rate = (done - first) / max(time.monotonic() - began, 1e-6)
    told = f", {rate:.0f}/s" if done > first else ", all present"
    return f"{kind:10} {count}{told}"


def _show_progress(progress: OutputWrapper, kind: str, done: int, count: int, rate: float) -> None:
    if not sys.stderr.isatty():
        return
    bar = "█" * round(24 * done / count)
    left = dt.timedelta(seconds=round((count - done) / max(rate, 0.1)))
    text = f"\r{kind:10} {bar:░<24} {done} of {count}, {rate:.0f}/s, {left} left   "
    progress.write(text, ending="\n" if done >= count else "")
    progress.flush()


def _chunks(first: int, count: int, write: Callable[[int], list[Row]]) -> Iterator[int]:
    """Write in lanes; answers, in order, up to where everything is written."""

    def work(start: int) -> int:
        end = min(start + _CHUNK, count)
        bulk.put_rows([row for index in range(start, end) for row in write(index)])
        return end

    with ThreadPoolExecutor(_LANES) as lanes:
        try:
            yield from lanes.map(work, range(first, count, _CHUNK))
        finally:
            lanes.shutdown(cancel_futures=True)  # a failure or Ctrl-C must not wait for a hundred thousand


def _write_published(filling: Filling, index: int) -> list[Row]:
    return filling.rows("published", index)


def _write_waiting(filling: Filling, index: int) -> list[Row]:
    filling.save_result(index)  # before the review that shows it
    return filling.rows("waiting", index)


def _ensure_project(site: str, project_id: str) -> Project:
    try:
        return project_actions.create_project(site, filled.PROJECT, by=filled.FILLER, project_id=project_id)
    except Conflict:  # somebody's own, which is filled all the same
        return project_queries.get_project(site, project_id)


def _record(site: str, project: str, kind: str) -> FillingRecord:
    """Made before the first row: the instant in it is part of what is written."""
    key = table.FILLING.key(site, project_id=project, kind=kind)
    now = clock.iso(clock.now())
    with contextlib.suppress(Conflict):  # it was made before: then that one's instant counts
        transact([Put(FillingRecord(*key, began=now, done=0, updated_at=now))])
    return FillingRecord.load(key)


def _note(filling: Filling, kind: Kind, record: FillingRecord, done: int) -> None:
    """Say how far it came and count what came with it, in one transaction: done again, nothing is counted twice.

    Raises:
        Conflict: another filling of the project came further meanwhile.

    """
    before = int(record.done)
    if done <= before:
        return
    now = FillingRecord.updated_at.set(clock.iso(clock.now()))
    further = Update(record.key, [FillingRecord.done.set(done), now], FillingRecord.done == before)
    try:
        transact([further, *filling.counted(kind, before, done)])
    except Conflict as conflict:
        raise Conflict(
            "Another fill command is running on this project. Wait for it to finish, then run this again."
        ) from conflict
    record.done = done

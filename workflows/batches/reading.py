"""The manifest is read once, line by line: what can be tried goes into parts, what is wrong gets its row."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from django.conf import settings

from config import bulk
from config.due import actions as due_work
from config.errors import Conflict, NotFound, Refused, Unavailable
from projects.settings import queries as project_queries
from workflows.batches import manifest, orders, queries
from workflows.batches.actions import batches, lanes
from workflows.batches.items import Batch, BatchLine, BatchStatus
from workflows.batches.manifest import Line, ManifestEntry, Rules, Wrong
from workflows.storage import files
from workflows.storage.objects import SiteFiles, open_object


@dataclass
class _Sorted:
    """What reading came to so far."""

    total: int = 0
    bad: int = 0
    planned: int = 0
    parts: int = 0


def read_manifest(site: str, batch_id: str, attempt: int, *, owner: str, keep: Callable[[], None]) -> None:
    """Read it and have its files looked at; told again, nothing happens. ``keep`` is called while it lasts.

    Raises:
        Unavailable: S3 or the table does not answer.

    """
    batch = queries.get_batch(site, batch_id)
    if batch.status != BatchStatus.READING or int(batch.attempt) != attempt:
        return
    with suppress(Conflict):  # another worker reads it, or was as fast; both wrote the same
        if due_work.attempts_exhausted(batch):
            batches.give_up(site, batch, owner=owner)
            return
        batches.claim_batch(batch, owner=owner)
        try:
            _read_new_manifest(site, batch, keep)
        except Unavailable:
            due_work.release(batch, owner=owner)
            raise


def give_up(site: str, batch_id: str, attempt: int) -> None:
    """It raised an unexpected error again and again, on the way to its first line. Raises: Unavailable."""
    batch = queries.get_batch(site, batch_id)
    if batch.status in {BatchStatus.READING, BatchStatus.CHECKING} and int(batch.attempt) == attempt:
        with suppress(Conflict):  # it has gone on meanwhile
            batches.stop_batch(site, batch)


def _read_new_manifest(site: str, batch: Batch, keep: Callable[[], None]) -> None:
    if int(batch.attempt) == 1:  # it may be read again: then what was wrong with it may be mended
        for line in queries.every_line(site, batch.id):
            lanes.delete_line(site, batch.id, int(line.number))
    try:
        found = _sort_into_parts(site, batch, _beat_between(batch, keep, _lines_of(site, batch)))
    except Refused as error:
        batches.refuse_batch(site, batch, str(error))
        return
    _settle_manifest(site, batch, found)


def _beat_between(batch: Batch, keep: Callable[[], None], lines: Iterable[Line]) -> Iterator[Line]:
    """The lines, and a heartbeat now and then. Raises: Conflict if another worker has read them."""
    looked = time.monotonic()
    for line in lines:
        keep()
        if time.monotonic() - looked > settings.REPAIR_AFTER_SECONDS / 3:
            looked = time.monotonic()
            batches.renew_batch_lease(batch)
        yield line


def _settle_manifest(site: str, batch: Batch, found: _Sorted) -> None:
    first = int(batch.attempt) == 1
    total, bad = (found.total, found.bad) if first else (int(batch.total), int(batch.bad))
    allowed = total * int(batch.percent) // 100
    if first and (not found.planned or bad > allowed):
        many = (
            "No line" if not found.planned else f"{bad} of {total} lines are invalid, more than {batch.percent} %: none"
        )
        sentence = f"{many} of this manifest was started. The report says why, line by line."
        batches.refuse_batch(site, batch, sentence, total=total, bad=bad)
        return
    orders.order_items(site, batch.id, int(batch.attempt), found.parts)
    batches.record_manifest(
        site, batch, total=total, bad=bad, planned=found.planned, parts=found.parts, allowed=allowed
    )  # fmt: skip
    orders.all_parts(site, batch.id, int(batch.attempt), found.parts)


def _lines_of(site: str, batch: Batch) -> Iterator[Line]:
    """Those of the manifest; of a later attempt, those that failed before."""
    if int(batch.attempt) == 1:
        try:
            stream = open_object(str(batch.manifest))
        except NotFound as error:
            raise Refused("The manifest is no longer in the bucket. Upload it again and create a new batch.") from error
        return manifest.read_lines(stream, str(batch.form), rules_of(site, batch.project_id))
    failed = (line for line in queries.every_line(site, batch.id) if line.again)
    return (
        ManifestEntry(int(line.number), str(line.s3_key), str(line.project_id), str(line.name or line.s3_key))
        for line in failed
    )


def rules_of(site: str, project_id: str) -> Rules:
    projects, _ = project_queries.list_projects(site, limit=project_queries.MOST)
    known = {one.name: one.project_id for one in projects} | {one.project_id: one.project_id for one in projects}
    return Rules(files.bulk(site), project_id, known, settings.BATCH_MAX_LINES, settings.BUCKET_NAME)


def _sort_into_parts(site: str, batch: Batch, found: Iterable[Line]) -> _Sorted:
    """Into parts of a hundred lines; no more than one of them is held at a time."""
    store, so_far = SiteFiles(site), _Sorted()
    part: list[list[int | str]] = []
    wrong: list[BatchLine] = []

    def flush(*, to_the_end: bool) -> None:
        nonlocal part, wrong
        if len(part) >= settings.BATCH_PART_LINES or (part and to_the_end):
            name = files.batch_part(batch.id, int(batch.attempt), so_far.parts)
            store.write(name, json.dumps(part, ensure_ascii=False).encode(), "application/json")
            so_far.parts, part = so_far.parts + 1, []
        if len(wrong) >= settings.BATCH_PART_LINES or to_the_end:
            write_lines(wrong)
            wrong = []

    for line in found:
        so_far.total += 1
        if isinstance(line, Wrong):
            so_far.bad += 1
            wrong.append(
                lanes.explain_line(
                    site, batch.id, line.number, line.reason, attempt=int(batch.attempt), key=line.key, again=False
                )
            )
        else:
            so_far.planned += 1
            part.append([line.number, line.key, line.project_id, line.name])
        flush(to_the_end=False)
    flush(to_the_end=True)
    return so_far


def write_lines(rows: Iterable[BatchLine]) -> None:
    """Again is harmless: a line has one row."""
    bulk.put_rows([(settings.TABLE_NAME, row.serialize()) for row in rows])

"""Reading manifests: valid lines are stored in parts, invalid ones get a row, each part's files are checked."""

import hashlib
import io
import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext

from config import bulk, logs
from config.due import actions as due_work
from config.errors import Conflict, CountersignError, NotFound, Refused, Unavailable
from config.phrase import Sentence
from projects.audit.events import Actor
from projects.settings import queries as project_queries
from projects.settings.items import Project
from workflows.batches import actions, manifest, orders, queries
from workflows.batches import actions as batches_actions
from workflows.batches.actions import BatchDraft
from workflows.batches.items import Batch, BatchLine, BatchStatus
from workflows.batches.manifest import Line, ManifestEntry, Rules, Wrong
from workflows.storage import files
from workflows.storage.objects import SiteFiles, look_up, open_object

log = logging.getLogger(__name__)


@dataclass
class _Sorted:
    """The counts of a manifest so far."""

    total: int = 0
    bad: int = 0
    planned: int = 0
    parts: int = 0


def read_manifest(site: str, batch_id: str, attempt: int, *, owner: str, keep: Callable[[], None]) -> None:
    """Read the manifest and order the file checks. Idempotent. ``keep`` is called while it works.

    Raises:
        Unavailable: S3 or the table does not answer.

    """
    batch = queries.get_batch(site, batch_id)
    if batch.status != BatchStatus.READING or int(batch.attempt) != attempt:
        return
    with suppress(Conflict):  # another worker reads it or was as fast; both write the same
        if due_work.attempts_exhausted(batch):
            actions.give_up(site, batch, owner=owner)
            return
        actions.claim_batch(batch, owner=owner)
        try:
            _read_new_manifest(site, batch, keep)
        except Unavailable:
            due_work.release(batch, owner=owner)
            raise


def give_up(site: str, batch_id: str, attempt: int) -> None:
    """Refuse a batch that kept raising an unexpected error before its first line. Raises: Unavailable."""
    batch = queries.get_batch(site, batch_id)
    if batch.status in {BatchStatus.READING, BatchStatus.CHECKING} and int(batch.attempt) == attempt:
        with suppress(Conflict):  # it has continued meanwhile
            actions.stop_batch(site, batch)


def _read_new_manifest(site: str, batch: Batch, keep: Callable[[], None]) -> None:
    if int(batch.attempt) == 1:  # it may be read again, after a fix
        for line in queries.every_line(site, batch.id):
            actions.delete_line(site, batch.id, int(line.number))
    try:
        found = _sort_into_parts(site, batch, _beat_between(batch, keep, _lines_of(site, batch)))
    except Refused as error:
        actions.refuse_batch(site, batch, str(error))
        return
    _settle_manifest(site, batch, found)


def _beat_between(batch: Batch, keep: Callable[[], None], lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the lines, with a heartbeat now and then. Raises: Conflict if another worker has read them."""
    looked = time.monotonic()
    for line in lines:
        keep()
        if time.monotonic() - looked > settings.REPAIR_AFTER_SECONDS / 3:
            looked = time.monotonic()
            actions.renew_batch_lease(batch)
        yield line


def _settle_manifest(site: str, batch: Batch, found: _Sorted) -> None:
    first = int(batch.attempt) == 1
    total, bad = (found.total, found.bad) if first else (int(batch.total), int(batch.bad))
    allowed = total * int(batch.percent) // 100
    if first and (not found.planned or bad > allowed):
        few = Sentence("No line of this manifest was started. The report says why, line by line.")
        many = Sentence(
            "%(bad)s of %(total)s lines are invalid, more than %(percent)s %%: none of this manifest was started. "
            "The report says why, line by line."
        )
        sentence = many.fill(bad=bad, total=total, percent=batch.percent) if found.planned else few
        actions.refuse_batch(site, batch, sentence, total=total, bad=bad)
        return
    orders.order_items(site, batch.id, int(batch.attempt), found.parts)
    actions.record_manifest(
        site, batch, total=total, bad=bad, planned=found.planned, parts=found.parts, allowed=allowed
    )  # fmt: skip
    orders.all_parts(site, batch.id, int(batch.attempt), found.parts)


def _lines_of(site: str, batch: Batch) -> Iterator[Line]:
    """Yield the lines of the manifest, or for a retry, those that failed before."""
    if int(batch.attempt) == 1:
        try:
            stream = open_object(str(batch.manifest))
        except NotFound as error:
            raise Refused(
                gettext("The manifest is no longer in the bucket. Upload it again and create a new batch.")
            ) from error
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
    """Store the lines in parts of a hundred; only one part is held in memory."""
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
                actions.explain_line(
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
    """Write the rows of invalid lines. Idempotent: a line has one row."""
    bulk.put_rows([(settings.TABLE_NAME, row.serialize()) for row in rows])


UNEXPECTED = Sentence(
    "An unexpected error stopped this line. Its file is still in the bucket. Retry the failed lines; if it fails "
    "again, ask an administrator to check the log."
)
_GONE = Sentence("The file was not found in the bucket. Upload it, then retry the failed lines.")


@dataclass(frozen=True)
class FoundFile:
    """A line whose file exists. ``version`` is empty if the bucket is not versioned; ``size`` is in bytes."""

    number: int
    key: str
    project_id: str
    name: str
    version: str
    size: int


def open_part(site: str, batch_id: str, attempt: int, part: int, *, last: bool = False) -> bool:
    """Check the files of a part, explain those that cannot be taken, and count the part once.

    Returns True once all parts are counted. ``last``: on the last delivery, a file that raises an unexpected error is
    explained too.

    Raises:
        Unavailable: S3 or the table does not answer.

    """
    batch = queries.get_batch(site, batch_id)
    if batch.status != BatchStatus.CHECKING or int(batch.attempt) != attempt or part >= int(batch.parts):
        return False
    if part in (batch.opened or ()):
        return not any(True for _ in batch.missing_parts())
    store, found, wrong = SiteFiles(site), [], []
    for number, key, project_id, name in json.loads(store.read(files.batch_part(batch_id, attempt, part))):
        version, size, message = _inspect_file(key, last=last)
        found.append(None if message else [number, key, project_id, name, version, size])
        if message:
            row = batches_actions.explain_line(
                site, batch_id, number, message, attempt=attempt, key=key, name=name, project_id=project_id, again=True
            )
            wrong.append(row)
    store.write(files.batch_files(batch_id, attempt, part), json.dumps(found).encode(), "application/json")
    write_lines(wrong)
    return _count_part(batch, part, failed=len(wrong))


def _inspect_file(key: str, *, last: bool) -> tuple[str, int, str]:
    try:
        version, size = look_up(key)
    except NotFound:
        return "", 0, _GONE
    except Unavailable:
        raise
    except Exception as error:
        if not last:
            raise
        log.error("file of a batch left out", extra={"error": logs.place_of(error)})
        return "", 0, UNEXPECTED
    if size > settings.UPLOAD_MAX_BYTES:
        most = filesizeformat(settings.UPLOAD_MAX_BYTES)
        return version, size, f"The file is larger than {most}. Split it and upload the parts to the bucket."
    return version, size, ""


def _count_part(batch: Batch, part: int, *, failed: int) -> bool:
    same = (Batch.status == BatchStatus.CHECKING) & (Batch.attempt == int(batch.attempt))
    actions = [Batch.opened.add({part}), Batch.failed.set(Batch.failed + failed)]
    with suppress(Conflict):  # already counted
        batch = Batch.change(batch.key, actions, same & ~Batch.opened.contains(part))
    return not any(True for _ in batch.missing_parts())


def file_of(site: str, batch_id: str, attempt: int, position: int) -> FoundFile | None:
    """Return the line at a ``position`` of the attempt, from 0, or None if its file could not be taken."""
    part, place = divmod(position, settings.BATCH_PART_LINES)
    found = json.loads(SiteFiles(site).read(files.batch_files(batch_id, attempt, part)))[place]
    return FoundFile(*found) if found else None


def begin_batch(site: str, batch_id: str) -> bool:
    """Begin the lines of a batch. Return False if another worker was faster."""
    with suppress(Conflict):
        batches_actions.begin_lines(site, queries.get_batch(site, batch_id))
        return True
    return False


DEFAULT_SLOTS, DEFAULT_PERCENT = 4, 20
_HEAD = 4096  # bytes, from which the format is detected
_REUSED = Sentence(
    "This Idempotency-Key was used for a batch with %(differences)s. Nothing was changed. Use a new key for each batch."
)


@dataclass(frozen=True)
class BatchRequest:
    """A request for a batch.

    ``batch_id`` comes with the form, so a form that is sent twice makes one batch. ``key``: a manifest in the bucket.
    """

    batch_id: str
    name: str = ""
    key: str = ""
    slots: int = DEFAULT_SLOTS
    percent: int = DEFAULT_PERCENT


def make_batch(
    site: str, project: Project, wish: BatchRequest, sent: BinaryIO | None, *, file_name: str = "", by: Actor
) -> Batch:
    """Create the batch, or return the existing one if the request was repeated. ``sent``: a manifest to store.

    Raises:
        Refused: with the reason for the person; also if ``batch_id`` exists with another manifest.
        Unavailable: S3 or the table does not answer.

    """
    if sent is None:
        key, form = _find_manifest(site, wish.key)
    else:
        key, form = _store_manifest(site, wish.batch_id, sent, file_name)
    name = wish.name or file_name or key.rpartition("/")[2]
    draft = BatchDraft(name[:200], project.id, project.settings.name, key, form, wish.slots, wish.percent)
    try:
        batch = actions.create_batch(site, draft, by=by, batch_id=wish.batch_id)
    except Conflict:
        return _check_same_batch(queries.get_batch(site, wish.batch_id), draft)
    with suppress(CountersignError):  # the sweeper sends it later
        orders.order_reading(site, batch.id, 1)
    return batch


def _check_same_batch(batch: Batch, draft: BatchDraft) -> Batch:
    """Check that a repeated request is the same. Raises: Refused.

    Slots are not compared: they may have changed since.
    """
    before = BatchDraft(
        str(batch.name), batch.project_id, draft.project_name, str(batch.manifest), str(batch.form), draft.slots,
        int(batch.percent),
    )  # fmt: skip
    words = {
        "another project": before.project_id != draft.project_id,
        "another manifest": (before.manifest, before.form) != (draft.manifest, draft.form),
        "another name": before.name != draft.name,
        "another limit of failures": before.percent != draft.percent,
    }
    if differences := [one for one, differs in words.items() if differs]:
        raise Refused(_REUSED.fill(differences=", ".join(differences)))
    return batch


def _find_manifest(site: str, key: str) -> tuple[str, str]:
    prefix = files.bulk(site)
    key = key.strip().removeprefix(f"s3://{settings.BUCKET_NAME}/")
    if not key.startswith(prefix) or not key.isprintable():
        raise Refused(gettext("The manifest key must begin with %(prefix)s.") % {"prefix": prefix})
    try:
        _, size = look_up(key)
    except NotFound as error:
        raise Refused(gettext("The manifest was not found in the bucket. Upload it or check the key.")) from error
    _check_size(size)
    return key, manifest.form_of(key, open_object(key).read(_HEAD))


def _store_manifest(site: str, batch_id: str, sent: BinaryIO, file_name: str) -> tuple[str, str]:
    size = sent.seek(0, io.SEEK_END)
    _check_size(size)
    sent.seek(0)
    head = sent.read(_HEAD)
    if not head.strip():
        raise Refused(gettext("The manifest is empty. Add at least one key."))
    sent.seek(0)
    digest = hashlib.sha256()
    for piece in iter(partial(sent.read, 1024 * 1024), b""):
        digest.update(piece)
    sent.seek(0)
    # Named by its content, so a second manifest with the same id never replaces the one that is being read.
    store, name = SiteFiles(site), files.manifest(batch_id, digest.hexdigest())
    store.save(name, sent, "text/plain; charset=utf-8")
    return store.key(name), manifest.form_of(file_name, head)


def _check_size(size: int) -> None:
    if size > settings.BATCH_MAX_BYTES:
        raise Refused(
            gettext("The manifest is larger than %(batch_max_bytes)s. Split it.")
            % {"batch_max_bytes": filesizeformat(settings.BATCH_MAX_BYTES)}
        )

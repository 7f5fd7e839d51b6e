"""The files of one part are looked at, many parts side by side; with the last of them the batch begins."""

import json
import logging
from contextlib import suppress
from dataclasses import dataclass

from django.conf import settings
from django.template.defaultfilters import filesizeformat

from config import logs
from config.errors import Conflict, NotFound, Unavailable
from workflows.batches import queries
from workflows.batches.actions import batches, lanes
from workflows.batches.items import Batch, BatchStatus
from workflows.batches.reading import write_lines
from workflows.storage import files
from workflows.storage.objects import SiteFiles, look_up

log = logging.getLogger(__name__)

UNEXPECTED = (
    "An unexpected error stopped this line. Its file is still in the bucket. Retry the failed lines; if it fails "
    "again, ask an administrator to check the log."
)
_GONE = "The file was not found in the bucket. Upload it, then retry the failed lines."


@dataclass(frozen=True)
class FoundFile:
    """A line whose file is there: ``version`` of it, empty if nothing is versioned, and ``size`` in bytes."""

    number: int
    key: str
    project_id: str
    name: str
    version: str
    size: int


def open_part(site: str, batch_id: str, attempt: int, part: int, *, last: bool = False) -> bool:
    """Look at each file, explain those that cannot be taken, and count the part, once; True when all parts are.

    ``last``: a file at which an unexpected error is raised is explained too.

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
            row = lanes.explain_line(
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
    with suppress(Conflict):  # counted before
        batch = Batch.change(batch.key, actions, same & ~Batch.opened.contains(part))
    return not any(True for _ in batch.missing_parts())


def file_of(site: str, batch_id: str, attempt: int, position: int) -> FoundFile | None:
    """The line at a ``position`` of the attempt, from 0; None if its file could not be taken."""
    part, place = divmod(position, settings.BATCH_PART_LINES)
    found = json.loads(SiteFiles(site).read(files.batch_files(batch_id, attempt, part)))[place]
    return FoundFile(*found) if found else None


def begin_batch(site: str, batch_id: str) -> bool:
    """False if someone was faster."""
    with suppress(Conflict):
        batches.begin_lines(site, queries.get_batch(site, batch_id))
        return True
    return False

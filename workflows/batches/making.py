"""A manifest that someone sends or names becomes a batch, which a worker reads."""

import hashlib
import io
import logging
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

from django.conf import settings
from django.template.defaultfilters import filesizeformat

from config.errors import Conflict, CountersignError, NotFound, Refused
from projects.audit.events import Actor
from projects.settings.items import Project
from workflows.batches import manifest, orders, queries
from workflows.batches.actions import batches
from workflows.batches.actions.batches import BatchDraft
from workflows.batches.items import Batch
from workflows.storage import files
from workflows.storage.objects import SiteFiles, look_up, open_object

log = logging.getLogger(__name__)

DEFAULT_SLOTS, DEFAULT_PERCENT = 4, 20
_HEAD = 4096  # bytes, by which a manifest's form is told
_REUSED = "This Idempotency-Key was used for a batch with {}. Nothing was changed. Use a new key for each batch."


@dataclass(frozen=True)
class BatchRequest:
    """``batch_id`` comes with the form, so that one sent twice is one batch. ``key``: of a manifest in the bucket."""

    batch_id: str
    name: str = ""
    key: str = ""
    slots: int = DEFAULT_SLOTS
    percent: int = DEFAULT_PERCENT


def make_batch(
    site: str, project: Project, wish: BatchRequest, sent: BinaryIO | None, *, file_name: str = "", by: Actor
) -> Batch:
    """The batch of this wish; the one that is there if it was made before. ``sent``: a manifest to store.

    Raises:
        Refused: with the sentence for the person; also if ``batch_id`` was made with another manifest.
        Unavailable: S3 or the table does not answer.

    """
    if sent is None:
        key, form = _find_manifest(site, wish.key)
    else:
        key, form = _store_manifest(site, wish.batch_id, sent, file_name)
    name = wish.name or file_name or key.rpartition("/")[2]
    draft = BatchDraft(name[:200], project.id, project.settings.name, key, form, wish.slots, wish.percent)
    try:
        batch = batches.create_batch(site, draft, by=by, batch_id=wish.batch_id)
    except Conflict:
        return _check_same_batch(queries.get_batch(site, wish.batch_id), draft)
    with suppress(CountersignError):  # the sweeper orders it
        orders.order_reading(site, batch.id, 1)
    return batch


def _check_same_batch(batch: Batch, draft: BatchDraft) -> Batch:
    """Slots are not compared: they may have been changed since. Raises: Refused."""
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
        raise Refused(_REUSED.format(", ".join(differences)))
    return batch


def _find_manifest(site: str, key: str) -> tuple[str, str]:
    prefix = files.bulk(site)
    key = key.strip().removeprefix(f"s3://{settings.BUCKET_NAME}/")
    if not key.startswith(prefix) or not key.isprintable():
        raise Refused(f"The manifest key must begin with {prefix}.")
    try:
        _, size = look_up(key)
    except NotFound as error:
        raise Refused("The manifest was not found in the bucket. Upload it or check the key.") from error
    _check_size(size)
    return key, manifest.form_of(key, open_object(key).read(_HEAD))


def _store_manifest(site: str, batch_id: str, sent: BinaryIO, file_name: str) -> tuple[str, str]:
    size = sent.seek(0, io.SEEK_END)
    _check_size(size)
    sent.seek(0)
    head = sent.read(_HEAD)
    if not head.strip():
        raise Refused("The manifest is empty. Add at least one key.")
    sent.seek(0)
    digest = hashlib.sha256()
    for piece in iter(partial(sent.read, 1024 * 1024), b""):
        digest.update(piece)
    sent.seek(0)
    # Named by its content: a second manifest under the same id never replaces the one that is being read.
    store, name = SiteFiles(site), files.manifest(batch_id, digest.hexdigest())
    store.save(name, sent, "text/plain; charset=utf-8")
    return store.key(name), manifest.form_of(file_name, head)


def _check_size(size: int) -> None:
    if size > settings.BATCH_MAX_BYTES:
        raise Refused(f"The manifest is larger than {filesizeformat(settings.BATCH_MAX_BYTES)}. Split it.")

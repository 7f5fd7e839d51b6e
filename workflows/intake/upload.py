"""Uploads: counted while they arrive, inspected, stored, and their run started."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload, TemporaryFileUploadHandler
from django.http import HttpRequest
from django.utils.translation import gettext

from config import disk
from config.errors import Refused
from config.phrase import Sentence
from projects.audit.events import Actor
from projects.documents.items import Document
from projects.settings import provider_choice
from projects.settings.items import Project, data_for_runs
from workflows.intake import store as intake_store
from workflows.intake.actions import documents, unpack
from workflows.intake.inspection import Inspection
from workflows.intake.inspection_pool import inspect
from workflows.intake.store import store_and_begin
from workflows.intake.tasks import order_unpacking_soon
from workflows.runs.items import Run
from workflows.runs.new_run import Original
from workflows.storage.objects import DocumentFiles

NAME_LENGTH = 255
# Form fields and part headers besides the file.
FORM_BYTES = 64 * 1024


def size_words(size: int) -> str:
    """Format a number of bytes for people.

    >>> size_words(524_288_000), size_words(900)
    ('500 MB', '900 bytes')
    """
    for unit, name in ((1024**2, "MB"), (1024, "KB")):
        if size >= unit:
            return f"{size / unit:.0f} {name}"
    return f"{size} bytes"


def too_large() -> str:
    limit = size_words(settings.UPLOAD_MAX_BYTES)
    return Sentence("The upload exceeds %(limit)s. Upload fewer files or split the document.").fill(limit=limit)


class SizeGuard(FileUploadHandler):
    """Stops a request whose files exceed the limit, whatever its headers declared; stores nothing itself."""

    def __init__(self) -> None:
        super().__init__()
        self.received = 0
        self.exceeded = False

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:  # noqa: ARG002 - Django's signature
        self.received += len(raw_data)
        if self.received > settings.UPLOAD_MAX_BYTES:
            self.exceeded = True
            raise StopUpload(connection_reset=True)
        return raw_data

    def file_complete(self, file_size: int) -> None:  # noqa: ARG002 - Django's signature
        return None


class HashedFileHandler(TemporaryFileUploadHandler):
    """Stores each file in a temporary file and computes its SHA-256: ``file.sha256``, hexadecimal."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self._digest = hashlib.sha256()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._digest.update(raw_data)
        with disk.full_is_unavailable():
            super().receive_data_chunk(raw_data, start)

    def file_complete(self, file_size: int) -> "UploadedFile[Any] | None":
        with disk.full_is_unavailable():  # flushes what is still buffered
            file = super().file_complete(file_size)
        if file is not None:
            file.sha256 = self._digest.hexdigest()  # type: ignore[attr-defined] # read by take()
        return file


def guard_files(request: HttpRequest) -> SizeGuard | None:
    """Install the upload handlers of a request that was not read yet; None if its declared length is too large."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > settings.UPLOAD_MAX_BYTES + FORM_BYTES:
        return None
    guard = SizeGuard()
    request.upload_handlers = [guard, HashedFileHandler(request)]
    return guard


@dataclass(frozen=True)
class TakenUpload:
    """A document whose run has started, or an email or archive (without a run) whose documents follow."""

    document_id: str
    run: Run | None
    name: str
    notes: tuple[str, ...]


Enter = Callable[[Original], Run | None]


def take(
    site: str,
    project: Project,
    upload: "UploadedFile[Any]",
    *,
    document_id: str,
    by: Actor,
    chosen: Mapping[str, str] | None = None,
    folder_id: str = "",
) -> TakenUpload:
    """Inspect, store and start. On failure neither a row nor a file is left behind.

    ``chosen``: providers for this document that override the project's (projects.settings.provider_choice).
    ``folder_id``: its folder, or empty. ``upload`` is in a temporary file of its own: no handler beside ``SizeGuard``
    keeps it in memory.

    Raises:
        Refused: with the message for the person.
        Unavailable: S3 or the table does not answer.

    """
    data = data_for_runs(project)

    def enter(found: Inspection) -> Enter:
        if found.is_container:
            return order_unpacking
        plan = intake_store.plan_run(site, project.id, data, found.file_type, chosen)
        return lambda original: intake_store.start(
            plan, document_id=document_id, original=original, by=by, folder_id=folder_id
        )

    def order_unpacking(original: Original) -> None:
        unpack.begin(
            site=site, by=by, project_id=project.id, project=data, document_id=document_id, original=original,
            chosen=chosen or {}, folder_id=folder_id,
        )  # fmt: skip
        order_unpacking_soon(site, document_id)

    return _take_upload(DocumentFiles(site, project.id, document_id), upload, enter, containers=True)


def take_content(
    site: str, project: Project, document: Document, upload: "UploadedFile[Any]", *, by: Actor
) -> TakenUpload:
    """Do the same for a new file version of an existing document.

    Raises:
        Refused: with the message for the person; also while a run of the document is in progress.
        Unavailable: S3 or the table does not answer.

    """
    # before a long upload is stored in vain; checked again when it is written
    row = documents.check_takes_content(site, document)
    own = provider_choice.read_provider_choices(row.data.as_dict(), provider_choice.list_choices(site))

    def enter(found: Inspection) -> Enter:
        plan = intake_store.plan_run(site, project.id, data_for_runs(project), found.file_type, own)
        return lambda original: intake_store.start_again(
            plan, document_id=document.document_id, original=original, by=by
        )

    return _take_upload(DocumentFiles(site, project.id, document.document_id), upload, enter, containers=False)


def _take_upload(
    store: DocumentFiles, upload: "UploadedFile[Any]", entering: Callable[[Inspection], Enter], *, containers: bool
) -> TakenUpload:
    name = upload_name(upload.name or "")
    path = Path(cast("TemporaryUploadedFile", upload).temporary_file_path())
    found = inspect(path, name, containers=containers)
    run = store_and_begin(
        store, cast("BinaryIO", upload), name, found, size=upload.size or 0, begin=entering(found),
        sha256=getattr(upload, "sha256", ""),
    )  # fmt: skip
    return TakenUpload(store.document_id, run, name, found.notes)


def upload_name(name: str) -> str:
    """Return the file's name without unprintable characters; never part of a key.

    Raises:
        Refused: nothing is left of it.

    """
    shown = "".join(letter for letter in name if letter.isprintable()).strip()[-NAME_LENGTH:]
    if not shown:
        raise Refused(gettext("This file has no name. Rename it and upload it again."))
    return shown

"""A file on this machine's disk becomes a document, or a container whose documents are on their way."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

from config.transaction import Change
from projects.audit.events import Actor
from projects.documents.items import DocumentUnpacking
from projects.settings.items import Project, settings_to_store
from workflows.intake import run_plan
from workflows.intake.actions import unpack
from workflows.intake.inspection import Inspection
from workflows.runs.new_run import Original
from workflows.runs.run import Run
from workflows.storage.objects import DocumentFiles

T = TypeVar("T")


@dataclass(frozen=True)
class LocalFile:
    """``name`` as people know it; ``found``: what intake saw in it."""

    path: Path
    name: str
    found: Inspection


def enter(
    site: str,
    project: Project,
    document_id: str,
    file: LocalFile,
    *,
    by: Actor,
    parent: DocumentUnpacking | None = None,
    also: Sequence[Change] = (),
    batch_line: str = "",
) -> Run | None:
    """Store it and make its rows, ``also`` with them; whatever fails, neither a row nor a file is left behind.

    Returns its run, or None for a mail or an archive: a worker has to be told to unpack it.
    ``batch_line``: whose slot of a batch its run holds, or its unpacking.

    Raises:
        Conflict: the document exists, or one of ``also`` did not hold.
        Refused: the site's rules choose a classification that is gone.
        Unavailable: S3 or the table does not answer.

    """
    data = settings_to_store(project.settings)
    chosen = parent.chosen.as_dict() if parent is not None and parent.chosen is not None else {}
    plan = None if file.found.is_container else run_plan.plan_run(site, project.id, data, file.found.file_type, chosen)

    def begin(original: Original) -> Run | None:
        if plan:
            parent_id = parent.documentId if parent else ""
            return run_plan.start(
                plan, document_id=document_id, original=original, by=by, parent_id=parent_id, also=also,
                batch_line=batch_line,
            )  # fmt: skip
        unpack.begin(
            site=site, by=by, project_id=project.id, project=data, document_id=document_id, original=original,
            parent=parent, chosen=chosen, also=also, batch_line=batch_line,
        )  # fmt: skip
        return None

    with file.path.open("rb") as body:
        store = DocumentFiles(site, project.id, document_id)
        return store_and_begin(store, body, file.name, file.found, size=file.path.stat().st_size, begin=begin)


def store_and_begin(
    store: DocumentFiles, body: BinaryIO, name: str, found: Inspection, *, size: int, begin: Callable[[Original], T],
    sha256: str = "",
) -> T:  # fmt: skip
    """Keep the original, then make its rows; where ``begin`` fails, it is taken back.

    ``size``: bytes; ``sha256`` (hexadecimal) where it was counted on the way.
    """
    kept = store.save_original(body, found.extension, found.file_type, sha256=sha256)
    try:
        return begin(
            Original(name, found.file_type, size, kept.key, found.page_count, kept.sha256, kept.version)
        )  # fmt: skip
    except Exception:
        run_plan.take_back(store, kept)
        raise

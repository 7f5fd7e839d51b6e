"""What a worker does to fill a test set: read reviews or an upload, keep the answers, add a version."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from config.errors import CountersignError, NotFound, Refused, Unavailable
from projects.audit.events import Actor
from projects.settings import queries as project_queries
from projects.settings.items import Project
from workflows.storage import files
from workflows.storage.objects import SiteFiles
from workflows.testsets import actions, reviews, uploads
from workflows.testsets.cases import KnownAnswers
from workflows.testsets.queries import SetRef
from workflows.testsets.uploads import UploadedCase

log = logging.getLogger(__name__)
DEFAULT_MOST = 200


@dataclass(frozen=True)
class Source:
    """Where documents come from: an upload by its ``sha256``, else the ``most`` reviewed last (of a document type)."""

    sha256: str = ""
    most: int = DEFAULT_MOST
    classification_id: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def keep_upload(site: str, project: Project, body: bytes) -> Source:
    """Check a file and keep it for the worker.

    Raises:
        Refused: with the line that is wrong.

    """
    return keep_lines(site, project, uploads.read_upload(body, uploads.list_known_fields(site, project)))


def keep_lines(site: str, project: Project, lines: Iterable[UploadedCase]) -> Source:
    body = uploads.to_stored(lines)
    sha256 = files.sha256(body)
    SiteFiles(site).keep(files.testset_upload(project.id, sha256), body, "application/json")
    return Source(sha256=sha256)


def build_test_set(ref: SetRef, source: Source, *, by: Actor) -> None:
    """Add what ``source`` names, or say on the set's page why not.

    Raises:
        Unavailable: the table or S3 does not answer.

    """
    try:
        note, known = _read_source(ref, source)
        cases = actions.collect_cases(ref.site, ref.project_id, known)
        if not cases:
            raise Refused("No reviewed documents found. Review some documents of this project first.")
        version = actions.add_cases(ref, cases, note=note, by=by)
    except Unavailable:
        raise
    except CountersignError as error:
        actions.record_refusal(ref, str(error))
        log.info("test set was not changed", extra={"project": ref.project_id})
    else:
        log.info("test set saved", extra={"project": ref.project_id, "version": version})
    if source.sha256:  # values of documents, which a purge of these would not reach here
        SiteFiles(ref.site).delete(files.testset_upload(ref.project_id, source.sha256))


def _read_source(ref: SetRef, source: Source) -> tuple[str, Iterable[tuple[str, KnownAnswers]]]:
    if not source.sha256:
        return "From reviewed documents", reviews.list_reviewed_answers(
            ref.site, ref.project_id, most=source.most, classification_id=source.classification_id
        )
    project = project_queries.get_project(ref.site, ref.project_id)
    try:
        body = SiteFiles(ref.site).read(files.testset_upload(ref.project_id, source.sha256))
    except NotFound as error:
        raise Refused("The uploaded answers are gone. Upload the file again.") from error
    fields: Mapping[str, Any] = uploads.list_known_fields(ref.site, project)
    return "From an upload", uploads.find_documents(ref.site, ref.project_id, uploads.uploaded_from(body), fields)

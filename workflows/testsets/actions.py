"""Writes of test sets: create a set, add a version; each is one transaction with its audit event."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import gettext

from config import clock
from config.errors import Conflict, CountersignError, NotFound, Refused, Unavailable
from config.transaction import Put, RecordAt, Update, transact
from projects.audit.events import Actor, entity_event
from projects.settings import queries as project_queries
from projects.settings.columns import TABLE
from projects.settings.items import Project
from workflows.learning.reviewed import DecidedRun, list_decided_runs
from workflows.storage import files
from workflows.storage.objects import DocumentFiles, SiteFiles
from workflows.testsets import queries, uploads
from workflows.testsets.cases import (
    HELD_BACK,
    TUNING,
    Case,
    KnownAnswers,
    KnownField,
    cases_to_bytes,
    choose_half,
    count_halves,
    merge_cases,
)
from workflows.testsets.items import BUILDING, FAILED, READY, StoredTestSet, StoredTestSetVersion
from workflows.testsets.queries import SetRef
from workflows.testsets.uploads import UploadedCase

log = logging.getLogger(__name__)

_ATTEMPTS = 5


def create_test_set(site: str, project_id: str, name: str, *, by: Actor, testset_id: str = "") -> SetRef:
    """Create an empty set, to which a worker adds documents."""
    ref, now = SetRef(site, project_id, testset_id or clock.new_ulid()), clock.iso(clock.now())
    head = StoredTestSet(
        *ref.key,
        testset_id=ref.testset_id,
        name=name,
        status=BUILDING,
        version=0,
        asked_at=now,
        created_at=now,
        updated_at=now,
        updated_by=by.name,
    )
    transact([Put(head)], _event(ref, "created", by, {"name": name}))
    return ref


def announce_building(ref: SetRef) -> None:
    """Show on its page that documents are being added. Raises: NotFound."""
    queries.get_test_set(ref)
    actions = [
        StoredTestSet.status.set(BUILDING),
        StoredTestSet.asked_at.set(clock.iso(clock.now())),
        StoredTestSet.message.remove(),
    ]
    StoredTestSet.change(ref.key, actions, StoredTestSet.PK.exists())


def keep_answers(site: str, project_id: str, document_id: str, answers: KnownAnswers) -> Case:
    """Store known answers among the document's own objects, so that its permissions and purge apply."""
    body = answers.to_bytes()
    sha256 = files.sha256(body)
    DocumentFiles(site, project_id, document_id).write(files.truth(sha256), body, "application/json")
    return Case(document_id, sha256, choose_half(document_id, answers), len(answers.fields))


def add_cases(ref: SetRef, cases: Sequence[Case], *, note: str, by: Actor) -> int:
    """Add documents, or newer answers of existing ones; return the version. Idempotent.

    Raises:
        NotFound: there is no such set.
        Refused: it would have too many documents.
        Conflict: others changed it five times meanwhile.

    """
    return _write_version(ref, lambda known: merge_cases(known, cases), note=note, by=by)


def remove_case(ref: SetRef, document_id: str, *, based_on: int, by: Actor) -> int:
    """Add a version without this document; ``based_on``: the one that the page showed.

    Raises:
        Conflict: the set has changed since.
        NotFound: no such set.

    """
    head = queries.get_test_set(ref)
    if int(head.version) != based_on:
        raise Conflict(
            gettext("%(updated_by)s changed this test set to version %(version)s. Look at it first.")
            % {"updated_by": head.updated_by, "version": int(head.version)}
        )

    def leave_out(known: Sequence[Case]) -> tuple[Case, ...]:
        return tuple(one for one in known if one.document_id != document_id)

    return _write_version(ref, leave_out, note="Removed a document", by=by)


def seed_reviews(ref: SetRef, share: float, *, by: Actor) -> None:
    """Set the share (0–1) of the project's reviews with a seeded check from the set. Raises: NotFound."""
    queries.get_test_set(ref)
    transact(
        [Update(ref.key, [StoredTestSet.seed_share.set(share)], StoredTestSet.PK.exists())],
        _event(ref, "seeding_changed", by, {"share": f"{share * 100:.4g} %"}),
    )


def _write_version(ref: SetRef, change: Callable[[Sequence[Case]], tuple[Case, ...]], *, note: str, by: Actor) -> int:
    for _ in range(_ATTEMPTS):
        head = queries.get_test_set(ref)
        before = int(head.version)
        cases = change(queries.load_cases(ref, str(head.sha256)) if head.sha256 else ())
        body = cases_to_bytes(cases)
        sha256 = files.sha256(body)
        unchanged = StoredTestSet.version == before
        with suppress(Conflict):
            if sha256 == head.sha256:
                StoredTestSet.change(ref.key, [StoredTestSet.status.set(READY)], unchanged)
                return before
            SiteFiles(ref.site).keep(files.testset(ref.project_id, ref.testset_id, sha256), body, "application/json")
            counts = count_halves(cases)
            payload = {"version": before + 1, "documents": len(cases), "note": note}
            transact(
                [
                    Put(_new_version(ref, before + 1, sha256, counts, note=note, by=by)),
                    _move_head(ref, head, sha256, counts, by),
                ],
                _event(ref, "version_saved", by, payload),
            )
            return before + 1
    raise Conflict(gettext("Others keep changing this test set. Nothing was added; try again in a moment."))


def _new_version(
    ref: SetRef, version: int, sha256: str, counts: Mapping[str, int], *, note: str, by: Actor
) -> StoredTestSetVersion:
    return StoredTestSetVersion(
        *ref.version_key(version),
        version=version,
        sha256=sha256,
        tuning=counts[TUNING],
        held_back=counts[HELD_BACK],
        note=note or None,
        created_at=clock.iso(clock.now()),
        created_by=by.id,
        user_name=by.name,
    )


def _move_head(ref: SetRef, head: StoredTestSet, sha256: str, counts: Mapping[str, int], by: Actor) -> Update:
    actions = [
        StoredTestSet.version.set(int(head.version) + 1),
        StoredTestSet.sha256.set(sha256),
        StoredTestSet.status.set(READY),
        StoredTestSet.tuning.set(counts[TUNING]),
        StoredTestSet.held_back.set(counts[HELD_BACK]),
        StoredTestSet.message.remove(),
        StoredTestSet.updated_at.set(clock.iso(clock.now())),
        StoredTestSet.updated_by.set(by.name),
    ]
    return Update(ref.key, actions, StoredTestSet.version == int(head.version))


def record_refusal(ref: SetRef, sentence: str) -> None:
    """Show on its page why nothing was added, as nobody waits for the worker; not if it was added already."""
    head = queries.get_test_set(ref)
    actions = [
        StoredTestSet.status.set(READY if int(head.version) else FAILED),
        StoredTestSet.message.set(sentence),
    ]
    with suppress(Conflict):
        waits = (StoredTestSet.version == int(head.version)) & (StoredTestSet.status == BUILDING)
        StoredTestSet.change(ref.key, actions, waits)


def check_name(name: str) -> str:
    """Raises: Refused."""
    name = " ".join(name.split())
    if not name or len(name) > 100:
        raise Refused(gettext("Give the test set a name of at most 100 characters."))
    return name


def _event(ref: SetRef, word: str, by: Actor, payload: Mapping[str, Any]) -> RecordAt:
    return entity_event(ref.site, "test_set", f"{ref.project_id}.{ref.testset_id}", word, by=by, payload=payload)


def collect_cases(site: str, project_id: str, known: Iterable[tuple[str, KnownAnswers]]) -> list[Case]:
    """Store the answers of each document; ``known``: document ids with answers."""
    return [keep_answers(site, project_id, document_id, answers) for document_id, answers in known]


def list_reviewed_answers(
    site: str, project_id: str, *, most: int, classification_id: str = ""
) -> Iterator[tuple[str, KnownAnswers]]:
    """Yield the ``most`` latest reviewed documents, optionally of one document type; for tasks."""
    seen: set[str] = set()
    for decided in list_decided_runs(site, project_id):
        document_id = decided.run.document_id
        if len(seen) >= most:
            return
        if document_id in seen or (classification_id and _classification_of(decided) != classification_id):
            continue
        if answers := _read_answers(decided):
            seen.add(document_id)
            yield document_id, answers


def _read_answers(decided: DecidedRun) -> KnownAnswers | None:
    fields = tuple(
        KnownField(str(one["name"]), str(one.get("label") or one["name"]), str(one["type"]), decided.correct(one))
        for one in decided.seen_fields
        if one["type"] != TABLE  # models do not extract tables
    )
    return KnownAnswers(fields) if any(one.value is not None for one in fields) else None


def _classification_of(decided: DecidedRun) -> str:
    return str((decided.result.get("classification") or {}).get("id") or "")


DEFAULT_MOST = 200


@dataclass(frozen=True)
class Source:
    """The source of documents: an upload by its ``sha256``, else the ``most`` latest reviewed (of a document type)."""

    sha256: str = ""
    most: int = DEFAULT_MOST
    classification_id: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def keep_upload(site: str, project: Project, body: bytes) -> Source:
    """Check a file and store it for the worker.

    Raises:
        Refused: with the invalid line.

    """
    return keep_lines(site, project, uploads.read_upload(body, uploads.list_known_fields(site, project)))


def keep_lines(site: str, project: Project, lines: Iterable[UploadedCase]) -> Source:
    body = uploads.to_stored(lines)
    sha256 = files.sha256(body)
    SiteFiles(site).keep(files.testset_upload(project.id, sha256), body, "application/json")
    return Source(sha256=sha256)


def build_test_set(ref: SetRef, source: Source, *, by: Actor) -> None:
    """Add the documents of ``source``, or show on the set's page why not.

    Raises:
        Unavailable: the table or S3 does not answer.

    """
    try:
        note, known = _read_source(ref, source)
        cases = collect_cases(ref.site, ref.project_id, known)
        if not cases:
            raise Refused(gettext("No reviewed documents found. Review some documents of this project first."))
        version = add_cases(ref, cases, note=note, by=by)
    except Unavailable:
        raise
    except CountersignError as error:
        record_refusal(ref, str(error))
        log.info("test set was not changed", extra={"project": ref.project_id})
    else:
        log.info("test set saved", extra={"project": ref.project_id, "version": version})
    if source.sha256:  # it contains document values, which a purge of the documents would not reach
        SiteFiles(ref.site).delete(files.testset_upload(ref.project_id, source.sha256))


def _read_source(ref: SetRef, source: Source) -> tuple[str, Iterable[tuple[str, KnownAnswers]]]:
    if not source.sha256:
        return "From reviewed documents", list_reviewed_answers(
            ref.site, ref.project_id, most=source.most, classification_id=source.classification_id
        )
    project = project_queries.get_project(ref.site, ref.project_id)
    try:
        body = SiteFiles(ref.site).read(files.testset_upload(ref.project_id, source.sha256))
    except NotFound as error:
        raise Refused(gettext("The uploaded answers are gone. Upload the file again.")) from error
    fields: Mapping[str, Any] = uploads.list_known_fields(ref.site, project)
    return "From an upload", uploads.find_documents(ref.site, ref.project_id, uploads.uploaded_from(body), fields)

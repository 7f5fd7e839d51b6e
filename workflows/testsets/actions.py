"""Writes of test sets: a set is made, a version added; each in one transaction with its audit event."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from config import clock
from config.errors import Conflict, Refused
from config.transaction import Put, RecordAt, Update, transact
from projects.audit.events import Actor, entity_event
from workflows.storage import files
from workflows.storage.objects import DocumentFiles, SiteFiles
from workflows.testsets import queries
from workflows.testsets.cases import (
    HELD_BACK,
    TUNING,
    Case,
    KnownAnswers,
    cases_to_bytes,
    choose_half,
    count_halves,
    merge_cases,
)
from workflows.testsets.items import BUILDING, FAILED, READY, StoredTestSet, StoredTestSetVersion
from workflows.testsets.queries import SetRef

_ATTEMPTS = 5


def create_test_set(site: str, project_id: str, name: str, *, by: Actor, testset_id: str = "") -> SetRef:
    """An empty one, whose documents a worker is about to add."""
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
    """Have its page say that documents are being added. Raises: NotFound."""
    queries.get_test_set(ref)
    actions = [
        StoredTestSet.status.set(BUILDING),
        StoredTestSet.asked_at.set(clock.iso(clock.now())),
        StoredTestSet.message.remove(),
    ]
    StoredTestSet.change(ref.key, actions, StoredTestSet.PK.exists())


def keep_answers(site: str, project_id: str, document_id: str, answers: KnownAnswers) -> Case:
    """Put known answers among the document's own objects, whose permissions and purge are theirs too."""
    body = answers.to_bytes()
    sha256 = files.sha256(body)
    DocumentFiles(site, project_id, document_id).write(files.truth(sha256), body, "application/json")
    return Case(document_id, sha256, choose_half(document_id, answers), len(answers.fields))


def add_cases(ref: SetRef, cases: Sequence[Case], *, note: str, by: Actor) -> int:
    """Add documents, or newer answers of those that are there; returns the version. The same again adds none.

    Raises:
        NotFound: there is no such set.
        Refused: it would have too many documents.
        Conflict: others changed it five times in between.

    """
    return _write_version(ref, lambda known: merge_cases(known, cases), note=note, by=by)


def remove_case(ref: SetRef, document_id: str, *, based_on: int, by: Actor) -> int:
    """A version without this document; ``based_on``: the one that the page showed.

    Raises:
        Conflict: the set has changed since.
        NotFound: no such set.

    """
    head = queries.get_test_set(ref)
    if int(head.version) != based_on:
        raise Conflict(f"{head.updated_by} changed this test set to version {int(head.version)}. Look at it first.")

    def leave_out(known: Sequence[Case]) -> tuple[Case, ...]:
        return tuple(one for one in known if one.document_id != document_id)

    return _write_version(ref, leave_out, note="Removed a document", by=by)


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
    raise Conflict("Others keep changing this test set. Nothing was added; try again in a moment.")


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
    """Say on its page why nothing was added, since no one waits for the worker; not if it was added already."""
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
        raise Refused("Give the test set a name of at most 100 characters.")
    return name


def _event(ref: SetRef, word: str, by: Actor, payload: Mapping[str, Any]) -> RecordAt:
    return entity_event(ref.site, "test_set", f"{ref.project_id}.{ref.testset_id}", word, by=by, payload=payload)


def collect_cases(site: str, project_id: str, known: Iterable[tuple[str, KnownAnswers]]) -> list[Case]:
    """Keep the answers of each document; ``known``: document ids with theirs."""
    return [keep_answers(site, project_id, document_id, answers) for document_id, answers in known]

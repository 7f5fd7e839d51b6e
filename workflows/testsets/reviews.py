"""Known answers out of reviews: what a person left or corrected is true of the document."""

from collections.abc import Iterator

from projects.settings.columns import TABLE
from workflows.learning.reviewed import DecidedRun, list_decided_runs
from workflows.testsets.cases import KnownAnswers, KnownField


def list_reviewed_answers(
    site: str, project_id: str, *, most: int, classification_id: str = ""
) -> Iterator[tuple[str, KnownAnswers]]:
    """The ``most`` documents that were reviewed last, of one document type if it is given; for a task."""
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
        if one["type"] != TABLE  # which no model is asked for
    )
    return KnownAnswers(fields) if any(one.value is not None for one in fields) else None


def _classification_of(decided: DecidedRun) -> str:
    return str((decided.result.get("classification") or {}).get("id") or "")

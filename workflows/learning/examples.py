"""Few-shot examples for prompts: what reviewers recorded for other documents of a project."""

import itertools
import time
from functools import lru_cache

from projects.documents import queries as document_queries
from projects.sites import directory
from workflows.learning.reviewed import DecidedRun, list_decided_runs

MOST = 3  # documents
LONGEST_VALUE, LONGEST = 100, 2_000  # characters of a value, and of all
_SPARE = 2  # more are read, since the document itself and those of restricted queues are omitted
_REMEMBERED_SECONDS = 300


def read_examples(site: str, project_id: str, *, but: str) -> str:
    """Return the values of the latest reviewed documents, a line each; empty if there are none yet.

    ``but``: the document that is being read, whose own values would be the answer. Documents of queues that are limited
    to groups are omitted, as all admins can see requests. One Query, one batch read and two objects a document; cached
    for five minutes in each process.
    """
    found = [lines for document_id, lines in _remember(site, project_id, _now()) if document_id != but][:MOST]
    texts = [f"Document {number}\n{lines}" for number, lines in enumerate(found, 1)]
    return "\n\n".join(texts)[:LONGEST]


def _now() -> int:
    return int(time.monotonic() // _REMEMBERED_SECONDS)


@lru_cache(maxsize=64)
def _remember(site: str, project_id: str, _at: int) -> tuple[tuple[str, str], ...]:
    decided = list(itertools.islice(list_decided_runs(site, project_id), MOST + _SPARE))
    limited, folders = directory.list_limited_queues(site), directory.list_limited_folders(site)
    ids = [one.run.document_id for one in decided] if limited or folders else []
    hidden = {
        one.document_id
        for one in document_queries.list_belongings(site, ids)
        if one.queue in limited or directory.is_in_folder(site, one.folder_id, folders)
    }
    newest = {one.run.document_id: one for one in reversed(decided)}  # one run of each document
    listed = [(document_id, _list_values(one)) for document_id, one in reversed(newest.items())]
    return tuple((document_id, lines) for document_id, lines in listed if lines and document_id not in hidden)


def _list_values(decided: DecidedRun) -> str:
    values = ((one["name"], decided.correct(one)) for one in decided.seen_fields)
    return "\n".join(f"{name}: {value[:LONGEST_VALUE]}" for name, value in values if value)

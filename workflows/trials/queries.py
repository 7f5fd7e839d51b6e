"""Reads of trials: the row, its input, and its outcome."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config import clock, table
from config.errors import NotFound
from config.phrase import Phrase
from config.table import InvalidKey, Key
from projects.models.spec import OcrSpec, ocr_spec_from
from projects.prompts.prompt import Prompt
from workflows.runs.items import ProjectDocument
from workflows.storage import files
from workflows.storage.objects import DocumentFiles
from workflows.trials.documents import PageSize
from workflows.trials.items import Trial, TrialStatus
from workflows.trials.outcome import StoredOutcome, TrialField, outcome_from
from workflows.trials.readings import Reading, reading_from

MISSING = Phrase("This trial is over and its answers are deleted. Try the prompt again.")
READ = "read"  # the purpose of trials of OCR models
LONGEST_SECONDS = 900  # time limit of a trial; a worker that takes longer is lost
SAMPLES, LOOKED_THROUGH = 30, 200  # documents that are offered, and searched among the last changed ones


@dataclass(frozen=True)
class TrialRef:
    site: str
    project_id: str
    trial_id: str

    @property
    def key(self) -> Key:
        return table.TRIAL.key(self.site, project_id=self.project_id, trial_id=self.trial_id)


@dataclass(frozen=True)
class PageRef:
    """``index`` is 0-based."""

    document_id: str
    index: int


@dataclass(frozen=True)
class Draft:
    """The draft under trial. ``question``: for the purpose ``answer`` only."""

    prompt: Prompt
    question: str = ""


@dataclass(frozen=True)
class Answer:
    outcome: StoredOutcome
    pages: tuple[PageSize, ...]

    @property
    def fields(self) -> tuple[TrialField, ...]:
        return self.outcome.fields

    @property
    def has_failed(self) -> bool:
        return bool(self.outcome.problem)


def get_trial(ref: TrialRef) -> Trial:
    """Strongly consistent. Raises: NotFound."""
    try:
        return Trial.load(ref.key)
    except (NotFound, InvalidKey) as error:
        raise NotFound(MISSING) from error


def is_settled(trial: Trial) -> bool:
    return trial.status in {TrialStatus.DONE, TrialStatus.FAILED}


def is_lost(trial: Trial) -> bool:
    """Return True if its worker must be gone: the task's time limit has passed."""
    over = clock.parse(trial.created_at) < clock.in_seconds(-LONGEST_SECONDS)
    return over and not is_settled(trial)


def seconds_since(trial: Trial) -> int:
    """Return how long ago it was started."""
    return max(int((clock.now() - clock.parse(trial.created_at)).total_seconds()), 0)


def read_draft(site: str, project_id: str, document_id: str, trial_id: str, purpose: str) -> Draft:
    """Raises: NotFound if it has expired, or its document was purged."""
    stored = _read(site, project_id, document_id, files.trial(trial_id))
    return Draft(Prompt(purpose, stored["instructions"], stored["message"]), stored["question"])


def read_models(ref: TrialRef, document_id: str) -> tuple[OcrSpec, ...]:
    """Return the models of a reading, in the chosen order. Raises: NotFound as ``read_draft``."""
    stored = _read(ref.site, ref.project_id, document_id, files.trial(ref.trial_id))
    return tuple(ocr_spec_from(one) for one in stored["models"])


def read_reading(ref: TrialRef, document_id: str, name: str) -> Reading:
    """Raises: NotFound as ``read_draft``."""
    return reading_from(_read(ref.site, ref.project_id, document_id, name))


def read_answer(site: str, project_id: str, document_id: str, name: str) -> Answer:
    """Raises: NotFound as ``read_draft``."""
    stored = _read(site, project_id, document_id, name)
    return Answer(outcome_from(stored["outcome"]), tuple(PageSize(**one) for one in stored["pages"]))


def _read(site: str, project_id: str, document_id: str, name: str) -> Mapping[str, Any]:
    try:
        found: Mapping[str, Any] = json.loads(DocumentFiles(site, project_id, document_id).read(name))
    except NotFound as error:
        raise NotFound(MISSING) from error
    return found


def find_unread(site: str, project_id: str, document_id: str) -> ProjectDocument | None:
    """Find a document of the project whose run has not read it yet, such as one just uploaded."""
    try:
        row = ProjectDocument.load(table.PROJECT_DOCUMENT.key(site, project_id=project_id, document_id=document_id))
    except (NotFound, InvalidKey):
        return None
    return None if row.hidden or _is_read(row) else row


def list_unread(site: str, project_id: str) -> Sequence[ProjectDocument]:
    """List the last changed documents whose runs have not read them yet: one Query."""
    return [one for one in _last_changed(site, project_id) if not (one.hidden or _is_read(one))][:SAMPLES]


def _is_read(row: ProjectDocument) -> bool:
    return bool(row.workflow_id and (row.outcome or row.current_step))


def list_samples(site: str, project_id: str, words: str = "") -> Sequence[ProjectDocument]:
    """List the last changed documents that have been read, by name if ``words`` are given: one Query.

    In large projects, only the last ``LOOKED_THROUGH`` documents are searched.
    """
    found = [one for one in _last_changed(site, project_id) if _is_read(one)]
    wanted = words.casefold().split()
    return [one for one in found if all(word in (one.name or "").casefold() for word in wanted)][:SAMPLES]


def _last_changed(site: str, project_id: str) -> Sequence[ProjectDocument]:
    pk = table.PROJECT_DOCUMENT.gsi1_partition(site, project_id=project_id)
    return ProjectDocument.page(pk, index="GSI1", newest_first=True, limit=LOOKED_THROUGH).rows

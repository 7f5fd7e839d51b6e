"""Writes of trials: started by a person, done by one worker. They have no audit events, as a trial changes nothing."""

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.errors import Conflict, Refused
from config.transaction import NEW
from projects.audit.events import Actor
from projects.models.spec import OcrSpec
from projects.prompts import actions as prompt_actions
from projects.prompts import queries as prompt_queries
from projects.prompts.queries import PromptRef
from workflows.storage import files
from workflows.storage.objects import DocumentFiles
from workflows.trials.items import Trial, TrialStatus
from workflows.trials.queries import LONGEST_SECONDS, READ, Draft, PageRef, TrialRef

DAYS = 7  # days that a trial is kept; the bucket's rule for ``debug`` deletes its objects later
LONGEST_QUESTION = 500
_DIGITS = 32  # hexadecimal digits of a trial's name


def start_trial(prompt: PromptRef, draft: Draft, document_id: str, model_id: str, *, by: Actor) -> TrialRef:
    """Store the draft among the document's files, for a worker to try.

    A trial in progress with the same input is joined: its name is derived from the input, so two clicks start one
    trial. One that has ended is restarted; cached answers are reused.

    Raises:
        Refused: the draft has problems, or the question is missing.

    """
    prompt_actions.check_text(draft.prompt)
    if prompt.purpose == "answer" and not draft.question.strip():
        raise Refused(gettext("Enter a question to ask about the first page."))
    tried = {
        "instructions": draft.prompt.instructions,
        "message": draft.prompt.message,
        "question": draft.question[:LONGEST_QUESTION],
    }
    compared, version = prompt_queries.find_in_use(prompt)
    ref = _name_trial(
        prompt.site, prompt.project_id, [prompt.slug, compared.slug, version, document_id, model_id, tried]
    )
    of = {"purpose": prompt.purpose, "scope": prompt.scope, "model_id": model_id}
    _begin(ref, document_id, tried, {**of, "production": version, "production_scope": compared.scope}, by)
    return ref


def start_reading(site: str, project_id: str, page: PageRef, models: Sequence[OcrSpec], *, by: Actor) -> TrialRef:
    """Store the models that should read the page, each with its parameters, for a worker.

    As for ``start_trial``, one in progress with the same input is joined.
    """
    wish = {"models": [spec.to_json() for spec in models]}
    ref = _name_trial(site, project_id, [READ, page.document_id, page.index, wish])
    of = {"purpose": READ, "model_id": "", "production": 0, "page_index": page.index, "readings": {}}
    _begin(ref, page.document_id, wish, of, by)
    return ref


def _name_trial(site: str, project_id: str, tried: Sequence[Any]) -> TrialRef:
    """Derive the name from the input."""
    return TrialRef(site, project_id, files.sha256(json.dumps(tried, sort_keys=True).encode())[:_DIGITS])


def _begin(ref: TrialRef, document_id: str, tried: Mapping[str, Any], of: Mapping[str, Any], by: Actor) -> None:
    """Does nothing if it is in progress. ``of``: attributes of its row."""
    store = DocumentFiles(ref.site, ref.project_id, document_id)
    store.write(files.trial(ref.trial_id), json.dumps(tried).encode(), "application/json")
    now = clock.now()
    begun = {
        **of,
        "status": TrialStatus.ASKED,
        "document_id": document_id,
        "created_at": clock.iso(now),
        "userId": by.id,
        "user_name": by.name,
        "TimeToLive": int((now + dt.timedelta(days=DAYS)).timestamp()),
    }
    actions: list[Action] = [getattr(Trial, name).set(value) for name, value in begun.items()]
    # Leftovers of an ended trial with the same name.
    actions += [one.remove() for one in (Trial.draft_answer, Trial.production_answer, Trial.error, Trial.owner)]
    lost = Trial.created_at < clock.iso(clock.in_seconds(-LONGEST_SECONDS))
    with suppress(Conflict):
        Trial.change(ref.key, actions, NEW | _settled() | lost)


def claim_trial(ref: TrialRef, *, owner: str) -> Trial:
    """Claim it. The same owner may claim it again, when its message is redelivered.

    Raises:
        Conflict: another worker has begun it, or it is settled.

    """
    free = (Trial.status == TrialStatus.ASKED) | (Trial.owner == owner)
    actions: list[Action] = [Trial.status.set(TrialStatus.RUNNING), Trial.owner.set(owner)]
    return Trial.change(ref.key, actions, free & ~_settled())


def record_answer(ref: TrialRef, side: str, name: str, *, owner: str) -> None:
    """Record the answer of one side; ``side``: draft or production. ``name``: of the answer's object.

    Raises: Conflict if another worker has the trial, or it is settled.
    """
    answer = Trial.draft_answer if side == "draft" else Trial.production_answer
    Trial.change(ref.key, [answer.set(name)], _held(owner))


def record_reading(ref: TrialRef, model_id: str, name: str, *, owner: str) -> None:
    """Record that a model has read the page. Raises: Conflict as ``record_answer``."""
    path: Any = Trial.readings
    Trial.change(ref.key, [path[model_id].set(name)], _held(owner))


def settle_trial(ref: TrialRef, *, owner: str, error: str = "") -> None:
    """``error``: why it failed. Raises: Conflict if another worker has it, or it is settled."""
    actions: list[Action] = [Trial.status.set(TrialStatus.FAILED if error else TrialStatus.DONE)]
    actions += [Trial.error.set(error)] if error else []
    Trial.change(ref.key, actions, _held(owner))


def fail_unsent(ref: TrialRef, error: str) -> None:
    """Fail it because no queue accepted it. Raises: Conflict if a worker has begun it."""
    actions: list[Action] = [Trial.status.set(TrialStatus.FAILED), Trial.error.set(error)]
    Trial.change(ref.key, actions, Trial.status == TrialStatus.ASKED)


def _held(owner: str) -> Condition:
    held: Condition = (Trial.owner == owner) & (Trial.status == TrialStatus.RUNNING)
    return held


def _settled() -> Condition:
    settled: Condition = Trial.status.is_in(TrialStatus.DONE, TrialStatus.FAILED)
    return settled

"""Writes of trials: started by a person, done by one worker. None has an event: a trial is no change of anything."""

import datetime as dt
import json

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.errors import Refused
from config.transaction import Put, transact
from projects.audit.events import Actor
from projects.prompts import actions as prompt_actions
from projects.prompts import queries as prompt_queries
from projects.prompts.queries import PromptRef
from workflows.storage import files
from workflows.storage.objects import DocumentFiles
from workflows.trials.items import Trial, TrialStatus
from workflows.trials.queries import Draft, TrialRef

DAYS = 7  # that a trial is kept; its objects go by the bucket's rule for ``debug``, later
LONGEST_QUESTION = 500


def start_trial(prompt: PromptRef, draft: Draft, document_id: str, model_id: str, *, by: Actor) -> TrialRef:
    """Keep what is to be tried, the draft among the document's files, for a worker to do.

    Raises:
        Refused: the draft has problems, or there is no question where one is asked.

    """
    prompt_actions.check_text(draft.prompt)
    if prompt.purpose == "answer" and not draft.question.strip():
        raise Refused("Enter a question to ask about the first page.")
    ref = TrialRef(prompt.site, prompt.project_id, clock.new_ulid())
    tried = {
        "instructions": draft.prompt.instructions,
        "message": draft.prompt.message,
        "question": draft.question[:LONGEST_QUESTION],
    }
    store = DocumentFiles(ref.site, ref.project_id, document_id)
    store.write(files.trial(ref.trial_id), json.dumps(tried).encode(), "application/json")
    now, (compared, version) = clock.now(), prompt_queries.find_in_use(prompt)
    row = Trial(
        *ref.key,
        status=TrialStatus.ASKED,
        purpose=prompt.purpose,
        scope=prompt.scope,
        document_id=document_id,
        model_id=model_id,
        production=version,
        production_scope=compared.scope,
        created_at=clock.iso(now),
        userId=by.id,
        user_name=by.name,
        TimeToLive=int((now + dt.timedelta(days=DAYS)).timestamp()),
    )
    transact([Put(row)])
    return ref


def claim_trial(ref: TrialRef, *, owner: str) -> Trial:
    """Begin it. The same owner may begin again: its message came back after its worker was lost.

    Raises:
        Conflict: another worker has begun it, or it is settled.

    """
    free = (Trial.status == TrialStatus.ASKED) | (Trial.owner == owner)
    actions: list[Action] = [Trial.status.set(TrialStatus.RUNNING), Trial.owner.set(owner)]
    return Trial.change(ref.key, actions, free & ~_settled())


def record_answer(ref: TrialRef, side: str, name: str, *, owner: str) -> None:
    """That one side has answered; ``side``: draft or production. ``name``: of the answer's object.

    Raises: Conflict: the trial is another worker's, or settled.
    """
    answer = Trial.draft_answer if side == "draft" else Trial.production_answer
    Trial.change(ref.key, [answer.set(name)], _held(owner))


def settle_trial(ref: TrialRef, *, owner: str, error: str = "") -> None:
    """``error``: why it could not be done. Raises: Conflict: it is another worker's, or settled."""
    actions: list[Action] = [Trial.status.set(TrialStatus.FAILED if error else TrialStatus.DONE)]
    actions += [Trial.error.set(error)] if error else []
    Trial.change(ref.key, actions, _held(owner))


def fail_unsent(ref: TrialRef, error: str) -> None:
    """No queue took it. Raises: Conflict: a worker has begun it."""
    actions: list[Action] = [Trial.status.set(TrialStatus.FAILED), Trial.error.set(error)]
    Trial.change(ref.key, actions, Trial.status == TrialStatus.ASKED)


def _held(owner: str) -> Condition:
    held: Condition = (Trial.owner == owner) & (Trial.status == TrialStatus.RUNNING)
    return held


def _settled() -> Condition:
    settled: Condition = Trial.status.is_in(TrialStatus.DONE, TrialStatus.FAILED)
    return settled

"""Writes of prompts: a version is added, a label is moved; each in one transaction with its audit event."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from pynamodb.expressions.update import Action

from config import clock
from config.errors import Conflict, Refused
from config.table import PROMPT_USE
from config.transaction import Change, Put, RecordAt, Update, transact
from projects.audit.events import Actor, entity_event
from projects.prompts import queries
from projects.prompts.items import PromptHead, PromptUse, PromptVersion
from projects.prompts.prompt import Prompt, find_problems
from projects.prompts.queries import PromptRef

_ATTEMPTS = 5


@dataclass(frozen=True)
class SavedVersion:
    """``is_new``: False if the newest version has this text already. ``since``: versions that others saved after the
    one that this text was based on.
    """

    version: int
    is_new: bool
    since: Sequence[int]


def save_version(ref: PromptRef, prompt: Prompt, *, based_on: int, note: str, by: Actor) -> SavedVersion:
    """Add a version. Of two people who save at once both get one, and the second learns of the first.

    Saving the text of the newest version again adds nothing.

    Raises:
        Refused: the text is no prompt for this purpose.
        Conflict: others saved five times in between.

    """
    check_text(prompt)
    for _ in range(_ATTEMPTS):
        head = queries.get_head(ref)
        newest = queries.get_version(ref, int(head.version))
        if newest.sha256 == prompt.sha256:
            return SavedVersion(int(head.version), False, _list_by_others(ref, based_on, int(head.version), by))
        version = int(head.version) + 1
        event = entity_event(
            ref.site, "prompt", ref.entity_id, "version_saved", by=by, payload={"version": version, "note": note}
        )
        changes = [Put(_new_version(ref, prompt, version, note, by)), *_move_head(ref, head, version, by)]
        try:
            transact(changes, event)
        except Conflict:
            continue
        return SavedVersion(version, True, _list_by_others(ref, based_on, version, by))
    raise Conflict("Others keep saving this prompt. Your text is not saved yet; save it again.")


def _list_by_others(ref: PromptRef, based_on: int, last: int, by: Actor) -> list[int]:
    """What the writer had not seen, up to ``last``; version 1 as shipped is no one's."""
    since = queries.list_versions_since(ref, max(based_on, 1))
    return [int(one.version) for one in since if one.version <= last and one.created_by != by.id]


def check_text(prompt: Prompt) -> None:
    """Raises: Refused."""
    purpose = queries.get_purpose(prompt.purpose)
    problems = [
        problem
        for part, text in (("instructions", prompt.instructions), ("message", prompt.message))
        for problem in find_problems(purpose, part, text)
    ]
    if problems:
        raise Refused(" ".join(problems))


def _new_version(ref: PromptRef, prompt: Prompt, version: int, note: str, by: Actor) -> PromptVersion:
    return PromptVersion(
        *ref.version_key(version),
        version=version,
        instructions=prompt.instructions,
        message=prompt.message,
        note=note or None,
        sha256=prompt.sha256,
        created_at=clock.iso(clock.now()),
        created_by=by.id,
        user_name=by.name,
    )


def _move_head(ref: PromptRef, head: PromptHead, version: int, by: Actor) -> list[Change]:
    """Guarded by the version that was read. The first save keeps what we ship now as version 1 beside it."""
    now = clock.iso(clock.now())
    if not head.updated_at:
        first = queries.make_shipped_version(ref)
        first.created_at = now
        new = queries.make_shipped_head(ref)
        new.version, new.updated_at, new.updated_by = version, now, by.name
        return [Put(new), Put(first)]
    actions: list[Action] = [
        PromptHead.version.set(version),
        PromptHead.updated_at.set(now),
        PromptHead.updated_by.set(by.name),
    ]
    return [Update(ref.key, actions, PromptHead.version == int(head.version))]


def move_production(ref: PromptRef, version: int, *, expected: int, reason: str, by: Actor) -> None:
    """Have runs that start from now on use ``version``; ``expected``: the one that the page showed in production.

    A candidate that becomes production is no candidate any more.

    Raises:
        Conflict: someone moved the label since; the message names the version and who.
        NotFound: there is no such version.
        Refused: no reason was given.

    """
    _check_reason(reason)
    queries.get_version(ref, version)
    head = queries.get_head(ref)
    if int(head.production) != expected:
        raise Conflict(_describe_move(head, expected))
    if int(head.production) == version:
        return
    actions: list[Action] = [PromptHead.production.set(version)]
    if int(head.candidate) == version:
        actions += [PromptHead.candidate.set(0), PromptHead.share.set(0)]
    payload = {"before": expected, "after": version, "reason": reason}
    event = entity_event(ref.site, "prompt", ref.entity_id, "production_moved", by=by, payload=payload)
    _move_label(ref, head, actions, event, by)


def set_candidate(ref: PromptRef, version: int, *, expected: int, percent: int, reason: str, by: Actor) -> None:
    """Have ``percent`` of the runs that start from now on use ``version``; 0 ends it.

    ``expected``: the candidate that the page showed, 0 if there was none.

    Raises:
        Conflict: someone moved a label since; the message says who and what.
        NotFound: there is no such version.
        Refused: no reason, not 0–100 %, or the version is in production already.

    """
    _check_reason(reason)
    if not 0 <= percent <= 100:
        raise Refused("Choose a share from 0 to 100 %.")
    queries.get_version(ref, version)
    head = queries.get_head(ref)
    if int(head.candidate) != expected:
        raise Conflict(_describe_move(head, int(head.production)))
    if int(head.production) == version and percent:
        raise Refused(f"Version {version} is in production already. Choose another version as the candidate.")
    if not head.updated_at:  # only the shipped version exists
        return
    chosen = version if percent else 0
    actions: list[Action] = [PromptHead.candidate.set(chosen), PromptHead.share.set(percent / 100)]
    payload = {"before": int(head.candidate), "after": chosen, "percent": percent, "reason": reason}
    event = entity_event(ref.site, "prompt", ref.entity_id, "candidate_moved", by=by, payload=payload)
    _move_label(ref, head, actions, event, by)


def _check_reason(reason: str) -> None:
    if not reason.strip():
        raise Refused("Say why in a few words. The audit log keeps it.")


def _move_label(ref: PromptRef, head: PromptHead, actions: list[Action], event: RecordAt, by: Actor) -> None:
    """Guarded by every label that was read, the candidate's share too."""
    now = clock.iso(clock.now())
    same = (
        (PromptHead.production == int(head.production))
        & (PromptHead.candidate == int(head.candidate))
        & (PromptHead.share == head.share)
    )
    stamps = [
        PromptHead.labelled_at.set(now),
        PromptHead.labelled_by.set(by.name),
        PromptHead.updated_at.set(now),
        PromptHead.updated_by.set(by.name),
    ]
    try:
        transact([Update(ref.key, [*actions, *stamps], same)], event)
    except Conflict as error:
        raise Conflict(_describe_move(queries.get_head(ref), int(head.production))) from error


def _describe_move(now: PromptHead, production: int) -> str:
    """What another admin did to the labels; ``production``: the version that was there before."""
    if int(now.production) != production:
        done = f"put version {int(now.production)} into production"
    elif int(now.candidate):
        done = f"made version {int(now.candidate)} the candidate for {round(float(now.share) * 100)} % of runs"
    else:
        done = "ended the candidate's trial"
    return f"{now.labelled_by or now.updated_by} {done}. Look at it, then decide."


def record_use(ref: PromptRef, version: int, label: str, *, workflow_id: str, document_id: str) -> None:
    """That a run was given this version; ids only, since the row outlives the document. Again it changes nothing."""
    key = PROMPT_USE.key(
        ref.site,
        project_id=ref.project_id,
        purpose=ref.purpose,
        scope=ref.scope,
        version=version,
        workflow_id=workflow_id,
    )
    use = PromptUse(
        *key,
        workflow_id=workflow_id,
        document_id=document_id,
        label=label,
        created_at=clock.iso(clock.now()),
    )
    with suppress(Conflict):
        transact([Put(use)])

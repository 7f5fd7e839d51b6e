"""Writes of prompts: adding versions, moving labels; one transaction each, with its audit event."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum

from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.errors import Conflict, Refused
from config.phrase import Phrase
from config.table import DEFAULT_SITE, PROMPT_USE, SITE
from config.transaction import Change, Check, Put, RecordAt, Update, transact
from projects.audit.events import Actor, entity_event
from projects.prompts import queries
from projects.prompts.items import PromptHead, PromptUse, PromptVersion, Proposal, describe_version
from projects.prompts.prompt import GENERAL, Prompt, find_problems
from projects.prompts.prompt_file import FiledPrompt
from projects.prompts.queries import PromptRef
from projects.sites import queries as site_queries
from projects.sites.items import Site

_ATTEMPTS = 5
PROPOSAL_DAYS = 7
# More of the runs than this is production by another name: it takes whoever may move that, and a second person too.
MOST_TRIED = 50  # percent


class ProductionMove(StrEnum):
    """The outcome of moving a version to production."""

    MOVED = "moved"
    PROPOSED = "proposed"  # a second person has to confirm it
    UNCHANGED = "unchanged"  # it was there already


@dataclass(frozen=True)
class SavedVersion:
    """``is_new``: False if the newest version has this text already. ``since``: versions that others saved after the
    one that this text was based on; ``own``: those that the writer saved, as in another tab.
    """

    version: int
    is_new: bool
    since: Sequence[int]
    own: Sequence[int] = ()


def save_version(ref: PromptRef, prompt: Prompt, *, based_on: int, note: str, by: Actor) -> SavedVersion:
    """Add a version. Concurrent saves both succeed, and the second learns of the first.

    Saving the text of the newest version again adds nothing.

    Raises:
        Refused: the text is not valid for this purpose.
        Conflict: concurrent saves won five times.

    """
    check_text(prompt)
    for _ in range(_ATTEMPTS):
        head = queries.get_head(ref)
        if head.version and queries.get_version(ref, int(head.version)).sha256 == prompt.sha256:
            return SavedVersion(int(head.version), False, *_list_since(ref, based_on, int(head.version), by))
        version = int(head.version) + 1
        event = entity_event(
            ref.site, "prompt", ref.entity_id, "version_saved", by=by, payload={"version": version, "note": note}
        )
        changes = [Put(_new_version(ref, prompt, version, note, by)), *_move_head(ref, head, version, by)]
        try:
            transact(changes, event)
        except Conflict:
            continue
        return SavedVersion(version, True, *_list_since(ref, based_on, version, by))
    raise Conflict(gettext("Others are saving this prompt. Your text is not saved yet; save it again."))


@dataclass(frozen=True)
class ImportedPrompt:
    ref: PromptRef
    saved: SavedVersion


def import_prompts(
    filed: Iterable[tuple[PromptRef, FiledPrompt]], *, based_on: Mapping[str, int], by: Actor
) -> list[ImportedPrompt]:
    """Add a version of each prompt whose newest has another text; the same file again adds none.

    ``based_on``: slug → the newest version that the person saw beside the file. Each prompt is saved by itself.

    Raises:
        Refused, Conflict: as ``save_version``; those before it are saved.

    """
    return [
        ImportedPrompt(ref, save_version(ref, one.prompt, based_on=based_on.get(ref.slug, 0), note=one.note, by=by))
        for ref, one in filed
    ]


def _list_since(ref: PromptRef, based_on: int, last: int, by: Actor) -> tuple[list[int], list[int]]:
    """What the writer's page did not show, up to ``last``: by others, and by themselves; not version 1 as shipped.

    The writer's own ``last`` is this one, or the same form sent twice.
    """
    since = queries.list_versions_since(ref, max(based_on, 1 if ref.scope == GENERAL else 0))
    others = [int(one.version) for one in since if one.version <= last and one.created_by != by.id]
    return others, [int(one.version) for one in since if one.version < last and one.created_by == by.id]


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
    if not head.updated_at and ref.scope != GENERAL:
        head.version, head.updated_at, head.updated_by = version, now, by.name
        return [Put(head)]
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


def move_production(ref: PromptRef, version: int, *, expected: int, reason: str, by: Actor) -> ProductionMove:
    """Put ``version`` into production for new runs, or propose it if the site requires a second person.

    ``version`` 0: documents of the prompt's type are to use the general prompt again; the type's versions stay.
    ``expected``: the version shown in production. A candidate that becomes production stops being one, and an open
    proposal is dropped.

    Raises:
        Conflict: someone moved the label or proposed another version; the message says who and what.
        NotFound: there is no such version.
        Refused: no reason was given.

    """
    _check_reason(reason)
    if version or not ref.type_id:
        queries.get_version(ref, version)
    head = queries.get_head(ref)
    if int(head.production) != expected:
        raise Conflict(_describe_move(head, expected))
    if int(head.production) == version:
        return ProductionMove.UNCHANGED
    if needs_second_person(ref.site):
        _propose(ref, head, version, reason, by)
        return ProductionMove.PROPOSED
    payload = {"before": expected, "after": version, "reason": reason}
    _put_into_production(ref, head, version, payload, by=by)
    return ProductionMove.MOVED


def needs_second_person(site: str) -> bool:
    return bool(site_queries.get_site(site).second_person)


def _check_alone(site: str) -> Check:
    """Check: the site does not require a second person, at the moment of the write."""
    alone = Site.second_person.does_not_exist() | (Site.second_person == False)  # noqa: E712 - a condition
    return Check(SITE.key(DEFAULT_SITE, site_id=site), alone, name="site")


def _put_into_production(
    ref: PromptRef,
    head: PromptHead,
    version: int,
    payload: dict[str, object],
    *,
    by: Actor,
    confirms: Proposal | None = None,
) -> None:
    """Raises: Conflict."""
    actions: list[Action] = [PromptHead.production.set(version), PromptHead.proposal.remove()]
    if version and int(head.candidate) == version:
        actions += [PromptHead.candidate.set(0), PromptHead.share.set(0)]
    event = entity_event(ref.site, "prompt", ref.entity_id, "production_moved", by=by, payload=payload)
    also = () if confirms else (_check_alone(ref.site),)
    _move_label(ref, head, actions, event, by, confirms=confirms, also=also)


def _propose(ref: PromptRef, head: PromptHead, version: int, reason: str, by: Actor) -> None:
    """Raises: Conflict: another proposal is open."""
    if found := head.open_proposal:
        if (found.version, found.by_id) != (version, by.id):  # otherwise the same form sent twice
            raise Conflict(_describe_proposal(found))
        return
    now, before = clock.now(), int(head.production)
    until = clock.iso(clock.in_seconds(PROPOSAL_DAYS * 86_400))
    proposal = Proposal(clock.new_ulid(), version, before, reason, by.id, by.name, clock.iso(now), until)
    free = PromptHead.proposal.does_not_exist() | (PromptHead.proposal["until"] <= clock.iso(now))
    payload = {"before": before, "after": version, "reason": reason, "until": until}
    event = entity_event(ref.site, "prompt", ref.entity_id, "production_proposed", by=by, payload=payload)
    condition = (PromptHead.production == before) & free
    try:
        transact([Update(ref.key, [PromptHead.proposal.set(asdict(proposal))], condition)], event)
    except Conflict as error:
        now_there = queries.get_head(ref)
        first = now_there.open_proposal
        raise Conflict(_describe_proposal(first) if first else _describe_move(now_there, before)) from error


def confirm_production(ref: PromptRef, proposal_id: str, *, by: Actor) -> int:
    """Put the version that another person proposed into production; returns its number.

    Raises:
        Conflict: the proposal is no longer open, or a label was moved.
        Refused: it is their own.

    """
    head = queries.get_head(ref)
    proposal = _get_proposal(head, proposal_id)
    if proposal.by_id == by.id:
        raise Refused(gettext("You proposed this version. Another person has to confirm it."))
    payload = {
        "before": int(head.production),
        "after": proposal.version,
        "reason": proposal.reason,
        "proposed_by": proposal.by_name,
    }
    _put_into_production(ref, head, proposal.version, payload, by=by, confirms=proposal)
    return proposal.version


def decline_production(ref: PromptRef, proposal_id: str, *, reason: str, by: Actor) -> int:
    """Decline a proposal, also one's own, and return its version.

    Raises:
        Conflict: the proposal is no longer open.
        Refused: no reason was given.

    """
    _check_reason(reason)
    proposal = _get_proposal(queries.get_head(ref), proposal_id)
    payload = {"version": proposal.version, "reason": reason, "proposed_by": proposal.by_name}
    event = entity_event(ref.site, "prompt", ref.entity_id, "proposal_declined", by=by, payload=payload)
    try:
        transact([Update(ref.key, [PromptHead.proposal.remove()], _is_proposed(proposal))], event)
    except Conflict as error:
        raise Conflict(_CLOSED) from error
    return proposal.version


_CLOSED = Phrase(
    "This proposal is no longer open: it was confirmed, declined or has expired. Check which version is in use."
)


def _get_proposal(head: PromptHead, proposal_id: str) -> Proposal:
    """Raises: Conflict."""
    found = head.open_proposal
    if found is None or found.id != proposal_id:
        raise Conflict(_CLOSED)
    return found


def _is_open(head: PromptHead, proposal: Proposal) -> bool:
    return head.open_proposal is not None and head.open_proposal.id == proposal.id


def _is_proposed(proposal: Proposal) -> Condition:
    condition: Condition = PromptHead.proposal["id"] == proposal.id
    return condition


def _describe_proposal(proposal: Proposal) -> str:
    said = Phrase("%(name)s proposed %(version)s for production. Confirm or decline that first; nothing was changed.")
    return said.fill(name=proposal.by_name, version=proposal.words).translated()


def set_candidate(
    ref: PromptRef, version: int, *, expected: int, percent: int, reason: str, by: Actor, may_promote: bool = True
) -> None:
    """Use ``version`` for ``percent`` of new runs; 0 ends it.

    ``expected``: the candidate shown, 0 for none. ``may_promote``: the person may move production; without it, or if
    two people are required, at most half of the runs.

    Raises:
        Conflict: someone moved a label since; the message says who and what.
        NotFound: there is no such version.
        Refused: no reason, not 0–100 %, more than this person may, or the version is in production already.

    """
    _check_reason(reason)
    if not 0 <= percent <= 100:
        raise Refused(gettext("Choose a share from 0 to 100 %."))
    if percent > MOST_TRIED and (not may_promote or needs_second_person(ref.site)):
        raise Refused(
            gettext("Choose a share up to %(most_tried)s %%. To use a version for more runs, put it into production.")
            % {"most_tried": MOST_TRIED}
        )
    queries.get_version(ref, version)
    head = queries.get_head(ref)
    if int(head.candidate) != expected:
        raise Conflict(_describe_move(head, int(head.production)))
    if int(head.production) == version and percent:
        raise Refused(
            gettext("Version %(version)s is already in production. Choose another version as the candidate.")
            % {"version": version}
        )
    if not head.updated_at:  # only the shipped version exists
        return
    chosen = version if percent else 0
    actions: list[Action] = [PromptHead.candidate.set(chosen), PromptHead.share.set(percent / 100)]
    payload = {"before": int(head.candidate), "after": chosen, "percent": percent, "reason": reason}
    event = entity_event(ref.site, "prompt", ref.entity_id, "candidate_moved", by=by, payload=payload)
    _move_label(ref, head, actions, event, by, also=[_check_alone(ref.site)] if percent > MOST_TRIED else ())


def _check_reason(reason: str) -> None:
    if not reason.strip():
        raise Refused(gettext("Give a short reason. It is kept in the audit log."))


def _move_label(
    ref: PromptRef,
    head: PromptHead,
    actions: list[Action],
    event: RecordAt,
    by: Actor,
    *,
    confirms: Proposal | None = None,
    also: Sequence[Change] = (),
) -> None:
    """Move a label, guarded by all labels, the candidate's share and the proposal as read."""
    now = clock.iso(clock.now())
    same = (
        (PromptHead.production == int(head.production))
        & (PromptHead.candidate == int(head.candidate))
        & (PromptHead.share == head.share)
    )
    if confirms:
        same &= _is_proposed(confirms)
    stamps = [
        PromptHead.labelled_at.set(now),
        PromptHead.labelled_by.set(by.name),
        PromptHead.updated_at.set(now),
        PromptHead.updated_by.set(by.name),
    ]
    try:
        transact([Update(ref.key, [*actions, *stamps], same), *also], event)
    except Conflict as error:
        if "site" in error.failed:
            raise Conflict(
                gettext("A second person confirms prompts here from now on. Send it again to propose it.")
            ) from error
        there = queries.get_head(ref)
        if confirms and there.production == head.production and not _is_open(there, confirms):
            raise Conflict(_CLOSED) from error
        raise Conflict(_describe_move(there, int(head.production))) from error


def _describe_move(now: PromptHead, production: int) -> str:
    """Describe another admin's move; ``production``: the previous version."""
    if int(now.production) != production:
        said = Phrase("%(name)s put %(version)s into production. Look at it, then decide.")
    elif int(now.candidate):
        said = Phrase("%(name)s made %(version)s the candidate for %(share)s %% of runs. Look at it, then decide.")
    else:
        said = Phrase("%(name)s ended the candidate's trial. Look at it, then decide.")
    version = describe_version(int(now.candidate) if said.count("candidate for") else int(now.production))
    name = now.labelled_by or now.updated_by
    return said.fill(name=name, version=version, share=round(float(now.share) * 100)).translated()


def record_use(ref: PromptRef, version: int, label: str, *, workflow_id: str, document_id: str) -> None:
    """Record that a run used this version; ids only, since the row outlives the document. Idempotent."""
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

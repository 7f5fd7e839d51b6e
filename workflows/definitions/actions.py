"""A definition's version: published by whoever deploys, activated and archived by an admin.

A published version never changes, only which one new runs get; a run keeps the one that it began with. The row of a
version says what has become of it; which one is active the family's head alone says, so that there is one, always.
"""

from typing import Any

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict, CountersignError, NotFound, Refused
from config.table import DEFAULT_SITE, Key
from config.transaction import EXISTS, Change, Put, Update, transact
from projects.audit.events import Actor, entity_event
from projects.sites import directory
from workflows.definitions import checks, items
from workflows.definitions.blueprint import DEFINITIONS, DOCUMENT_ANALYSIS, Definition, StepDefinition
from workflows.definitions.blueprint import DefinitionStatus as S

DEPLOYER = Actor("system", "bootstrap")
_TRIES = 3


def version_key(definition_id: str) -> Key:
    """Of a version, or of a family's head by the family's name: definitions are the same for every site."""
    return table.DEFINITION.key(DEFAULT_SITE, workflow_id=definition_id)


def publish_definition(definition: Definition) -> bool:
    """Write version and steps where they are new; False if the version was there already.

    It becomes the active one, and the one before it is archived, unless it is a draft.

    Raises:
        CountersignError: it cannot be run, or another version of the family is being published too.

    """
    told = checks.definition_problems(definition)
    if told:
        raise CountersignError(f"{definition.id} cannot be published. {' '.join(told)}")
    for _ in range(_TRIES):
        try:
            transact(_publication_changes(definition), _event(definition, "published", DEPLOYER, {}))
        except Conflict as conflict:
            if "version" in conflict.failed:
                return False
            continue
        directory.forget()
        return True
    raise CountersignError(f"{definition.name} is being published by another process. Run bootstrap again.")


def _publication_changes(definition: Definition) -> list[Change]:
    """Whether the version is new decides about all of it."""
    now = clock.iso(clock.now())
    new = _definition_row(definition.id, definition, S.DRAFT if definition.draft else S.ACTIVE, now)
    changes: list[Change] = [Put(new, name="version"), *(Put(step_row(definition, step)) for step in definition.steps)]
    if definition.draft:
        return changes
    head = head_of(definition.name)
    if head is None:
        return [*changes, Put(_definition_row(definition.name, definition, S.ACTIVE, now))]
    return [*changes, *_replace_head(head, definition, now)]


def head_of(family: str) -> items.Definition | None:
    """Which version is active; strongly consistent, None before the first is published."""
    try:
        return items.Definition.load(version_key(family))
    except NotFound:
        return None


def _definition_row(workflow_id: str, definition: Definition, status: S, now: str) -> items.Definition:
    return items.Definition(
        *version_key(workflow_id),
        workflowId=workflow_id,
        name=definition.name,
        version=definition.version,
        status=status,
        description=definition.description,
        createdAt=now,
        updatedAt=now,
    )


def step_row(definition: Definition, step: StepDefinition) -> items.DefinitionStep:
    """A step as it is published."""
    return items.DefinitionStep(
        *table.DEFINITION_STEP.key(DEFAULT_SITE, workflow_id=definition.id, step_order=step.order),
        workflowId=definition.id,
        stepOrder=step.order,
        name=step.label,
        type=step.type,
        config=_step_config(step),
        timeoutMin=step.minutes or None,
    )


def _step_config(step: StepDefinition) -> dict[str, Any]:
    """Seed 003's ``config``: where each outcome leads, and what else the step is told."""
    told: dict[str, Any] = {
        "stage": step.name,
        "next": {outcome or "default": order for outcome, order in step.next.items()},
        "needs": step.needs,
        "retries": step.retries,
        "cases": [{"outcome": one.outcome, "when": [each.words for each in one.conditions]} for one in step.cases],
        "does": step.does,
        "parameters": dict(step.parameters),
        "asks": step.asks,
        "another": step.another,
        "ends": step.ends.value if step.ends else "",
    }
    return {name: value for name, value in told.items() if value}


def activate_definition(definition_id: str, *, instead_of: int, by: Actor) -> None:
    """New runs get this version. ``instead_of``: the version that the page showed as active; 0 for none.

    Raises:
        NotFound: it is not published.
        Refused: this desk does not know it, or it is already active.
        Conflict: someone activated or archived another one since the page was opened.

    """
    definition, head = _find_known_definition(definition_id), head_of(definition_id.rpartition(".v")[0])
    now = clock.iso(clock.now())
    if head is not None and head.status == S.ACTIVE and int(head.version) == definition.version:
        raise Refused(f"{definition_id} is already active.")
    changes: list[Change] = [_mark_status(definition_id, S.ACTIVE, now, EXISTS)]
    if head is None:
        changes.append(Put(_definition_row(definition.name, definition, S.ACTIVE, now)))
    else:
        shown = int(head.version) if head.status == S.ACTIVE else 0
        if shown != instead_of:
            raise Conflict(_who_was_first(head))
        changes += _replace_head(head, definition, now)
    payload = {"version": {"before": instead_of or None, "after": definition.version}}
    _change(changes, definition, "activated", by, payload)


def _find_known_definition(definition_id: str) -> Definition:
    found = DEFINITIONS.get(definition_id)
    if found is None:
        raise Refused("This version of Countersign does not include that workflow definition. Update first.")
    items.Definition.load(version_key(definition_id))
    return found


def _replace_head(head: items.Definition, definition: Definition, now: str) -> list[Change]:
    """Another version at the head with all that it says, and what was there archived; guarded by what was read."""
    version = definition.version
    same = (items.Definition.version == head.version) & (items.Definition.status == head.status)
    moved: list[Action] = [
        items.Definition.version.set(version),
        items.Definition.status.set(S.ACTIVE),
        items.Definition.description.set(definition.description),
        items.Definition.updatedAt.set(now),
    ]
    changes: list[Change] = [Update(head.key, moved, same)]
    if head.status == S.ACTIVE and int(head.version) != version:
        changes.append(_mark_status(f"{head.name}.v{int(head.version)}", S.ARCHIVED, now, EXISTS))
    return changes


def archive_definition(definition_id: str, *, by: Actor) -> None:
    """Offer the version no more. Runs of it go on; a family whose active one is archived begins no runs.

    Raises:
        NotFound: it is not published.
        Refused: every document needs one that is active, or it is archived already.
        Conflict: someone was first.

    """
    definition, head = _find_known_definition(definition_id), head_of(definition_id.rpartition(".v")[0])
    now = clock.iso(clock.now())
    if head is not None and int(head.version) == definition.version and head.status == S.ACTIVE:
        if definition.name == DOCUMENT_ANALYSIS.name:
            raise Refused("Documents without a matching rule use this definition. Activate another version instead.")
        same = (items.Definition.version == head.version) & (items.Definition.status == S.ACTIVE)
        gone = [items.Definition.status.set(S.ARCHIVED), items.Definition.updatedAt.set(now)]
        changes: list[Change] = [Update(head.key, gone, same), _mark_status(definition_id, S.ARCHIVED, now, EXISTS)]
    else:
        changes = [_mark_status(definition_id, S.ARCHIVED, now, items.Definition.status == S.DRAFT)]
    _change(changes, definition, "archived", by, {"version": definition.version})


def _mark_status(definition_id: str, status: S, now: str, when: Condition) -> Update:
    actions: list[Action] = [items.Definition.status.set(status), items.Definition.updatedAt.set(now)]
    return Update(version_key(definition_id), actions, when)


def _change(changes: list[Change], definition: Definition, word: str, by: Actor, payload: dict[str, Any]) -> None:
    try:
        transact(changes, _event(definition, word, by, payload))
    except Conflict as error:
        raise Conflict(_who_was_first(head_of(definition.name))) from error
    directory.forget()


def _event(definition: Definition, word: str, by: Actor, payload: dict[str, Any]) -> Any:
    about = {"definition": definition.id, **payload}
    return entity_event(DEFAULT_SITE, "definition", definition.name, word, by=by, payload=about)


def _who_was_first(head: items.Definition | None) -> str:
    if head is None or head.status != S.ACTIVE:
        return "Changed by another user: no version is active now. Nothing was changed."
    return f"Changed by another user: version {int(head.version)} is active now. Nothing was changed."

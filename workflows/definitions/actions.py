"""Writes of workflow definitions: composing, publishing, activating and archiving versions.

A published version never changes; only which version new runs get does, and a run keeps the version that it started
with. A version's row has its status. Only the family's head says which version is active, so there is never more than
one.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict, CountersignError, NotFound, Refused
from config.phrase import Phrase, Sentence
from config.table import DEFAULT_SITE
from config.transaction import EXISTS, Change, Put, RecordAt, Update, transact
from projects.audit.events import Actor, entity_event
from projects.sites import directory
from workflows.definitions import checks, items, versions
from workflows.definitions.blueprint import (
    DOCUMENT_ANALYSIS,
    SHIPPED,
    Definition,
    StepDefinition,
    newest_definition,
    step_config,
)
from workflows.definitions.blueprint import DefinitionStatus as S
from workflows.definitions.composition import LONGEST_NAME, NAME, Plan, read_plan
from workflows.definitions.items import ListedDefinition

DEPLOYER = Actor("system", "bootstrap")
_TRIES = 3


def publish_definition(definition: Definition) -> bool:
    """Write a version and its steps if they are new. Return False if the version exists.

    It becomes the active version and the previous one is archived, unless it is a draft.

    Raises:
        CountersignError: it cannot be run, or another version of the family is being published at the same time.

    """
    told = checks.definition_problems(definition)
    if told:
        raise CountersignError(
            gettext("%(id)s cannot be published. %(told)s") % {"id": definition.id, "told": " ".join(told)}
        )
    for _ in range(_TRIES):
        try:
            transact(_publication_changes(definition), _event(definition, "published", DEPLOYER, {}))
        except Conflict as conflict:
            if "version" in conflict.failed:
                return False
            continue
        directory.forget()
        return True
    raise CountersignError(
        gettext("%(name)s is being published by another process. Run bootstrap again.") % {"name": definition.name}
    )


def _publication_changes(definition: Definition) -> list[Change]:
    """The changes that publish a version; the condition that it is new guards them all."""
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
    """Return the head with the active version, strongly consistent; None before the first is published."""
    try:
        return items.Definition.load(versions.definition_key(family))
    except NotFound:
        return None


def _definition_row(workflow_id: str, definition: Definition, status: S, now: str) -> items.Definition:
    return items.Definition(
        *versions.definition_key(workflow_id),
        workflowId=workflow_id,
        name=definition.name,
        version=definition.version,
        status=status,
        description=definition.description,
        createdAt=now,
        updatedAt=now,
    )


def step_row(definition: Definition, step: StepDefinition) -> items.DefinitionStep:
    """Build the row of a published step."""
    return items.DefinitionStep(
        *table.DEFINITION_STEP.key(DEFAULT_SITE, workflow_id=definition.id, step_order=step.order),
        workflowId=definition.id,
        stepOrder=step.order,
        name=step.label,
        type=step.type,
        config=step_config(step),
        timeoutMin=step.minutes or None,
    )


def activate_definition(definition_id: str, *, instead_of: int, by: Actor) -> None:
    """Make this version the one that new runs get.

    ``instead_of``: the version that the page showed as active; 0 for none.

    Raises:
        NotFound: it is not published.
        Refused: it is not deployed yet, or it is already active.
        Conflict: someone activated or archived another one since the page was opened.

    """
    definition, head = _find_published(definition_id), head_of(definition_id.rpartition(".v")[0])
    now = clock.iso(clock.now())
    if head is not None and head.status == S.ACTIVE and int(head.version) == definition.version:
        raise Refused(gettext("%(definition_id)s is already active.") % {"definition_id": definition_id})
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


def _find_published(definition_id: str) -> Definition:
    """Return a published version. Raises: NotFound if it is not published; Refused if it is not deployed yet."""
    try:
        row = items.Definition.load(versions.definition_key(definition_id))
    except NotFound as error:
        raise NotFound(versions.NOT_PUBLISHED) from error
    if definition_id not in SHIPPED and row.deployedAt is None:
        raise Refused(
            gettext("This version is not deployed yet. Try again in a minute, or deploy it again from its page.")
        )
    return versions.find_definition(definition_id)


def _replace_head(head: items.Definition, definition: Definition, now: str) -> list[Change]:
    """Replace the head with another version and archive the previous one, conditional on what was read."""
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
    """Archive a version. Its runs continue; if it was the active one, the family starts no new runs.

    Raises:
        NotFound: it is not published.
        Refused: it is the active version of the family that every document needs, or it is archived already.
        Conflict: someone was first.

    """
    definition, head = _find_published(definition_id), head_of(definition_id.rpartition(".v")[0])
    now = clock.iso(clock.now())
    if head is not None and int(head.version) == definition.version and head.status == S.ACTIVE:
        if definition.name == DOCUMENT_ANALYSIS.name:
            raise Refused(
                gettext("Documents without a matching rule use this definition. Activate another version instead.")
            )
        same = (items.Definition.version == head.version) & (items.Definition.status == S.ACTIVE)
        gone = [items.Definition.status.set(S.ARCHIVED), items.Definition.updatedAt.set(now)]
        changes: list[Change] = [Update(head.key, gone, same), _mark_status(definition_id, S.ARCHIVED, now, EXISTS)]
    else:
        changes = [_mark_status(definition_id, S.ARCHIVED, now, items.Definition.status == S.DRAFT)]
    _change(changes, definition, "archived", by, {"version": definition.version})


def _mark_status(definition_id: str, status: S, now: str, when: Condition) -> Update:
    actions: list[Action] = [items.Definition.status.set(status), items.Definition.updatedAt.set(now)]
    return Update(versions.definition_key(definition_id), actions, when)


# --- composed on a page -----------------------------------------------------------
def create_composed(name: str, plan: Plan, *, by: Actor) -> None:
    """Create a family without versions.

    Raises:
        Refused: a state machine cannot have this name.
        Conflict: the name is taken.

    """
    if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise Refused(
            gettext("Use lowercase letters, digits and single hyphens, at most %(longest_name)s characters.")
            % {"longest_name": LONGEST_NAME}
        )
    taken = Sentence("A workflow definition named %(name)s already exists. Choose another name.").fill(name=name)
    if newest_definition(name) is not None:
        raise Conflict(taken)
    key = versions.listed_key(name)
    row = ListedDefinition(
        key.pk,
        key.sk,
        **table.LISTED_DEFINITION.gsi1(DEFAULT_SITE, name=name, document_id=name),
        **table.LISTED_DEFINITION.gsi2(DEFAULT_SITE, status=S.DRAFT, name=name, document_id=name),
        documentId=name,
        name=name,
        description=plan.description,
        status=S.DRAFT,
        json=plan.to_json(),
        version=0,
        revision=1,
        userId=by.id,
        updated_by=by.name,
        updated_at=clock.iso(clock.now()),
    )
    try:
        transact([Put(row)], entity_event(DEFAULT_SITE, "definition", name, "created", by=by, payload={}))
    except Conflict as error:
        raise Conflict(taken) from error
    directory.forget()


def save_plan(name: str, plan: Plan, *, revision: int, by: Actor) -> int:
    """Save the plan of the next version and return its revision. ``revision``: the one that the page showed.

    Raises:
        NotFound: no composed definition has this name.
        Conflict: someone else saved since.

    """
    listed = versions.get_composed(name)
    if int(listed.revision or 0) == revision and listed.json == plan.to_json():
        return revision
    changes = [
        ListedDefinition.json.set(plan.to_json()),
        ListedDefinition.description.set(plan.description),
        ListedDefinition.revision.set(revision + 1),
        *_stamps(by),
    ]
    event = entity_event(DEFAULT_SITE, "definition", name, "edited", by=by, payload={"revision": revision + 1})
    _change_listed(listed, changes, ListedDefinition.revision == revision, event)
    return revision + 1


def publish_plan(name: str, *, revision: int, by: Actor) -> Definition:
    """Publish the plan as the next version, which never changes. No run gets it before it is activated.

    Raises:
        NotFound: no composed definition has this name.
        Refused: it cannot be run; the message says why.
        Conflict: someone else saved or published since the page was opened.

    """
    listed = versions.get_composed(name)
    definition = versions.compose(name, int(listed.version or 0) + 1, read_plan(listed.json))
    if told := checks.definition_problems(definition):
        raise Refused(" ".join(told))
    now = clock.iso(clock.now())
    version: list[Change] = [Put(_definition_row(definition.id, definition, S.DRAFT, now))]
    version += [Put(step_row(definition, step)) for step in definition.steps]
    changes = [ListedDefinition.version.set(definition.version), ListedDefinition.inUse.set(True), *_stamps(by)]
    same = (ListedDefinition.revision == revision) & (ListedDefinition.version == definition.version - 1)
    _change_listed(listed, changes, same, _event(definition, "published", by, {}), version)
    return definition


def mark_deployed(definition_id: str) -> None:
    """Record that an engine can run the version. Idempotent. Raises: NotFound."""
    definition = versions.read_definition(definition_id)
    now = clock.iso(clock.now())
    new = EXISTS & items.Definition.deployedAt.does_not_exist()
    changes = [Update(versions.definition_key(definition_id), [items.Definition.deployedAt.set(now)], new)]
    with suppress(Conflict):
        transact(changes, _event(definition, "deployed", DEPLOYER, {}))


def _stamps(by: Actor) -> list[Action]:
    return [ListedDefinition.updated_by.set(by.name), ListedDefinition.updated_at.set(clock.iso(clock.now()))]


def _change_listed(
    listed: ListedDefinition, actions: list[Action], same: Condition, event: RecordAt, also: Sequence[Change] = ()
) -> None:
    try:
        transact([Update(listed.key, actions, same), *also], event)
    except Conflict as error:
        now = versions.get_composed(listed.documentId)
        sentence = Sentence(
            "Changed by %(name)s since you opened this page. Nothing was saved; reload to see it."
        ).fill(name=now.updated_by)
        raise Conflict(sentence) from error
    directory.forget()


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
        return Phrase("Changed by another user: no version is active now. Nothing was changed.")
    return Sentence("Changed by another user: version %(version)s is active now. Nothing was changed.").fill(
        version=int(head.version)
    )

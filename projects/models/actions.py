"""Writes of a site's models: one conditional transaction each, with its audit event."""

import re
from collections.abc import Sequence
from contextlib import suppress

from django.conf import settings
from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.brokers import queues
from config.errors import Conflict, NotFound, Refused, Unavailable
from config.phrase import Phrase
from config.table import MODEL, MODEL_TEST
from config.transaction import EXISTS, Change, Check, Delete, Put, Update, transact
from projects.audit.events import Actor, entity_event
from projects.models import queries as model_queries
from projects.models.builtin import list_builtin_models
from projects.models.items import ASKED, FAILED, RUNNING, Model, ModelTest
from projects.models.queries import Entry, Spec
from projects.models.spec import ModelSpec
from projects.settings import queries as project_queries

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
TEST_TASK = "workflows.tasks.test_model"
MOST_TAKEOVERS = 5  # models in a row
_RESERVED = frozenset({"new", "ocr"})  # an address has this word where an id could stand
_NO_TAKEOVER = Phrase("The model that takes over is no longer in the catalogue. Choose another one.")
_BUILT_IN = Phrase("Built-in models cannot be changed. Copy this one and edit the copy.")


def create_model(site: str, spec: Spec, *, by: Actor) -> None:
    """
    Raises:
        Conflict: the id is taken.
        Refused: the id is none, the catalogue is full, or the takeover leads nowhere or in a circle.

    """
    if not _ID.fullmatch(spec.id):
        raise Refused(gettext("Use lowercase letters, digits and hyphens for the ID, at most 40."))
    if spec.id in _RESERVED:
        raise Refused(gettext("The ID %(id)s is reserved. Choose another.") % {"id": spec.id})
    catalogue = model_queries.list_entries(site)
    entries: list[Entry[Spec]] = [*catalogue.language, *catalogue.ocr]
    if any(entry.spec.id == spec.id and entry.is_builtin for entry in entries):
        raise Conflict(gettext("The ID %(id)s belongs to a built-in model. Choose another.") % {"id": spec.id})
    if sum(not entry.is_builtin for entry in entries) >= model_queries.MOST:
        raise Refused(
            gettext("A site has at most %(most)s models. Remove one that no project uses.")
            % {"most": model_queries.MOST}
        )
    now = clock.iso(clock.now())
    row = Model(
        *MODEL.key(site, model_id=spec.id),
        model_id=spec.id,
        spec=spec.to_json(),
        version=1,
        created_at=now,
        created_by=by.id,
        updated_at=now,
        updated_by=by.name,
    )
    event = entity_event(site, "model", spec.id, "created", by=by, payload={"spec": spec.to_json()})
    try:
        transact([Put(row, name="model"), *_check_takeovers(site, spec)], event)
    except Conflict as error:
        raise Conflict(
            _explain_conflict(error, gettext("The ID %(id)s is taken. Choose another.") % {"id": spec.id})
        ) from error


def update_model(site: str, spec: Spec, *, version: int, by: Actor) -> None:
    """Save what ``version`` showed with changes; what is there already is not written.

    Raises:
        Conflict: someone changed it since; the message names who.
        NotFound: no such model.
        Refused: it is a built-in one, or the takeover leads nowhere or in a circle.

    """
    before = _get_own(site, spec.id)
    if before.version == version and before.spec == spec:
        return
    was, wanted = before.spec.to_json(), spec.to_json()
    changed = {name: {"before": was[name], "after": wanted[name]} for name in wanted if was[name] != wanted[name]}
    event = entity_event(site, "model", spec.id, "updated", by=by, payload={"changes": changed, "version": version + 1})
    actions: list[Action] = [
        Model.spec.set(wanted),
        Model.version.set(version + 1),
        Model.updated_at.set(clock.iso(clock.now())),
        Model.updated_by.set(by.name),
    ]
    same: Condition = EXISTS & (Model.version == version)
    key = MODEL.key(site, model_id=spec.id)
    try:
        transact([Update(key, actions, same, name="model"), *_check_takeovers(site, spec)], event)
    except Conflict as error:
        raise Conflict(_explain_conflict(error, _name_editor(site, spec.id))) from error


def remove_model(site: str, model_id: str, *, version: int, by: Actor) -> None:
    """Runs that have started keep it: they pinned what it was.

    Raises:
        Conflict: someone changed it since.
        NotFound: no such model.
        Refused: it is a built-in one, a project asks it, or another model hands over to it.

    """
    _get_own(site, model_id)
    key = MODEL.key(site, model_id=model_id)
    chosen = int(Model.load(key).chosen)  # before the uses: whoever chooses it from here on makes the removal fail
    _check_unused(site, model_id)
    event = entity_event(site, "model", model_id, "removed", by=by, payload={"version": version})
    unchosen: Condition = Model.chosen == chosen
    if not chosen:
        unchosen |= Model.chosen.does_not_exist()
    try:
        transact([Delete(key, EXISTS & (Model.version == version) & unchosen)], event)
    except Conflict as error:
        _check_unused(site, model_id)
        raise Conflict(_name_editor(site, model_id)) from error


def _check_unused(site: str, model_id: str) -> None:
    """Raises: Refused."""
    if users := find_uses(site, model_id):
        raise Refused(
            gettext("In use by %(users)s. Choose another model there first.") % {"users": ", ".join(users[:3])}
        )


def find_uses(site: str, model_id: str) -> Sequence[str]:
    """Names of the models that hand over to it and of the projects that ask it."""
    models = [one.name for one in model_queries.list_models(site) if one.takeover == model_id]
    return models + [
        str(project.name) for project in project_queries.every_project(site) if model_id in project.model_ids
    ]


def ask_test(site: str, spec: Spec, *, by: Actor) -> None:
    """Have a worker ask it our own small question. One that is under way is not asked twice.

    Raises: Unavailable: no queue takes the message; the test says so.
    """
    now = clock.now()
    row = ModelTest(
        *MODEL_TEST.key(site, model_id=spec.id),
        model_id=spec.id,
        status=ASKED,
        spec=spec.sha256,
        asked_at=clock.iso(now),
        asked_by=by.name,
    )
    before = model_queries.get_test(site, spec.id)
    if before and before.status in {ASKED, RUNNING} and not model_queries.is_lost(before):
        return
    event = entity_event(site, "model", spec.id, "tested", by=by, payload={"model": spec.model})
    transact([Put(row, overwrite=True)], event)
    kwargs = {"site": site, "model_id": spec.id, "asked_at": row.asked_at}
    try:
        queues.enqueue(TEST_TASK, settings.STEPS_QUEUE, kwargs)
    except Unavailable as error:
        end_test(site, spec.id, row.asked_at, FAILED, ModelTest.message.set(str(error)))
        raise


def begin_test(site: str, model_id: str, asked_at: str) -> None:
    """Raises: Conflict: another worker has it, it is done, or it was asked anew."""
    condition = (ModelTest.asked_at == asked_at) & (ModelTest.status == ASKED)
    actions = [ModelTest.status.set(RUNNING), ModelTest.started_at.set(clock.iso(clock.now()))]
    ModelTest.change(MODEL_TEST.key(site, model_id=model_id), actions, condition)


def end_test(site: str, model_id: str, asked_at: str, status: str, *results: Action) -> None:
    """``status``: WORKED or FAILED. Harmless if it was asked anew."""
    actions = [ModelTest.status.set(status), ModelTest.ended_at.set(clock.iso(clock.now())), *results]
    with suppress(Conflict):
        ModelTest.change(MODEL_TEST.key(site, model_id=model_id), actions, ModelTest.asked_at == asked_at)


def _get_own(site: str, model_id: str) -> Entry[Spec]:
    entry = model_queries.get_entry(site, model_id)
    if entry.is_builtin:
        raise Refused(_BUILT_IN)
    return entry


def _check_takeovers(site: str, spec: Spec) -> list[Change]:
    """Condition: the models after ``spec`` are as read, since two concurrent saves could close a circle.

    Raises: Refused.
    """
    checks: list[Change] = []
    if not isinstance(spec, ModelSpec):
        return checks
    builtin = {one.id for one in list_builtin_models()}
    seen, following = {spec.id}, spec.takeover
    while following and following not in builtin:  # built-in ones hand over to built-in ones alone
        if following in seen:
            raise Refused(gettext("These models would take over from each other in a circle. Choose another one."))
        if len(seen) >= MOST_TAKEOVERS:
            raise Refused(
                gettext("At most %(most_takeovers)s models may take over from each other.")
                % {"most_takeovers": MOST_TAKEOVERS}
            )
        seen.add(following)
        try:
            entry = model_queries.get_entry(site, following)
        except NotFound as error:
            raise Refused(_NO_TAKEOVER) from error
        if not isinstance(entry.spec, ModelSpec):
            raise Refused(_NO_TAKEOVER)
        key, same = MODEL.key(site, model_id=following), Model.version == entry.version
        is_chosen = following == spec.takeover  # the others are not this one's choice
        counted = Update(key, [Model.chosen.add(1)], same, name="takeover")
        checks.append(counted if is_chosen else Check(key, same, name="takeover"))
        following = entry.spec.takeover
    return checks


def _explain_conflict(error: Conflict, first: str) -> str:
    if error.failed == {"takeover"}:
        return Phrase("The model that takes over was changed at the same time. Save again.")
    return first


def _name_editor(site: str, model_id: str) -> str:
    try:
        entry = model_queries.get_entry(site, model_id)
    except NotFound:
        return Phrase("Another user removed this model. Your change was not saved.")
    return gettext(
        "%(updated_by)s changed this model. Your change was not saved. Check the current settings and try again."
    ) % {"updated_by": entry.updated_by}

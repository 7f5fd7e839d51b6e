"""Writes of projects: one conditional transaction each, with its audit event."""

import random
import re
import secrets
import string
import time
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from config import clock
from config.errors import Conflict, Refused
from config.table import PROJECT
from config.transaction import Change, Put, RecordAt, Update, transact
from projects.audit.events import Actor, entity_event
from projects.models.uses import GONE, mark_chosen
from projects.settings import clashes, merging
from projects.settings import queries as project_queries
from projects.settings.items import Project, list_model_ids, settings_assignments, settings_to_store
from projects.settings.merging import SettingsDigest
from projects.settings.values import ProjectSettings
from projects.sites import directory

_ALPHABET = string.ascii_letters + string.digits + "_-"
_ATTEMPTS = 12  # attempts of one save, each on the newest version
_PROJECT_ID = re.compile(r"proj_[A-Za-z0-9_-]{21}")


def new_project_id() -> str:
    """Generate an id in seed 000's format, before the form is shown, so that a form sent twice creates one project."""
    return "proj_" + "".join(secrets.choice(_ALPHABET) for _ in range(21))


def project_id_from(form: str) -> str:
    """Return the form's id, or a new one if it was lost or tampered with."""
    return form if _PROJECT_ID.fullmatch(form) else new_project_id()


def create_project(site: str, settings: ProjectSettings, *, by: Actor, project_id: str) -> Project:
    """Create the project, or return the one that the same form created before.

    Raises:
        Conflict: the id is someone else's project.
        Refused: a model that it chooses was removed.

    """
    now = clock.iso(clock.now())
    key = PROJECT.key(site, project_id=project_id)
    data = settings_to_store(settings) | {"project_id": project_id, "status": "active", "version": 1}
    flat: dict[str, Any] = {"project_id": project_id, "name": settings.name, "status": "active"}
    flat |= PROJECT.gsi1(site, updated_at=now)
    project = Project(
        key.pk,
        key.sk,
        data=data | {"created_by": by.id, "updated_by": by.name},
        created_at=now,
        updated_at=now,
        **flat,
    )
    event = entity_event(site, "project", project_id, "created", by=by, payload={"name": settings.name, "version": 1})
    try:
        transact([Put(project), *mark_chosen(site, project.model_ids)], event)
    except Conflict as error:
        _check_models(error)
        made = project_queries.get_project(site, project_id)
        if made.created_by != by.id:
            raise
        return made
    finally:
        directory.forget_personal()
    return project


def update_project(
    site: str, project_id: str, settings: ProjectSettings, *, seen: SettingsDigest | None, by: Actor
) -> Project:
    """Save the changes from ``seen`` to ``settings`` on top of the stored settings.

    Concurrent changes in other places are kept; nothing is written if unchanged.

    Raises:
        Conflict: someone changed the same places since; the message names who and what.
        NotFound: no such project.
        Refused: a model that it chooses was removed.

    """
    for attempt in range(_ATTEMPTS):
        stored = project_queries.get_project(site, project_id)
        merge = merging.merge_settings(seen, settings, stored.settings)
        changed = merging.diff_settings(stored.settings, merge.settings)
        if not changed:
            return stored
        if merge.clashing:
            since = project_queries.changes_since(site, project_id, seen.version if seen else 0)
            raise Conflict(" ".join(map(str, clashes.clash_lines(merge, stored, since))))
        try:
            transact(*_save_project(site, stored, merge.settings, changed, by))
        except Conflict as error:  # a concurrent save came between: merge with that one too
            _check_models(error)
            time.sleep(random.uniform(0.005, 0.02) * 2 ** min(attempt, 4))
            continue
        finally:
            directory.forget_personal()
        return project_queries.get_project(site, project_id)
    raise Conflict(gettext("Too many people are saving these settings. Your changes were not saved; save again."))


def _check_models(error: Conflict) -> None:
    """Raises: Refused."""
    if GONE in error.failed:
        raise Refused(gettext("A model that you chose was removed. Choose another one, then save again.")) from error


def _save_project(
    site: str, stored: Project, settings: ProjectSettings, changed: Mapping[str, Any], by: Actor
) -> tuple[list[Change], RecordAt]:
    now, version = clock.iso(clock.now()), stored.version + 1
    payload = {"changes": changed, "version": version}
    event = entity_event(site, "project", stored.id, "updated", by=by, payload=payload)
    flat = {"name": settings.name, "updated_at": now} | PROJECT.gsi1(site, updated_at=now)
    mine = {"version": version, "updated_by": by.name}
    actions = settings_assignments(stored, settings)
    actions += [Project.data[name].set(value) for name, value in mine.items()]
    if removed := stored.personal_fields - {one.name for one in settings.fields}:
        actions.append(Project.data["personal_before"].set(sorted(removed)))
    actions += [getattr(Project, name).set(value) for name, value in flat.items()]
    chosen = mark_chosen(site, list_model_ids(settings) - stored.model_ids)
    return [Update(stored.key, actions, _at_version(stored.version)), *chosen], event


def _at_version(version: int) -> Any:
    # Older projects have no version until they are saved here for the first time.
    path: Any = Project.data
    stored = path["version"]
    return stored == version if version else Project.PK.exists() & stored.does_not_exist()

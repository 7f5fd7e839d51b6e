"""Writes of projects: one conditional transaction each, with its audit event."""

import re
import secrets
import string
from typing import Any

from config import clock
from config.errors import Conflict
from config.table import PROJECT
from config.transaction import Put, Update, transact
from projects import queries
from projects.audit import Actor, entity_event
from projects.items.project import Project, stored_settings
from projects.schema import ProjectSettings, differences

_ALPHABET = string.ascii_letters + string.digits + "_-"
_PROJECT_ID = re.compile(r"proj_[A-Za-z0-9_-]{21}")


def new_project_id() -> str:
    """Seed 000's form, made before the form is shown: the same form sent twice makes one project."""
    return "proj_" + "".join(secrets.choice(_ALPHABET) for _ in range(21))


def project_id_from(form: str) -> str:
    """The id that the form was given, or a new one where it was tampered with or lost."""
    return form if _PROJECT_ID.fullmatch(form) else new_project_id()


def create(site: str, settings: ProjectSettings, *, by: Actor, project_id: str) -> Project:
    """Make the project, or answer the one that the same form made before.

    Raises:
        Conflict: the id is somebody else's project.

    """
    now = clock.iso(clock.now())
    key = PROJECT.key(site, project_id=project_id)
    data = stored_settings(settings) | {"project_id": project_id, "status": "active", "version": 1}
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
        transact([Put(project)], event)
    except Conflict:
        made = queries.projects.get_project(site, project_id)
        if made.created_by != by.id:
            raise
        return made
    return project


def update(site: str, project_id: str, settings: ProjectSettings, *, version: int, by: Actor) -> Project:
    """Replace the settings that ``version`` showed; saving what is there already writes nothing.

    Raises:
        Conflict: somebody saved since; the message names who and when.
        NotFound: no such project.

    """
    before = queries.projects.get_project(site, project_id)
    changed = differences(before.settings, settings)
    if before.version == version and not changed:
        return before
    now = clock.iso(clock.now())
    event = entity_event(
        site, "project", project_id, "updated", by=by, payload={"changed": changed, "version": version + 1}
    )
    try:
        transact([Update(before.key, _changes(site, settings, version, now, by), _at_version(version))], event)
    except Conflict as error:
        raise Conflict(_who_was_first(queries.projects.get_project(site, project_id))) from error
    return queries.projects.get_project(site, project_id)


def _changes(site: str, settings: ProjectSettings, version: int, now: str, by: Actor) -> list[Any]:
    # One path each, not the whole map: what another writer keeps beside ours stays.
    path: Any = Project.data
    values = stored_settings(settings) | {"version": version + 1, "updated_by": by.name}
    flat = {"name": settings.name, "updated_at": now} | PROJECT.gsi1(site, updated_at=now)
    return [path[name].set(value) for name, value in values.items()] + [
        getattr(Project, name).set(value) for name, value in flat.items()
    ]


def _at_version(version: int) -> Any:
    # An older writer's project has no version until it is saved here for the first time.
    path: Any = Project.data
    stored = path["version"]
    return stored == version if version else Project.PK.exists() & stored.does_not_exist()


def _who_was_first(project: Project) -> str:
    at = clock.parse(project.updated_at)
    return f"{project.updated_by or 'Somebody'} saved these settings on {at:%d %b %Y at %H:%M:%S} UTC."

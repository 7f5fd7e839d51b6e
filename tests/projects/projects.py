"""Projects for tests, made through the action that the product uses."""

from projects.audit.events import actor_of
from projects.settings import actions as project_actions
from projects.settings import merging
from projects.settings.field_rows import PREFIX
from projects.settings.forms import initial_of
from projects.settings.items import Project
from projects.settings.merging import SettingsDigest
from projects.settings.values import FieldSetting, ProjectSettings
from tests.people import alice

SITE = "default"


def make_project(name="Supplier invoices", **settings) -> Project:
    wanted = ProjectSettings(name=name, **settings)
    return project_actions.create_project(
        SITE, wanted, by=actor_of(alice()), project_id=project_actions.new_project_id()
    )


def seen_of(project: Project) -> SettingsDigest:
    return merging.digest_settings(project.settings, project.version)


def sealed(project: Project) -> str:
    return merging.sign_seen(seen_of(project), SITE, project.id)


def typed(settings: ProjectSettings, **changes: str) -> dict[str, str]:
    """What a browser posts for these settings; ``changes`` may name any input, None leaves one out."""
    form = {name: str(value) for name, value in initial_of(settings).items() if value is not False}
    form |= typed_rows(settings.fields)
    form |= changes
    return {name: value for name, value in form.items() if value is not None}


def typed_rows(fields: tuple[FieldSetting, ...]) -> dict[str, str]:
    rows = {f"{PREFIX}-TOTAL_FORMS": str(len(fields)), f"{PREFIX}-INITIAL_FORMS": "0"}
    for i, one in enumerate(fields):
        rows |= {f"{PREFIX}-{i}-label": one.label, f"{PREFIX}-{i}-name": one.name, f"{PREFIX}-{i}-type": one.type}
        rows[f"{PREFIX}-{i}-threshold"] = "" if one.threshold is None else f"{one.threshold * 100:g}"
        if one.date_range:
            rows[f"{PREFIX}-{i}-date_range"] = one.date_range
        for more in ("description", "examples"):
            if getattr(one, more):
                rows[f"{PREFIX}-{i}-{more}"] = getattr(one, more)
        if one.required:
            rows[f"{PREFIX}-{i}-required"] = "on"
    return rows

"""Which fields of a site are personal, cached like permissions (ADR 0005)."""

from collections.abc import Mapping
from dataclasses import dataclass

from config.errors import NotFound
from projects.schemas import queries as schema_queries
from projects.settings import queries as project_queries
from projects.sites import directory

NONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class PersonalFields:
    """``names``: of fields and attributes whose values are personal. ``own``: the project's own fields among them.

    ``is_own``: its documents are read by its own fields, so that each result has all of ``own``.
    """

    names: frozenset[str] = NONE
    own: frozenset[str] = NONE
    is_own: bool = True

    def __bool__(self) -> bool:
        return bool(self.names)


def get_personal_fields(site: str, project_id: str) -> PersonalFields:
    """Return personal fields, including those marked later; only the site's attributes without a project.

    Raises:
        Unavailable: the table does not answer.

    """

    def read_fields() -> PersonalFields:
        attributes = list_personal_attributes(site)
        try:
            project = project_queries.get_project(site, project_id)
        except NotFound:
            return PersonalFields(attributes)
        settings = project.settings
        own = frozenset(one.name for one in settings.fields if one.personal)
        is_own = not settings.classification_id and not settings.typing
        return PersonalFields(attributes | project.personal_fields, own, is_own)

    return directory.remember(directory.PERSONAL, f"{site}#{project_id}", read_fields)


def list_personal_attributes(site: str) -> frozenset[str]:
    """Return the keys of personal attributes."""

    def read_keys() -> frozenset[str]:
        known = schema_queries.attribute_definitions(site)
        marked = schema_queries.definitions_of(site, [one.key for one in known])
        return frozenset(key for key, one in marked.items() if one.personal)

    return directory.remember(directory.PERSONAL, site, read_keys)


def list_personal_projects(site: str) -> Mapping[str, frozenset[str]]:
    """Return project id → personal fields and attributes."""

    def read_projects() -> Mapping[str, frozenset[str]]:
        attributes = list_personal_attributes(site)  # any document may have one
        found = {one.id: attributes | one.personal_fields for one in project_queries.every_project(site)}
        return {project_id: names for project_id, names in found.items() if names}

    return directory.remember(directory.PERSONAL, f"{site}##", read_projects)


def list_personal_names(site: str) -> frozenset[str]:
    """Return all personal names of the site."""
    return list_personal_attributes(site).union(*list_personal_projects(site).values())

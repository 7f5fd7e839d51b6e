"""The project that a new desk starts with."""

from config.errors import Conflict, NotFound
from projects import actions, queries
from projects.audit import Actor
from projects.items.project import Project
from projects.schema import ProjectSettings

# A fixed id: whoever comes first makes it, and everybody after finds it.
DEFAULT_PROJECT_ID = "proj_receipts-and-invoices"
DEFAULT_PROJECT = ProjectSettings(
    name="Receipts and invoices",
    description="Company, date, address, total, invoice number and currency of receipts and invoices.",
)


def ensure_default_project(site: str, *, by: Actor) -> Project:
    """The default project as it is now; made where it is missing."""
    try:
        return queries.projects.get_project(site, DEFAULT_PROJECT_ID)
    except NotFound:
        pass
    try:
        return actions.projects.create(site, DEFAULT_PROJECT, by=by, project_id=DEFAULT_PROJECT_ID)
    except Conflict:  # somebody else was as fast
        return queries.projects.get_project(site, DEFAULT_PROJECT_ID)

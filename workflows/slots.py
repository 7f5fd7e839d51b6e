"""How much a site and a project may have under way at a time, and what each of those that are at work gets of it.

Slots are counted for slices and for the runs of batches apart: both are what a worker has in hand, a minute at most.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from django.conf import settings

from config import table
from config.errors import NotFound
from config.table import InvalidKey
from projects import directory
from projects import queries as project_queries
from workflows.items.joins import Join

_MOST = 200  # large documents of a site at once that are counted; of so many, each has one slot whatever the limit


def of_site(site: str) -> int:
    """As an admin of the main site set it, else the desk's; read every few seconds."""
    row = directory.site(site)
    return int(row.slots or 0) or settings.SITE_SLOTS if row else settings.SITE_SLOTS


def of_project(site: str, project_id: str) -> int:
    """As the project's settings have it now, not as its runs froze them, else the desk's; read every few seconds."""

    def read() -> int:
        try:
            return project_queries.projects.get_project(site, project_id).settings.slots
        except (NotFound, InvalidKey):
            return 0

    return directory.remember("slots", f"{site}/{project_id}", read) or settings.PROJECT_SLOTS


def shares(site: str, projects: Sequence[str]) -> Mapping[str, int]:
    """Project → what each of its workings may use, where ``projects`` has the project of every working of the site.

    An equal part of the site's slots and of the project's, at least one: nobody waits for somebody else's end.
    """
    return {
        project: max(1, min(of_site(site) // len(projects), of_project(site, project) // count))
        for project, count in Counter(projects).items()
    }


def of_fan_out(site: str, project_id: str, workflow_id: str) -> int:
    """How many slices of a run may be under way now: one Query of the site's fan-outs that want more slots."""
    page = Join.page(table.JOIN.gsi1_partition(site), index="GSI1", limit=_MOST)
    others = [str(row.project_id) for row in page.rows if row.workflow_id != workflow_id]
    return min(settings.SLICES_IN_FLIGHT, shares(site, [*others, project_id])[project_id])

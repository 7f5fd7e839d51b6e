"""Concurrency limits of sites and projects, and each fan-out's or batch's share of them.

Slots of slices and of batch lines are counted separately; each is held for a minute at most. Single documents are never
held back, but those of a site with many documents in progress go to a lower-priority queue.
"""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence

from django.conf import settings

from config import table
from config.errors import NotFound, Unavailable
from config.table import InvalidKey
from projects.documents import queries as counter_queries
from projects.documents.items import DocumentStatus
from projects.settings import queries as project_queries
from projects.sites import directory
from workflows.runs.items import Join

log = logging.getLogger(__name__)

_MOST = 200  # large documents that are counted per site; with so many, each has one slot whatever the limit


def of_site(site: str) -> int:
    """Return the limit that an admin of the main site set, else the default; cached for a few seconds."""
    return _set_for_site(site) or settings.SITE_SLOTS


def _set_for_site(site: str) -> int:
    row = directory.get_site(site)
    return int(row.slots or 0) if row else 0


def of_project(site: str, project_id: str) -> int:
    """Return the project's current limit, not the one its runs froze, else the default; cached for a few seconds."""
    return set_for_project(site, project_id) or settings.PROJECT_SLOTS


def set_for_project(site: str, project_id: str) -> int:
    """Return the limit that an admin set; 0 if unset."""

    def read_limit() -> int:
        try:
            return project_queries.get_project(site, project_id).settings.slots
        except (NotFound, InvalidKey):
            return 0

    return directory.remember("slots", f"{site}/{project_id}", read_limit)


def shares(site: str, projects: Sequence[str]) -> Mapping[str, int]:
    """Map each project to the slots that each of its work items may use. ``projects`` has one entry per work item.

    Each share is an equal part of the site's slots and of the project's, and at least one, so that nobody is starved.
    """
    return {
        project: max(1, min(of_site(site) // len(projects), of_project(site, project) // count))
        for project, count in Counter(projects).items()
    }


def of_fan_out(site: str, project_id: str, workflow_id: str) -> int:
    """Return how many slices of a run may be in progress: one Query of the site's fan-outs that want more slots."""
    page = Join.page(table.JOIN.gsi1_partition(site), index="GSI1", limit=_MOST)
    others = [str(row.project_id) for row in page.rows if row.workflow_id != workflow_id]
    return min(settings.SLICES_IN_FLIGHT, shares(site, [*others, project_id])[project_id])


def has_no_slot(site: str, project_id: str, *, project_slots: int) -> bool:
    """Return True if a new run gets lower priority, because its site or project has many documents in progress.

    ``project_slots``: the limit that an admin set, 0 for none. One Query of counters, and one more for the project if
    necessary. Only the order depends on it, so a stale, wrong or missing count blocks nobody.
    """
    counters, here = counter_queries, DocumentStatus.IN_PROGRESS
    try:
        in_site = counters.count_documents(site).count_of(here)
        if in_site > (_set_for_site(site) or settings.BUSY_RUNS):
            return True
        if not 0 < project_slots < in_site:  # a project cannot have more than its site
            return False
        return counters.documents_of_project(site, project_id).count_of(here) > project_slots
    except Unavailable:
        log.warning("counters did not answer, the run does not stand aside", extra={"site": site})
        return False

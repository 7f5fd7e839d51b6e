"""How much a site and a project may have under way at a time, and what each of those that are at work gets of it.

Slots are counted for slices and for the runs of batches apart: both are what a worker has in hand, a minute at most.
Single documents are never held back. Those of a site that has many stand aside.
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
from workflows.engine.items import Join

log = logging.getLogger(__name__)

_MOST = 200  # large documents of a site at once that are counted; of so many, each has one slot whatever the limit


def of_site(site: str) -> int:
    """As an admin of the main site set it, else the desk's; read every few seconds."""
    return _set_for_site(site) or settings.SITE_SLOTS


def _set_for_site(site: str) -> int:
    row = directory.get_site(site)
    return int(row.slots or 0) if row else 0


def of_project(site: str, project_id: str) -> int:
    """As the project's settings have it now, not as its runs froze them, else the desk's; read every few seconds."""
    return set_for_project(site, project_id) or settings.PROJECT_SLOTS


def set_for_project(site: str, project_id: str) -> int:
    """By an admin; 0 if no one did."""

    def read_limit() -> int:
        try:
            return project_queries.get_project(site, project_id).settings.slots
        except (NotFound, InvalidKey):
            return 0

    return directory.remember("slots", f"{site}/{project_id}", read_limit)


def shares(site: str, projects: Sequence[str]) -> Mapping[str, int]:
    """Project → what each of its workings may use, where ``projects`` has the project of every working of the site.

    An equal part of the site's slots and of the project's, at least one: no one waits for someone else's end.
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


def has_no_slot(site: str, project_id: str, *, project_slots: int) -> bool:
    """Whether a run that begins now stands aside: so many documents of its site, or of its project, are in progress.

    ``project_slots``: an admin's, 0 for none. One Query of counters; of the project's too where only they can say.
    It decides about nothing but the order, so a count that is old or wrong, or does not come, holds no one up.
    """
    counters, here = counter_queries, DocumentStatus.IN_PROGRESS
    try:
        in_site = counters.count_documents(site).count_of(here)
        if in_site > (_set_for_site(site) or settings.BUSY_RUNS):
            return True
        if not 0 < project_slots < in_site:  # a project has no more than its site
            return False
        return counters.documents_of_project(site, project_id).count_of(here) > project_slots
    except Unavailable:
        log.warning("counters did not answer, the run does not stand aside", extra={"site": site})
        return False

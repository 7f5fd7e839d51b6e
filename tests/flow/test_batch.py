"""A batch with ten bad lines beside a second tenant's single document; ``BATCH_LINES=500`` is the one of issue 5."""

import json
import os
import time

import pytest
from django.conf import settings

from tests.factories import start_run
from tests.projects.make_sites import make_site
from tests.pump import Message, Pump
from tests.workflows.batches import bulk
from workflows.batches import queries as batch_queries
from workflows.runs import queries
from workflows.runs.items import Run

LINES = int(os.environ.get("BATCH_LINES") or 30)
SLOTS = 4
pytestmark = [pytest.mark.django_db, pytest.mark.timeout(max(180, 10 * LINES))]


def manifest(good: list[str]) -> list[object]:
    """Ten bad lines among the good ones: five that are wrong by themselves, five whose file is not there."""
    wrong: list[object] = [good[0], "bulk/acme/theirs.pdf", "projects/p/documents/d/d.pdf", {"key": ""}, 7]
    lines: list[object] = list(good)
    for number, line in enumerate([*wrong, *(f"bulk/default/gone-{n}.pdf" for n in range(5))]):
        lines.insert(3 + number * (len(good) // 10), line)
    return lines


def of(message: Message, run: Run) -> bool:
    return message.kwargs.get("workflow_id") == run.workflow_id


@pytest.mark.wide
def test_every_good_line_runs_every_bad_one_is_explained_and_a_second_tenant_does_not_wait(pump: Pump) -> None:
    make_site("acme")
    project = bulk.project()
    good = bulk.many(LINES - 10)
    began = time.monotonic()
    batch = bulk.make(project, manifest(good), slots=SLOTS, percent=50)
    pump.run(lambda: int(bulk.now(batch).published) >= 3, seconds=300)
    middle = len(pump.seen)
    run = start_run(site="acme", project={"name": "Theirs", "fields": []})
    asked = time.monotonic()
    pump.run(lambda: queries.execution(run).status != "running", seconds=300)
    waited, between = time.monotonic() - asked, pump.seen[middle:]
    mine = sum(of(message, run) for message in between)
    assert bulk.now(batch).status == "running"  # it was not merely over
    assert len(between) - mine <= (mine + 1) * (SLOTS + 1) * 2, "others' messages for each of the tenant's own"
    done = bulk.ended(pump, batch, seconds=1800)
    told = {
        "lines": int(done.total), "seconds": round(time.monotonic() - began, 1), "tenant_seconds": round(waited, 1),
        "tenant_messages": mine, "others_between": len(between) - mine, "messages": len(pump.seen),
    }  # fmt: skip
    print(json.dumps(told))
    assert (done.status, done.total, done.published, done.bad, done.failed) == ("finished", LINES, LINES - 10, 5, 5)
    explained = bulk.explained(batch)
    assert len(explained) == 10
    assert all(message for _, message in explained)
    assert pump.ran("take_line") <= LINES + settings.BATCH_MOST_SLOTS
    assert batch_queries.list_active_batches("default") == []

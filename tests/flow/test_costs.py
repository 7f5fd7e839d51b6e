"""docs/costs.md: generated from a run (WRITE_COSTS=1), and the ceiling for every later one."""

import os
import re
from pathlib import Path

import pytest
from django.conf import settings

from config import clock
from projects.audit.events import Actor
from projects.documents import queries as browse_queries
from projects.sites import directory
from review import queries as review_queries
from review.decide import claims, decisions, drafts
from review.decide.drafts import TypedValues
from review.decide.tasks import enqueue_redeem
from tests.factories import PROJECT_ID, ROSA, SITE, ref_of, start_run, verdict
from tests.metering import Meter, metered
from tests.projects import many
from tests.pump import Pump
from tests.workflows.advancing import waiting
from workflows.batches import actions
from workflows.batches import queries as batch_queries
from workflows.batches.actions import BatchDraft
from workflows.batches.items import LineOutcome
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.documents.actions import removals
from workflows.engine import actions as engine_actions
from workflows.runs import queries
from workflows.runs.actions import advance

PAGE = Path(settings.BASE_DIR) / "docs" / "costs.md"
HEAD = """# What an action costs

Generated from a run by `WRITE_COSTS=1 .venv/bin/python -m pytest tests/flow/test_costs.py`; the same test
holds every later run to these numbers. Units are worked out from the items' bytes: a write unit a KiB begun, twice in a
transaction, one for each index row written and two where it moves; a read unit 4 KiB begun, half when eventually
consistent. S3, queue and engine calls are counted, not priced here.

| action | AWS calls | write units | read units |
|---|---|---|---|
"""


_PARSER = DOCUMENT_ANALYSIS.named("format_parser").order
BY_HAND = "\n## What a page costs in CPU\n"  # and what follows it


def measure(pump: Pump) -> dict[str, Meter]:
    meters: dict[str, Meter] = {}
    measure_review(pump, meters)  # first: what follows leaves a half-done run in the queues
    with metered() as meters["create a run"]:
        run = start_run()
    with metered() as meters["claim a step"]:
        execution = engine_actions.claim_step(run, step=1, attempt=1, owner="me")
    with metered() as meters["heartbeat"]:
        engine_actions.renew_step(run, owner="me")
    with metered() as meters["advance a step"]:
        move = advance.Advance(DOCUMENT_ANALYSIS.step(1), _PARSER, 1, result="completed", execution=execution)
        advance.advance(run, DOCUMENT_ANALYSIS, move, last=execution.last_transition)
    execution = engine_actions.claim_step(run, step=_PARSER, attempt=1, owner="me")
    with metered() as meters["advance to OCR"]:
        move = advance.Advance(DOCUMENT_ANALYSIS.step(_PARSER), _PARSER + 1, 1, result="completed", execution=execution)
        advance.advance(run, DOCUMENT_ANALYSIS, move, last=execution.last_transition)
    waiting(run)
    with metered() as meters["end a run"]:
        execution = queries.execution(run)
        advance.fail(run, DOCUMENT_ANALYSIS, execution, attempt=1, error="E", sentence="Not readable.")
    with metered() as meters["delete a document"]:
        removals.delete_document(run.site, run.document_id, by=Actor("1", "Rosa"))
    measure_lists(meters)
    measure_batch(meters)
    return meters


def measure_batch(meters: dict[str, Meter]) -> None:
    batch_id = clock.new_ulid()
    draft = BatchDraft("November", PROJECT_ID, "Receipts", "bulk/default/keys.txt", "list", slots=2, percent=20)
    with metered() as meters["make a batch"]:
        batch = actions.create_batch(SITE, draft, by=Actor("1", "Rosa"), batch_id=batch_id)
    actions.record_manifest(SITE, batch, total=3, bad=0, planned=3, parts=0, allowed=0)
    actions.begin_lines(SITE, batch)
    with metered() as meters["take a slot and a line of a batch"]:
        place = actions.claim_lane(SITE, batch, 0)
    assert place
    with metered() as meters["settle a line and take the next"]:
        actions.settle_lane(place, LineOutcome.PUBLISHED)
    with metered() as meters["batch page and its poll"]:
        batch_queries.get_batch(SITE, batch_id, consistent=False)
        batch_queries.list_failed_lines(SITE, batch_id)


def measure_lists(meters: dict[str, Meter]) -> None:
    """Full pages of 25."""
    many.write(60)
    for name, way in many.WAYS.items():
        with metered() as meters[name]:
            browse_queries.list_documents(SITE, way)
    with metered() as meters["count of a site, a project or a queue"]:
        browse_queries.count_documents(SITE)


def measure_review(pump: Pump, meters: dict[str, Meter]) -> None:
    pump.hold = lambda message: message.task.endswith("open_review")
    run = start_run(always_review=True)
    pump.run(lambda: any(message.task.endswith("open_review") for message in pump.held))
    pump.hold = lambda _message: False
    directory.get_site(run.site)  # remembered for ACCESS_SECONDS, whatever is opened meanwhile
    with metered() as meters["open a review, its event sent, the engine unanswered"]:
        pump.run(lambda: pump.ran("open_review") == 1)
    ref = ref_of(run)
    with metered() as meters["queue page"]:
        review_queries.list_queue(run.site)
    with metered() as meters["claim a review"]:
        claims.claim_review(ref, run, by=ROSA)
    for name, begun in (("begin a draft", False), ("save a draft", True)):
        with metered() as meters[name]:
            drafts.save_draft(ref, TypedValues({"total": "12.34"}), by=ROSA, version=2, begun=begun)
    with metered() as meters["read one review and one's draft"]:
        review_queries.review_and_draft(ref, ROSA.id)
    chosen = verdict(ref)
    enqueue_redeem(ref, "warm-up", delay=0)  # kombu looks a queue up once a connection
    pump.run(lambda: pump.ran("redeem") == 1)
    with metered() as meters["decide"]:
        decisions.decide_review(ref, run, chosen, by=ROSA)
        enqueue_redeem(ref, chosen.decision_id, delay=settings.REVIEW_UNDO_SECONDS)
    pump.hold = lambda message: message.task.endswith("apply_decision")
    with metered() as meters["redeem"]:
        pump.run(lambda: pump.ran("redeem") == 2)
    pump.hold = lambda message: message.task.endswith("run_step")
    with metered() as meters["apply, the engine answered"]:
        pump.run(lambda: pump.ran("apply_decision") == 1)
    with metered() as meters["in-progress page"]:
        queries.in_progress(run.site)
    with metered() as meters["project's documents page"]:
        queries.project_documents(run.site, run.project_id)
    with metered() as meters["workflow page: board and 50 segments"]:
        queries.board(run.site, run.workflow_id)
        queries.segments(run.site, run.workflow_id)
    with metered() as meters["progress poll"]:
        queries.board(run.site, run.workflow_id)


def page(meters: dict[str, Meter]) -> str:
    lines = [f"| {name} | {len(m.calls)} | {m.writes:g} | {m.reads:g} |" for name, m in meters.items()]
    detail = [f"- {name}: {'; '.join(m.rows)}" for name, m in meters.items() if m.rows]
    by_hand = BY_HAND + PAGE.read_text().partition(BY_HAND)[2]
    return HEAD + "\n".join(lines) + "\n\n## Every row written\n" + "\n".join(detail) + "\n" + by_hand


def stored() -> dict[str, tuple[float, float, float]]:
    rows = re.findall(r"^\| (.+?) \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", PAGE.read_text(), re.MULTILINE)
    return {name: (float(calls), float(writes), float(reads)) for name, calls, writes, reads in rows}


@pytest.mark.wide
def test_no_action_costs_more_than_the_page_says(pump: Pump) -> None:
    meters = measure(pump)
    if os.environ.get("WRITE_COSTS"):
        PAGE.write_text(page(meters))
    ceilings = stored()
    assert set(ceilings) == set(meters)
    for name, meter in meters.items():
        found = (len(meter.calls), meter.writes, meter.reads)
        if any(new > old for new, old in zip(found, ceilings[name], strict=True)):
            pytest.fail(f"{name}: {found} is above {ceilings[name]}: {meter.calls} {meter.rows}")

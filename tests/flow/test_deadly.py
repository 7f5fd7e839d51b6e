"""A document whose step ends each worker, on every broker: it fails with a reason, and others go on meanwhile."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.settings.defaults import ensure_default_project
from tests.commands.desk import overrides
from tests.engines import KINDS, PREFIX, URLS, EngineKind, forget, require
from tests.factories import sample_files
from tests.flow.processes import WORKER, LiveDesk, account, looking_at, prepare, wait_for
from tests.flow.test_engine_processes import BRISK
from tests.flow.test_processes import signed_in
from workflows.runs import queries
from workflows.runs.items import Run, RunStatus

pytestmark = [pytest.mark.slow, pytest.mark.processes]

KINDS_HERE = (EngineKind("celery-sqs"), *KINDS[1:])


@pytest.fixture(params=KINDS_HERE, ids=lambda kind: kind.name)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LiveDesk]:
    """Up but for its workers, and patient with messages: none of them is sent again because it was lost."""
    broker, prefix = request.param.broker, f"{PREFIX}processes-"
    require(broker)
    chosen = {"COUNTERSIGN_ENGINE": "celery"}
    if broker in URLS:
        chosen |= {"COUNTERSIGN_BROKER_URL": URLS[broker], "COUNTERSIGN_BROKER_PREFIX": prefix}
    prepare(tmp_path / "prepared", **account(), **chosen)
    patient = BRISK | {"MESSAGE_LOST_SECONDS": 300}
    desk = LiveDesk(tmp_path / "prepared", tmp_path / "desk", **chosen, **overrides(**patient))
    try:
        desk.start_emulator()
        desk.start_web()
        desk.start_sweeper()
        with looking_at(desk):
            yield desk
    finally:
        desk.stop()
        if broker in URLS:
            forget(broker, prefix)


def start_workers(desk: LiveDesk) -> None:
    deadly = ["tests.flow.deadly" if word == "config" else word for word in WORKER]
    queues = f"{settings.STEPS_QUEUE},{settings.SLICES_QUEUE}"
    desk.start("steps", *deadly, "-Q", queues, "-n", "steps@localhost")
    desk.start_worker("desk", settings.DESK_QUEUE)


def waits_for_a_person(run: Run) -> bool:
    execution = queries.execution(run)
    return bool(queries.definition_of(execution).step(int(execution.currentStep)).type == "approval")


@pytest.mark.timeout(300)
def test_a_step_that_kills_its_worker_fails_and_others_go_on(desk: LiveDesk) -> None:
    rosa = signed_in(desk)
    project = ensure_default_project(DEFAULT_SITE, by=Actor("test", "Test"))
    receipt = next(path for path in sample_files() if path.suffix == ".jpg")
    bad = rosa.upload(project.id, receipt)
    (desk.state / "deadly").write_text(f"workflows.tasks.run_step {bad.document_id}\n")
    good = rosa.upload(project.id, receipt)
    start_workers(desk)
    wait_for(lambda: queries.execution(bad).status == RunStatus.FAILED, "the run fails", 120)
    wait_for(lambda: waits_for_a_person(good), "the other is read", 60)
    began = len((desk.state / "deadly.deaths").read_text().splitlines())
    assert began == (5 if desk.env.get("COUNTERSIGN_BROKER_URL") else 4)  # SQS puts aside what came five times
    failed = queries.execution(bad)
    assert int(failed.engine_attempt) == 1
    told = queries.lineage(DEFAULT_SITE, bad.document_id).rows
    reasons = [str(event.facts.as_dict()) for event in told if event.facts]
    assert any("crashed every worker that processed it" in reason for reason in reasons)
    assert [line["message"] for line in desk.logged("steps")].count("message put aside") == 1

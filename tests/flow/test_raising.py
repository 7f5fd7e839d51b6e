"""Whatever a task of intake raises, in real workers: the file waits with a reason, and "Try again" brings it in."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from config import aws, clock
from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.settings.defaults import ensure_default_project
from projects.settings.items import Project
from tests.commands.desk import overrides
from tests.engines import KINDS, PREFIX, URLS, EngineKind, forget, require
from tests.flow.processes import WORKER, LiveDesk, account, looking_at, prepare, wait_for
from tests.flow.test_engine_processes import BRISK
from tests.flow.visitor import Visitor
from tests.workflows.batches import bulk
from tests.workflows.boxes import zipped
from workflows.batches import actions, reading
from workflows.batches import queries as batch_queries
from workflows.intake import bucket
from workflows.intake.unpacking import _UNEXPECTED
from workflows.runs import queries
from workflows.runs.items import ProjectDocument

pytestmark = [pytest.mark.slow, pytest.mark.processes]

MARKER = "Quagmire4711"
BY = Actor("1", "Alice Novak")
TEXTS = {f"{number}.txt": f"Paper {number}".encode() for number in range(2)}
ORDERS = "workflows.batches.tasks"


@pytest.fixture
def kind() -> EngineKind:
    return KINDS[0]


@pytest.fixture
def desk(tmp_path: Path, kind: EngineKind) -> Iterator[LiveDesk]:
    chosen, prefix = {}, f"{PREFIX}processes-"
    if kind.broker in URLS:
        require(kind.broker)
        chosen = {
            "COUNTERSIGN_ENGINE": "celery",
            "COUNTERSIGN_BROKER_URL": URLS[kind.broker],
            "COUNTERSIGN_BROKER_PREFIX": prefix,
        }
    prepare(tmp_path / "prepared", **account(), **chosen)
    brisk = BRISK | {"REPAIR_AFTER_SECONDS": 2, "BATCH_CHECK_SECONDS": 2}
    desk = LiveDesk(tmp_path / "prepared", tmp_path / "desk", **chosen, **overrides(**brisk))
    try:
        desk.start_emulator()
        desk.start_web()
        desk.start_beat()
        start_worker(desk, "worker")
        with looking_at(desk):
            yield desk
            assert not [log for log in (desk.state / "logs").glob("*.log") if MARKER in log.read_text()]
    finally:
        desk.stop()
        if kind.broker in URLS:
            forget(kind.broker, prefix)


def start_worker(desk: LiveDesk, name: str) -> None:
    command = ["tests.flow.raising" if word == "config" else word for word in WORKER]
    desk.start(name, *command, "-Q", ",".join(settings.QUEUE_URLS), "-n", f"{name}@localhost")


def faults(desk: LiveDesk, *lines: str) -> None:
    (desk.state / "faults").write_text("\n".join(lines))


def signed_in(desk: LiveDesk) -> Visitor:
    """An admin."""
    ada = Visitor(desk.web)
    wait_for(ada.is_answered, "the web server", 60)
    ada.sign_in("admin", desk.password("admin"))
    return ada


def project_of_acme() -> Project:
    project = ensure_default_project(DEFAULT_SITE, by=BY)
    bucket.add_tenant("acme", DEFAULT_SITE, project, by=BY)
    return project


def put(name: str, body: bytes) -> None:
    aws.aws_client("s3").put_object(Bucket=settings.BUCKET_NAME, Key=f"raw/2026/11/21/acme/{name}", Body=body)


def waiting() -> dict[str, str]:
    return {file.name: str(file.message) for file in bucket.list_quarantine(DEFAULT_SITE).rows}


def documents(project: Project) -> dict[str, ProjectDocument]:
    return {str(row.name): row for row in queries.project_documents(DEFAULT_SITE, project.id).rows}


def press(ada: Visitor, path: str, **fields: str) -> None:
    status, _ = ada.post(path, fields)
    assert status == 200, path


@pytest.mark.timeout(400)
def test_files_of_the_bucket_wait_in_quarantine_and_try_again_brings_them_in(desk: LiveDesk) -> None:
    project, ada = project_of_acme(), signed_in(desk)
    faults(desk, "workflows.tasks.take_incoming raise")
    wanted = {"bill.txt": b"Total 12.50 EUR\n", "bills.zip": zipped(TEXTS)}
    for name, body in wanted.items():
        put(name, body)
    wait_for(lambda: waiting().keys() == wanted.keys(), "both are in quarantine", 120)
    assert set(waiting().values()) == {bucket.UNEXPECTED}
    assert documents(project) == {}
    page = ada.get("/settings/incoming/")[1]
    assert bucket.UNEXPECTED.split(";")[0] in page
    faults(desk)
    for file in bucket.list_quarantine(DEFAULT_SITE).rows:
        press(ada, f"/settings/incoming/{file.digest}/", order="again")
    wait_for(lambda: documents(project).keys() == {*wanted, *TEXTS}, "all are documents", 120)
    assert waiting() == {}


@pytest.mark.timeout(400)
def test_a_file_whose_worker_and_message_are_lost_is_found_by_the_sweeper(desk: LiveDesk) -> None:
    project = project_of_acme()
    faults(desk, "workflows.tasks.take_incoming hang")
    put("bill.txt", b"Total 12.50 EUR\n")
    wait_for((desk.state / "faults.hangs").exists, "a worker is at it", 120)
    desk.kill("worker")
    for url in (settings.QUEUE_URLS[name] for name in settings.QUEUE_URLS):
        aws.aws_client("sqs").purge_queue(QueueUrl=url)
    faults(desk)
    start_worker(desk, "another")
    wait_for(lambda: "bill.txt" in documents(project), "the file is a document", 120)
    (log,) = [line for line in desk.logged("another") if line["message"] == "incoming file sent again"][:1]
    assert log["attempt"] == 1


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_archives_and_batches_say_why_and_try_again_brings_their_files(desk: LiveDesk, tmp_path: Path) -> None:
    project, ada = ensure_default_project(DEFAULT_SITE, by=BY), signed_in(desk)
    faults(desk, "workflows.tasks.unpack raise")
    archive = tmp_path / "bills.zip"
    archive.write_bytes(zipped(TEXTS))
    page = ada.send(project.id, archive)
    wait_for(lambda: documents(project)["bills.zip"].outcome == "failed", "the archive has failed", 120)
    assert _UNEXPECTED in ada.get(page)[1]
    faults(desk, f"{ORDERS}.read raise")
    press(ada, f"{page}unpack-again/")
    wait_for(lambda: documents(project)["bills.zip"].status == "completed", "its files are out", 120)
    assert TEXTS.keys() <= documents(project).keys()

    name = f"{clock.new_ulid()}.txt"
    manifest = bulk.put("manifest.json", json.dumps([bulk.put(name)]).encode())
    batch_id = clock.new_ulid()
    fields = {"batch_id": batch_id, "key": manifest, "slots": "1", "percent": "100"}
    press(ada, f"/batches/new/{project.id}/", **fields)
    batch = batch_queries.get_batch(DEFAULT_SITE, batch_id)
    wait_for(bulk.status(batch, "refused"), "the manifest is not taken", 120)
    assert bulk.now(batch).message == actions.UNEXPECTED
    faults(desk, f"{ORDERS}.take_line raise")
    press(ada, f"/batches/{batch.id}/retry/")
    wait_for(lambda: int(bulk.now(batch).failed) == 1, "its line has failed", 120)
    assert bulk.explained(batch) == [(1, reading.UNEXPECTED)]
    wait_for(bulk.status(batch, "finished", "stopped"), "the batch has ended", 60)
    faults(desk)
    press(ada, f"/batches/{batch.id}/retry/")
    wait_for(lambda: name in documents(project), "the file is a document", 120)

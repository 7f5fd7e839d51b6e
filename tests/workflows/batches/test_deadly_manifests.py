"""A manifest that ends every worker that reads it is refused; one that waits for S3 or for another worker is not."""

import pytest
from django.conf import LazySettings

from config.errors import Conflict, Unavailable
from config.transaction import EXISTS
from tests.aws_faults import crash_before, fail
from tests.workflows import stored
from tests.workflows.batches import bulk
from workflows.batches import actions, lines, reading, tasks
from workflows.batches.due import look_at_batch
from workflows.batches.items import Batch

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
MOST = 3
SENTENCE = "The manifest could not be read after 3 attempts. Split it and create a batch for each part."


@pytest.fixture
def batch(settings: LazySettings, machines: object) -> Batch:
    settings.WORKER_ATTEMPTS = MOST
    return bulk.make(bulk.project(), bulk.many(2))


def read(batch: Batch, *, owner: str = "mine", attempt: int = 1) -> None:
    kwargs = {"site": "default", "batch_id": batch.id, "attempt": attempt}
    tasks.read.apply(kwargs=kwargs, task_id=owner, throw=True)


def killed(batch: Batch, attempt: int = 1) -> None:
    with crash_before("s3", "PutObject"):
        read(batch, attempt=attempt)


def told(batch: Batch) -> list[tuple[str, int]]:
    now = bulk.now(batch)
    return [(str(now.status), int(now.tries))]


def test_what_ends_every_worker_is_refused_with_a_sentence(batch: Batch) -> None:
    for begun in range(1, MOST + 1):
        killed(batch)
        assert told(batch) == [("reading", begun)]
    read(batch)
    done = bulk.now(batch)
    assert (done.status, done.message, done.GSI2PK, done.lease_owner) == ("refused", SENTENCE, None, None)
    before = stored.rows()
    for owner in ("mine", "another"):  # delivered again, whoever orders it
        read(batch, owner=owner)
    with pytest.raises(Conflict):  # the sweeper that saw it before
        look_at_batch("default", batch)
    lines.drive_batch("default", batch.id)
    assert stored.rows() == before


def test_who_comes_while_another_reads_begins_nothing(batch: Batch) -> None:
    for _ in range(MOST):
        actions.claim_batch(bulk.now(batch), owner="another")
    read(batch)
    assert told(batch) == [("reading", MOST)]
    with pytest.raises(Conflict):
        actions.give_up("default", bulk.now(batch), owner="mine")
    with pytest.raises(Conflict):  # often enough
        actions.claim_batch(bulk.now(batch), owner="another")


def test_who_gives_up_what_was_read_meanwhile_is_too_late(batch: Batch) -> None:
    killed(batch)
    seen = bulk.now(batch)
    read(batch)
    assert told(batch) == [("checking", 0)]
    for late in (lambda: actions.give_up("default", seen, owner="mine"), lambda: actions.renew_batch_lease(seen)):
        with pytest.raises(Conflict):
            late()
    with pytest.raises(Conflict):
        actions.claim_batch(seen, owner="mine")


def test_a_begin_that_s3_did_not_answer_does_not_count(batch: Batch) -> None:
    for _ in range(MOST + 1):
        with fail("s3", "PutObject", error_code="SlowDown", times=9), pytest.raises(Unavailable):
            reading.read_manifest("default", batch.id, 1, owner="mine", keep=lambda: None)
    assert told(batch) == [("reading", 0)]
    read(batch, owner="another")
    assert told(batch) == [("checking", 0)]


def test_a_worker_that_reads_for_long_keeps_it(batch: Batch, settings: LazySettings) -> None:
    settings.REPAIR_AFTER_SECONDS = 0
    kept: list[str] = []
    reading.read_manifest(
        "default", batch.id, 1, owner="mine", keep=lambda: kept.append(str(bulk.now(batch).lease_until))
    )
    assert len(set(kept)) == 2
    assert told(batch) == [("checking", 0)]


def test_begins_of_an_earlier_attempt_do_not_count(batch: Batch) -> None:
    killed(batch)
    actions.cancel_batch("default", bulk.now(batch), by=bulk.BY)
    actions.go_on("default", bulk.now(batch), by=bulk.BY)
    assert told(batch) == [("reading", 0)]
    assert bulk.now(batch).lease_owner is None


def test_a_batch_of_an_older_writer_is_read_and_counted(batch: Batch) -> None:
    Batch.change(batch.key, [Batch.tries.remove()], EXISTS)
    killed(batch)
    assert told(batch) == [("reading", 1)]

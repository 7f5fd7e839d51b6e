"""A file in the bucket that ends every worker that looks at it: quarantined, or a line of its batch that failed."""

import pytest
from django.conf import LazySettings

from config.errors import Conflict, Refused, Unavailable
from tests.aws_faults import crash_after, crash_before, fail
from tests.pump import Pump
from tests.workflows import stored
from tests.workflows.batches import bulk
from tests.workflows.intake.test_bucket import BY, documents, owner, put, waiting
from workflows.batches import lines, tasks
from workflows.batches.items import Batch
from workflows.intake import bucket
from workflows.intake.bucket import Arrival
from workflows.intake.tasks import take_incoming

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
MOST = 3
SENTENCE = "Processing crashed 3 times on this file. Check it and upload it in another format."


@pytest.fixture(autouse=True)
def most(settings: LazySettings) -> None:
    settings.WORKER_ATTEMPTS = MOST


def take(arrival: Arrival, *, owner: str = "mine") -> None:
    kwargs = {"key": arrival.key, "version": arrival.version, "size": arrival.size}
    take_incoming.apply(kwargs=kwargs, task_id=owner, throw=True)


def killed(arrival: Arrival) -> None:
    with crash_before("s3", "PutObject"):
        take(arrival)


def test_what_ends_every_worker_goes_into_quarantine_and_is_begun_anew_when_somebody_says_so() -> None:
    project, arrival = owner(), put()
    for _ in range(MOST):
        killed(arrival)
        assert waiting() == []
    take(arrival)
    assert [why for _, why in waiting()] == [SENTENCE]
    before = stored.rows()
    take(arrival)
    take(arrival, owner="another")
    assert stored.rows() == before
    bucket.again(bucket.get_waiting_file("default", arrival.digest), by=BY)
    killed(arrival)
    take(arrival)
    assert (waiting(), len(documents(project))) == ([], 1)


def test_who_comes_while_another_is_at_it_begins_nothing() -> None:
    project, arrival = owner(), put()
    file = bucket.find_file(arrival)
    for _ in range(MOST):
        bucket.begin(file, line="", owner="another")
    with pytest.raises(Conflict):
        bucket.begin(file, line="", owner="mine")
    take(arrival)
    assert (waiting(), documents(project)) == ([], [])
    with pytest.raises(Refused, match="3 times"):
        bucket.begin(file, line="", owner="another")


def test_a_begin_that_s3_did_not_answer_does_not_count_and_of_one_that_ended_nothing_stays() -> None:
    project, arrival = owner(), put()
    for _ in range(MOST + 1):
        with fail("s3", "PutObject", error_code="SlowDown", times=9), pytest.raises(Unavailable):
            bucket.take(arrival, unpack=lambda *_: None, owner="mine", keep=lambda: None)
    with crash_after("dynamodb", "TransactWriteItems"):
        take(arrival, owner="another")
    take(arrival, owner="another")
    assert len(documents(project)) == 1
    assert not [key for key in stored.rows() if key[2].startswith("BEGUN#")]


def halted(pump: Pump) -> tuple[Batch, lines.Place]:
    """A batch of two lines, one after the other; the first has the slot and nobody has taken it."""
    pump.hold = lambda message: message.task.endswith("take_line")
    batch = bulk.make(bulk.project(), bulk.many(2), slots=1, percent=100)
    pump.run(lambda: bool(bulk.now(batch).at_work))
    return batch, lines.Place("default", batch.id, 1, 0, 0)


def take_line(place: lines.Place, *, owner: str = "mine") -> None:
    tasks.take_line.apply(kwargs=place._asdict(), task_id=owner, throw=True)


@pytest.mark.wide
def test_a_line_whose_file_ends_every_worker_fails_and_the_next_has_its_slot(pump: Pump) -> None:
    batch, place = halted(pump)
    for _ in range(MOST):
        with crash_before("s3", "PutObject"):
            take_line(place)
        take_line(place, owner="another")  # as the batch orders it again, while it has its lease
        assert bulk.now(batch).at_work == {0: 0}
    for _ in range(2):
        take_line(place)
        assert bulk.explained(batch) == [(1, SENTENCE)]
        assert (bulk.now(batch).at_work, int(bulk.now(batch).failed)) == ({0: 1}, 1)
    pump.hold = lambda _message: False
    done = bulk.ended(pump, batch)
    assert (done.status, done.failed, done.published) == ("finished", 1, 1)

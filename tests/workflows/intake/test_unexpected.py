"""A task of intake that raises, whatever it raises: its file waits with a reason and can be tried again."""

import functools
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial

import pytest
from celery.exceptions import Retry
from django.conf import LazySettings
from django.urls import reverse

from config.due import actions as due_work
from config.due import sweeper
from config.errors import Conflict, CountersignError
from config.table import DEFAULT_SITE, Key
from tests.aws_faults import audit_refused, crash_before, fail, raise_before
from tests.html import one_line
from tests.people import alice, signed_in
from tests.pump import Pump, acknowledge, receive, work
from tests.workflows import stored
from tests.workflows.intake.test_bucket import BY, documents, owner, put, waiting
from workflows.intake import bucket, unexpected
from workflows.intake.bucket import Arrival
from workflows.intake.due import resume_arrival
from workflows.intake.items import ArrivalBegin, IncomingFile, IncomingStatus
from workflows.intake.tasks import take_incoming

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
MARKER = "Zyzzyva & Sons owe 4.00"  # as a parser quotes the document
raising: Callable[..., AbstractContextManager[None]] = partial(
    raise_before, "s3", "PutObject", ValueError(f"cannot read {MARKER!r}"), times=9
)


@pytest.fixture(autouse=True)
def _tells_nothing(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Neither rows nor log have the text of what was raised."""
    caplog.set_level(logging.INFO)
    yield
    formatter = logging.Formatter("%(message)s")
    assert not [one for one in caplog.records if MARKER in formatter.format(one)]
    assert MARKER not in str(stored.rows())


def take(arrival: Arrival, *, message: str = "mine") -> None:
    kwargs = {"key": arrival.key, "version": arrival.version, "size": arrival.size}
    work(take_incoming.name, kwargs, message)


def due() -> list[ArrivalBegin]:
    """Begins that the sweeper looks at sooner or later."""
    rows = [ArrivalBegin.load(Key(*key)) for _, *key in stored.rows() if key[1].startswith("BEGUN#")]
    return [row for row in rows if row.GSI2PK]


def swept(until: Callable[[], bool]) -> Callable[[], bool]:
    def done() -> bool:
        sweeper.sweep()
        return until()

    return done


@pytest.fixture
def worker(pump: Pump) -> Pump:
    pump.hold = lambda message: not message.task.endswith("take_incoming")
    pump.sends_again = True
    return pump


def quarantined() -> IncomingFile:
    owner()
    arrival = put()
    with raising():
        take(arrival)
    return bucket.get_waiting_file("default", arrival.digest)


def settle(file: IncomingFile, order: str) -> int:
    url = reverse("incoming:settle-incoming", args=[file.digest])
    return signed_in(alice()).post(url, {"order": order}, follow=True).status_code


def test_a_file_that_raises_waits_in_quarantine_and_try_again_brings_it_in(worker: Pump) -> None:
    project, arrival = owner(), put()
    with raising():
        worker.run(lambda: bool(waiting()))
    ((name, why),) = waiting()
    assert (name, why) == ('a "bill" #7.pdf', bucket.UNEXPECTED)
    assert (documents(project), due()) == ([], [])
    assert why.split(".")[0] in one_line(signed_in(alice()).get(reverse("incoming:list-incoming")).content)
    assert settle(bucket.get_waiting_file("default", arrival.digest), "again") == 200
    worker.run(lambda: bool(documents(project)))
    assert (waiting(), documents(project), due()) == ([], [name], [])


@pytest.mark.parametrize(("service", "operation"), [("s3", "GetObject"), ("dynamodb", "TransactWriteItems")])
def test_wherever_it_raises(service: str, operation: str) -> None:
    project, arrival = owner(), put()
    with raise_before(service, operation, RuntimeError(MARKER), times=unexpected.MOST):
        take(arrival)
    assert [why for _, why in waiting()] == [bucket.UNEXPECTED]
    assert not stored.objects(f"projects/{project.id}/")


def test_an_answer_of_aws_that_is_not_foreseen_is_no_other_case() -> None:
    owner()
    arrival = put()
    with fail("s3", "PutObject", error_code="AccessDenied", times=9):
        take(arrival)
    assert [why for _, why in waiting()] == [bucket.UNEXPECTED]


def test_raised_less_often_it_is_a_document_and_nobody_hears_of_it(caplog: pytest.LogCaptureFixture) -> None:
    project, arrival = owner(), put()
    with raise_before("s3", "PutObject", ValueError(MARKER), times=unexpected.MOST - 1):
        take(arrival)
    assert (len(documents(project)), waiting(), due()) == (1, [], [])
    told = [one.error for one in caplog.records if one.message == "intake stopped unexpectedly"]  # type: ignore[attr-defined]
    assert len(told) == unexpected.MOST - 1
    assert all(one.startswith("ValueError at tests/aws_faults.py:") for one in told)


def test_given_up_twice_or_too_late_nothing_changes() -> None:
    file = quarantined()
    arrival = Arrival(str(file.s3_key), str(file.s3version), int(file.file_size))
    before = stored.rows()
    bucket.give_up(arrival)
    take(arrival)
    assert stored.rows() == before
    bucket.again(file, by=BY)
    take(arrival)
    before = stored.rows()
    bucket.give_up(arrival)
    assert stored.rows() == before


def test_of_two_that_give_it_up_one_does() -> None:
    owner()
    arrival = put()
    files = [bucket.find_file(arrival) for _ in range(2)]
    for file in files:
        bucket._quarantine(file, bucket.UNEXPECTED)
    assert len(waiting()) == 1


def test_where_not_even_the_reason_can_be_written_the_message_comes_back() -> None:
    owner()
    arrival = put()
    kwargs = {"key": arrival.key, "version": arrival.version, "size": arrival.size}
    with raising(), audit_refused(), pytest.raises(Retry, match="4s"):
        take_incoming.apply(kwargs=kwargs, task_id="mine", retries=unexpected.MOST - 1, throw=True)
    assert waiting() == []
    assert [int(row.tries) for row in due()] == [1]


@pytest.mark.wide
def test_a_file_whose_message_was_lost_with_its_worker_is_sent_again(worker: Pump) -> None:
    project, arrival = owner(), put()
    with crash_before("s3", "PutObject"):
        take(arrival)
    (begun,) = due()
    assert (begun.s3_key, begun.s3version, int(begun.file_size or 0)) == (arrival.key, arrival.version, arrival.size)
    worker.hold = lambda message: not message.task.endswith("take_incoming") or message.kwargs["size"] == 0
    for message in receive_all(worker):  # S3's own event, which the dead worker had
        assert message.endswith("take_incoming")
    worker.run(swept(lambda: bool(documents(project))))
    assert (len(documents(project)), due()) == (1, [])


def receive_all(worker: Pump) -> list[str]:
    until = time.monotonic() + 3
    found: list[str] = []
    while not found and time.monotonic() < until:
        for queue in worker.queues:
            for message in receive(queue):
                acknowledge(message)
                found.append(message.task)
    return found


@pytest.mark.wide
def test_after_the_last_worker_that_it_ends_the_sweeper_finds_it_in_quarantine(
    worker: Pump, settings: LazySettings
) -> None:
    settings.WORKER_ATTEMPTS = 2
    project, arrival = owner(), put()
    for _ in range(2):
        with crash_before("s3", "PutObject"):
            take(arrival)
    worker.run(swept(lambda: bool(waiting())))
    assert "crashed 2 times" in waiting()[0][1]
    assert (documents(project), due()) == ([], [])


def test_tried_again_it_is_due_until_a_worker_has_it(worker: Pump) -> None:
    file = quarantined()
    with fail("sqs", "SendMessage", times=9):
        assert settle(file, "again") == 503
    assert [int(row.tries) for row in due()] == [0]
    worker.run(swept(lambda: IncomingFile.load(file.key).status == IncomingStatus.TAKEN))
    assert (waiting(), due()) == ([], [])


def test_discarded_it_is_not_due() -> None:
    file = quarantined()
    bucket.again(file, by=BY)
    (begun,) = due()
    bucket.discard(IncomingFile.load(file.key), by=BY)
    assert due() == []
    for late in (functools.partial(resume_arrival, DEFAULT_SITE), postpone, bucket.renew):
        with pytest.raises(CountersignError):
            late(begun)


def test_what_was_settled_otherwise_is_due_no_more() -> None:
    file = quarantined()
    bucket.again(file, by=BY)
    (begun,) = due()
    IncomingFile.change(file.key, [IncomingFile.status.set(IncomingStatus.TAKEN)], IncomingFile.PK.exists())
    resume_arrival(DEFAULT_SITE, begun)
    assert due() == []


def postpone(begun: ArrivalBegin) -> None:
    due_work.postpone(begun, at=due_work.next_look())


def test_who_looks_after_another_does_nothing() -> None:
    file = quarantined()
    bucket.again(file, by=BY)
    (begun,) = due()
    time.sleep(0.01)
    postpone(begun)
    for late in (postpone, bucket.rest):
        with pytest.raises(Conflict):
            late(begun)
    assert len(due()) == 1


def test_a_look_that_lasts_keeps_the_file_from_others(settings: LazySettings) -> None:
    file = quarantined()
    bucket.again(file, by=BY)
    file = IncomingFile.load(file.key)
    kept: list[int] = []
    with bucket.begin_file(file, owner="mine", keep=lambda: kept.append(1)) as beat:
        settings.REPAIR_AFTER_SECONDS = 3600
        beat()
        (before,) = due()
        settings.REPAIR_AFTER_SECONDS = 0
        beat()
        (after,) = due()
    assert len(kept) == 2
    assert (before.GSI2SK, before.lease_until) != (after.GSI2SK, after.lease_until)

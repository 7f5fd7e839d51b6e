"""A task of a batch that raises, whatever it raises: its line or the whole batch says so, and can be tried again."""

import logging
from collections.abc import Iterator
from functools import partial

import pytest
from django.urls import reverse

from config import aws, clock
from config.due import sweeper
from config.errors import Conflict
from tests.aws_faults import count_calls, fail, raise_before
from tests.people import bob, charlie, signed_in
from tests.pump import Pump
from tests.workflows import stored
from tests.workflows.batches import bulk
from tests.workflows.test_api import API, program
from workflows.batches import actions, lines, reading
from workflows.batches import queries as batch_queries
from workflows.batches.items import Batch
from workflows.intake import unexpected
from workflows.storage import files
from workflows.storage.objects import SiteFiles

pytestmark = pytest.mark.django_db
SITE = "default"
MARKER = "Zyzzyva & Sons owe 4.00"
raising = partial(raise_before, error=ValueError(f"cannot read {MARKER!r}"), times=999)


@pytest.fixture(autouse=True)
def _tells_nothing(caplog: pytest.LogCaptureFixture, table: str) -> Iterator[None]:
    """Neither rows nor log have the text of what was raised."""
    caplog.set_level(logging.INFO)
    yield
    formatter = logging.Formatter("%(message)s")
    assert not [one for one in caplog.records if MARKER in formatter.format(one)]
    assert MARKER not in str(stored.rows())


@pytest.fixture
def worker(pump: Pump) -> Pump:
    pump.sends_again = True
    return pump


def retry(batch: Batch, who=bob) -> int:
    url = reverse("workflows:retry-batch", args=[batch.id])
    return signed_in(who()).post(url, follow=True).status_code


def show(batch: Batch, who=bob) -> str:
    return signed_in(who()).get(reverse("workflows:show-batch", args=[batch.id])).content.decode()


@pytest.mark.wide
def test_a_line_that_raises_fails_and_is_tried_again(worker: Pump) -> None:
    batch = bulk.make(bulk.project(), bulk.many(2), slots=1, percent=100)
    worker.hold = lambda message: message.task.endswith("take_line")
    worker.run(lambda: bool(bulk.now(batch).at_work))
    worker.hold = lambda _: False
    with raise_before("s3", "PutObject", ValueError(MARKER), times=unexpected.MOST):
        worker.run(lambda: int(bulk.now(batch).failed) == 1)
    ended = bulk.ended(worker, batch)
    assert (int(ended.failed), int(ended.published)) == (1, 1)
    assert bulk.explained(batch) == [(1, reading.UNEXPECTED)]
    assert retry(batch) == 200
    ended = bulk.ended(worker, batch)
    assert (int(ended.attempt), int(ended.failed), int(ended.published)) == (2, 0, 2)
    assert bulk.explained(batch) == []


def test_raised_less_often_nobody_hears_of_it(worker: Pump) -> None:
    batch = bulk.make(bulk.project(), bulk.many(1))
    worker.hold = lambda message: message.task.endswith("take_line")
    worker.run(lambda: bool(bulk.now(batch).at_work))
    worker.hold = lambda _: False
    with raise_before("s3", "PutObject", ValueError(MARKER), times=unexpected.MOST - 1):
        ended = bulk.ended(worker, batch)
    assert (int(ended.failed), int(ended.published)) == (0, 1)


def test_given_up_twice_or_when_it_is_settled_nothing_changes(worker: Pump) -> None:
    batch = bulk.make(bulk.project(), bulk.many(1), percent=100)
    worker.hold = lambda message: message.task.endswith("take_line")
    worker.run(lambda: bool(bulk.now(batch).at_work))
    place = lines.Place(SITE, batch.id, 1, 0, 0)
    lines.give_up(place)
    assert bulk.explained(batch) == [(1, reading.UNEXPECTED)]
    before = stored.rows()
    lines.give_up(place)
    lines.take_line(place, owner="mine", keep=lambda: None)
    lines.give_up(lines.Place(SITE, "01H00000000000000000000000", 1, 0, 0))
    assert stored.rows() == before


def test_a_line_that_cannot_even_be_read_ends_its_batch(worker: Pump) -> None:
    """It was left in its slot without a word, and its batch never ended."""
    batch = bulk.make(bulk.project(), bulk.many(1), percent=100)
    worker.hold = lambda message: message.task.endswith("take_line")
    worker.run(lambda: bool(bulk.now(batch).at_work))
    key = SiteFiles(SITE).key(files.batch_files(batch.id, 1, 0))
    aws.aws_client("s3").delete_object(Bucket=stored.settings.BUCKET_NAME, Key=key)
    worker.hold = lambda _: False
    ended = bulk.ended(worker, batch)
    assert (ended.status, int(ended.failed), ended.at_work) == ("finished", 1, {})
    assert bulk.explained(batch) == [(0, lines._LOST)]


@pytest.mark.wide
def test_a_manifest_whose_reading_raises_is_not_taken_and_is_read_again(worker: Pump) -> None:
    batch = bulk.make(bulk.project(), bulk.many(2))
    with raising("s3", "GetObject"):
        ended = bulk.ended(worker, batch)
    assert (ended.status, ended.message, ended.GSI2PK, ended.lease_owner) == (
        "refused", actions.UNEXPECTED, None, None,
    )  # fmt: skip
    text = show(batch)
    assert actions.UNEXPECTED in text
    assert "Retry</button>" in text
    assert "Retry</button>" not in show(batch, charlie)
    assert retry(batch) == 200
    ended = bulk.ended(worker, batch)
    assert (ended.status, int(ended.attempt), int(ended.published), ended.message) == ("finished", 1, 2, None)


@pytest.mark.wide
def test_a_part_whose_files_raise_explains_them_and_goes_on(worker: Pump) -> None:
    batch = bulk.make(bulk.project(), bulk.many(2), percent=100)
    with raise_before("s3", "HeadObject", ValueError(MARKER), times=unexpected.MOST + 1):
        ended = bulk.ended(worker, batch)
    assert (ended.status, int(ended.failed), int(ended.published)) == ("finished", 1, 1)
    assert bulk.explained(batch) == [(1, reading.UNEXPECTED)]
    assert retry(batch) == 200
    assert int(bulk.ended(worker, batch).published) == 2


@pytest.mark.wide
def test_a_part_that_cannot_be_read_stops_its_batch_which_is_read_again(worker: Pump) -> None:
    """Its message was ordered again every half minute, for ever."""
    batch = bulk.make(bulk.project(), bulk.many(2))
    worker.hold = lambda message: message.task.endswith("open_part")
    worker.run(bulk.status(batch, "checking"))
    key = SiteFiles(SITE).key(files.batch_part(batch.id, 1, 0))
    aws.aws_client("s3").delete_object(Bucket=stored.settings.BUCKET_NAME, Key=key)
    worker.hold = lambda _: False
    ended = bulk.ended(worker, batch)
    assert (ended.status, ended.message) == ("refused", actions.UNEXPECTED)
    assert retry(batch) == 200
    # The machine that ordered the parts has run under this attempt's name; the sweeper orders those of the new reading.
    worker.run(lambda: sweeper.sweep() >= 0 and bulk.now(batch).status == "finished")
    assert int(bulk.now(batch).published) == 2


@pytest.mark.wide
def test_read_again_only_what_is_wrong_now_is_explained(worker: Pump) -> None:
    name = f"{clock.new_ulid()}.txt"  # which no other test has put there
    batch = bulk.make(bulk.project(), [f"bulk/default/{name}"], percent=100)
    worker.hold = lambda message: message.task.endswith("open_part")
    worker.run(bulk.status(batch, "checking"))
    reading.open_part(SITE, batch.id, 1, 0)
    assert [number for number, _ in bulk.explained(batch)] == [1]
    reading.give_up(SITE, batch.id, 1)
    bulk.put(name)
    worker.hold = lambda _: False
    answer = program().post(f"{API}/batches/{batch.id}/retry")
    assert (answer.status_code, answer.json()["status"]) == (200, "reading")
    worker.run(lambda: sweeper.sweep() >= 0 and bulk.now(batch).status == "finished")
    ended = bulk.now(batch)
    assert (int(ended.total), int(ended.failed), int(ended.published)) == (1, 0, 1)
    assert bulk.explained(batch) == []


def test_what_is_no_manifest_is_not_read_again(worker: Pump) -> None:
    batch = bulk.make(bulk.project(), "7")
    assert bulk.ended(worker, batch).status == "refused"
    assert "Retry</button>" not in show(batch)
    assert retry(batch) == 422


def test_of_two_that_read_again_one_does() -> None:
    batch = bulk.make(bulk.project(), bulk.many(1))
    reading.give_up(SITE, batch.id, 1)
    seen = bulk.now(batch)
    assert actions.retry_batch(SITE, seen, by=bulk.BY) == 1
    before = stored.rows()
    with pytest.raises(Conflict):
        actions.retry_batch(SITE, seen, by=bulk.BY)
    with pytest.raises(Conflict):
        actions.refuse_batch(SITE, seen, "late", at=actions.BatchStatus.CHECKING)
    assert stored.rows() == before


def test_stopped_twice_or_of_another_attempt_nothing_changes() -> None:
    batch = bulk.make(bulk.project(), bulk.many(1))
    reading.give_up(SITE, batch.id, 2)
    assert bulk.now(batch).status == "reading"
    reading.give_up(SITE, batch.id, 1)
    before = stored.rows()
    reading.give_up(SITE, batch.id, 1)
    with pytest.raises(Conflict):
        actions.stop_batch(SITE, batch)
    assert stored.rows() == before


@pytest.mark.wide
def test_lines_that_failed_and_whose_reading_raises_are_not_lost(worker: Pump) -> None:
    name = f"{clock.new_ulid()}.txt"
    batch = bulk.make(bulk.project(), [*bulk.many(1), f"bulk/default/{name}"], percent=100)
    assert int(bulk.ended(worker, batch).failed) == 1
    (line,) = batch_queries.every_line(SITE, batch.id)
    bulk.put(name)
    with fail("s3", "PutObject", error_code="AccessDenied", times=999):
        assert retry(batch) == 200
        ended = bulk.ended(worker, batch)
    assert (ended.status, int(ended.attempt), int(ended.total), int(ended.published)) == ("refused", 2, 2, 1)
    assert [one.number for one in batch_queries.every_line(SITE, batch.id)] == [line.number]
    assert retry(batch) == 200
    ended = bulk.ended(worker, batch)
    assert (ended.status, int(ended.attempt), int(ended.published), int(ended.failed)) == ("finished", 2, 2, 0)


def test_a_batch_that_was_stopped_is_not_due() -> None:
    batch = bulk.make(bulk.project(), bulk.many(1))
    reading.give_up(SITE, batch.id, 1)
    with count_calls() as calls:
        sweeper.sweep()
    assert not calls.of("sqs", "SendMessage")

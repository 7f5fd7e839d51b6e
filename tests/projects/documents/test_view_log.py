"""Opening a document's pages is recorded once for some minutes, after the page, and never at its cost."""

import datetime as dt
import uuid
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from config import clock, gunicorn
from projects.audit.events import Actor
from projects.documents import queries as document_queries
from projects.documents import view_log
from projects.documents.actions.activity import record_view
from projects.documents.tasks import record_looks
from tests.aws_faults import count_calls, fail
from tests.factories import SITE, start_run
from tests.people import bob, charlie, signed_in
from tests.pump import Pump
from workflows.runs.items import Run

pytestmark = pytest.mark.django_db
ROSA, MARTA = Actor("1", "Rosa Marin"), Actor("2", "Marta Kowalczyk")


def looks(document_id: str) -> list[str]:
    found = document_queries.list_activities(SITE, document_id).rows
    return [row.user_name for row in found if row.type == "VIEW"]


def opened(browser: Client, run: Run) -> int:
    return browser.get(f"/workflows/{run.document_id}/{run.workflow_id}/").status_code


@pytest.fixture
def queue(pump: Pump) -> Pump:
    """Holds back what the runs themselves order."""
    pump.hold = lambda message: not message.task.endswith("record_looks")
    return pump


def test_who_opens_a_run_is_in_the_activity_of_its_document(queue: Pump) -> None:
    run = start_run()
    for browser in (signed_in(bob()), signed_in(charlie())):
        assert opened(browser, run) == 200
        assert opened(browser, run) == 200
    queue.run(lambda: queue.ran("record_looks") == 2)
    assert sorted(looks(run.document_id)) == ["Bob Ito", "Charlie Mbeki"]
    (first, *_) = document_queries.list_activities(SITE, run.document_id).rows
    assert first.name == document_queries.get_document(SITE, run.document_id).name


def test_the_page_is_sent_before_its_look(queue: Pump) -> None:
    run, browser = start_run(), signed_in(bob())
    with count_calls() as calls:
        opened(browser, run)
    last = [name.startswith("sqs.") for name in calls.names()]
    assert last == sorted(last)
    assert True in last


def test_a_queue_that_does_not_answer_fails_no_page_and_the_next_look_counts(queue: Pump) -> None:
    run, browser = start_run(), signed_in(bob())
    with fail("sqs", "SendMessage", error_code="connection"):
        assert opened(browser, run) == 200
    assert opened(browser, run) == 200
    queue.run(lambda: queue.ran("record_looks") == 1)
    assert looks(run.document_id) == ["Bob Ito"]


def test_looks_of_a_moment_go_out_in_one_message(queue: Pump, settings: Any) -> None:
    settings.VIEW_GATHER_SECONDS = 60
    run, other, browser = start_run(), start_run(), signed_in(bob())
    with count_calls() as calls:
        assert [opened(browser, one) for one in (run, other, run)] == [200] * 3
    assert not any(name.startswith("sqs.") for name in calls.names())
    gunicorn.worker_exit(None, None)
    view_log.send_waiting()  # the timer comes too late
    queue.run(lambda: queue.ran("record_looks") == 1)
    assert (looks(run.document_id), looks(other.document_id)) == (["Bob Ito"], ["Bob Ito"])


def test_what_is_not_there_was_not_looked_at(queue: Pump) -> None:
    document_id = str(uuid.uuid4())
    assert signed_in(bob()).get(f"/workflows/{document_id}/01NONE/").status_code == 404
    queue.run(idle=0.2)
    assert queue.ran("record_looks") == 0


def test_looks_of_some_minutes_are_one_and_later_ones_count_again(table: str) -> None:
    at, again = clock.now(), dt.timedelta(seconds=settings.VIEW_ACTIVITY_SECONDS)
    assert record_view(SITE, "d", by=ROSA, at=at)
    assert not record_view(SITE, "d", by=ROSA, at=at + again / 2)
    assert record_view(SITE, "d", by=MARTA, at=at + again / 2)
    assert record_view(SITE, "d", by=ROSA, at=at + again * 1.01)
    assert looks("d") == ["Rosa Marin", "Marta Kowalczyk", "Rosa Marin"]


def test_the_same_message_twice_makes_one_row_and_displaces_no_other(table: str) -> None:
    at = clock.now()
    assert record_view(SITE, "d", by=MARTA, at=at)
    assert not record_view(SITE, "d", by=ROSA, at=at)
    assert looks("d") == ["Marta Kowalczyk"]
    kwargs = {"site": SITE, "document_id": "e", "user_id": "1", "user_name": "Rosa Marin", "at": clock.iso(at)}
    for _ in range(2):
        record_looks.apply(kwargs={"looks": [kwargs]}, throw=True)
    assert looks("e") == ["Rosa Marin"]

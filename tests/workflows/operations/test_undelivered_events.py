"""Events that EventBridge put aside: what of them is shown, and that each goes where its rule would have brought it."""

import json
from typing import Any

import pytest
from django.conf import settings
from django.urls import reverse

from config import aws
from config.errors import Refused
from projects.audit.events import Actor
from tests.aws_faults import fail
from tests.html import one_line
from tests.people import alice, signed_in
from tests.pump import receive
from workflows.operations import dead_letters, undelivered_events

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
BY = Actor("1", "Alice Novak")
DEAD = f"{settings.EVENTS_QUEUE_URL}-dead"
DETAIL = {"id": "01H", "siteId": "acme", "documentId": "d1", "workflowId": "w1", "projectId": "p1", "reason": "secret"}
OURS = {"source": settings.EVENT_SOURCE, "detail-type": "document.processed", "detail": DETAIL}
FILE = {"key": "raw/2026/11/21/acme/a.pdf", "version-id": "v1", "size": 7}
ARRIVED = {"source": "aws.s3", "detail-type": "Object Created", "detail": {"object": FILE}}
ENDED = {"execution": "arn:aws:states:e", "status": "FAILED", "at": "2026-11-21T00:00:00Z"}


@pytest.fixture(autouse=True)
def empty() -> None:
    for queue in settings.QUEUE_URLS.values():
        aws.aws_client("sqs").purge_queue(QueueUrl=f"{queue}-dead")
    aws.aws_client("sqs").purge_queue(QueueUrl=DEAD)


def put_aside(content: Any) -> str:
    body = content if isinstance(content, str) else json.dumps(content)
    return str(aws.aws_client("sqs").send_message(QueueUrl=DEAD, MessageBody=body)["MessageId"])


def search_message() -> dict[str, Any]:
    kwargs = {"site": "acme", "project_id": "p1", "document_id": "d1", "at": "2026-11-21T00:00:00Z"}
    info = {"exchange": "", "routing_key": settings.SEARCH_QUEUE}
    return {
        "body": json.dumps([[], kwargs, {}]),
        "headers": {"task": "workflows.tasks.index_document", "id": "01H"},
        "properties": {"delivery_tag": "01H", "delivery_info": info},
    }


@pytest.mark.parametrize(
    ("content", "task", "facts", "again"),
    [
        (
            OURS,
            "event document.processed",
            {"site": "acme", "project_id": "p1", "document_id": "d1", "workflow_id": "w1"},
            True,
        ),
        (ARRIVED, "event Object Created", {"key": FILE["key"]}, True),
        (ENDED, "event", {"execution": "arn:aws:states:e", "status": "FAILED"}, False),
        (
            search_message(),
            "workflows.tasks.index_document",
            {"site": "acme", "project_id": "p1", "document_id": "d1"},
            True,
        ),
        ("no JSON", "event", {}, False),
        ('["a list"]', "event", {}, False),
        ({"source": "aws.s3", "detail": {}}, "event unknown", {"key": ""}, False),
    ],
)
def test_it_is_listed_with_its_ids(content: Any, task: str, facts: dict[str, str], *, again: bool) -> None:
    put_aside(content)
    (letter,) = dead_letters.list_dead_letters()
    assert (letter.queue, letter.task, dict(letter.facts), letter.again) == (
        undelivered_events.QUEUE,
        task,
        facts,
        again,
    )


def test_the_page_shows_no_reason_and_offers_what_can_be_done() -> None:
    put_aside(OURS)
    put_aside(ENDED)
    text = one_line(signed_in(alice()).get("/settings/failed/").content)
    assert "secret" not in text
    assert text.count('value="replay"') == 1
    assert text.count('value="discard"') == 2


def test_an_event_of_ours_is_told_again_under_its_own_id() -> None:
    url = reverse("operations:settle-dead-letter", args=[undelivered_events.QUEUE, put_aside(OURS)])
    page = one_line(signed_in(alice()).post(url, {"order": "replay"}, follow=True).content)
    assert "is sent again" in page
    found = aws.aws_client("sqs").receive_message(QueueUrl=settings.EVENTS_QUEUE_URL, WaitTimeSeconds=2)["Messages"]
    (told,) = [json.loads(message["Body"]) for message in found]
    assert (told["detail-type"], told["detail"]) == ("document.processed", DETAIL)
    assert dead_letters.list_dead_letters() == []


def test_a_file_that_nobody_heard_of_is_taken() -> None:
    dead_letters.replay_dead_letter(undelivered_events.QUEUE, put_aside(ARRIVED), by=BY)
    (message,) = receive(settings.STEPS_QUEUE)
    assert message.task == "workflows.tasks.take_incoming"
    assert message.kwargs == {"key": FILE["key"], "version": "v1", "size": 7}


def test_where_no_queue_answers_the_page_says_so_and_the_event_stays() -> None:
    url = reverse("operations:settle-dead-letter", args=[undelivered_events.QUEUE, put_aside(ARRIVED)])
    with fail("sqs", "SendMessage", error_code="connection", times=9):
        answer = signed_in(alice()).post(url, {"order": "replay"})
    assert answer.status_code == 503
    assert "The queue is not responding." in one_line(answer.content)
    assert [letter.task for letter in dead_letters.list_dead_letters()] == ["event Object Created"]


def test_a_message_that_its_rule_made_goes_into_the_queue() -> None:
    dead_letters.replay_dead_letter(undelivered_events.QUEUE, put_aside(search_message()), by=BY)
    (message,) = receive(settings.SEARCH_QUEUE)
    assert (message.task, message.kwargs["document_id"]) == ("workflows.tasks.index_document", "d1")


def test_what_there_is_nobody_to_send_to_stays_until_it_is_thrown_away() -> None:
    message_id = put_aside(ENDED)
    with pytest.raises(Refused, match="Discard it"):
        dead_letters.replay_dead_letter(undelivered_events.QUEUE, message_id, by=BY)
    dead_letters.discard_dead_letter(undelivered_events.QUEUE, message_id, by=BY)
    assert dead_letters.list_dead_letters() == []

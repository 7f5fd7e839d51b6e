"""Messages that failed five times: what of them is shown, and that none is lost or done twice by a click."""

import base64
import json

import pytest
from django.conf import settings
from django.urls import reverse

from config import aws
from config.errors import NotFound
from projects.audit.events import Actor
from tests.aws_faults import audit_refused, fail
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.pump import receive
from workflows.operations import dead_letters

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
BY = Actor("1", "Alice Novak")
QUEUE = settings.STEPS_QUEUE
URL = "/settings/failed/"


@pytest.fixture(autouse=True)
def empty():
    for queue in settings.QUEUE_URLS:
        aws.aws_client("sqs").purge_queue(QueueUrl=settings.QUEUE_URLS[queue] + "-dead")


def put_aside(*, plain: bool = True, task: str = "workflows.tasks.run_step") -> str:
    kwargs = {"site": "default", "document_id": "d1", "workflow_id": "w1", "step": 3, "token": "a secret"}
    inner = json.dumps([[], kwargs, {}])
    envelope = {"body": inner, "headers": {"task": task, "id": "1"}, "properties": {}}
    body = json.dumps(envelope)
    if not plain:
        body = base64.b64encode(json.dumps(envelope | {"body": base64.b64encode(inner.encode()).decode()}).encode())
        body = body.decode()
    url = settings.QUEUE_URLS[QUEUE] + "-dead"
    return str(aws.aws_client("sqs").send_message(QueueUrl=url, MessageBody=body)["MessageId"])


@pytest.mark.parametrize("plain", [True, False])
def test_ids_are_shown_and_no_token(plain):
    put_aside(plain=plain)
    (letter,) = dead_letters.list_dead_letters()
    assert letter.task == "workflows.tasks.run_step"
    assert dict(letter.facts) == {"site": "default", "document_id": "d1", "workflow_id": "w1", "step": "3"}
    text = one_line(signed_in(alice()).get(URL).content)
    assert "w1" in text
    assert "a secret" not in text


def test_what_is_no_message_of_ours_is_listed_too():
    url = settings.QUEUE_URLS[QUEUE] + "-dead"
    aws.aws_client("sqs").send_message(QueueUrl=url, MessageBody="hello")
    assert [one.task for one in dead_letters.list_dead_letters()] == ["unknown"]
    assert "not available" in one_line(signed_in(alice()).get(URL).content)


def test_many_are_listed_once_each():
    ids = {put_aside() for _ in range(25)}
    assert {one.id for one in dead_letters.list_dead_letters()} == ids


def test_sent_again_it_is_in_its_queue_and_nowhere_else():
    message_id = put_aside()
    answer = signed_in(alice()).post(
        reverse("operations:settle-dead-letter", args=[QUEUE, message_id]), {"order": "replay"}, follow=True
    )
    assert "is queued again" in one_line(answer.content)
    (message,) = receive(QUEUE)
    assert (message.task, message.kwargs["token"]) == ("workflows.tasks.run_step", "a secret")
    assert dead_letters.list_dead_letters() == []
    with pytest.raises(NotFound):
        dead_letters.replay_dead_letter(QUEUE, message_id, by=BY)


def test_thrown_away_it_is_gone():
    message_id = put_aside()
    url = reverse("operations:settle-dead-letter", args=[QUEUE, message_id])
    assert "was discarded" in one_line(signed_in(alice()).post(url, {"order": "discard"}, follow=True).content)
    assert (dead_letters.list_dead_letters(), receive(QUEUE)) == ([], [])


@pytest.mark.parametrize("act", [dead_letters.replay_dead_letter, dead_letters.discard_dead_letter])
def test_without_its_event_the_message_stays(act):
    message_id = put_aside()
    with audit_refused(), pytest.raises(Exception, match="Too many simultaneous changes"):
        act(QUEUE, message_id, by=BY)
    assert receive(QUEUE) == []


def test_a_queue_that_does_not_answer_is_said():
    with fail("sqs", "ReceiveMessage", times=9):
        assert signed_in(alice()).get(URL).status_code == 503


def test_only_admins_of_the_main_site_see_it():
    assert signed_in(bob()).get(URL).status_code == 403
    assert "No dead letters" in one_line(signed_in(alice()).get(URL).content)

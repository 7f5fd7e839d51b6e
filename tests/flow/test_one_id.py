"""One id leads from a page through its run's row, its execution and its messages to the lines of the workers."""

import base64
import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from django.conf import settings

from config import aws, celery, logs
from config import table as keys
from config.brokers import envelope, queues
from tests.people import bob, signed_in
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.workflows.intake.test_upload_page import pdf, url
from workflows.runs import executions, queries
from workflows.runs.items import DocumentEvent, Run

pytestmark = pytest.mark.django_db


@contextmanager
def lines() -> Iterator[list[dict[str, object]]]:
    """What a process would write meanwhile."""
    found: list[dict[str, object]] = []
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.JsonFormatter())
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield found
    finally:
        root.setLevel(before)
        root.removeHandler(handler)
        found += map(json.loads, stream.getvalue().splitlines())


def test_what_an_upload_began_is_found_by_the_id_of_its_answer(pump: Pump) -> None:
    project = make_project()
    answer = signed_in(bob()).post(url(project), {"files": [pdf()]})
    request_id = answer["X-Request-Id"]
    (document,) = queries.project_documents("default", project.id).rows
    run = Run("default", project.id, str(document.document_id), str(document.workflow_id))
    execution = queries.execution(run)
    assert execution.request_id == request_id
    events = DocumentEvent.page(keys.DOCUMENT_EVENT.partition_key(run.site, document_id=run.document_id)).rows
    assert {one.request_id for one in events if one.type == "INGESTED"} == {request_id}
    arn = executions.execution_arn(queries.definition_of(execution), run, 1)
    started = aws.aws_client("stepfunctions").describe_execution(executionArn=arn)
    assert json.loads(started["input"])["request_id"] == request_id
    with lines() as found:
        pump.run(lambda: int(queries.execution(run).currentStep) > 2)
    begun = [one for one in found if one["message"] == "step begins"]
    assert begun
    assert {one["request"] for one in begun} == {request_id}


def test_a_message_carries_the_request_and_when_it_was_sent(table: str) -> None:
    with logs.on_request("01REQUEST"):
        queues.enqueue("any.task", settings.DESK_QUEUE, {})
    queues.enqueue("any.task", settings.DESK_QUEUE, {})
    url = settings.QUEUE_URLS[settings.DESK_QUEUE]
    taken = aws.aws_client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
    envelopes = [json.loads(base64.b64decode(one["Body"]))["headers"] for one in taken]
    assert sorted(one.get(envelope.REQUEST, "") for one in envelopes) == ["", "01REQUEST"]
    for headers in envelopes:
        assert envelope.waited_seconds(headers, {}, float(headers["countersign_sent"]) + 7) == 7


def test_a_task_logs_under_the_request_of_its_message_or_its_own_id() -> None:
    for headers, expected in (({envelope.REQUEST: "01REQUEST"}, "01REQUEST"), ({}, "task-1"), (None, "task-1")):
        celery._enter_task(task=SimpleNamespace(request=SimpleNamespace(headers=headers, id="task-1")), kwargs={})
        assert logs.request_id() == expected
        celery._leave_task()
        assert logs.request_id() == ""

"""From an upload to the search and out of it again: the bus tells, the queue carries, the worker looks."""

import json
from typing import Any

import pytest
from django.conf import settings

from config import aws
from projects.audit.events import Actor
from tests.factories import decided_run, start_run, waiting_run
from tests.flow.protocol import sweep_until_ended
from tests.pump import Pump
from tests.workflows.search.published import found, hear, search
from workflows.documents.actions import removals
from workflows.runs import queries
from workflows.runs.items import Outcome, Run
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.django_db
BY = Actor("1", "Rosa Marin")


@pytest.fixture
def pump(pump: Pump) -> Pump:
    pump.queues = tuple(settings.QUEUE_URLS)
    return pump


def heard(pump: Pump, times: int = 1) -> None:
    """Until the search index has heard of so much more."""
    before = pump.ran("index_document")
    pump.run(lambda: pump.ran("index_document") >= before + times)


def published(pump: Pump) -> Run:
    run = start_run()
    pump.run(lambda: pump.ran("index_document") == 1)
    assert queries.execution(run).outcome == Outcome.PUBLISHED
    return run


def word_of(run: Run) -> str:
    """The longest word on the first page, as it was read."""
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    text: str = json.loads(store.read(files.segment(0)))["text_content"]
    return max((word for word in text.split() if word.isalpha()), key=len)


@pytest.mark.every_engine("slow")
def test_upload_published_found_deleted_restored_purged(pump: Pump) -> None:
    run = published(pump)
    word = word_of(run)
    assert found(word) == [run.document_id]
    assert found(word, site="acme") == []
    removals.delete_document(run.site, run.document_id, by=BY)
    heard(pump)
    assert found(word) == []
    removals.restore_document(run.site, run.document_id, by=BY)
    heard(pump)
    assert found(word) == [run.document_id]
    removals.delete_document(run.site, run.document_id, by=BY)
    removals.purge_document(run.site, run.document_id, by=BY)
    heard(pump, 2)
    pump.run(idle=0.3)
    assert found(word) == []
    hear(run)
    assert found(word) == []


@pytest.mark.wide
def test_a_correction_is_found_and_what_waits_is_not(pump: Pump) -> None:
    run, _, _ = decided_run(pump)
    assert found("12.34") == []
    sweep_until_ended(run, pump)
    pump.run(lambda: pump.ran("index_document") == 1)
    (hit,) = search('"12.34"').hits
    assert [(part.kind, part.label) for part in hit.entry.parts if part.kind == "field"] == [("field", "Total")]
    waiting_run(pump)
    assert len(search("total").hits) == 1


def messages() -> list[dict[str, Any]]:
    url = settings.QUEUE_URLS[settings.SEARCH_QUEUE]
    answer = aws.aws_client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=1)
    return [json.loads(one["Body"]) for one in answer.get("Messages", ())]


def test_the_rule_makes_a_celery_message_of_an_event(pump: Pump) -> None:
    run = published(pump)
    removals.delete_document(run.site, run.document_id, by=BY)
    (message,) = messages()
    event = queries.lineage(run.site, run.document_id).rows[-1]
    kwargs = {"site": run.site, "project_id": run.project_id, "document_id": run.document_id, "at": event.occurredAt}
    assert json.loads(message["body"]) == [[], kwargs, {}]
    assert message["headers"] == {"task": "workflows.tasks.index_document", "id": event.event_id, "lang": "py"}
    assert message["properties"]["delivery_info"] == {"exchange": "", "routing_key": settings.SEARCH_QUEUE}


@pytest.mark.wide
def test_what_does_not_concern_it_does_not_reach_it(pump: Pump) -> None:
    for detail_type, source in (("document.review.required", settings.EVENT_SOURCE), ("document.processed", "other")):
        entry = {"Source": source, "DetailType": detail_type, "Detail": "{}", "EventBusName": settings.BUS_NAME}
        aws.aws_client("events").put_events(Entries=[entry])
    assert messages() == []

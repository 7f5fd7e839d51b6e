"""Where a document was sent, whether it arrived, and sending it again."""

import json

import pytest

from config.errors import ActionFailed, Conflict
from config.transaction import transact
from projects.audit.events import Actor
from tests.aws_faults import before_each, count_calls, fail
from tests.factories import SITE, start_run
from tests.people import alice, bob, charlie, signed_in
from tests.workflows.test_api import API, program
from workflows.publish import syncs, webhooks
from workflows.publish.tasks import send_again
from workflows.publish.webhooks import Delivery
from workflows.runs import events, queries
from workflows.runs.actions.syncs import Sending, record_sync
from workflows.runs.items import DocumentEvent, DocumentSync, Run, SyncService, SyncStatus

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("machines", "table")]
BY = Actor("1", "Rosa Marin")


def sent(run: Run) -> list[DocumentSync]:
    return list(queries.list_syncs(SITE, run.document_id).rows)


def told_run() -> Run:
    """An event of it was put on the bus."""
    run = start_run()
    (event,) = transact([], events.lineage(run, "PUBLISHED", bus_type=events.PUBLISHED))
    assert isinstance(event, DocumentEvent)
    assert events.publish(event)
    return run


def failed_webhook(run: Run) -> DocumentSync:
    """The address is this machine's own, which no webhook may call."""
    content = {"id": "d1", "type": "document.published", "documentId": run.document_id}
    with pytest.raises(ActionFailed):
        webhooks.deliver_webhook(Delivery(SITE, "d1", "https://127.0.0.1/hook?key=secret", content))
    return sent(run)[0]


def test_an_event_that_the_bus_took_is_told_and_sent_again() -> None:
    run = told_run()
    event = next(one for one in sent(run) if one.type == events.PUBLISHED)
    assert (event.service, event.status) == (SyncService.EVENTBRIDGE, SyncStatus.COMPLETE)
    assert event.TimeToLive
    syncs.ask_again(SITE, run.document_id, event.at, by=BY)
    with pytest.raises(Conflict):
        syncs.ask_again(SITE, run.document_id, event.at, by=BY)
    with count_calls() as calls:
        send_again(site=SITE, document_id=run.document_id, at=event.at)
        send_again(site=SITE, document_id=run.document_id, at=event.at)  # delivered twice
    assert len(calls.of("events", "PutEvents")) == 1
    assert queries.get_sync(SITE, run.document_id, event.at).message == "Sent again."


def test_what_does_not_arrive_says_why_and_may_be_asked_for_again() -> None:
    run = start_run()
    row = failed_webhook(run)
    assert (row.service, row.status, row.TimeToLive) == (SyncService.WEBHOOK, SyncStatus.FAILED, None)
    assert row.GSI1PK == "doc#syncs#WEBHOOK#FAILED#"
    syncs.ask_again(SITE, run.document_id, row.at, by=BY)
    assert queries.get_sync(SITE, run.document_id, row.at).GSI1PK is None
    send_again(site=SITE, document_id=run.document_id, at=row.at)
    again = queries.get_sync(SITE, run.document_id, row.at)
    assert (again.status, again.GSI1PK, bool(again.message)) == (SyncStatus.FAILED, row.GSI1PK, True)


def test_an_attempt_of_what_arrived_later_is_not_offered_again() -> None:
    run = start_run()
    failed = failed_webhook(run)
    content = json.loads(str(failed.content))
    for other in ({**content, "id": "d2"}, content):  # another event of the same receiver settles nothing
        sending = Sending(run.document_id, SyncService.WEBHOOK, str(failed.type), "", str(failed.target), other)
        assert queries.get_sync(SITE, run.document_id, failed.at).delivered_at is None
        record_sync(SITE, sending, arrived=True)
    row = queries.get_sync(SITE, run.document_id, failed.at)
    assert (row.status, row.GSI1PK, bool(row.delivered_at), bool(row.TimeToLive)) == ("FAILED", None, True, True)
    with pytest.raises(Conflict, match="a later one arrived"):
        syncs.ask_again(SITE, run.document_id, failed.at, by=BY)
    text = signed_in(bob()).get(f"/documents/{run.document_id}/deliveries/").content.decode()
    assert "Failed, delivered later" in text
    assert f"{failed.at}/again/" not in text


def test_an_attempt_that_is_sent_again_meanwhile_stays_so() -> None:
    run = start_run()
    failed = failed_webhook(run)
    sending = Sending(
        run.document_id, SyncService.WEBHOOK, str(failed.type), "", str(failed.target), json.loads(str(failed.content))
    )
    # between reading the attempts and marking one
    with before_each("dynamodb", "UpdateItem", lambda: syncs.ask_again(SITE, run.document_id, failed.at, by=BY)):
        record_sync(SITE, sending, arrived=True)
    row = queries.get_sync(SITE, run.document_id, failed.at)
    assert (row.status, row.delivered_at) == (SyncStatus.PENDING, None)


def test_nothing_is_written_of_a_document_that_is_gone() -> None:
    run = Run(SITE, "p", "none", "r")
    record_sync(SITE, Sending("none", SyncService.SEARCH, "document.indexed"), arrived=True)
    assert sent(run) == []


def test_a_bus_that_does_not_answer_again_is_told() -> None:
    run = told_run()
    row = sent(run)[0]
    syncs.ask_again(SITE, run.document_id, row.at, by=BY)
    with fail("events", "PutEvents", error_code="connection"):
        syncs.send_again(SITE, run.document_id, row.at)
    assert queries.get_sync(SITE, run.document_id, row.at).status == SyncStatus.FAILED


def test_the_page_shows_hosts_alone_and_lets_contributors_send_again() -> None:
    run = start_run()
    row = failed_webhook(run)
    path = f"/documents/{run.document_id}/deliveries/"
    text = signed_in(charlie()).get(path).content.decode()
    assert "Webhook 127.0.0.1" in text
    assert "secret" not in text
    assert "Send again" not in text
    client = signed_in(bob())
    assert "Send again" in client.get(path).content.decode()
    assert client.post(f"{path}{row.at}/again/").status_code == 302
    assert client.post(f"{path}{row.at}/again/").status_code == 409
    assert "Sending again" in client.get(path).content.decode()
    assert "Where it was sent" in signed_in(alice()).get(f"/documents/{run.document_id}/").content.decode()


def test_the_api_lists_and_sends_again() -> None:
    run, client = start_run(), program()
    row = failed_webhook(run)
    found = client.get(f"{API}/documents/{run.document_id}/deliveries").json()["items"][0]
    assert (found["id"], found["target"], found["status"]) == (row.at, "Webhook 127.0.0.1", "FAILED")
    again = client.post(f"{API}/documents/{run.document_id}/deliveries/{row.at}/again")
    assert (again.status_code, again.json()["status"]) == (202, "PENDING")
    assert client.get(f"{API}/documents/none/deliveries").status_code == 404

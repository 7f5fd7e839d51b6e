"""What follows a publication, where workers die, messages are lost and audit writes fail."""

import pytest
from django.core import mail

from config.due import sweeper
from config.errors import Conflict, Unavailable
from tests.aws_faults import Crash, audit_refused, crash_after, crash_before
from tests.factories import SITE
from tests.pump import Pump
from tests.workflows.follow_ups import NOTIFY, QUEUE, ROSA, action, drive, kinds, published, statuses
from workflows.definitions.rules import Act
from workflows.publish import actions
from workflows.publish import queries as publish_queries
from workflows.publish.items import FollowUp
from workflows.runs import queries
from workflows.runs.items import FollowUpStatus

pytestmark = pytest.mark.usefixtures("pump")


def test_a_worker_that_dies_after_the_deed_does_it_once_more_and_records_it_once():
    run = published(NOTIFY, Act("OCR"))
    with crash_before("dynamodb", "TransactWriteItems"), pytest.raises(Crash):
        drive(run, "dies")
    assert statuses(run) == ["RUNNING", "PENDING"]
    drive(run, "another")  # the lease of the dead one still holds
    assert len(mail.outbox) == 1
    expired(run)
    drive(run, "another")
    assert statuses(run) == ["COMPLETE"] * 2
    assert len({sent.extra_headers["Message-ID"] for sent in mail.outbox}) == 1
    assert kinds(run).count("ACTION_COMPLETED") == 2


def expired(run):
    """The worker's lease has run out."""
    past = "2020-01-01T00:00:00.000000+00:00"
    FollowUp.change(actions.follow_up_key_of(run), [FollowUp.lease_until.set(past)], FollowUp.PK.exists())


def test_a_worker_that_dies_after_recording_goes_on_behind_it():
    run = published(NOTIFY, NOTIFY)
    with crash_after("dynamodb", "TransactWriteItems"), pytest.raises(Crash):
        drive(run, "dies")
    expired(run)
    drive(run, "another")
    assert (statuses(run), len(mail.outbox)) == (["COMPLETE"] * 2, 2)


def test_a_worker_whose_lease_was_taken_records_nothing():
    run = published(NOTIFY)
    actions.claim_follow_up(run, owner="slow")
    seen = action(run)
    attempt = actions.begin_action(run, seen)
    expired(run)
    actions.claim_follow_up(run, owner="fast")
    for late in (
        lambda: actions.complete_action(run, seen, attempt=attempt, owner="slow", message="late"),
        lambda: actions.fail_action(run, seen, attempt=attempt, owner="slow", message="late"),
        lambda: actions.retry_action_later(run, seen, attempt=attempt, owner="slow", message="late"),
        lambda: actions.queue_document(run, seen, owner="slow"),
        lambda: actions.begin_action(run, seen),
        lambda: actions.renew_follow_up(run, owner="slow"),
        lambda: actions.record_mapping(run, owner="slow", message=""),
        lambda: actions.end_follow_up(run, owner="slow", status=FollowUpStatus.DONE),
    ):
        with pytest.raises(Conflict):
            late()
    assert statuses(run) == ["RUNNING"]


def test_an_action_that_kills_its_worker_again_and_again_is_left_to_a_person(settings):
    settings.ACTION_ATTEMPTS = 2
    run = published(NOTIFY)
    for _ in range(2):
        with crash_before("dynamodb", "TransactWriteItems"), pytest.raises(Crash):
            drive(run)
        expired(run)
    drive(run)
    assert statuses(run) == ["FAILED"]
    assert "after repeated attempts" in action(run).message


def test_without_its_event_no_move_is_kept():
    run = published(QUEUE, NOTIFY)
    with audit_refused(), pytest.raises(Unavailable):
        drive(run)
    assert (statuses(run), publish_queries.list_queued_documents(SITE, "q1").rows) == (["PENDING", "PENDING"], [])
    drive(run)
    with audit_refused(), pytest.raises(Unavailable):
        actions.settle_action(run, action(run), by=ROSA)
    assert statuses(run)[0] == "IN_QUEUE"
    actions.settle_action(run, action(run), by=ROSA)
    actions.claim_follow_up(run, owner="me")
    attempt = actions.begin_action(run, action(run, 1))
    for move in (actions.complete_action, actions.fail_action, actions.retry_action_later):
        with audit_refused(), pytest.raises(Unavailable):
            move(run, action(run, 1), attempt=attempt, owner="me", message="x")
        assert statuses(run)[1] == "RUNNING"
    actions.fail_action(run, action(run, 1), attempt=attempt, owner="me", message="x")
    with audit_refused(), pytest.raises(Unavailable):
        actions.retry_action(run, action(run, 1), by=ROSA)
    assert statuses(run)[1] == "FAILED"


def test_a_second_run_of_a_document_numbers_its_actions_behind_the_first():
    run = published(Act("OCR"), Act("OCR"))
    document = queries.document_workflow(SITE, run.document_id, run.workflow_id)
    later = type(run)(SITE, run.project_id, run.document_id, "01ZZZZZZZZZZZZZZZZZZZZZZZZ")
    changes = actions.plan_action_rows(later, document, [Act("PUBLISH")], first=2)
    actions.transact(changes)
    assert [one.SK for one in publish_queries.document_actions(SITE, run.document_id)] == [
        "action#0000#OCR",
        "action#0001#OCR",
        "action#0002#PUBLISH",
    ]
    assert len(publish_queries.actions_of(run)) == 2


def test_the_sweeper_has_it_done_where_the_message_was_lost(pump: Pump):
    run = published(NOTIFY)  # its step was not run by the task that sends the message
    assert sweeper.sweep() >= 1
    pump.run(lambda: pump.ran("follow_up") == 1)
    assert statuses(run) == ["COMPLETE"]
    assert [row.kind for row in sweeper.due_rows(0) if row.kind == "followup"] == []


def test_the_sweeper_sends_one_message_while_it_is_on_its_way(pump: Pump):
    published(NOTIFY)
    pump.hold = lambda _message: True
    for _ in range(3):
        sweeper.sweep()
    pump.step()
    assert len([one for one in pump.held if one.task.endswith("follow_up")]) == 1


def test_the_message_delivered_twice_does_it_once(pump: Pump):
    run = published(NOTIFY)
    sweeper.sweep()
    pump.run(lambda: pump.ran("follow_up") == 1)
    (message,) = [one for one in pump.seen if one.task.endswith("follow_up")]
    pump.redeliver(message)
    assert (statuses(run), len(mail.outbox)) == (["COMPLETE"], 1)

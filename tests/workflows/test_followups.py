"""What follows a publication: in order, once, again where it failed, never twice at once, and with a person between."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core import mail

from config.errors import Conflict, NotFound, Unavailable
from projects.audit import Actor
from review import sweeper
from tests.aws_faults import Crash, audit_refused, count_calls, crash_after, crash_before
from tests.factories import SITE
from tests.pump import Pump
from tests.workflows.follow_ups import drive, kinds, now_due, publish, published, ready, receiver, statuses
from tests.workflows.rules import make_rule, make_ruleset
from workflows import files, queries
from workflows.actions import document_actions
from workflows.actions import followups as follow_up_actions
from workflows.items.actions import DocumentAction, FollowUp
from workflows.routing import Act, When
from workflows.status import ACTION_ENDED, ACTION_TRANSITIONS, ActionStatus, FollowUpStatus
from workflows.storage import DocumentFiles

pytestmark = pytest.mark.usefixtures("pump")
ROSA = Actor("7", "Rosa Marin")
MARTA = Actor("8", "Marta Kowalczyk")
NOTIFY = Act("NOTIFY", {"to": "a@example.org, b@example.org"})
QUEUE = Act("QUEUE", {"queue": "q1"})


def hook(url):
    return Act("WEBHOOK", {"url": url})


def action(run, number=0):
    return queries.actions_of(run)[number]


def test_a_publication_without_rules_is_followed_by_nothing():
    run = ready()
    assert "follow_up" not in publish(run)
    assert queries.follow_up(run) is None


def test_the_rows_come_into_being_with_the_publication_or_not_at_all():
    make_rule(make_ruleset(), when=When.UPLOAD, actions=(Act("OCR"), NOTIFY))
    run = ready()
    with crash_before("dynamodb", "TransactWriteItems"), pytest.raises(Crash):
        publish(run)
    assert (statuses(run), queries.follow_up(run)) == ([], None)
    assert publish(run)["follow_up"] is True
    assert statuses(run) == ["PENDING", "PENDING"]
    assert publish(run)["follow_up"] is True  # delivered again: the same answer, and nothing new
    assert len(statuses(run)) == 2


def test_actions_are_done_in_order_each_with_its_event():
    run = published(Act("OCR"), NOTIFY, Act("PUBLISH"))
    drive(run)
    assert statuses(run) == ["COMPLETE"] * 3
    assert queries.follow_up(run).status == FollowUpStatus.DONE
    assert kinds(run)[-4:] == ["ACTION_COMPLETED"] * 3 + ["FOLLOW_UP_DONE"]
    done = [one.completedDate for one in queries.actions_of(run)]
    assert done == sorted(done)


def test_done_twice_nothing_happens_twice():
    run = published(NOTIFY, Act("PUBLISH"))
    for owner in ("one", "one", "two"):
        drive(run, owner)
    assert len(mail.outbox) == 1
    assert kinds(run).count("ACTION_COMPLETED") == 2


def test_of_two_workers_one_drives():
    with receiver() as outside, pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.conf.settings.WEBHOOK_PRIVATE_ADDRESSES", True)
        run = published(hook(outside.url), hook(outside.url))
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda n: drive(run, f"worker {n}"), range(4)))
        assert len(outside.got) == 2
    assert statuses(run) == ["COMPLETE"] * 2


def test_the_text_of_all_pages_becomes_one_file():
    run = published(Act("OCR"))
    drive(run)
    text = DocumentFiles(SITE, run.project_id, run.document_id).read(files.text(run.workflow_id)).decode()
    assert text == "Seite 1 ß\f\nSeite 2 ß\f\n"
    assert action(run).message == "The text of 2 pages is kept."


def test_a_mail_says_where_to_look_and_nothing_of_the_document(settings):
    settings.PUBLIC_URL = "https://desk.example.org"
    run = published(NOTIFY)
    drive(run)
    (sent,) = mail.outbox
    assert sent.to == ["a@example.org", "b@example.org"]
    assert f"https://desk.example.org/workflows/{run.document_id}/{run.workflow_id}/" in sent.body
    whole = sent.message().as_string()
    for secret in ("secret-name", "Alder", "510.24"):
        assert secret not in whole
    assert sent.extra_headers["Message-ID"].endswith("@countersign>")


def test_a_mail_of_a_tenant_leads_to_the_tenants_page():
    run = published(NOTIFY, site="acme")
    drive(run)
    assert f"/s/acme/workflows/{run.document_id}/" in mail.outbox[0].body


def test_the_bus_is_told_with_the_change_that_says_so():
    run = published(Act("PUBLISH"))
    with count_calls() as calls:
        drive(run)
    (entry,) = calls.of("events", "PutEvents")[0].params["Entries"]
    assert entry["DetailType"] == "document.published"
    assert json.loads(entry["Detail"])["documentId"] == run.document_id
    assert "510.24" not in entry["Detail"]


def test_what_fails_for_now_is_tried_again_later_and_later(settings):
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    with receiver(503, 429, 200) as outside:
        run = published(hook(outside.url), NOTIFY)
        drive(run)
        assert statuses(run) == ["WAITING_FOR_RETRY", "PENDING"]
        assert action(run).message == "The receiver answered 503."
        drive(run)  # not due yet
        assert len(outside.got) == 1
        for _ in range(2):
            now_due(run)
            drive(run)
    assert (statuses(run), int(action(run).attempts)) == (["COMPLETE"] * 2, 3)
    assert [document_actions.backoff(n) for n in (1, 2, 3)] == [30, 120, 480]
    assert kinds(run).count("ACTION_WAITS") == 2
    assert len({headers["Countersign-Delivery"] for headers, _ in outside.got}) == 1


def test_after_the_last_attempt_a_person_has_it_done_again(settings):
    settings.WEBHOOK_PRIVATE_ADDRESSES, settings.ACTION_ATTEMPTS = True, 2
    with receiver(500, 500, 200) as outside:
        run = published(hook(outside.url), NOTIFY)
        for _ in range(2):
            now_due(run)
            drive(run)
        assert (statuses(run), queries.follow_up(run).status) == (["FAILED", "PENDING"], FollowUpStatus.WAITING)
        drive(run)  # nothing is due
        assert len(outside.got) == 2
        document_actions.retry(run, action(run), by=ROSA)
        drive(run)
    assert statuses(run) == ["COMPLETE"] * 2
    assert "ACTION_WANTED_AGAIN" in kinds(run)


def test_of_two_that_want_it_done_again_one_is_first(settings):
    run = published(hook("https://10.0.0.1/"))
    drive(run)
    seen = action(run)
    assert seen.status == ActionStatus.FAILED
    document_actions.retry(run, seen, by=ROSA)
    with pytest.raises(Conflict):
        document_actions.retry(run, seen, by=MARTA)
    assert kinds(run).count("ACTION_WANTED_AGAIN") == 1


def test_nothing_is_done_again_while_a_worker_has_it_in_hand():
    run = published(hook("https://10.0.0.1/"))
    drive(run)
    seen = action(run)
    document_actions.retry(run, seen, by=ROSA)
    follow_up_actions.claim(run, owner="busy")
    document_actions.begin(run, action(run))
    with pytest.raises(Conflict):
        document_actions.retry(run, action(run), by=MARTA)


def test_a_queue_stops_what_is_behind_until_a_person_is_done():
    run = published(QUEUE, NOTIFY)
    drive(run)
    assert (statuses(run), mail.outbox) == (["IN_QUEUE", "PENDING"], [])
    (waiting,) = queries.queued_documents(SITE, "q1").rows
    assert (waiting.name, waiting.document_id, waiting.idx) == ("secret-name.pdf", run.document_id, 0)
    document_actions.settle(run, action(run), by=ROSA)
    assert queries.queued_documents(SITE, "q1").rows == []
    assert action(run).message == "Done by Rosa Marin"
    drive(run)
    assert (statuses(run), len(mail.outbox)) == (["COMPLETE"] * 2, 1)
    assert [one for one in kinds(run) if "QUEUE" in one] == ["DOCUMENT_QUEUED", "DOCUMENT_LEFT_QUEUE"]


def test_of_two_that_take_a_document_out_of_a_queue_one_is_first():
    run = published(QUEUE)
    drive(run)
    seen = action(run)

    def take(who):
        try:
            document_actions.settle(run, seen, by=who)
        except Conflict:
            return 0
        return 1

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(take, [ROSA, MARTA] * 3)) == 1
    assert kinds(run).count("DOCUMENT_LEFT_QUEUE") == 1


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
    FollowUp.change(follow_up_actions.key_of(run), [FollowUp.lease_until.set(past)], FollowUp.PK.exists())


def test_a_worker_that_dies_after_recording_goes_on_behind_it():
    run = published(NOTIFY, NOTIFY)
    with crash_after("dynamodb", "TransactWriteItems"), pytest.raises(Crash):
        drive(run, "dies")
    expired(run)
    drive(run, "another")
    assert (statuses(run), len(mail.outbox)) == (["COMPLETE"] * 2, 2)


def test_a_worker_whose_lease_was_taken_records_nothing():
    run = published(NOTIFY)
    follow_up_actions.claim(run, owner="slow")
    seen = action(run)
    attempt = document_actions.begin(run, seen)
    expired(run)
    follow_up_actions.claim(run, owner="fast")
    for late in (
        lambda: document_actions.complete(run, seen, attempt=attempt, owner="slow", message="late"),
        lambda: document_actions.fail(run, seen, attempt=attempt, owner="slow", message="late"),
        lambda: document_actions.again(run, seen, attempt=attempt, owner="slow", message="late"),
        lambda: document_actions.enqueue(run, seen, owner="slow"),
        lambda: document_actions.begin(run, seen),
        lambda: follow_up_actions.renew(run, owner="slow"),
        lambda: follow_up_actions.mapped(run, owner="slow", message=""),
        lambda: follow_up_actions.end(run, owner="slow", status=FollowUpStatus.DONE),
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
    assert "never ended" in action(run).message


def test_without_its_event_no_move_is_kept():
    run = published(QUEUE, NOTIFY)
    with audit_refused(), pytest.raises(Unavailable):
        drive(run)
    assert (statuses(run), queries.queued_documents(SITE, "q1").rows) == (["PENDING", "PENDING"], [])
    drive(run)
    with audit_refused(), pytest.raises(Unavailable):
        document_actions.settle(run, action(run), by=ROSA)
    assert statuses(run)[0] == "IN_QUEUE"
    document_actions.settle(run, action(run), by=ROSA)
    follow_up_actions.claim(run, owner="me")
    attempt = document_actions.begin(run, action(run, 1))
    for move in (document_actions.complete, document_actions.fail, document_actions.again):
        with audit_refused(), pytest.raises(Unavailable):
            move(run, action(run, 1), attempt=attempt, owner="me", message="x")
        assert statuses(run)[1] == "RUNNING"
    document_actions.fail(run, action(run, 1), attempt=attempt, owner="me", message="x")
    with audit_refused(), pytest.raises(Unavailable):
        document_actions.retry(run, action(run, 1), by=ROSA)
    assert statuses(run)[1] == "FAILED"


def test_a_second_run_of_a_document_numbers_its_actions_behind_the_first():
    run = published(Act("OCR"), Act("OCR"))
    document = queries.document_workflow(SITE, run.document_id, run.workflow_id)
    later = type(run)(SITE, run.project_id, run.document_id, "01ZZZZZZZZZZZZZZZZZZZZZZZZ")
    changes = follow_up_actions.planned(later, document, [Act("PUBLISH")], first=2)
    follow_up_actions.transact(changes)
    assert [one.SK for one in queries.document_actions(SITE, run.document_id)] == [
        "action#0000#OCR",
        "action#0001#OCR",
        "action#0002#PUBLISH",
    ]
    assert len(queries.actions_of(run)) == 2


def test_an_action_of_a_later_version_is_left_to_a_person():
    run = published(Act("TELEPORT"))
    drive(run)
    assert "does not know such an action" in action(run).message


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


def test_every_status_of_an_action_says_what_may_follow():
    assert set(ACTION_TRANSITIONS) == set(ActionStatus)
    assert {status for status, after in ACTION_TRANSITIONS.items() if not after} == set(ACTION_ENDED)
    led_to = set().union(*ACTION_TRANSITIONS.values())
    assert led_to == set(ActionStatus)


def test_what_is_not_there_is_not_found():
    for where in ((SITE, "none", 0, "OCR"), (SITE, "a#b", 0, "OCR")):
        with pytest.raises(NotFound):
            queries.document_action(*where)
    run = published(Act("OCR"))
    assert isinstance(queries.document_action(SITE, run.document_id, 0, "OCR"), DocumentAction)

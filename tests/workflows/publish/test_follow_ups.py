"""What follows a publication: in order, once, again where it failed, never twice at once, and with a person between."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core import mail

from config.errors import Conflict, NotFound
from tests.aws_faults import Crash, count_calls, crash_before
from tests.factories import SITE
from tests.workflows.follow_ups import (
    MARTA,
    NOTIFY,
    QUEUE,
    ROSA,
    action,
    drive,
    hook,
    kinds,
    now_due,
    publish,
    published,
    ready,
    receiver,
    statuses,
)
from tests.workflows.make_rules import make_rule, make_ruleset
from workflows.definitions.rules import Act, When
from workflows.documents.actions import removals
from workflows.publish import actions
from workflows.publish import queries as publish_queries
from workflows.publish.items import DocumentAction
from workflows.runs.items import ACTION_ENDED, ACTION_TRANSITIONS, ActionStatus, FollowUpStatus
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("pump")


def test_a_publication_without_rules_is_followed_by_nothing():
    run = ready()
    assert "follow_up" not in publish(run)
    assert publish_queries.follow_up(run) is None


def test_the_rows_come_into_being_with_the_publication_or_not_at_all():
    make_rule(make_ruleset(), when=When.UPLOAD, actions=(Act("OCR"), NOTIFY))
    run = ready()
    with crash_before("dynamodb", "TransactWriteItems"), pytest.raises(Crash):
        publish(run)
    assert (statuses(run), publish_queries.follow_up(run)) == ([], None)
    assert publish(run)["follow_up"] is True
    assert statuses(run) == ["PENDING", "PENDING"]
    assert publish(run)["follow_up"] is True  # delivered again: the same answer, and nothing new
    assert len(statuses(run)) == 2


def test_actions_are_done_in_order_each_with_its_event():
    run = published(Act("OCR"), NOTIFY, Act("PUBLISH"))
    drive(run)
    assert statuses(run) == ["COMPLETE"] * 3
    assert publish_queries.follow_up(run).status == FollowUpStatus.DONE
    assert kinds(run)[-4:] == ["ACTION_COMPLETED"] * 3 + ["FOLLOW_UP_DONE"]
    done = [one.completedDate for one in publish_queries.actions_of(run)]
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
    assert action(run).message == "Text of 2 pages stored."


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
        assert action(run).message == "The receiver returned 503."
        drive(run)  # not due yet
        assert len(outside.got) == 1
        for _ in range(2):
            now_due(run)
            drive(run)
    assert (statuses(run), int(action(run).attempts)) == (["COMPLETE"] * 2, 3)
    assert [actions.backoff(n) for n in (1, 2, 3)] == [30, 120, 480]
    assert kinds(run).count("ACTION_WAITS") == 2
    assert len({headers["Countersign-Delivery"] for headers, _ in outside.got}) == 1


def test_after_the_last_attempt_a_person_has_it_done_again(settings):
    settings.WEBHOOK_PRIVATE_ADDRESSES, settings.ACTION_ATTEMPTS = True, 2
    with receiver(500, 500, 200) as outside:
        run = published(hook(outside.url), NOTIFY)
        for _ in range(2):
            now_due(run)
            drive(run)
        assert (statuses(run), publish_queries.follow_up(run).status) == (["FAILED", "PENDING"], FollowUpStatus.WAITING)
        drive(run)  # nothing is due
        assert len(outside.got) == 2
        actions.retry_action(run, action(run), by=ROSA)
        drive(run)
    assert statuses(run) == ["COMPLETE"] * 2
    assert "ACTION_WANTED_AGAIN" in kinds(run)


def test_of_two_that_want_it_done_again_one_is_first(settings):
    run = published(hook("https://10.0.0.1/"))
    drive(run)
    seen = action(run)
    assert seen.status == ActionStatus.FAILED
    actions.retry_action(run, seen, by=ROSA)
    with pytest.raises(Conflict):
        actions.retry_action(run, seen, by=MARTA)
    assert kinds(run).count("ACTION_WANTED_AGAIN") == 1


def test_nothing_is_done_again_while_a_worker_has_it_in_hand():
    run = published(hook("https://10.0.0.1/"))
    drive(run)
    seen = action(run)
    actions.retry_action(run, seen, by=ROSA)
    actions.claim_follow_up(run, owner="busy")
    actions.begin_action(run, action(run))
    with pytest.raises(Conflict):
        actions.retry_action(run, action(run), by=MARTA)


def test_of_a_deleted_document_nothing_is_done_again_until_it_is_back():
    run = published(hook("https://10.0.0.1/"))
    drive(run)
    seen = action(run)
    removals.delete_document(SITE, run.document_id, by=MARTA)
    with pytest.raises(Conflict):
        actions.retry_action(run, seen, by=ROSA)
    assert not list(publish_queries.actions_with(SITE, ActionStatus.PENDING).rows)
    removals.restore_document(SITE, run.document_id, by=MARTA)
    assert (statuses(run), publish_queries.follow_up(run).status) == (["FAILED"], FollowUpStatus.WAITING)
    actions.retry_action(run, action(run), by=ROSA)
    drive(run)
    assert kinds(run).count("ACTION_WANTED_AGAIN") == 1


def test_a_queue_stops_what_is_behind_until_a_person_is_done():
    run = published(QUEUE, NOTIFY)
    drive(run)
    assert (statuses(run), mail.outbox) == (["IN_QUEUE", "PENDING"], [])
    (waiting,) = publish_queries.list_queued_documents(SITE, "q1").rows
    assert (waiting.name, waiting.document_id, waiting.idx) == ("secret-name.pdf", run.document_id, 0)
    actions.settle_action(run, action(run), by=ROSA)
    assert publish_queries.list_queued_documents(SITE, "q1").rows == []
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
            actions.settle_action(run, seen, by=who)
        except Conflict:
            return 0
        return 1

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(take, [ROSA, MARTA] * 3)) == 1
    assert kinds(run).count("DOCUMENT_LEFT_QUEUE") == 1


def test_an_action_of_a_later_version_is_left_to_a_person():
    run = published(Act("TELEPORT"))
    drive(run)
    assert "does not support the action" in action(run).message


def test_every_status_of_an_action_says_what_may_follow():
    assert set(ACTION_TRANSITIONS) == set(ActionStatus)
    assert {status for status, after in ACTION_TRANSITIONS.items() if not after} == set(ACTION_ENDED)
    led_to = set().union(*ACTION_TRANSITIONS.values())
    assert led_to == set(ActionStatus)


def test_what_is_not_there_is_not_found():
    for where in ((SITE, "none", 0, "OCR"), (SITE, "a#b", 0, "OCR")):
        with pytest.raises(NotFound):
            publish_queries.document_action(*where)
    run = published(Act("OCR"))
    assert isinstance(publish_queries.document_action(SITE, run.document_id, 0, "OCR"), DocumentAction)

"""The sender is told once that nothing was published: by whom, what it says, and what it does not say by itself."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core import mail
from django.core.mail import EmailMessage

from config import aws, clock
from config.due import sweeper
from config.errors import Conflict, NotFound
from config.item import Item
from projects.documents.items import Document
from review.decide import claims, decisions
from review.status import Decision
from tests.aws_faults import count_calls, fail
from tests.factories import ROSA, start_run, verdict, waiting_run
from tests.flow.protocol import kinds, sweep_until_ended
from tests.pump import Pump
from tests.workflows import removing
from tests.workflows.advancing import failed
from workflows import apps
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import interventions
from workflows.publish import actions, notices
from workflows.publish.due import resume_notice
from workflows.publish.items import NoticeStatus, SenderNotice
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.items import Outcome, ResumeWay, Run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("machines", "table")]


@pytest.fixture(autouse=True)
def by_mail(settings: LazySettings) -> None:
    settings.TELL_SENDERS = "mail"


@pytest.fixture
def sender() -> User:
    return User.objects.create_user("sent", "sent@example.org", "password-protected")


def sent_by(run: Run, user_id: str) -> Run:
    key = actions.table.DOCUMENT.key(run.site, document_id=run.document_id)
    Document.change(key, [Document.userId.set(user_id)], Document.PK.exists())
    return run


def notice_of(run: Run, attempt: int = 1) -> SenderNotice:
    return SenderNotice.load(actions.notice_key_of(run, attempt))


def tell(run: Run, attempt: int = 1, owner: str = "w") -> None:
    notices.send_notice(run, attempt=attempt, owner=owner)


def due() -> list[str]:
    return [row.kind for row in sweeper.due_rows(0) if row.kind == "notice"]


def test_by_itself_nobody_is_told(settings: LazySettings) -> None:
    settings.TELL_SENDERS = ""
    run = failed(start_run())
    tell(run)
    with pytest.raises(NotFound):
        notice_of(run)
    assert (due(), mail.outbox) == ([], [])


def test_a_failure_is_told_to_the_account_that_sent_it_and_says_where_to_look(sender: User) -> None:
    run = sent_by(failed(start_run()), str(sender.pk))
    tell(run)
    (message,) = mail.outbox
    assert message.to == ["sent@example.org"]
    assert message.subject == "Not published: invoice-alder-and-quill.pdf"
    assert f"/workflows/{run.document_id}/{run.workflow_id}/" in message.body
    assert "could not be processed" in message.body
    assert "Not readable." not in message.body
    assert notice_of(run).status == NoticeStatus.TOLD
    assert kinds(run)[-1] == "SENDER_TOLD"
    assert due() == []


def test_told_twice_at_once_or_later_it_is_one_mail(sender: User) -> None:
    run = sent_by(failed(start_run()), str(sender.pk))
    tell(run)
    tell(run, owner="another")
    assert len(mail.outbox) == 1


def test_a_worker_that_died_behind_the_mail_is_followed_by_one_with_the_same_id(
    sender: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = sent_by(failed(start_run()), str(sender.pk))
    with (
        fail("dynamodb", "TransactWriteItems", error_code="connection", times=9),
        pytest.raises(Exception, match="each"),
    ):
        tell(run)
    tell(run, owner="another")  # the lease of the first still holds
    assert len(mail.outbox) == 1
    later = clock.in_seconds(3600)
    monkeypatch.setattr(clock, "now", lambda: later)
    tell(run, owner="another")
    assert [message.extra_headers["Message-ID"] for message in mail.outbox] == [
        mail.outbox[0].extra_headers["Message-ID"]
    ] * 2
    assert kinds(run).count("SENDER_TOLD") == 1


def test_whose_lease_was_lost_records_nothing(sender: User) -> None:
    run = sent_by(failed(start_run()), str(sender.pk))
    mine = actions.claim_notice(run, attempt=1, owner="mine")
    SenderNotice.change(mine.key, [SenderNotice.lease_until.set("2000-01-01T00:00:00Z")], SenderNotice.PK.exists())
    theirs = actions.claim_notice(run, attempt=1, owner="theirs")
    with pytest.raises(Conflict):
        actions.settle_notice(run, mine, NoticeStatus.TOLD)
    with pytest.raises(Conflict):
        actions.retry_notice_later(run, mine, message="no")
    actions.settle_notice(run, theirs, NoticeStatus.TOLD)
    assert kinds(run).count("SENDER_TOLD") == 1


@pytest.mark.wide
@pytest.mark.parametrize("tells_why", [True, False])
def test_a_rejection_is_told_with_its_reason_only_where_that_is_allowed(
    pump: Pump, sender: User, settings: LazySettings, *, tells_why: bool
) -> None:
    settings.TELL_SENDERS_WHY = tells_why
    run, ref = waiting_run(pump)
    sent_by(run, str(sender.pk))
    claims.claim_review(ref, run, by=ROSA)
    said = verdict(ref, Decision.REJECT)
    decisions.decide_review(ref, run, type(said)(**{**vars(said), "reason": "The second page is missing."}), by=ROSA)
    sweep_until_ended(run, pump)
    pump.run(lambda: sweeper.sweep() >= 0 and bool(mail.outbox), seconds=20)
    pump.run(idle=0.3)
    (message,) = mail.outbox
    assert "was reviewed and rejected" in message.body
    assert ("The second page is missing." in message.body) == tells_why
    assert kinds(run).count("SENDER_TOLD") == 1


def test_the_machine_s_sentence_is_told_where_that_is_allowed(sender: User, settings: LazySettings) -> None:
    settings.TELL_SENDERS_WHY = True
    tell(sent_by(failed(start_run()), str(sender.pk)))
    assert "Why: Not readable." in mail.outbox[0].body


@pytest.mark.parametrize("user_id", ["key:abc…", "ingress", "999999", "99999999999999999999999999"])
def test_a_program_or_an_account_that_is_gone_has_no_address(user_id: str) -> None:
    run = sent_by(failed(start_run()), user_id)
    tell(run)
    assert (notice_of(run).status, mail.outbox) == (NoticeStatus.NOBODY, [])
    assert kinds(run)[-1] == "SENDER_NOT_TOLD"
    assert due() == []


def test_where_nobody_is_told_any_more_what_was_planned_ends(sender: User, settings: LazySettings) -> None:
    run = sent_by(failed(start_run()), str(sender.pk))
    settings.TELL_SENDERS = ""
    tell(run)
    assert (notice_of(run).status, mail.outbox, due()) == (NoticeStatus.NOBODY, [], [])


def test_a_closed_account_is_not_written_to(sender: User) -> None:
    sender.is_active = False
    sender.save()
    run = sent_by(failed(start_run()), str(sender.pk))
    tell(run)
    assert (notice_of(run).status, mail.outbox) == (NoticeStatus.NOBODY, [])


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    tried: list[int] = []

    def send(_self: EmailMessage, **_: Any) -> int:
        tried.append(1)
        raise ConnectionRefusedError

    monkeypatch.setattr(EmailMessage, "send", send)
    return tried  # type: ignore[return-value]


def test_a_mail_server_that_is_away_is_tried_again_and_given_up_in_the_end(
    sender: User, refusing: list[int], monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    settings.ACTION_ATTEMPTS = 3
    run = sent_by(failed(start_run()), str(sender.pk))
    tell(run)
    tell(run)  # not due yet
    assert len(refusing) == 1
    assert "ConnectionRefusedError" in str(notice_of(run).message)
    for hours in (1, 2):
        later = clock.in_seconds(3600 * hours)
        monkeypatch.setattr(clock, "now", lambda later=later: later)
        tell(run)
    assert (len(refusing), notice_of(run).status) == (3, NoticeStatus.GIVEN_UP)
    assert kinds(run)[-1] == "SENDER_NOT_TOLD"
    assert due() == []


def test_what_ends_each_worker_that_tells_it_is_given_up(sender: User, settings: LazySettings) -> None:
    settings.ACTION_ATTEMPTS = 3
    run = sent_by(failed(start_run()), str(sender.pk))
    for _ in range(3):  # each dies behind its claim, and its message comes back
        actions.claim_notice(run, attempt=1, owner="w")
    assert due() == []  # while its last worker may live
    tell(run, owner="another")
    assert notice_of(run).status == NoticeStatus.OPEN
    tell(run)
    assert (mail.outbox, notice_of(run).status) == ([], NoticeStatus.GIVEN_UP)
    assert "after repeated attempts" in str(notice_of(run).message)
    tell(run)
    assert kinds(run).count("SENDER_NOT_TOLD") == 1
    assert due() == []


def test_a_run_that_went_on_before_anybody_was_told_is_not_told_of(sender: User) -> None:
    run = sent_by(failed(start_run()), str(sender.pk))
    interventions.resume(run, ResumeWay.AGAIN, by=removing.ROSA)
    tell(run)
    assert (notice_of(run).status, mail.outbox) == (NoticeStatus.OVERTAKEN, [])


def test_each_attempt_that_fails_is_told_of_by_itself(sender: User) -> None:
    run = sent_by(failed(start_run()), str(sender.pk))
    tell(run)
    interventions.resume(run, ResumeWay.AGAIN, by=removing.ROSA)
    execution = queries.execution(run)
    attempt = int(execution.engine_attempt)
    advance.fail(run, DOCUMENT_ANALYSIS, execution, attempt=attempt, error="E", sentence="Still not.")
    tell(run, attempt)
    assert len({message.extra_headers["Message-ID"] for message in mail.outbox}) == 2


@pytest.mark.parametrize("outcome", [Outcome.CANCELLED, Outcome.PARTIAL])
def test_what_people_of_the_desk_see_to_is_not_told(outcome: Outcome) -> None:
    assert actions.plan_notice(start_run(), outcome, 1, clock.iso(clock.now())) == []


def test_the_sweeper_orders_it_once_until_its_message_is_taken(sender: User, pump: Pump) -> None:
    run = sent_by(failed(start_run()), str(sender.pk))
    found = notice_of(run)
    resume_notice(run.site, found)
    with pytest.raises(Conflict):
        resume_notice(run.site, found)
    assert due() == []
    pump.run(lambda: bool(mail.outbox))
    message = next(one for one in pump.seen if one.task.endswith("tell_sender"))
    pump.redeliver(message)
    assert len(mail.outbox) == 1


def test_a_topic_gets_ids_the_name_and_where_to_look(settings: LazySettings, table: str) -> None:
    sns, sqs = aws.aws_client("sns"), aws.aws_client("sqs")
    topic = sns.create_topic(Name="senders")["TopicArn"]
    url = sqs.create_queue(QueueName="senders")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn)
    settings.TELL_SENDERS, settings.SENDERS_TOPIC_ARN = "sns", topic
    run = sent_by(failed(start_run()), "key:abc…")
    with count_calls() as calls:
        tell(run)
    (call,) = calls.of("sns", "Publish")
    assert {name: one["StringValue"] for name, one in call.params["MessageAttributes"].items()} == {
        "siteId": run.site, "projectId": run.project_id, "senderId": "key:abc…", "outcome": "failed",
    }  # fmt: skip
    (got,) = sqs.receive_message(QueueUrl=url, WaitTimeSeconds=3)["Messages"]
    content = json.loads(json.loads(got["Body"])["Message"])
    assert content["fileName"] == "invoice-alder-and-quill.pdf"
    assert (content["documentId"], content["workflowId"]) == (run.document_id, run.workflow_id)
    assert "reason" not in content
    assert notice_of(run).status == NoticeStatus.TOLD
    sqs.delete_queue(QueueUrl=url)
    sns.delete_topic(TopicArn=topic)


def test_an_ordered_topic_gets_the_id_that_it_leaves_copies_out_by(settings: LazySettings) -> None:
    settings.TELL_SENDERS, settings.SENDERS_TOPIC_ARN = "sns", "arn:aws:sns:eu-central-1:1:senders.fifo"
    run = failed(start_run())
    with count_calls() as calls:
        tell(run)  # there is no such topic
    (call,) = calls.of("sns", "Publish")
    assert call.params["MessageDeduplicationId"] == json.loads(call.params["Message"])["id"]
    assert notice_of(run).status == NoticeStatus.OPEN
    assert notice_of(run).message


def test_a_deleted_document_is_not_told_of(pump: Pump, sender: User) -> None:
    run = sent_by(failed(start_run()), str(sender.pk))
    key = actions.table.DOCUMENT.key(run.site, document_id=run.document_id)
    Item(key.pk, key.sk).delete()
    tell(run)
    assert (notice_of(run).status, mail.outbox) == (NoticeStatus.OVERTAKEN, [])


@pytest.mark.wide
def test_in_every_process_those_who_hear_of_runs_are_registered() -> None:
    asked = (
        "from workflows.runs import resting; from workflows.runs.actions import at_end; "
        "print([one.__module__ for one in (*at_end._PLANS, *resting._HEARERS)])"
    )
    found = subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", asked], capture_output=True, text=True, check=True
    )
    assert ast.literal_eval(found.stdout.strip()) == list(apps.HEAR_OF_RUNS)

"""What notifications and actions do, twice the same."""

import smtplib
from typing import Any

import pytest
from django.contrib.auth.models import User

from config.errors import ActionFailed, Unavailable
from projects.audit.events import Actor, actor_of
from projects.documents.queries import list_attributes, list_tags
from projects.schemas import actions
from projects.schemas.governing import AttributeDefinition
from tests.factories import SITE, start_run
from tests.workflows.advancing import Run
from workflows.definitions.blueprint import StepDefinition
from workflows.engine import step_actions
from workflows.engine.step_actions import StepAction
from workflows.publish import webhooks
from workflows.publish.webhooks import Delivery
from workflows.runs import queries
from workflows.runs.items import Outcome

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("machines", "table")]
BY = Actor("1", "Alice Novak")


@pytest.fixture
def run() -> Run:
    return start_run()


def action(run: Run, does: str, *, ends: Outcome | None = None, **parameters: str) -> StepAction:
    step = StepDefinition(3, "tell", "Word", "notification", does=does, parameters=tuple(parameters.items()), ends=ends)
    return StepAction(run, step, queries.document_workflow(run.site, run.document_id, run.workflow_id))


def test_a_mail_goes_to_the_addresses_under_the_same_id_each_time(run: Run, mailoutbox: list[Any]) -> None:
    for _ in range(2):
        said = step_actions.run_step_action(action(run, "mail", to="a@example.org, b@example.org"))
    assert said.words == "Sent to 2 addresses."
    first, again = mailoutbox
    assert first.to == ["a@example.org", "b@example.org"]
    assert first.extra_headers["Message-ID"] == again.extra_headers["Message-ID"]
    assert f"/workflows/{run.document_id}/{run.workflow_id}/" in first.body


def test_a_mail_to_nobody_is_refused(run: Run) -> None:
    with pytest.raises(ActionFailed, match="No recipients"):
        step_actions.run_step_action(action(run, "mail"))


@pytest.mark.parametrize(("ends", "word"), [(Outcome.REJECTED, "rejected"), (None, "accepted")])
def test_the_sender_hears_what_became_of_the_document(
    run: Run, mailoutbox: list[Any], monkeypatch: pytest.MonkeyPatch, ends: Outcome | None, word: str
) -> None:
    sender = actor_of(User.objects.create_user("sam", "sam@example.org"))
    document = step_actions.get_document(run.site, run.document_id)
    document.userId = sender.id
    monkeypatch.setattr(step_actions, "get_document", lambda *_: document)
    step_actions.run_step_action(action(run, "mail_sender", ends=ends))
    assert word in mailoutbox[0].subject
    User.objects.update(is_active=False)
    assert "no email address" in step_actions.run_step_action(action(run, "mail_sender", ends=ends)).words
    assert len(mailoutbox) == 1


def test_where_the_desk_tells_every_end_the_step_does_not_tell_it_too(
    run: Run, mailoutbox: list[Any], settings: Any
) -> None:
    settings.TELL_SENDERS = "mail"
    said = step_actions.run_step_action(action(run, "mail_sender", ends=Outcome.REJECTED))
    assert said.words == "The sender is notified when the run ends."
    assert mailoutbox == []


def test_a_program_has_no_address(run: Run, mailoutbox: list[Any]) -> None:
    assert "no email address" in step_actions.run_step_action(action(run, "mail_sender")).words
    assert mailoutbox == []


@pytest.mark.parametrize(
    ("error", "kind"), [(smtplib.SMTPRecipientsRefused({}), ActionFailed), (ConnectionRefusedError(), Unavailable)]
)
def test_a_mail_server_that_refuses_is_no_surprise(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: Exception, kind: type[Exception]
) -> None:
    def refuse(_mail: Any) -> None:
        raise error

    monkeypatch.setattr("django.core.mail.EmailMessage.send", refuse)
    with pytest.raises(kind):
        step_actions.run_step_action(action(run, "mail", to="a@example.org"))


def test_an_event_has_a_stable_id_and_is_not_the_word_of_a_runs_end(run: Run) -> None:
    said = step_actions.run_step_action(action(run, "event", type="document.approved"))
    assert said == step_actions.run_step_action(action(run, "event", type="document.approved"))
    assert said.bus_type == "document.approved"
    with pytest.raises(ActionFailed, match="reserved for the end of a run"):
        step_actions.run_step_action(action(run, "event", type="document.failed"))


def test_a_tag_is_given_once(run: Run) -> None:
    for _ in range(2):
        step_actions.run_step_action(action(run, "tag", key="approval", value="accepted"))
    assert [(row.tag_key, row.tagValue) for row in list_tags(run.site, run.document_id)] == [("approval", "accepted")]


def test_an_attribute_is_set_and_one_that_the_site_does_not_know_is_told(run: Run) -> None:
    with pytest.raises(ActionFailed):
        step_actions.run_step_action(action(run, "attribute", key="state", value="approved"))
    actions.create_definition(SITE, AttributeDefinition("state", "State", "text"), by=BY)
    for _ in range(2):
        step_actions.run_step_action(action(run, "attribute", key="state", value="approved"))
    assert [row.stringValue for row in list_attributes(run.site, run.document_id)] == ["approved"]


def test_a_webhook_gets_ids_and_the_same_one_twice(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Delivery] = []

    def deliver(delivery: Delivery) -> int:
        sent.append(delivery)
        return 204

    monkeypatch.setattr(webhooks, "deliver_webhook", deliver)
    for _ in range(2):
        said = step_actions.run_step_action(action(run, "webhook", url="https://example.org/hook"))
    assert said.words == "The receiver returned 204."
    assert sent[0] == sent[1]
    assert sent[0].content["step"] == "tell"

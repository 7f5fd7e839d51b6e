"""Actions and notifications in the middle of a run. Each may run twice, since a worker may die after it."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext

from config.errors import ActionFailed, NotFound, Refused, StageFailed
from config.phrase import Sentence, count_sentence
from projects.accounts.preferences import speak_to
from projects.audit.events import Actor
from projects.documents.actions.properties import add_tag, set_attribute
from projects.documents.queries import get_document
from projects.web.addresses import address_of
from workflows.definitions.blueprint import StepDefinition
from workflows.engine import step_outcome
from workflows.engine.step_work import StepOutcome, StepWork
from workflows.publish import action_kinds, webhooks
from workflows.publish.actions import TOLD
from workflows.publish.webhooks import Delivery
from workflows.runs import events
from workflows.runs.items import DocumentWorkflow, Outcome, Run


@dataclass(frozen=True)
class StepAction:
    """One action of a step on one document."""

    run: Run
    step: StepDefinition
    document: DocumentWorkflow

    @property
    def parameters(self) -> dict[str, str]:
        return dict(self.step.parameters)

    @property
    def id(self) -> str:
        """A stable id, by which recipients can detect a repetition."""
        text = f"{self.run.site}/{self.run.document_id}/{self.run.workflow_id}/step/{self.step.order}"
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def by(self) -> Actor:
        return Actor("system", f"Workflow step {self.step.label}")


@dataclass(frozen=True)
class ActionAnswer:
    """``words`` are for people; ``bus_type`` is published in the transaction that leaves the step."""

    words: str
    bus_type: str = ""
    bus_detail: Mapping[str, Any] = field(default_factory=dict)


def mail(action: StepAction) -> ActionAnswer:
    """Mail a link to the addresses in ``to``, without any content of the document, not even its name."""
    to = [one.strip() for one in action.parameters.get("to", "").split(",") if one.strip()]
    if not to:
        raise ActionFailed("No recipients. Add addresses to the workflow definition.")
    with translation.override(settings.MAIL_LANGUAGE):
        said = gettext("A document of %(project)s is at the step %(step)s.")
        _send(action, to, said % {"project": _name_project(action), "step": gettext(action.step.label)})
    return ActionAnswer(count_sentence("Sent to %(count)s address.", "Sent to %(count)s addresses.", len(to)))


def mail_sender(action: StepAction) -> ActionAnswer:
    """Mail the person who sent the document, if there is one; programs get the event."""
    if settings.TELL_SENDERS and action.step.ends in TOLD:
        return ActionAnswer(Sentence("The sender is notified when the run ends."))
    to = address_of(get_document(action.run.site, action.run.document_id).userId)
    if not to:
        return ActionAnswer(Sentence("The sender has no email address. No email was sent."))
    with speak_to(get_document(action.run.site, action.run.document_id).userId):
        accepted = gettext("A document that you sent to %(project)s was accepted.")
        rejected = gettext("A document that you sent to %(project)s was rejected.")
        said = rejected if action.step.ends == Outcome.REJECTED else accepted
        _send(action, [to], said % {"project": _name_project(action)})
    return ActionAnswer(Sentence("Email sent to the sender."))


def _name_project(action: StepAction) -> str:
    return action.document.project_name or gettext("a project")


def _send(action: StepAction, to: list[str], sentence: str) -> None:
    text = f"{sentence}\n\n{action_kinds.run_address(action.run)}\n\n{gettext('Sign in to view it.')}\n"
    action_kinds.send_mail(to, sentence.rstrip(".。"), text, action.id)


def tell(action: StepAction) -> ActionAnswer:
    """Publish an event of type ``type``, with a stable id."""
    detail = {"step": action.step.name, "deliveryId": action.id}
    return ActionAnswer(Sentence("Event sent."), action.parameters["type"], detail)


def call(action: StepAction) -> ActionAnswer:
    """Send a signed POST to ``url``, like a rule's webhook: ids, and nothing of the document."""
    run = action.run
    content = {
        "id": action.id,
        "type": "document.step",
        "step": action.step.name,
        "siteId": run.site,
        "projectId": run.project_id,
        "documentId": run.document_id,
        "workflowId": run.workflow_id,
    }
    status = webhooks.deliver_webhook(Delivery(run.site, action.id, action.parameters.get("url", ""), content))
    return ActionAnswer(Sentence("The receiver returned %(status)s.").fill(status=status))


def tag(action: StepAction) -> ActionAnswer:
    """Add a value to the tag ``key``. Idempotent."""
    key, value = action.parameters["key"], action.parameters.get("value", "")
    add_tag(action.run.site, action.run.document_id, key, value, by=action.by)
    return ActionAnswer(Sentence("Tag %(key)s set.").fill(key=key))


def attribute(action: StepAction) -> ActionAnswer:
    """Set the attribute ``key`` to ``value``, replacing other values."""
    key = action.parameters["key"]
    set_attribute(action.run.site, action.run.document_id, key, [action.parameters["value"]], by=action.by)
    return ActionAnswer(Sentence("Attribute %(key)s set.").fill(key=key))


STEP_ACTIONS: Mapping[str, Callable[[StepAction], ActionAnswer]] = {
    "mail": mail,
    "mail_sender": mail_sender,
    "event": tell,
    "webhook": call,
    "tag": tag,
    "attribute": attribute,
}
_ENDED = (events.PROCESSED, events.FAILED)  # end of a run: no step may publish these before it


def act(work: StepWork) -> Mapping[str, Any]:
    """Perform the action and leave the step. Raises: StageFailed if a retry would not help; Unavailable; Conflict."""
    try:
        answer = run_step_action(StepAction(work.run, work.step, work.document))
    except ActionFailed as error:
        raise StageFailed(str(error)) from error
    left = StepOutcome("completed", answer.words, bus_type=answer.bus_type, bus_detail=answer.bus_detail)
    return step_outcome.leave(work, left)


def run_step_action(action: StepAction) -> ActionAnswer:
    """Raises: ActionFailed if a retry would not help; Unavailable."""
    try:
        answer = STEP_ACTIONS[action.step.does](action)
    except (Refused, NotFound) as error:
        raise ActionFailed(str(error)) from error
    if answer.bus_type in _ENDED:
        raise ActionFailed(
            f"{answer.bus_type} is reserved for the end of a run. Use another event type in the definition."
        )
    return answer

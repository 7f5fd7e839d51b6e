"""What a notification or an action does in the midst of a run; each may be done twice, as a worker may die after it."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from config.errors import ActionFailed, NotFound, Refused, StageFailed
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
    """What one step does for one document."""

    run: Run
    step: StepDefinition
    document: DocumentWorkflow

    @property
    def parameters(self) -> dict[str, str]:
        return dict(self.step.parameters)

    @property
    def id(self) -> str:
        """The same each time it is done, so that whoever gets it twice can tell."""
        text = f"{self.run.site}/{self.run.document_id}/{self.run.workflow_id}/step/{self.step.order}"
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def by(self) -> Actor:
        return Actor("system", f"Workflow step {self.step.label}")


@dataclass(frozen=True)
class ActionAnswer:
    """``words`` are for people; ``bus_type`` goes on the event bus, in the transaction that leaves the step."""

    words: str
    bus_type: str = ""
    bus_detail: Mapping[str, Any] = field(default_factory=dict)


def mail(action: StepAction) -> ActionAnswer:
    """To the addresses of ``to``: where to look, and nothing of the document, its name neither."""
    to = [one.strip() for one in action.parameters.get("to", "").split(",") if one.strip()]
    if not to:
        raise ActionFailed("No recipients. Add addresses to the workflow definition.")
    project = action.document.project_name or "a project"
    _send(action, to, f"A document of {project} is at the step {action.step.label}.")
    return ActionAnswer(f"Sent to {len(to)} address{'' if len(to) == 1 else 'es'}.")


def mail_sender(action: StepAction) -> ActionAnswer:
    """To the person who sent the document, where it was one with an address; a program hears of it by its event."""
    if settings.TELL_SENDERS and action.step.ends in TOLD:
        return ActionAnswer("The sender is notified when the run ends.")
    to = address_of(get_document(action.run.site, action.run.document_id).userId)
    if not to:
        return ActionAnswer("The sender has no email address. No email was sent.")
    word = "rejected" if action.step.ends == Outcome.REJECTED else "accepted"
    project = action.document.project_name or "a project"
    _send(action, [to], f"A document that you sent to {project} was {word}.")
    return ActionAnswer("Email sent to the sender.")


def _send(action: StepAction, to: list[str], sentence: str) -> None:
    text = f"{sentence}\n\n{action_kinds.run_address(action.run)}\n\nSign in to view it.\n"
    action_kinds.send_mail(to, sentence.rstrip("."), text, action.id)


def tell(action: StepAction) -> ActionAnswer:
    """An event of type ``type`` on the bus, with a stable id."""
    detail = {"step": action.step.name, "deliveryId": action.id}
    return ActionAnswer("Event sent.", action.parameters["type"], detail)


def call(action: StepAction) -> ActionAnswer:
    """A signed POST to ``url``, as a rule's webhook gets it: ids, and nothing of the document."""
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
    return ActionAnswer(f"The receiver returned {status}.")


def tag(action: StepAction) -> ActionAnswer:
    """One more value of the tag ``key``; there already, it stays."""
    key, value = action.parameters["key"], action.parameters.get("value", "")
    add_tag(action.run.site, action.run.document_id, key, value, by=action.by)
    return ActionAnswer(f"Tag {key} set.")


def attribute(action: StepAction) -> ActionAnswer:
    """The attribute ``key`` gets ``value`` and no other."""
    key = action.parameters["key"]
    set_attribute(action.run.site, action.run.document_id, key, [action.parameters["value"]], by=action.by)
    return ActionAnswer(f"Attribute {key} set.")


STEP_ACTIONS: Mapping[str, Callable[[StepAction], ActionAnswer]] = {
    "mail": mail,
    "mail_sender": mail_sender,
    "event": tell,
    "webhook": call,
    "tag": tag,
    "attribute": attribute,
}
_ENDED = (events.PROCESSED, events.FAILED)  # of a run's end: no step may say these before it


def act(work: StepWork) -> Mapping[str, Any]:
    """Do it and leave the step. Raises: StageFailed if trying again would not help; Unavailable; Conflict."""
    try:
        answer = run_step_action(StepAction(work.run, work.step, work.document))
    except ActionFailed as error:
        raise StageFailed(str(error)) from error
    left = StepOutcome("completed", answer.words, bus_type=answer.bus_type, bus_detail=answer.bus_detail)
    return step_outcome.leave(work, left)


def run_step_action(action: StepAction) -> ActionAnswer:
    """Raises: ActionFailed if trying again would not help; Unavailable."""
    try:
        answer = STEP_ACTIONS[action.step.does](action)
    except (Refused, NotFound) as error:
        raise ActionFailed(str(error)) from error
    if answer.bus_type in _ENDED:
        raise ActionFailed(f"{answer.bus_type} is the word for a run's end. The definition has to use another.")
    return answer

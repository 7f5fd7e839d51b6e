"""The kinds of rule actions. Each may run twice, since a worker may die after it and before it is recorded."""

import hashlib
import json
import smtplib
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils import translation
from django.utils.translation import gettext

from config.errors import ActionFailed, Unavailable
from config.phrase import Sentence, count_sentence
from projects.web.links import page_url
from workflows.publish import webhooks
from workflows.publish.items import DocumentAction
from workflows.publish.webhooks import Delivery
from workflows.runs import queries, run_files
from workflows.runs.items import ActionType, Outcome, Run
from workflows.storage import files

_BEAT_EVERY = 50  # pages between two lease renewals


@dataclass(frozen=True)
class Task:
    """One action to do. ``heartbeat`` renews the worker's lease."""

    run: Run
    action: DocumentAction
    heartbeat: Callable[[], None]

    @property
    def parameters(self) -> dict[str, str]:
        return dict(self.action.parameters.as_dict()) if self.action.parameters is not None else {}

    @property
    def id(self) -> str:
        """A stable id across attempts, by which recipients can detect a repetition."""
        text = f"{self.run.site}/{self.run.document_id}/{self.run.workflow_id}/{self.action.idx}"
        return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class ActionResult:
    """``message`` is for people; ``bus`` is published in the transaction that records the result."""

    message: str
    bus: Mapping[str, Any] = field(default_factory=dict)


def _result(run: Run) -> dict[str, Any]:
    """Return the location and sha256 of the published result, without any content."""
    name = files.output(run.workflow_id)
    store = run_files.files_of(run)
    return {"uri": store.uri(name), "sha256": files.sha256(store.read(name))}


def keep_text(task: Task) -> ActionResult:
    """OCR: store the text of all pages as one file, from OCR or the document's own text layer."""
    run = task.run
    board = queries.board(run.site, run.workflow_id)
    store = run_files.files_of(run, board)
    if board.replaced_by:
        raise ActionFailed(gettext("A newer file version replaced these pages."))
    count = int(board.page_count or 0)
    with tempfile.TemporaryFile() as text:
        for index in range(count):
            segment = json.loads(store.read(files.segment(index)))
            text.write(f"{segment.get('text_content') or ''}\f\n".encode())
            if index % _BEAT_EVERY == 0:
                task.heartbeat()
        text.seek(0)
        store.write(files.text(run.workflow_id), text.read(), "text/plain; charset=utf-8")
    return ActionResult(count_sentence("Text of %(count)s page stored.", "Text of %(count)s pages stored.", count))


def send_notification(task: Task) -> ActionResult:
    """NOTIFY: send an email with a link, without any content of the document, not even its name."""
    to = [one for one in task.parameters.get("to", "").split(", ") if one]
    if not to:
        raise ActionFailed(gettext("No recipients. Add addresses to the rule."))
    with translation.override(settings.MAIL_LANGUAGE):
        project = {"project": task.action.project_name or gettext("a project")}
        said = gettext("A document of %(project)s was published.") % project
        text = f"{said}\n\n{run_address(task.run)}\n\n{gettext('Sign in to view it.')}\n"
        subject = gettext("Published: a document in %(project)s") % project
    send_mail(to, subject, text, task.id)
    return ActionResult(count_sentence("Sent to %(count)s address.", "Sent to %(count)s addresses.", len(to)))


def send_mail(to: list[str], subject: str, text: str, delivery_id: str) -> None:
    """Send one mail with a stable Message-ID, by which duplicates can be detected.

    Raises:
        ActionFailed: no address is accepted.
        Unavailable: the server does not accept it now.

    """
    mail = EmailMessage(subject, text, to=to, headers={"Message-ID": f"<{delivery_id}@countersign>"})
    try:
        mail.send()
    except smtplib.SMTPRecipientsRefused as error:
        raise ActionFailed(gettext("The mail server rejected all addresses.")) from error
    except (OSError, smtplib.SMTPException) as error:
        raise Unavailable(
            gettext("The mail server is unavailable: %(name)s.") % {"name": type(error).__name__}
        ) from error


def run_address(run: Run) -> str:
    """Return the URL of the run's page, for mails."""
    return page_url(run.site, "workflows:show-run", run.document_id, run.workflow_id)


def publish_event(task: Task) -> ActionResult:
    """PUBLISH: publish an event on the bus, for subscribers of exactly these documents."""
    bus = {"outcome": Outcome.PUBLISHED.value, "deliveryId": task.id, **_result(task.run)}
    return ActionResult(Sentence("Event sent."), bus)


def call_webhook(task: Task) -> ActionResult:
    """WEBHOOK: send ids and the location of the result, which receivers get by the API."""
    run = task.run
    content = {
        "id": task.id,
        "type": "document.published",
        "siteId": run.site,
        "projectId": run.project_id,
        "documentId": run.document_id,
        "workflowId": run.workflow_id,
        "outcome": Outcome.PUBLISHED.value,
        "result": _result(run),
    }
    status = webhooks.deliver_webhook(Delivery(run.site, task.id, task.parameters.get("url", ""), content))
    return ActionResult(Sentence("The receiver returned %(status)s.").fill(status=status))


# QUEUE is missing: a person does it.
DEEDS: Mapping[str, Callable[[Task], ActionResult]] = {
    ActionType.OCR: keep_text,
    ActionType.NOTIFY: send_notification,
    ActionType.PUBLISH: publish_event,
    ActionType.WEBHOOK: call_webhook,
}

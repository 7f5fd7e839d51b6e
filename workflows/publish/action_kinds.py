"""What each kind of action does; each may be done twice, since a worker may die after it and before it is recorded."""

import hashlib
import json
import smtplib
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.mail import EmailMessage

from config.errors import ActionFailed, Unavailable
from projects.web.links import page_url
from workflows.publish import webhooks
from workflows.publish.items import DocumentAction
from workflows.publish.webhooks import Delivery
from workflows.runs import queries, run_files
from workflows.runs.items import ActionType, Outcome, Run
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

_BEAT_EVERY = 50  # pages between two renewals of the lease


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
        """The same for each attempt, so that whoever gets it twice can tell."""
        text = f"{self.run.site}/{self.run.document_id}/{self.run.workflow_id}/{self.action.idx}"
        return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class ActionResult:
    """``message`` is for people; ``bus`` goes on the event bus in the transaction that records it."""

    message: str
    bus: Mapping[str, Any] = field(default_factory=dict)


def _result(run: Run) -> dict[str, Any]:
    """Where the published result lies, and its sha256; nothing of what it says."""
    name = files.output(run.workflow_id)
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    return {"uri": store.uri(name), "sha256": files.sha256(store.read(name))}


def keep_text(task: Task) -> ActionResult:
    """OCR: the text of all pages as one file, page by page, whoever read it, OCR or the document's own layer."""
    run = task.run
    board = queries.board(run.site, run.workflow_id)
    store = run_files.open_run_files(DocumentFiles(run.site, run.project_id, run.document_id), board.layers)
    if board.replaced_by:
        raise ActionFailed("A newer file version replaced these pages.")
    count = int(board.page_count or 0)
    with tempfile.TemporaryFile() as text:
        for index in range(count):
            segment = json.loads(store.read(files.segment(index)))
            text.write(f"{segment.get('text_content') or ''}\f\n".encode())
            if index % _BEAT_EVERY == 0:
                task.heartbeat()
        text.seek(0)
        store.write(files.text(run.workflow_id), text.read(), "text/plain; charset=utf-8")
    return ActionResult(f"Text of {count} page{('' if count == 1 else 's')} stored.")


def send_notification(task: Task) -> ActionResult:
    """NOTIFY: an e-mail that says where to look, and nothing of the document, its name neither."""
    to = [one for one in task.parameters.get("to", "").split(", ") if one]
    if not to:
        raise ActionFailed("No recipients. Add addresses to the rule.")
    project = task.action.project_name or "a project"
    text = f"A document of {project} was published.\n\n{run_address(task.run)}\n\nSign in to view it.\n"
    send_mail(to, f"Published: a document in {project}", text, task.id)
    return ActionResult(f"Sent to {len(to)} address{'' if len(to) == 1 else 'es'}.")


def send_mail(to: list[str], subject: str, text: str, delivery_id: str) -> None:
    """One mail with a stable Message-ID, by which a mail that went out twice is known.

    Raises:
        ActionFailed: no address is taken.
        Unavailable: the server does not take it now.

    """
    mail = EmailMessage(subject, text, to=to, headers={"Message-ID": f"<{delivery_id}@countersign>"})
    try:
        mail.send()
    except smtplib.SMTPRecipientsRefused as error:
        raise ActionFailed("The mail server rejected all addresses.") from error
    except (OSError, smtplib.SMTPException) as error:
        raise Unavailable(f"The mail server is unavailable: {type(error).__name__}.") from error


def run_address(run: Run) -> str:
    """Of the run's page, for mails."""
    return page_url(run.site, "workflows:show-run", run.document_id, run.workflow_id)


def publish_event(task: Task) -> ActionResult:
    """PUBLISH: an event of its own on the bus, for subscribers of exactly these documents."""
    bus = {"outcome": Outcome.PUBLISHED.value, "deliveryId": task.id, **_result(task.run)}
    return ActionResult("Event sent.", bus)


def call_webhook(task: Task) -> ActionResult:
    """WEBHOOK: ids and where the result lies; whoever wants it asks the API for it."""
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
    return ActionResult(f"The receiver returned {status}.")


# QUEUE is no deed: a person does it.
DEEDS: Mapping[str, Callable[[Task], ActionResult]] = {
    ActionType.OCR: keep_text,
    ActionType.NOTIFY: send_notification,
    ActionType.PUBLISH: publish_event,
    ActionType.WEBHOOK: call_webhook,
}

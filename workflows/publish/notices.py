"""Notices to the sender of a rejected or failed document, by mail or SNS topic, as configured.

A notice has the file's name and a link, and nothing of the document. The reason, in the reviewer's or the machine's
words, is included only if the settings allow it. Its id is the same each time, so recipients can detect duplicates.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from config import aws
from config.errors import ActionFailed, Conflict, CountersignError, NotFound
from config.phrase import Phrase, Sentence, tell_sentence
from projects.accounts.preferences import speak_to
from projects.documents.queries import get_document
from projects.web.addresses import address_of
from workflows.publish import action_kinds, actions
from workflows.publish.items import NoticeStatus, SenderNotice
from workflows.runs import queries
from workflows.runs.items import Execution, Outcome, Run
from workflows.runs.run_files import files_of
from workflows.storage import files

log = logging.getLogger(__name__)

_SAID: Mapping[str, Phrase] = {
    Outcome.REJECTED: Phrase("%(name)s was reviewed and rejected. Nothing was published."),
    Outcome.FAILED: Phrase("%(name)s could not be processed. Nothing was published."),
    Outcome.EXPIRED: Phrase("%(name)s was not decided in time. Nothing was published."),
}
_LONGEST_NAME = 150
_NEVER_ENDED = Sentence(
    "The notification was not sent after repeated attempts. Check the workers, then notify the sender yourself."
)


class _NobodyThere(ActionFailed):
    """There is no address."""


@dataclass(frozen=True)
class Notice:
    """The content: ``id`` is the same for all attempts, ``why`` is empty if the settings withhold it."""

    run: Run
    id: str
    outcome: str
    name: str
    sender: str
    why: str

    @property
    def text(self) -> str:
        """In the language of whoever is spoken to."""
        said = _SAID[self.outcome].fill(name=self.name).translated()
        told = gettext("Why: %(reason)s") % {"reason": tell_sentence(self.why).translated()}
        why = f"\n\n{told}" if self.why else ""
        return f"{said}{why}\n\n{action_kinds.run_address(self.run)}\n\n{gettext('Sign in to view it.')}\n"


def send_notice(run: Run, *, attempt: int, owner: str) -> None:
    """Send it once and record that. Idempotent: a redelivery finds it claimed or settled.

    Raises:
        Unavailable: the table does not answer; it is due again when the lease expires.

    """
    try:
        row = actions.claim_notice(run, attempt=attempt, owner=owner)
        if int(row.tries) > settings.ACTION_ATTEMPTS:  # errors are counted below: these tries killed their worker
            actions.settle_notice(run, row, NoticeStatus.GIVEN_UP, message=_NEVER_ENDED)
            return
        try:
            status, message = _deliver_notice(run, row)
        except CountersignError as error:
            actions.retry_notice_later(run, row, message=str(error))
        else:
            actions.settle_notice(run, row, status, message=message)
    except Conflict:
        log.info("notice is in other hands", extra={"run": run.workflow_id, "attempt": attempt})


def _deliver_notice(run: Run, row: SenderNotice) -> tuple[NoticeStatus, str]:
    """Return the outcome, and why if nobody was notified. Raises: CountersignError if it may be retried."""
    notice = _notice(run, row)
    if notice is None:
        return NoticeStatus.OVERTAKEN, Sentence(
            "The run continued or its document was deleted before the notification was sent."
        )
    if not settings.TELL_SENDERS:
        return NoticeStatus.NOBODY, Sentence("Sender notifications are disabled.")
    try:
        _WAYS[settings.TELL_SENDERS](notice)
    except _NobodyThere as error:
        return NoticeStatus.NOBODY, str(error)
    except ActionFailed as error:
        return NoticeStatus.GIVEN_UP, str(error)
    return NoticeStatus.TOLD, ""


def _notice(run: Run, row: SenderNotice) -> Notice | None:
    """Return None if the run has continued, or its document was deleted."""
    try:
        execution, document = queries.execution(run), get_document(run.site, run.document_id)
    except NotFound:
        return None
    if execution.outcome != row.outcome or int(execution.engine_attempt) != int(row.attempt):
        return None
    text = f"{run.site}/{run.document_id}/{run.workflow_id}/{int(row.attempt)}"
    return Notice(
        run,
        hashlib.sha256(text.encode()).hexdigest()[:32],
        row.outcome,
        "".join(one for one in document.name if one.isprintable())[:_LONGEST_NAME],
        document.userId,
        _why(run, execution) if settings.TELL_SENDERS_WHY else "",
    )


def _why(run: Run, execution: Execution) -> str:
    if execution.outcome == Outcome.REJECTED:
        sha256 = str(execution.decision_sha256)
        name = files.decision(run.workflow_id, str(execution.decision_id), sha256)
        stored = files_of(run).read_pinned(name, sha256)
        decided = json.loads(stored)
        return ": ".join(one for one in (decided.get("reject_reason"), decided.get("reason")) if one)
    data = queries.last_transition(run, execution).data
    return str((data.as_dict() if data else {}).get("reason") or "")


def _mail(notice: Notice) -> None:
    """Raises: ActionFailed, Unavailable."""
    to = address_of(notice.sender)
    if not to:
        raise _NobodyThere("The sender has no email address (API key or account without one).")
    with speak_to(notice.sender):
        subject = gettext("Not published: %(name)s") % {"name": notice.name}
        text = notice.text
    action_kinds.send_mail([to], subject, text, notice.id)


def _publish(notice: Notice) -> None:
    """Subscribers can filter by attributes (AWS: "Amazon SNS message filtering"). Raises: CountersignError."""
    named = {"siteId": notice.run.site, "projectId": notice.run.project_id, "senderId": notice.sender}
    named |= {"outcome": str(notice.outcome)}
    content: dict[str, Any] = {
        "id": notice.id,
        "schemaVersion": 1,
        **named,
        "documentId": notice.run.document_id,
        "workflowId": notice.run.workflow_id,
        "fileName": notice.name,
        "url": action_kinds.run_address(notice.run),
    }
    if notice.why:
        content["reason"] = notice.why
    topic: dict[str, Any] = {"TopicArn": settings.SENDERS_TOPIC_ARN}
    if settings.SENDERS_TOPIC_ARN.endswith(".fifo"):
        topic |= {"MessageGroupId": notice.run.document_id, "MessageDeduplicationId": notice.id}
    with aws.translate_aws_errors():
        aws.aws_client("sns").publish(
            **topic,
            Message=json.dumps(content, ensure_ascii=False),
            MessageAttributes={
                name: {"DataType": "String", "StringValue": value} for name, value in named.items() if value
            },
        )


_WAYS: Mapping[str, Callable[[Notice], None]] = {"mail": _mail, "sns": _publish}

"""The mails and chat messages: who did what to which document, how many wait, where to look; nothing of what one says.

Their links open pages that ask to sign in and change nothing, since mail scanners open them too.
"""

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass

from config.errors import ActionFailed, Conflict, CountersignError, NotFound
from projects.documents import queries as counter_queries
from projects.queues import queries as queue_queries
from projects.queues.items import DEFAULT_QUEUE
from projects.settings import queries as project_queries
from projects.sites.people import list_people
from projects.sites.permissions import Permission
from projects.web.addresses import address_of
from projects.web.links import page_url
from review import queries
from review.identity import ReviewRef, queue_id
from review.notifications import actions
from review.notifications.items import CHAT, InboxRow, Kind, Notification, NotificationStatus
from review.notifications.queries import find_chat_webhook, list_chosen_kinds
from review.status import UNDECIDED, Worklist
from workflows.publish.action_kinds import send_mail
from workflows.publish.webhooks import Delivery, deliver_webhook

log = logging.getLogger(__name__)

_LONGEST_NAME = 150
_SUBJECTS: Mapping[str, str] = {
    Kind.ASSIGNED: "{by} assigned you {name}",
    Kind.ASKED: "{by} asked you about {name}",
    Kind.ANSWERED: "{by} answered your question about {name}",
    Kind.MENTIONED: "{by} mentioned you on {name}",
    Kind.DEADLINE: "Almost due: {name}",
    Kind.EXPORT: "Your export of {name} is ready",
}
_CHAT_WORDS: Mapping[str, str] = {
    Kind.ASSIGNED: "{by} assigned {name} to {to}",
    Kind.ASKED: "{by} asked {to} about {name}",
    Kind.ANSWERED: "{by} answered {to} about {name}",
    Kind.MENTIONED: "{by} mentioned people on {name}",
    Kind.DEADLINE: "Almost due: {name}",
}
_FOR_DECIDING = frozenset({Kind.ASSIGNED, Kind.DEADLINE, Kind.ASKED})  # pointless once it is decided


@dataclass(frozen=True)
class Mail:
    """Its subject, its first lines, and the page that it leads to."""

    subject: str
    text: str
    url: str


def send_notification(site: str, user_id: str, notification_id: str) -> None:
    """Send it once; delivered twice, the second finds it claimed or settled."""
    try:
        row = actions.claim_notification(site, user_id, notification_id)
        try:
            status = _deliver(site, row)
        except ActionFailed:
            status = NotificationStatus.DROPPED
        except CountersignError as error:
            actions.retry_notification_later(row)
            log.warning("mail waits", extra={"notification": notification_id, "error": type(error).__name__})
            return
        actions.settle_notification(row, status)
    except (Conflict, NotFound):
        log.info("mail is in other hands", extra={"notification": notification_id})


def _deliver(site: str, row: Notification) -> NotificationStatus:
    """Raises: ActionFailed if no address is taken; another CountersignError if it may be tried again."""
    if row.user_id == CHAT:
        return _deliver_to_chat(site, row)
    if row.event_id and find_chat_webhook(site):
        actions.tell_chat(row)
    to = address_of(row.user_id)
    if not to or row.kind not in list_chosen_kinds(site, row.user_id):
        return NotificationStatus.DROPPED
    mail = _write_digest(site, row.user_id) if row.kind == Kind.DIGEST else _write_mail(site, row)
    if mail is None:
        return NotificationStatus.DROPPED
    choose = page_url(site, "review:choose-notifications")
    text = f"{mail.text}\n\n{mail.url}\n\nSign in to view it.\n\nChoose which mails you get: {choose}\n"
    name = hashlib.sha256(f"{site}/{row.user_id}/{row.notification_id}".encode()).hexdigest()[:32]
    send_mail([to], mail.subject, text, name)
    return NotificationStatus.SENT


def _deliver_to_chat(site: str, row: Notification) -> NotificationStatus:
    """Not of a queue that lets only some groups in: all of the channel would read it. Raises: as ``_deliver``."""
    webhook = find_chat_webhook(site)
    ref = ReviewRef(site, str(row.document_id), str(row.review_id))
    try:
        review = queries.get_review(ref)
        queue = queue_queries.get_queue(site, name) if (name := queue_id(review.queue)) else None
    except NotFound:
        return NotificationStatus.DROPPED
    if webhook is None or row.kind not in (webhook.kinds or ()) or (queue and queue.groups):
        return NotificationStatus.DROPPED
    to = review.question_to_name if row.kind == Kind.ASKED else review.holder_name
    said = _CHAT_WORDS[row.kind].format(by=row.by_name or "", to=to or "a person", name=_show_name(review.name))
    url = page_url(site, "review:show-review", *ref.path.split("/"))
    text = {"text": f"{said}{f' ({review.project_name})' if review.project_name else ''}\n{url}"}
    deliver_webhook(Delivery(site, row.notification_id, webhook.url, text))
    return NotificationStatus.SENT


def _show_name(name: str) -> str:
    return "".join(one for one in name if one.isprintable())[:_LONGEST_NAME]


def _write_mail(site: str, row: Notification) -> Mail | None:
    """None if the review is gone or decided, or the person may not see it any more."""
    if row.kind == Kind.EXPORT:
        return _write_export_mail(site, row)
    ref = ReviewRef(site, str(row.document_id), str(row.review_id))
    try:
        review = queries.get_review(ref)
    except NotFound:
        return None
    if (row.kind in _FOR_DECIDING and review.status not in UNDECIDED) or not _may_see(site, row.user_id, review.queue):
        return None
    subject = _SUBJECTS[row.kind].format(by=_show_name(row.by_name or ""), name=_show_name(review.name))
    project = f"\nProject: {review.project_name}" if review.project_name else ""
    due = f"\nDue: {review.deadline[:16].replace('T', ' ')} UTC" if row.kind in _FOR_DECIDING else ""
    return Mail(subject, f"{subject}.{project}{due}", page_url(site, "review:show-review", *ref.path.split("/")))


def _write_export_mail(site: str, row: Notification) -> Mail | None:
    try:
        name = project_queries.get_project(site, str(row.project_id)).settings.name
    except NotFound:
        return None
    subject = _SUBJECTS[Kind.EXPORT].format(name=_show_name(name))
    return Mail(subject, f"{subject}.", page_url(site, "workflows:list-exports", str(row.project_id)))


def describe(row: InboxRow, name: str) -> str:
    """As the list in the page says it, of the document or the project of this name."""
    return _SUBJECTS[str(row.kind)].format(by=row.by_name or "", name=name)


def _may_see(site: str, user_id: str, stored_queue: str) -> bool:
    name = queue_id(stored_queue)
    try:
        queue = queue_queries.get_queue(site, name) if name else None
    except NotFound:
        return False
    return user_id in {one.id for one in list_people(site, Permission.READ, queue)}


def _write_digest(site: str, user_id: str) -> Mail | None:
    """None if nothing waits, or the person has no role here any more."""
    if not _may_see(site, user_id, DEFAULT_QUEUE):
        return None
    mine, asked = (queries.list_work(site, user_id, one) for one in (Worklist.MINE, Worklist.ASKED))
    waiting = counter_queries.count_waiting_by_queue(site).get(DEFAULT_QUEUE, 0)
    counts = {
        "Asked of you": (len(asked.rows), asked.next),
        "Your work": (len(mine.rows), mine.next),
        "Waiting in the shared queue": (waiting, None),
    }
    if not any(number for number, _ in counts.values()):
        return None
    lines = [f"{words}: {number:,}{'+' if more else ''}" for words, (number, more) in counts.items()]
    return Mail("Reviews that wait today", "\n".join(lines), page_url(site, "review:queue"))

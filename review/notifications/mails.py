"""Texts of mails and chat messages: actor, document, counts and link; no content of documents.

Links open pages that require signing in and change nothing, since mail scanners open them too.
"""

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.utils import timezone, translation
from django.utils.translation import gettext

from config import clock
from config.errors import ActionFailed, Conflict, CountersignError, NotFound
from config.phrase import Phrase
from projects.accounts.preferences import speak_to
from projects.documents import queries as counter_queries
from projects.policies.gate import shows_counts_to
from projects.queues import queries as queue_queries
from projects.queues.items import DEFAULT_QUEUE
from projects.settings import queries as project_queries
from projects.sites.people import list_people
from projects.sites.permissions import Permission
from projects.templatetags.desk import written_day
from projects.web.addresses import address_of
from projects.web.links import page_url
from review import queries
from review.identity import ReviewRef, queue_id
from review.notifications import actions
from review.notifications.chat import chat_delivery
from review.notifications.items import CHAT, InboxRow, Kind, Notification, NotificationStatus
from review.notifications.queries import find_chat_webhook, list_chosen_kinds
from review.status import UNDECIDED, Worklist
from workflows.learning import calibrations
from workflows.publish.action_kinds import send_mail
from workflows.publish.webhooks import deliver_webhook

log = logging.getLogger(__name__)

_LONGEST_NAME = 150
_SUBJECTS: Mapping[str, Phrase] = {
    Kind.ASSIGNED: Phrase("%(by)s assigned you %(name)s"),
    Kind.ASKED: Phrase("%(by)s asked you about %(name)s"),
    Kind.ANSWERED: Phrase("%(by)s answered your question about %(name)s"),
    Kind.MENTIONED: Phrase("%(by)s mentioned you on %(name)s"),
    Kind.DEADLINE: Phrase("Almost due: %(name)s"),
    Kind.EXPORT: Phrase("Your export of %(name)s is ready"),
    Kind.ACCESS: Phrase("%(by)s asks for access"),
    Kind.ADMITTED: Phrase("%(by)s gave you access"),
    Kind.PAUSED: Phrase("Calibration paused: %(name)s"),
}
_CHAT_WORDS: Mapping[str, Phrase] = {
    Kind.ASSIGNED: Phrase("%(by)s assigned %(name)s to %(to)s"),
    Kind.ASKED: Phrase("%(by)s asked %(to)s about %(name)s"),
    Kind.ANSWERED: Phrase("%(by)s answered %(to)s about %(name)s"),
    Kind.MENTIONED: Phrase("%(by)s mentioned people on %(name)s"),
    Kind.DEADLINE: Phrase("Almost due: %(name)s"),
}
_FOR_DECIDING = frozenset({Kind.ASSIGNED, Kind.DEADLINE, Kind.ASKED})  # pointless once it is decided


@dataclass(frozen=True)
class Mail:
    """Subject, first lines, and the page it links to."""

    subject: str
    text: str
    url: str


def send_notification(site: str, user_id: str, notification_id: str) -> None:
    """Send a notification once; a redelivery finds it claimed or settled."""
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
    with speak_to(row.user_id):
        mail = _write_digest(site, row.user_id) if row.kind == Kind.DIGEST else _write_mail(site, row)
        if mail is None:
            return NotificationStatus.DROPPED
        choose = gettext("Choose which mails you get: %(url)s") % {"url": page_url(site, "review:choose-notifications")}
        text = f"{mail.text}\n\n{mail.url}\n\n{gettext('Sign in to view it.')}\n\n{choose}\n"
    name = hashlib.sha256(f"{site}/{row.user_id}/{row.notification_id}".encode()).hexdigest()[:32]
    send_mail([to], mail.subject, text, name)
    return NotificationStatus.SENT


def _deliver_to_chat(site: str, row: Notification) -> NotificationStatus:
    """Skip reviews in queues restricted to groups, since the whole channel would see them. Raises: as ``_deliver``."""
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
    with translation.override(settings.MAIL_LANGUAGE):
        names = {"by": row.by_name or "", "to": to or gettext("a person"), "name": _show_name(review.name)}
        said = _CHAT_WORDS[row.kind].fill(**names).translated()
    url = page_url(site, "review:show-review", *ref.path.split("/"))
    text = {"text": f"{said}{f' ({review.project_name})' if review.project_name else ''}\n{url}"}
    deliver_webhook(chat_delivery(site, row.notification_id, webhook.url, text))
    return NotificationStatus.SENT


def _show_name(name: str) -> str:
    return "".join(one for one in name if one.isprintable())[:_LONGEST_NAME]


def _write_mail(site: str, row: Notification) -> Mail | None:
    """Return None if the review is gone or decided, or the person may no longer see it."""
    if row.kind == Kind.EXPORT:
        return _write_export_mail(site, row)
    if row.kind == Kind.PAUSED:
        return _write_pause_mail(site, row)
    if row.kind in ADDRESSES:
        return _write_access_mail(site, row)
    ref = ReviewRef(site, str(row.document_id), str(row.review_id))
    try:
        review = queries.get_review(ref)
    except NotFound:
        return None
    if (row.kind in _FOR_DECIDING and review.status not in UNDECIDED) or not _may_see(site, row.user_id, review.queue):
        return None
    names = {"by": _show_name(row.by_name or ""), "name": _show_name(review.name)}
    subject = _SUBJECTS[row.kind].fill(**names).translated()
    lines = [f"{subject}."]
    if review.project_name:
        lines.append(gettext("Project: %(name)s") % {"name": review.project_name})
    if row.kind in _FOR_DECIDING:
        lines.append(gettext("Due: %(time)s") % {"time": _write_moment(review.deadline)})
    return Mail(subject, "\n".join(lines), page_url(site, "review:show-review", *ref.path.split("/")))


def _write_moment(stored: str) -> str:
    """Day and time in the reader's zone and language, with the zone, since a mail is read anywhere."""
    at = timezone.localtime(clock.parse(stored))
    zone = at.tzname() or ""
    zone = f"UTC{zone}" if zone.startswith(("+", "-")) else zone  # a zone without letters of its own
    return gettext("%(day)s, %(time)s") % {"day": written_day(at.date()), "time": f"{at:%H:%M} {zone}"}


def _write_export_mail(site: str, row: Notification) -> Mail | None:
    try:
        name = project_queries.get_project(site, str(row.project_id)).settings.name
    except NotFound:
        return None
    subject = _SUBJECTS[Kind.EXPORT].fill(name=_show_name(name)).translated()
    return Mail(subject, f"{subject}.", page_url(site, "workflows:list-exports", str(row.project_id)))


def _write_pause_mail(site: str, row: Notification) -> Mail | None:
    """Return None if the project is gone, the pause has ended, or the person can no longer act."""
    try:
        project = project_queries.get_project(site, str(row.project_id))
    except NotFound:
        return None
    if not calibrations.is_paused(project) or not _has(site, row.user_id, Permission.ADMIN):
        return None
    subject = _SUBJECTS[Kind.PAUSED].fill(name=_show_name(project.settings.name)).translated()
    why = gettext(
        "The audit sample found more wrong values than the limit allows. New runs go to review unless "
        "their values are verified. Propose a calibration from the newer reviews and activate it."
    )
    return Mail(subject, f"{subject}.\n{why}", page_url(site, "workflows:show-calibration", project.id))


ADDRESSES: Mapping[str, str] = {Kind.ACCESS: "settings:list-people", Kind.ADMITTED: "review:queue"}  # of no document


def _write_access_mail(site: str, row: Notification) -> Mail | None:
    needed = Permission.ADMIN if row.kind == Kind.ACCESS else Permission.READ
    if not _has(site, row.user_id, needed):
        return None
    subject = _SUBJECTS[row.kind].fill(by=_show_name(row.by_name or "")).translated()
    return Mail(subject, f"{subject}.", page_url(site, ADDRESSES[row.kind]))


def _has(site: str, user_id: str, permission: Permission) -> bool:
    return user_id in {one.id for one in list_people(site, permission)}


def describe(row: InboxRow, name: str) -> str:
    """Describe it as the inbox does; ``name``: of the document or project."""
    return _SUBJECTS[str(row.kind)].fill(by=row.by_name or "", name=name)


def _may_see(site: str, user_id: str, stored_queue: str) -> bool:
    name = queue_id(stored_queue)
    try:
        queue = queue_queries.get_queue(site, name) if name else None
    except NotFound:
        return False
    return user_id in {one.id for one in list_people(site, Permission.READ, queue)}


def _write_digest(site: str, user_id: str) -> Mail | None:
    """Return None if nothing waits, or the person no longer has a role here."""
    if not _may_see(site, user_id, DEFAULT_QUEUE):
        return None
    mine, asked = (queries.list_work(site, user_id, one) for one in (Worklist.MINE, Worklist.ASKED))
    counts = {
        gettext("Asked of you"): (len(asked.rows), asked.next),
        gettext("Your work"): (len(mine.rows), mine.next),
    }
    if shows_counts_to(site, user_id):
        waiting = counter_queries.count_waiting_by_queue(site).get(DEFAULT_QUEUE, 0)
        counts[gettext("Waiting in the shared queue")] = (waiting, None)
    if not any(number for number, _ in counts.values()):
        return None
    lines = [f"{words}: {number:,}{'+' if more else ''}" for words, (number, more) in counts.items()]
    return Mail(gettext("Reviews waiting today"), "\n".join(lines), page_url(site, "review:queue"))

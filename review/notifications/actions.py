"""Writes of notifications, stored with the change that causes them.

A worker claims, then sends, drops or retries each.
"""

import datetime as dt
from collections.abc import Iterable
from contextlib import suppress
from urllib.parse import urlsplit

from django.conf import settings
from pynamodb.expressions.condition import Condition

from config import clock, table
from config.due import actions as due_work
from config.errors import Conflict
from config.table import Key
from config.transaction import Change, Delete, Put, Update, transact
from projects.accounts.access_requests import at_admission, at_request
from projects.audit.events import Actor, entity_event
from projects.sites import directory
from projects.sites.people import list_people
from projects.sites.permissions import Permission
from review.identity import Person, ReviewRef
from review.notifications.items import CHAT, ChatWebhook, Kind, Notification, NotificationChoice, NotificationStatus
from workflows.exports.actions import at_finish
from workflows.exports.items import Export
from workflows.learning.actions import at_pause

DIGEST_HOUR = 6  # UTC
_MOST_ADMINS = 20  # told of a request or a pause
_KEPT_DAYS = 30  # of notifications sent or dropped; the inbox shows them until then
_LONGEST_PAUSE = 3600  # seconds between two attempts while the mail server is down


def plan_notifications(
    ref: ReviewRef, kind: Kind, user_ids: Iterable[str], *, told_by: Person | None = None
) -> list[Change]:
    """Plan notifications for the transaction of the change; no one is told of their own acts."""
    told = sorted(set(user_ids) - {told_by.id if told_by else ""})
    event_id = clock.new_ulid()
    return [Put(_new(ref.site, one, clock.new_ulid(), kind, ref=ref, by=told_by, event_id=event_id)) for one in told]


@at_finish
def plan_export_notice(site: str, row: Export) -> list[Change]:
    """Plan the notification of a finished export; none if a program ordered it."""
    if not row.by_id.isdigit():
        return []
    return [Put(_new(site, row.by_id, clock.new_ulid(), Kind.EXPORT, project_id=row.project_id))]


@at_pause
def plan_pause_notices(site: str, project_id: str) -> list[Change]:
    """Plan notifications of a paused calibration, to some of those who may activate another."""
    admins = list_people(site, Permission.ADMIN)[:_MOST_ADMINS]
    return [Put(_new(site, one.id, clock.new_ulid(), Kind.PAUSED, project_id=project_id)) for one in admins]


@at_request
def plan_access_notices(site: str, who: Actor) -> list[Change]:
    """Plan notifications of a request for access, to some of those who may grant it."""
    admins = [one.id for one in list_people(site, Permission.ADMIN) if one.id != who.id][:_MOST_ADMINS]
    return [Put(_new(site, one, clock.new_ulid(), Kind.ACCESS, by=Person(who.id, who.name))) for one in admins]


@at_admission
def plan_admission_notice(site: str, user_id: str, admin: Actor) -> list[Change]:
    """Plan the notification that a request for access was closed."""
    return [Put(_new(site, user_id, clock.new_ulid(), Kind.ADMITTED, by=Person(admin.id, admin.name)))]


def mark_read(site: str, user_id: str, ids: Iterable[str]) -> None:
    """Mark as read, by its recipient; idempotent."""
    unread = Notification.PK.exists() & Notification.read_at.does_not_exist()
    for one in ids:
        with suppress(Conflict):
            Notification.change(_key(site, user_id, one), [Notification.read_at.set(clock.iso(clock.now()))], unread)
    directory.forget_unread()


def tell_chat(row: Notification) -> None:
    """Plan one chat message for notifications, however many people they go to."""
    ref = ReviewRef(table.site_of(row.PK), str(row.document_id), str(row.review_id))
    name, by = str(row.event_id), Person("", row.by_name) if row.by_name else None
    with suppress(Conflict):
        transact([Put(_new(ref.site, CHAT, name, Kind(row.kind), ref=ref, by=by))])


def save_chat_webhook(site: str, url: str, kinds: Iterable[str], *, by: Actor) -> None:
    """``url``: empty to turn chat messages off."""
    chosen = {str(one) for one in kinds}
    key = table.CHAT_WEBHOOK.key(site)
    row = ChatWebhook(*key, url=url, kinds=chosen or None, updated_at=clock.iso(clock.now()))
    # The URL is a secret of the chat tool, so events name only its host.
    payload = {"host": urlsplit(url).hostname or "none", "kinds": ", ".join(sorted(chosen)) or "none"}
    change: Change = Put(row, overwrite=True) if url else Delete(key)
    transact([change], entity_event(site, "chat", CHAT, "updated", by=by, payload=payload))


def _new(
    site: str,
    user_id: str,
    notification_id: str,
    kind: Kind,
    *,
    ref: ReviewRef | None = None,
    by: Person | None = None,
    event_id: str | None = None,
    project_id: str | None = None,
) -> Notification:
    now = clock.iso(clock.now())
    return Notification(
        *_key(site, user_id, notification_id),
        **Notification.due_keys(now, notification_id=notification_id),
        user_id=user_id,
        notification_id=notification_id,
        kind=kind,
        event_id=event_id,
        by_name=by.name if by else None,
        document_id=ref.document_id if ref else None,
        review_id=ref.review_id if ref else None,
        project_id=project_id,
        status=NotificationStatus.OPEN,
        due_at=now,
        created_at=now,
    )


def _key(site: str, user_id: str, notification_id: str) -> Key:
    return table.NOTIFICATION.key(site, user_id=user_id, notification_id=notification_id)


def save_choice(site: str, kinds: Iterable[str], *, by: Actor, web_off: Iterable[str] = ()) -> None:
    """Save my choice of mails and muted kinds; the digest starts at its next hour."""
    chosen, off = {str(one) for one in kinds}, {str(one) for one in web_off}
    due = NotificationChoice.due_keys(next_digest(clock.now()), user_id=by.id) if Kind.DIGEST in chosen else {}
    row = NotificationChoice(
        *table.NOTIFICATION_CHOICE.key(site, user_id=by.id),
        **due,
        user_id=by.id,
        kinds=chosen or None,
        web_off=off or None,
        updated_at=clock.iso(clock.now()),
    )
    payload = {"kinds": ", ".join(sorted(chosen)) or "none", "not in the page": ", ".join(sorted(off)) or "none"}
    directory.forget_unread()
    transact([Put(row, overwrite=True)], entity_event(site, "notifications", by.id, "updated", by=by, payload=payload))


def next_digest(moment: dt.datetime) -> str:
    """Return the first digest hour after ``moment``, a stored instant.

    >>> next_digest(dt.datetime(2026, 11, 23, 6, 0, tzinfo=dt.UTC))
    '2026-11-24T06:00:00.000000+00:00'
    """
    today = moment.astimezone(dt.UTC).replace(hour=DIGEST_HOUR, minute=0, second=0, microsecond=0)
    return clock.iso(today if today > moment else today + dt.timedelta(days=1))


def begin_digest(site: str, choice: NotificationChoice) -> None:
    """Start the day's digest and reschedule it for tomorrow in one write, so that there is one a day.

    Raises:
        Conflict: another sweep was first, or the person changed their choice.

    """
    now = clock.now()
    later = due_work.postpone_actions(NotificationChoice, next_digest(now), user_id=choice.user_id)
    mail = _new(site, choice.user_id, f"{Kind.DIGEST}-{now.astimezone(dt.UTC).date().isoformat()}", Kind.DIGEST)
    try:
        transact([Update(choice.key, later, due_work.if_not_moved(choice), name="choice"), Put(mail, name="mail")])
    except Conflict as conflict:
        if "choice" in conflict.failed:
            raise
        NotificationChoice.change(choice.key, later, due_work.if_not_moved(choice))  # today's was already sent


def claim_notification(site: str, user_id: str, notification_id: str) -> Notification:
    """Claim a notification for one attempt; it becomes due again if the worker crashes.

    Raises:
        Conflict: it was sent or dropped, or another worker has it.

    """
    until = due_work.lease_end()
    due = (Notification.status == NotificationStatus.OPEN) & (Notification.due_at <= clock.iso(clock.now()))
    actions = [
        Notification.due_at.set(until),
        Notification.tries.set(Notification.tries + 1),
        *due_work.postpone_actions(Notification, until, notification_id=notification_id),
    ]
    return Notification.change(_key(site, user_id, notification_id), actions, due)


def settle_notification(row: Notification, status: NotificationStatus) -> None:
    """Mark as sent or dropped. Raises: Conflict if another worker claimed it meanwhile."""
    gone = int((clock.now() + dt.timedelta(days=_KEPT_DAYS)).timestamp())
    also = [Notification.status.set(status), Notification.TimeToLive.set(gone)]
    due_work.finish(row, when=_is_mine(row), also=also)


def retry_notification_later(row: Notification) -> None:
    """Retry later, without limit, since the mail server does not answer. Raises: Conflict."""
    pause = min(settings.ACTION_RETRY_SECONDS * 4 ** min(int(row.tries) - 1, 8), _LONGEST_PAUSE)
    at = clock.iso(clock.in_seconds(pause))
    due_work.postpone(row, at=at, when=_is_mine(row), also=[Notification.due_at.set(at)])


def _is_mine(row: Notification) -> Condition:
    mine: Condition = (Notification.status == NotificationStatus.OPEN) & (Notification.tries == int(row.tries))
    return mine

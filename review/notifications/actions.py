"""What is to be told is written with what it tells of; a worker claims it, and it is sent, dropped or tried again."""

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
from projects.audit.events import Actor, entity_event
from projects.sites import directory
from review.identity import Person, ReviewRef
from review.notifications.items import CHAT, ChatWebhook, Kind, Notification, NotificationChoice, NotificationStatus
from workflows.exports.actions import at_finish
from workflows.exports.items import Export

DIGEST_HOUR = 6  # UTC
_KEPT_DAYS = 30  # of what was sent or dropped: so long the list in the page shows it
_LONGEST_PAUSE = 3600  # seconds between two attempts, as long as the mail server is down


def plan_notifications(
    ref: ReviewRef, kind: Kind, user_ids: Iterable[str], *, told_by: Person | None = None
) -> list[Change]:
    """For the transaction that they tell of; nobody is told what they did themselves."""
    told = sorted(set(user_ids) - {told_by.id if told_by else ""})
    event_id = clock.new_ulid()
    return [Put(_new(ref.site, one, clock.new_ulid(), kind, ref=ref, by=told_by, event_id=event_id)) for one in told]


@at_finish
def plan_export_notice(site: str, row: Export) -> list[Change]:
    """For the transaction that ends an export; nobody is told of what a program ordered."""
    if not row.by_id.isdigit():
        return []
    notice = _new(site, row.by_id, clock.new_ulid(), Kind.EXPORT)
    notice.project_id = row.project_id
    return [Put(notice)]


def mark_read(site: str, user_id: str, ids: Iterable[str]) -> None:
    """By the person who was told; what is read or gone already stays as it is."""
    unread = Notification.PK.exists() & Notification.read_at.does_not_exist()
    for one in ids:
        with suppress(Conflict):
            Notification.change(_key(site, user_id, one), [Notification.read_at.set(clock.iso(clock.now()))], unread)
    directory.forget_unread()


def tell_chat(row: Notification) -> None:
    """Have the site's chat tool told of what a person is told, once however many people are."""
    ref = ReviewRef(table.site_of(row.PK), str(row.document_id), str(row.review_id))
    name, by = str(row.event_id), Person("", row.by_name) if row.by_name else None
    with suppress(Conflict):
        transact([Put(_new(ref.site, CHAT, name, Kind(row.kind), ref=ref, by=by))])


def save_chat_webhook(site: str, url: str, kinds: Iterable[str], *, by: Actor) -> None:
    """``url``: empty to tell none any more."""
    chosen = {str(one) for one in kinds}
    key = table.CHAT_WEBHOOK.key(site)
    row = ChatWebhook(*key, url=url, kinds=chosen or None, updated_at=clock.iso(clock.now()))
    # The address is a secret of the chat tool's: records name its host.
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
        status=NotificationStatus.OPEN,
        due_at=now,
        created_at=now,
    )


def _key(site: str, user_id: str, notification_id: str) -> Key:
    return table.NOTIFICATION.key(site, user_id=user_id, notification_id=notification_id)


def save_choice(site: str, kinds: Iterable[str], *, by: Actor, web_off: Iterable[str] = ()) -> None:
    """What I want to be told by mail, and what the page leaves out; the digest comes from its next hour on."""
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
    """The first digest hour after ``moment``, a stored instant.

    >>> next_digest(dt.datetime(2026, 11, 23, 6, 0, tzinfo=dt.UTC))
    '2026-11-24T06:00:00.000000+00:00'
    """
    today = moment.astimezone(dt.UTC).replace(hour=DIGEST_HOUR, minute=0, second=0, microsecond=0)
    return clock.iso(today if today > moment else today + dt.timedelta(days=1))


def begin_digest(site: str, choice: NotificationChoice) -> None:
    """Have the day's digest sent, and be due again tomorrow: one write, so that there is one a day.

    Raises:
        Conflict: another sweep was first, or the person has chosen anew.

    """
    now = clock.now()
    later = due_work.postpone_actions(NotificationChoice, next_digest(now), user_id=choice.user_id)
    mail = _new(site, choice.user_id, f"{Kind.DIGEST}-{now.astimezone(dt.UTC).date().isoformat()}", Kind.DIGEST)
    try:
        transact([Update(choice.key, later, due_work.if_not_moved(choice), name="choice"), Put(mail, name="mail")])
    except Conflict as conflict:
        if "choice" in conflict.failed:
            raise
        NotificationChoice.change(choice.key, later, due_work.if_not_moved(choice))  # they had today's already


def claim_notification(site: str, user_id: str, notification_id: str) -> Notification:
    """Take it for one attempt; it is due again should the worker die.

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
    """Sent, or not to be sent any more. Raises: Conflict if another worker claimed it meanwhile."""
    gone = int((clock.now() + dt.timedelta(days=_KEPT_DAYS)).timestamp())
    also = [Notification.status.set(status), Notification.TimeToLive.set(gone)]
    due_work.finish(row, when=_is_mine(row), also=also)


def retry_notification_later(row: Notification) -> None:
    """The mail server does not answer: again later, and never given up. Raises: Conflict."""
    pause = min(settings.ACTION_RETRY_SECONDS * 4 ** min(int(row.tries) - 1, 8), _LONGEST_PAUSE)
    at = clock.iso(clock.in_seconds(pause))
    due_work.postpone(row, at=at, when=_is_mine(row), also=[Notification.due_at.set(at)])


def _is_mine(row: Notification) -> Condition:
    mine: Condition = (Notification.status == NotificationStatus.OPEN) & (Notification.tries == int(row.tries))
    return mine

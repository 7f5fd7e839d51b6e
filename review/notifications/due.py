"""Due-work handlers of mails and daily digests."""

from config.due import actions as due_work
from config.due.registry import due
from review.notifications import actions
from review.notifications.items import Notification, NotificationChoice
from review.notifications.tasks import order_notification


@due("notification", Notification)
def resume_notification(site: str, row: Notification) -> None:
    """Enqueue the mail, since a mail server may be slow; it is not due again until its message is taken."""
    due_work.postpone(row, at=due_work.lease_end())
    order_notification(site, row)


@due("digest", NotificationChoice)
def resume_digest(site: str, row: NotificationChoice) -> None:
    actions.begin_digest(site, row)

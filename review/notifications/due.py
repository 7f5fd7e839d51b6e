"""What is done with a mail that is due, and with a person's daily digest."""

from config.due import actions as due_work
from config.due.registry import due
from review.notifications import actions
from review.notifications.items import Notification, NotificationChoice
from review.notifications.tasks import order_notification


@due("notification", Notification)
def resume_notification(site: str, row: Notification) -> None:
    """A worker sends it: a mail server may take its time. Until its message is taken it is not due again."""
    due_work.postpone(row, at=due_work.lease_end())
    order_notification(site, row)


@due("digest", NotificationChoice)
def resume_digest(site: str, row: NotificationChoice) -> None:
    actions.begin_digest(site, row)

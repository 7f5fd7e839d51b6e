"""The Celery task that sends a mail."""

from celery import shared_task
from django.conf import settings

from config.brokers import queues
from review.notifications import mails
from review.notifications.items import Notification


@shared_task(name="review.tasks.send_notification", time_limit=120)
def send_notification(*, site: str, user_id: str, notification_id: str) -> None:
    """Send one mail; idempotent."""
    mails.send_notification(site, user_id, notification_id)


def order_notification(site: str, row: Notification) -> None:
    """Enqueue the mail. Raises: Unavailable."""
    kwargs = {"site": site, "user_id": row.user_id, "notification_id": row.notification_id}
    queues.enqueue(send_notification.name, settings.STEPS_QUEUE, kwargs)

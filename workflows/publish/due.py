"""What is done with a follow-up or a notice that is due: a worker does it, not the sweep, which other rows wait for."""

from django.conf import settings

from config import clock
from workflows.publish.actions import follow_ups, notices
from workflows.publish.items.actions import FollowUp
from workflows.publish.items.notices import SenderNotice
from workflows.publish.tasks import enqueue_follow_up, order_notice
from workflows.runs.run import Run


def resume_follow_up(site: str, due: FollowUp) -> None:
    """Until its message is taken it is not due again."""
    run = Run(site, due.project_id, due.documentId, due.workflowId)
    follow_ups.look_again(run, due, at=clock.in_seconds(settings.STEP_LEASE_SECONDS))
    enqueue_follow_up(run)


def resume_notice(site: str, due: SenderNotice) -> None:
    """As a follow-up: a mail server may take its time."""
    notices.look_again(site, due)
    order_notice(site, due)

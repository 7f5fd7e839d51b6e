"""What is done with a follow-up or a notice that is due: a worker does it, not the sweep, which other rows wait for."""

from django.conf import settings

from config import clock
from config.due.registry import due
from workflows.publish.actions import follow_ups, notices
from workflows.publish.items.actions import FollowUp
from workflows.publish.items.notices import SenderNotice
from workflows.publish.tasks import enqueue_follow_up, order_notice
from workflows.runs.run import Run


@due("followup", FollowUp)
def resume_follow_up(site: str, row: FollowUp) -> None:
    """Until its message is taken it is not due again."""
    run = Run(site, row.project_id, row.documentId, row.workflowId)
    follow_ups.look_again(run, row, at=clock.in_seconds(settings.STEP_LEASE_SECONDS))
    enqueue_follow_up(run)


@due("notice", SenderNotice)
def resume_notice(site: str, row: SenderNotice) -> None:
    """As a follow-up: a mail server may take its time."""
    notices.look_again(site, row)
    order_notice(site, row)

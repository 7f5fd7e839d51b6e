"""What is done with a follow-up or a notice that is due: a worker does it, not the sweep, which other rows wait for."""

from config.due import actions as due_work
from config.due.registry import due
from workflows.publish.items import FollowUp, SenderNotice
from workflows.publish.tasks import enqueue_follow_up, order_notice
from workflows.runs.items import Run


@due("followup", FollowUp)
def resume_follow_up(site: str, row: FollowUp) -> None:
    """Until its message is taken it is not due again."""
    run = Run(site, row.project_id, row.documentId, row.workflowId)
    due_work.postpone(row, at=due_work.lease_end())
    enqueue_follow_up(run)


@due("notice", SenderNotice)
def resume_notice(site: str, row: SenderNotice) -> None:
    """As a follow-up: a mail server may take its time."""
    due_work.postpone(row, at=due_work.lease_end())
    order_notice(site, row)

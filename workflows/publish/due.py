"""The handlers of due follow-ups and notices: they hand them to a worker, so that the sweep is not blocked."""

from config.due import actions as due_work
from config.due.registry import due
from workflows.publish.items import FollowUp, SenderNotice
from workflows.publish.tasks import enqueue_follow_up, order_notice
from workflows.runs.items import Run


@due("followup", FollowUp)
def resume_follow_up(site: str, row: FollowUp) -> None:
    """It is not due again until the worker has taken the message."""
    run = Run(site, row.project_id, row.documentId, row.workflowId)
    due_work.postpone(row, at=due_work.lease_end())
    enqueue_follow_up(run)


@due("notice", SenderNotice)
def resume_notice(site: str, row: SenderNotice) -> None:
    """Like a follow-up, since a mail server may be slow."""
    due_work.postpone(row, at=due_work.lease_end())
    order_notice(site, row)

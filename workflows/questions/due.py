"""The handler of due questions."""

import logging

from django.conf import settings

from config.brokers import queues
from config.due import actions as due_work
from config.due.registry import due
from workflows.questions import actions, queries, tasks
from workflows.questions.items import Question

log = logging.getLogger(__name__)


@due("question", Question)
def resume_question(site: str, row: Question) -> None:
    """Resend the message, which was lost or killed its worker; give up after too many tries."""
    ref = queries.ref_of(site, row)
    if due_work.attempts_exhausted(row):
        actions.give_up(ref, row)
        return
    # its message may be among them: this does not count as a try
    waiting = bool(queues.count_messages(settings.STEPS_QUEUE))
    actions.postpone(row, counts=not waiting)
    log.warning("question sent again", extra={"run": row.workflow_id, "question": ref.number})
    tasks.send_question(ref, int(row.generation))

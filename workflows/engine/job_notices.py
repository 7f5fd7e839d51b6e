"""A service says that its job has ended: the waiting step continues at once instead of at its next poll.

A lost notice costs the time until that poll, a repeated one finds the step done: nothing else depends on notices.
"""

import dataclasses
import json
import logging
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from config.brokers import queues
from config.errors import NotFound
from config.table import InvalidKey
from workflows.engine import external_job, tokens
from workflows.providers.textract import read_job_tag
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.items import Run, RunStatus

log = logging.getLogger(__name__)
RUN_STEP = "workflows.tasks.run_step"


def take_notice(text: str) -> bool:
    """Order the step that waits for this Textract job; False if none does. Raises: Unavailable."""
    notice = _read(text)
    site, workflow_id = read_job_tag(str(notice.get("JobTag", "")))
    try:
        board = queries.board(site, workflow_id)
        run = Run(site, str(board.data["project_id"]), str(board.data["document_id"]), workflow_id)
        execution = queries.execution(run)
    except (NotFound, InvalidKey):
        return False
    step, attempt = int(execution.currentStep), int(execution.engine_attempt)
    job = external_job.stored_job(execution, step)
    if execution.status != RunStatus.RUNNING or job is None or job.id != notice.get("JobId"):
        return False
    token = tokens.load(advance.execution_key(run), attempt=attempt)
    if token is None:
        return False
    log.info("job ended", extra={"run": workflow_id, "job": job.id})
    order = {**dataclasses.asdict(run), "attempt": attempt, "step": step, "token": token}
    queues.enqueue(RUN_STEP, settings.STEPS_QUEUE, order)
    return True


def _read(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}

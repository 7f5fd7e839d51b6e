"""Where the file and the work of a run are found outside the desk, as its lineage says it (seed 004)."""

import json
from dataclasses import dataclass, fields
from typing import Any

from django.conf import settings

from workflows.definitions.blueprint import Definition
from workflows.runs import executions
from workflows.runs.items import Execution
from workflows.runs.run import Run


@dataclass(frozen=True)
class Trace:
    """Empty: there is none, or this event says nothing of it.

    ``s3_key`` and ``s3version`` are of the content that the run reads; ``execution_arn`` is of the attempt's execution,
    with Step Functions only; ``job_id`` an outside service's; ``retry_count``: how many attempts were before this one.
    """

    bucket: str = ""
    s3_key: str = ""
    s3version: str = ""
    execution_arn: str = ""
    job_id: str = ""
    retry_count: int | None = None

    @property
    def stored(self) -> dict[str, Any]:
        """By the names of an event's attributes."""
        found = {_STORED.get(one.name, one.name): getattr(self, one.name) for one in fields(self)}
        return {name: value for name, value in found.items() if value not in ("", None)}


_STORED = {"execution_arn": "executionArn", "job_id": "jobId", "retry_count": "retryCount"}


def of_begin(run: Run, definition: Definition, *, s3_key: str, s3version: str | None) -> Trace:
    """A run of this content begins."""
    arn = executions.choose_execution_arn(definition, run, 1)
    return Trace(settings.BUCKET_NAME, s3_key, s3version or "", arn, retry_count=0)


def of_file(s3_key: str, s3version: str | None) -> Trace:
    """A file without a run: what comes out of it has runs of its own."""
    return Trace(settings.BUCKET_NAME, s3_key, s3version or "")


def of_next_attempt(run: Run, definition: Definition | None, attempt: int) -> Trace:
    arn = executions.choose_execution_arn(definition, run, attempt) if definition else ""
    return Trace(execution_arn=arn, retry_count=attempt - 1)


def of_step(run: Run, definition: Definition, step: int, attempt: int, execution: Execution | None) -> Trace:
    """A step of an attempt ends; ``execution`` as it was read before, if it was."""
    if execution is None or execution.engine:
        return Trace(job_id=_job(execution, step), retry_count=attempt - 1)
    arn = executions.execution_arn(definition, run, attempt)
    return Trace(execution_arn=arn, job_id=_job(execution, step), retry_count=attempt - 1)


def _job(execution: Execution | None, step: int) -> str:
    """Of the service that the step waited for."""
    job = json.loads(execution.job) if execution is not None and execution.job else {}
    return str(job.get("id") or "") if job.get("step") == step else ""

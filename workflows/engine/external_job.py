"""Steps that wait: for an external job, which any worker can poll, or for a service that does not answer."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.conf import settings
from pynamodb.expressions.update import Action

from config import clock
from config.errors import Conflict, ProviderPaused, StageFailed
from workflows.definitions import states
from workflows.definitions.blueprint import StepDefinition
from workflows.engine import actions, tokens
from workflows.engine.step_outcome import earlier_answer
from workflows.engine.step_work import Busy, StepWork
from workflows.providers.names import LABELS
from workflows.providers.textract import TEXTRACT
from workflows.runs.items import Execution
from workflows.stages import base
from workflows.stages.base import StageContext

_SOONEST, _LATEST = 5.0, 60.0  # seconds between two polls of a job


@dataclass(frozen=True)
class ExternalJob:
    """What the run stores while a step waits.

    If ``id`` is empty there is no job: ``service`` does not answer (``why``).
    """

    step: int
    service: str
    id: str
    began: str
    why: str = ""


class JobUnderWay(Exception):
    """``job`` is what to store."""

    def __init__(self, job: ExternalJob, seconds: float) -> None:
        super().__init__(job.service)
        self.job = job
        self.seconds = seconds


def for_job(step: StepDefinition, job: base.Job, context: StageContext, execution: Execution) -> None:
    """Return once the job has ended and its results are where the stage reads them.

    A worker that is killed after it started the job and before it stored it starts it again with the same token, and
    the service returns the same job.

    Raises:
        JobUnderWay: it has not finished.
        StageFailed: it failed, or timed out.

    """
    known = stored_job(execution, step.order)
    if known is None or not known.id:
        begun = job.begin(context)
        if begun:
            raise JobUnderWay(ExternalJob(step.order, begun.service, begun.id, clock.iso(clock.now())), _SOONEST)
        return
    if job.collect(context, known.id):
        return
    passed = (clock.now() - clock.parse(known.began)).total_seconds()
    if passed > settings.PROVIDER_JOB_SECONDS:
        label, hours = LABELS.get(known.service, known.service), settings.PROVIDER_JOB_SECONDS / 3600
        raise StageFailed(f"{label} did not finish within {hours:g} hours. Re-run to try again.")
    raise JobUnderWay(replace(known, why=""), min(max(passed / 4, _SOONEST), _LATEST))


@contextmanager
def for_provider(step: StepDefinition, execution: Execution) -> Iterator[None]:
    """Wait for a service that does not answer as for a job; a job in progress stays stored.

    Raises: JobUnderWay.
    """
    try:
        yield
    except ProviderPaused as paused:
        known = stored_job(execution, step.order) or ExternalJob(
            step.order, paused.provider, "", clock.iso(clock.now())
        )
        raise JobUnderWay(replace(known, service=paused.provider, why=str(paused)), paused.seconds) from paused


def wait_for_job(work: StepWork, waits: JobUnderWay, *, owner: str, token: str | None) -> Mapping[str, Any]:
    """Release the step until later and show the wait on the run; the engine waits if its machine can.

    Raises:
        Busy: the message itself is redelivered later, or another worker has the step.

    """
    order, step = work.order, work.step
    kept = _token_to_keep(work, waits.job, token)
    job, text = waits.job, json.dumps(asdict(waits.job), separators=(",", ":"))
    seconds = max(round(_LATEST if kept else waits.seconds), 1)
    until = clock.iso(clock.in_seconds(seconds))
    try:
        if text == work.execution.job:
            actions.keep_external_job(
                order.run, step=order.step, attempt=order.attempt, owner=owner, until=until, also=kept
            )
        else:
            actions.begin_external_job(
                order.run, step, attempt=order.attempt, owner=owner, job=text, service=job.service, why=job.why,
                until=until, also=kept,
            )  # fmt: skip
    except Conflict:
        return earlier_answer(order)
    if token is None or kept or not step.waits:
        raise Busy(seconds)
    return {"next": step.order, states.WAIT: seconds}


def _token_to_keep(work: StepWork, job: ExternalJob, token: str | None) -> Sequence[Action]:
    """What the run keeps for the notice of the job's end: with it, the notice answers the step at once.

    The step then is not handed back to the machine, whose wait nothing can end early: its message polls.
    """
    if token is None or not job.id or not is_notified(job.service):
        return ()
    return tokens.attributes(token, attempt=work.order.attempt, entered=job.began)


def is_notified(service: str) -> bool:
    """Return whether this service tells the desk about ended jobs."""
    return bool(settings.TEXTRACT_TOPIC_ARN) and service == TEXTRACT.name


def stored_job(execution: Execution, step: int) -> ExternalJob | None:
    """Return the job that an earlier delivery of this step stored; never that of another step."""
    if not execution.job:
        return None
    job = ExternalJob(**json.loads(execution.job))
    return job if job.step == step else None

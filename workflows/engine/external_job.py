"""A step that waits: for someone else's job, which is found again whoever looks next, or for a service to answer."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.conf import settings

from config import clock
from config.errors import Conflict, ProviderPaused, StageFailed
from workflows.definitions import states
from workflows.definitions.blueprint import StepDefinition
from workflows.engine import actions
from workflows.engine.step_outcome import earlier_answer
from workflows.engine.step_work import Busy, StepWork
from workflows.providers.names import LABELS
from workflows.runs.items import Execution
from workflows.stages import base
from workflows.stages.base import StageContext

_SOONEST, _LATEST = 5.0, 60.0  # seconds between two looks at a job


@dataclass(frozen=True)
class ExternalJob:
    """What the run keeps while a step waits. ``id`` empty: no job, ``service`` does not answer, ``why`` says how."""

    step: int
    service: str
    id: str
    began: str
    why: str = ""


class JobUnderWay(Exception):
    """``job`` is what to remember."""

    def __init__(self, job: ExternalJob, seconds: float) -> None:
        super().__init__(job.service)
        self.job = job
        self.seconds = seconds


def for_job(step: StepDefinition, job: base.Job, context: StageContext, execution: Execution) -> None:
    """Comes back if there is nothing to wait for any more: the results lie where the stage looks for them.

    A worker that is killed between beginning the job and remembering it begins it again under the same token, and the
    service answers with the same job.

    Raises:
        JobUnderWay: nothing is to be collected yet.
        StageFailed: it failed, or takes longer than a job may.

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
    """A service that does not answer is waited for like a job; one that is under way stays known.

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
    """Give the step back until later, and say so on the run; the engine waits where its machine can.

    Raises:
        Busy: the message itself comes back later, or another worker has the step.

    """
    order, step = work.order, work.step
    job, text = waits.job, json.dumps(asdict(waits.job), separators=(",", ":"))
    seconds = max(round(waits.seconds), 1)
    until = clock.iso(clock.in_seconds(seconds))
    try:
        if text == work.execution.job:
            actions.keep_external_job(order.run, step=order.step, attempt=order.attempt, owner=owner, until=until)
        else:
            actions.begin_external_job(
                order.run, step, attempt=order.attempt, owner=owner, job=text, service=job.service, why=job.why,
                until=until,
            )  # fmt: skip
    except Conflict:
        return earlier_answer(order)
    if token is None or not step.waits:
        raise Busy(seconds)
    return {"next": step.order, states.WAIT: seconds}


def stored_job(execution: Execution, step: int) -> ExternalJob | None:
    """What an earlier order of this step left; nothing of another step's."""
    if not execution.job:
        return None
    job = ExternalJob(**json.loads(execution.job))
    return job if job.step == step else None

"""The only caller of Step Functions: publish machines, start, look up and stop executions, answer tokens."""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from botocore.exceptions import ClientError
from django.conf import settings

from config import aws
from config.errors import CountersignError, NotFound, TokenClosed, Unavailable
from config.table import DEFAULT_SITE
from workflows import asl
from workflows.definitions import DEFINITIONS, Definition
from workflows.frozen import Run

log = logging.getLogger(__name__)

# None of the three says who was first or whether the call had worked (AWS: SendTaskSuccess, Errors).
_CLOSED = {"TaskTimedOut", "TaskDoesNotExist", "InvalidToken"}
State = Literal["running", "ended", "missing"]


def machine_name(definition: Definition) -> str:
    return f"{settings.STACK}-{definition.name}-v{definition.version}"


def _arn(kind: str, name: str) -> str:
    return f"arn:aws:states:{settings.AWS_REGION}:{settings.AWS_ACCOUNT_ID}:{kind}:{name}"


def execution_name(run: Run, attempt: int) -> str:
    """One machine serves every site, so the site is in the name: two sites may hold a run of the same id.

    >>> execution_name(Run("acme", "p", "d", "01H"), 2), execution_name(Run("default", "p", "d", "01H"), 2)
    ('acme-01H-2', '01H-2')
    """
    head = "" if run.site == DEFAULT_SITE else f"{run.site}-"
    return f"{head}{run.workflow_id}-{attempt}"


def execution_arn(definition: Definition, run: Run, attempt: int) -> str:
    """Known before the execution starts, since we name it: no second write is needed to remember it."""
    return _arn("execution", f"{machine_name(definition)}:{execution_name(run, attempt)}")


def publish_machines(report: Callable[[str], None]) -> None:
    """Create the state machine of each definition version; an existing one is compared, never changed.

    Raises:
        CountersignError: a published version differs from its code: it needs a new version, runs are pinned to it.

    """
    sfn = aws.client("stepfunctions")
    role = f"arn:aws:iam::{settings.AWS_ACCOUNT_ID}:role/{settings.STACK}-machines"
    for definition in DEFINITIONS.values():
        body = asl.compile_definition(definition)
        arn = _arn("stateMachine", machine_name(definition))
        with aws.translated():
            try:
                found = sfn.describe_state_machine(stateMachineArn=arn)
            except ClientError as error:
                if error.response["Error"]["Code"] != "StateMachineDoesNotExist":
                    raise
                sfn.create_state_machine(name=machine_name(definition), definition=body, roleArn=role, type="STANDARD")
                report(f"created    state machine {machine_name(definition)}")
                continue
        if json.loads(found["definition"]) != json.loads(body):
            raise CountersignError(
                f"{definition.id} is published and differs from the code. Give the change a new version."
            )
        report(f"unchanged  state machine {machine_name(definition)}")


def start(
    run: Run,
    definition: Definition,
    *,
    attempt: int,
    start_at: str,
    file_name: str,
    project_name: str,
    review_seconds: int = settings.REVIEW_TIMEOUT_SECONDS,
    result: Mapping[str, Any] | None = None,
) -> None:
    """Start the execution of one attempt; once, however often it is called, since its name is the attempt's.

    Raises:
        Unavailable: Step Functions does not answer; the sweeper starts it later.

    """
    payload = {
        "site": run.site,
        "project_id": run.project_id,
        "document_id": run.document_id,
        "workflow_id": run.workflow_id,
        "attempt": attempt,
        "start_at": start_at,
        "file_name": file_name,  # as in the seed-000 system's input (CONTRACTS 2.4); the queue shows it
        "project_name": project_name,
        "review_seconds": review_seconds,
        "result": dict(result or {}),
    }
    try:
        with aws.translated():
            aws.client("stepfunctions").start_execution(
                stateMachineArn=_arn("stateMachine", machine_name(definition)),
                name=execution_name(run, attempt),
                input=json.dumps(payload),
            )
    except CountersignError as error:
        if isinstance(error.__cause__, ClientError) and _code(error.__cause__) == "ExecutionAlreadyExists":
            return
        if isinstance(error.__cause__, ClientError) and _code(error.__cause__) == "StateMachineDoesNotExist":
            raise Unavailable("The state machine is not there yet. Run `manage.py bootstrap`.") from error
        raise


def state(definition: Definition, run: Run, attempt: int) -> State:
    """Whether the attempt's execution is running, has ended, or was never started (or forgotten by a restart).

    Raises:
        Unavailable: Step Functions does not answer, which says nothing about the execution.

    """
    try:
        with aws.translated():
            found = aws.client("stepfunctions").describe_execution(executionArn=execution_arn(definition, run, attempt))
    except NotFound:
        return "missing"
    return "running" if found["status"] == "RUNNING" else "ended"


def stop(definition: Definition, run: Run, attempt: int, cause: str) -> None:
    """End the execution of an attempt that no longer drives its run."""
    try:
        with aws.translated():
            aws.client("stepfunctions").stop_execution(
                executionArn=execution_arn(definition, run, attempt), error="Superseded", cause=cause
            )
    except NotFound:
        return
    except CountersignError as error:  # it has ended by itself
        if isinstance(error, Unavailable):
            raise


def send_success(token: str, output: Mapping[str, Any]) -> None:
    """Raises: TokenClosed; Unavailable, where the answer is not known."""
    with _token_call():
        aws.client("stepfunctions").send_task_success(taskToken=token, output=json.dumps(dict(output)))


def send_failure(token: str, error: str, cause: str) -> None:
    """``error`` ≤ 256 and ``cause`` ≤ 32,768 characters. Raises: TokenClosed, Unavailable."""
    with _token_call():
        aws.client("stepfunctions").send_task_failure(taskToken=token, error=error[:256], cause=cause[:1000])


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


@contextmanager
def _token_call() -> Iterator[None]:
    try:
        with aws.translated():
            yield
    except CountersignError as error:
        if isinstance(error.__cause__, ClientError) and _code(error.__cause__) in _CLOSED:
            raise TokenClosed("The engine no longer takes this token.") from error
        raise

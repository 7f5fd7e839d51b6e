"""The only caller of Step Functions: publish machines, start, look up and stop executions, and answer task tokens."""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from botocore.exceptions import ClientError
from django.conf import settings

from config import aws
from config.errors import CountersignError, NotFound, TokenClosed, Unavailable
from workflows.definitions import asl
from workflows.definitions.blueprint import SHIPPED, Definition
from workflows.engine.machines import batch, desk_intake, ingress
from workflows.runs import executions
from workflows.runs.items import Run

log = logging.getLogger(__name__)

# None of the three says whether an earlier call succeeded (AWS: SendTaskSuccess, Errors).
_CLOSED = {"TaskTimedOut", "TaskDoesNotExist", "InvalidToken"}
State = Literal["running", "ended", "missing"]
_HISTORY_PAGES = 5  # of a thousand events each, newest first


def publish_machines(report: Callable[[str], None]) -> None:
    """Create the state machine of each definition version, and those that others start.

    Raises:
        CountersignError: a published version differs from its code; runs are pinned to it, so it needs a new version.

    """
    for definition in SHIPPED.values():
        publish_machine(definition, report)
    # Others refer to them by name, and their executions are short, so they are updated in place.
    _publish(ingress.name(), ingress.compile_machine(), report)
    _publish(desk_intake.name(), desk_intake.compile_machine(), report)
    _publish(batch.name(), batch.compile_machine(), report)


def publish_machine(definition: Definition, report: Callable[[str], None]) -> None:
    """Create the state machine of a version, or check the existing one.

    Raises:
        CountersignError: it is published and differs.
        Unavailable: Step Functions does not answer.

    """
    _publish(executions.machine_name(definition), asl.compile_definition(definition), report, version=definition.id)


def _publish(name: str, body: str, report: Callable[[str], None], *, version: str = "") -> None:
    """``version``: of a definition, which is compared and never changed."""
    sfn, arn = aws.aws_client("stepfunctions"), executions.arn("stateMachine", name)
    role = f"arn:aws:iam::{settings.AWS_ACCOUNT_ID}:role/{settings.STACK}-machines"
    with aws.translate_aws_errors():
        try:
            found = sfn.describe_state_machine(stateMachineArn=arn)
        except ClientError as error:
            if _code(error) != "StateMachineDoesNotExist":
                raise
            sfn.create_state_machine(
                name=name, definition=body, roleArn=role, type="STANDARD", loggingConfiguration=_log_settings()
            )
            report(f"created    state machine {name}")
            return
        same = json.loads(found["definition"]) == json.loads(body)
        if version and not same:
            raise CountersignError(f"{version} is published and differs from the code. Give the change a new version.")
        if same and found.get("loggingConfiguration") == _log_settings():
            report(f"unchanged  state machine {name}")
            return
        # Runs are not pinned to the logging configuration.
        changed = {} if same else {"definition": body}
        sfn.update_state_machine(stateMachineArn=arn, loggingConfiguration=_log_settings(), **changed)
        report(f"changed    state machine {name}{': its logging' if same else ''}")


def _log_settings() -> dict[str, Any]:
    """Log errors without execution data: inputs have file names, and messages have the task's token."""
    owner = f"{settings.AWS_REGION}:{settings.AWS_ACCOUNT_ID}"
    group = f"arn:aws:logs:{owner}:log-group:/aws/vendedlogs/states/{settings.STACK}:*"
    destinations = [{"cloudWatchLogsLogGroup": {"logGroupArn": group}}]
    return {"level": "ERROR", "includeExecutionData": False, "destinations": destinations}


def start(definition: Definition, run: Run, attempt: int, given: Mapping[str, Any]) -> None:
    """Start the execution of an attempt. Idempotent, since the execution is named after the attempt.

    Raises:
        Unavailable: Step Functions does not answer; the sweeper starts it later.

    """
    _start(executions.machine_name(definition), executions.execution_name(run, attempt), given)


def start_batch(name: str, key: str) -> None:
    """Order the parts that the object ``key`` lists, once for each ``name``. Raises: Unavailable."""
    _start(batch.name(), name, {"key": key})


def _start(machine: str, name: str, payload: Mapping[str, Any]) -> None:
    try:
        with aws.translate_aws_errors():
            aws.aws_client("stepfunctions").start_execution(
                stateMachineArn=executions.arn("stateMachine", machine), name=name, input=json.dumps(payload)
            )
    except CountersignError as error:
        if isinstance(error.__cause__, ClientError) and _code(error.__cause__) == "ExecutionAlreadyExists":
            return
        if isinstance(error.__cause__, ClientError) and _code(error.__cause__) == "StateMachineDoesNotExist":
            raise Unavailable("The state machine does not exist yet. Run `manage.py bootstrap`.") from error
        raise


def state(definition: Definition, run: Run, attempt: int) -> State:
    """Return whether the attempt's execution is running, has ended, or was never started (or forgotten by a restart).

    Raises:
        Unavailable: Step Functions does not answer, which says nothing about the execution.

    """
    try:
        with aws.translate_aws_errors():
            found = aws.aws_client("stepfunctions").describe_execution(
                executionArn=executions.execution_arn(definition, run, attempt)
            )
    except NotFound:
        return "missing"
    return "running" if found["status"] == "RUNNING" else "ended"


def stop(definition: Definition, run: Run, attempt: int, cause: str) -> None:
    """Stop the execution of an attempt that no longer drives its run."""
    try:
        with aws.translate_aws_errors():
            aws.aws_client("stepfunctions").stop_execution(
                executionArn=executions.execution_arn(definition, run, attempt), error="Superseded", cause=cause
            )
    except NotFound:
        return
    except CountersignError as error:  # it has already ended
        if isinstance(error, Unavailable):
            raise


def took(execution_arn: str, decision_id: str) -> bool | None:
    """Return whether another system's execution accepted this decision; None if its history does not say.

    Raises:
        Unavailable: Step Functions does not answer.

    """
    following: dict[str, str] = {}
    for _ in range(_HISTORY_PAGES):
        try:
            with aws.translate_aws_errors():
                page = aws.aws_client("stepfunctions").get_execution_history(
                    executionArn=execution_arn, maxResults=1000, reverseOrder=True, **following
                )
        except Unavailable:
            raise
        except CountersignError:  # forgotten, in another account, or not readable
            return None
        if any(decision_id in str(event.get("taskSucceededEventDetails", "")) for event in page["events"]):
            return True
        if not page.get("nextToken"):
            return False
        following = {"nextToken": page["nextToken"]}
    return None


def send_success(token: str, output: Mapping[str, Any]) -> None:
    """Raises: TokenClosed; Unavailable if the outcome is unknown."""
    with _token_call():
        aws.aws_client("stepfunctions").send_task_success(taskToken=token, output=json.dumps(dict(output)))


def send_failure(token: str, error: str, cause: str) -> None:
    """``error`` ≤ 256 and ``cause`` ≤ 32,768 characters. Raises: TokenClosed, Unavailable."""
    with _token_call():
        aws.aws_client("stepfunctions").send_task_failure(taskToken=token, error=error[:256], cause=cause[:1000])


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


@contextmanager
def _token_call() -> Iterator[None]:
    try:
        with aws.translate_aws_errors():
            yield
    except CountersignError as error:
        if isinstance(error.__cause__, ClientError) and _code(error.__cause__) in _CLOSED:
            raise TokenClosed("The engine no longer takes this token.") from error
        raise

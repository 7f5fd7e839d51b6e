"""The engine interface: start, look up and stop an attempt, and answer its task tokens.

A setting chooses the engine, and a run's row keeps it for its attempt. A token identifies its engine, so tokens that
were issued before the setting changed are answered by the right one.
"""

from collections.abc import Mapping
from typing import Any, Literal

from django.conf import settings

from config import logs
from workflows.definitions.blueprint import Definition
from workflows.engine import messages, step_functions
from workflows.runs import engine_choice
from workflows.runs.items import Run

State = Literal["running", "ended", "missing"]

publish_machines = step_functions.publish_machines
publish_machine = step_functions.publish_machine
start_batch = step_functions.start_batch
took = step_functions.took


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
    """Start an attempt with the chosen engine.

    Idempotent: Step Functions starts it once, and a repeated message finds what the first one did.

    Raises:
        Unavailable: the engine does not answer; the sweeper starts it later.

    """
    given = {
        "site": run.site,
        "project_id": run.project_id,
        "document_id": run.document_id,
        "workflow_id": run.workflow_id,
        "attempt": attempt,
        "start_at": start_at,
        "file_name": file_name,  # as in the seed-000 system's input (CONTRACTS 2.4); shown in the queue
        "project_name": project_name,
        "review_seconds": review_seconds,
        "result": dict(result or {}),
        "request_id": logs.request_id(),  # to find the logs of an execution
    }
    if engine_choice.choose_engine():
        messages.start(definition, given)
    else:
        step_functions.start(definition, run, attempt, given)


def remembers(kind: str | None) -> bool:
    """Return True if the engine, as stored on a run, has a state for each attempt. Messages can be lost silently."""
    return kind is None


def state(definition: Definition, run: Run, attempt: int, *, kind: str | None = "") -> State:
    """Return whether the attempt is running, has ended, or was never started (or forgotten by a restart).

    ``kind``: ``Execution.engine`` if the caller has it; else the chosen engine.

    Raises:
        Unavailable: the engine does not answer, which says nothing about the attempt.

    """
    if _by_messages(kind):
        return messages.state(run, attempt)
    return step_functions.state(definition, run, attempt)


def stop(definition: Definition, run: Run, attempt: int, cause: str, *, kind: str | None = "") -> None:
    """Stop an attempt that no longer drives its run; ``kind`` as in ``state``. Raises: Unavailable."""
    if _by_messages(kind):
        messages.stop(run, attempt)
    else:
        step_functions.stop(definition, run, attempt, cause)


def _by_messages(kind: str | None) -> bool:
    return bool(engine_choice.choose_engine() if kind == "" else kind)


def send_success(token: str, output: Mapping[str, Any]) -> None:
    """Raises: TokenClosed; Unavailable if the outcome is unknown."""
    send = messages.send_success if messages.is_ours(token) else step_functions.send_success
    send(token, output)


def send_failure(token: str, error: str, cause: str) -> None:
    """Raises: TokenClosed, Unavailable."""
    send = messages.send_failure if messages.is_ours(token) else step_functions.send_failure
    send(token, error, cause)

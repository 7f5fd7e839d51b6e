"""The engine without Step Functions: the answer of each state sends the message of the next.

There is no stored execution. A token is a continuation: signed text with the attempt, its waiting state and that
state's input. Whoever has it can continue, so a review survives the loss of the broker. Two answers to one token send
two messages, but the guards of their writes let only one take effect.
"""

import datetime as dt
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal

from django.core import signing

from config import clock
from config.brokers import queues
from config.errors import Conflict, NotFound, TokenClosed
from workflows.definitions import states, versions
from workflows.definitions.blueprint import Definition
from workflows.definitions.states import Choice, EntryTime, InputValue, Machine, Source, StepTimeout, Task, Wait
from workflows.engine import actions
from workflows.runs import queries
from workflows.runs.items import Execution, Run, RunStatus

_SALT = "countersign.engine"
_TRIES = "tries"  # in a continuation: how often its state was ordered again
_MARK = "celery:"  # no token of Step Functions begins like this
# Longer than the visibility timeout, and a second worker would get the message. Longer waits are repeated.
LONGEST_DELAY = 60


def is_ours(token: str) -> bool:
    return token.startswith(_MARK)


def start(definition: Definition, given: Mapping[str, Any]) -> None:
    """Send the first message of an attempt. Idempotent. Raises: Unavailable."""
    _enter(states.machine_of(definition), states.BEGIN, given)


def send_success(token: str, output: Mapping[str, Any]) -> None:
    """Send what follows, then record that it was sent: a crash in between sends it twice, never zero times.

    Without the record, each redelivery would double everything that follows, and a fan-out would multiply it.

    Raises:
        TokenClosed: it is not readable.
        Unavailable: the broker or the table does not answer.

    """
    machine, _, state, given = _find_task(token)
    if output.get(states.PASSED):
        return
    _enter(machine, state.to, {**given, "result": dict(output)})
    if output.get("last") and "next" in output:
        run = Run(given["site"], given["project_id"], given["document_id"], given["workflow_id"])
        with suppress(Conflict):
            actions.mark_handed(run, transition=str(output["last"]))


def send_failure(token: str, error: str, cause: str) -> None:
    """Retry the state if it may be retried, else follow its error transition. Raises: TokenClosed, Unavailable."""
    machine, name, state, given = _find_task(token)
    tried = int((given.get(_TRIES) or {}).get(name, 0))
    if error == states.UNEXPECTED and tried < state.retries:
        delay = states.RETRY_SECONDS * states.RETRY_RATE**tried
        _order(machine.definition, name, state, {**given, _TRIES: {name: tried + 1}}, delay)
        return
    _enter(machine, state.caught_by, {**given, "error": {"Error": error, "Cause": cause}})


def state(run: Run, attempt: int) -> Literal["running", "ended"]:
    """Return whether this attempt drives the run, as the table says. Whether its message was lost is unknown."""
    execution = queries.execution(run)
    drives = execution.status == RunStatus.RUNNING and int(execution.engine_attempt) == attempt
    return "running" if drives and int(execution.stopped or 0) < attempt else "ended"


def stop(run: Run, attempt: int) -> None:
    """Mark the attempt as ended if it still drives its run; the sweeper begins the next."""
    with suppress(Conflict):
        actions.mark_stopped(run, attempt=attempt)


def token_of(definition: Definition, name: str, given: Mapping[str, Any]) -> str:
    """Return the continuation of state ``name``, without the last answer: what follows continues with the next one."""
    kept = {key: value for key, value in given.items() if key not in {"result", "error", "start_at"}}
    return _MARK + signing.dumps({"definition": definition.id, "state": name, "given": kept}, salt=_SALT, compress=True)


def _find_task(token: str) -> tuple[Machine, str, Task, Mapping[str, Any]]:
    try:
        kept = signing.loads(token.removeprefix(_MARK), salt=_SALT)
        machine = states.machine_of(versions.find_definition(kept["definition"]))
        return machine, kept["state"], machine.task(kept["state"]), kept["given"]
    except (signing.BadSignature, KeyError, NotFound) as error:
        raise TokenClosed("This token is not of this desk.") from error


def _enter(machine: Machine, name: str, given: Mapping[str, Any]) -> None:
    """Follow states that wait for nothing, and order the next task."""
    delay = 0.0
    while True:
        state = machine.states[name]
        if isinstance(state, Choice):
            name = state.follow(given)
        elif isinstance(state, Wait) and state.scheduled:
            return  # the sweeper orders it later: a message cannot be delayed for so long
        elif isinstance(state, Wait):
            delay, name = float(state.seconds.value_in(given)), state.to
        elif isinstance(state, Task):
            _order(machine.definition, name, state, given, delay)
            return
        else:
            return


def _order(definition: Definition, name: str, state: Task, given: Mapping[str, Any], delay: float) -> None:
    entered = clock.iso(clock.now())
    found = {one: _value(source, given, entered) for one, source in state.fields.items()}
    kwargs = {one: given[one] for one in states.RUN} | {one: value for one, value in found.items() if value is not None}
    kwargs["token"] = token_of(definition, name, given)
    queues.enqueue(state.task, state.queue, kwargs, delay=min(delay, LONGEST_DELAY))


def _value(source: Source, given: Mapping[str, Any], entered: str) -> Any:
    if isinstance(source, InputValue | StepTimeout):
        return source.value_in(given)
    return entered if isinstance(source, EntryTime) else source


# Errors of the engine itself, not of our tasks (AWS: "Error names"; the others are those of its sendMessage).
_ENGINES_OWN = ("States.", "SQS.", "Sqs.")


def goes_on(run: Run, *, attempt: int, error: str) -> bool:
    """Return True if ``error`` is not the run's fault: then the sweeper starts the next attempt.

    That is so during a review, or while its decision waits to be applied: workers that were down for some minutes must
    not end a run that has been waiting for days. A failure raised by our own task does end it.
    """
    if not error.startswith(_ENGINES_OWN):
        return False
    execution = queries.execution(run)
    if int(execution.currentStep) < 1 or int(execution.engine_attempt) != attempt:
        return False
    definition = queries.definition_of(execution)
    waits = definition.step(int(execution.currentStep)).type == "approval"
    if not waits and not _is_of_an_earlier_state(run, execution, definition, error):
        return False
    actions.check_run_again(execution, at=clock.now())
    return True


def _is_of_an_earlier_state(run: Run, execution: Execution, definition: Definition, error: str) -> bool:
    """Return True if the run reached its step too recently for a timeout of that step."""
    if error != "States.Timeout" or not execution.last_transition:
        return False
    came = clock.parse(queries.last_transition(run, execution).occurredAt)
    return clock.now() - came < dt.timedelta(seconds=states.step_seconds(definition))

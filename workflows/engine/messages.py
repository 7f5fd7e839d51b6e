"""The engine without Step Functions: the answer of each state sends the message of the next.

Nothing remembers an execution. A token is a continuation: signed text that says which state of which attempt waits and
what its input was, so that whoever has it can go on, and nothing that waits for a person can be lost with a broker. Two
answers to one token send two messages; the guards of what they ask for let one of them act.
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
_TRIES = "tries"  # in what a continuation keeps: how often its state was ordered again
_MARK = "celery:"  # no token of Step Functions begins so
# A message that is away longer than its queue hides it comes to a second worker. Who has to wait longer is asked again.
LONGEST_DELAY = 60


def is_ours(token: str) -> bool:
    return token.startswith(_MARK)


def start(definition: Definition, given: Mapping[str, Any]) -> None:
    """Send the first message of an attempt; again is harmless. Raises: Unavailable."""
    _enter(states.machine_of(definition), states.BEGIN, given)


def send_success(token: str, output: Mapping[str, Any]) -> None:
    """Send what follows, then note that it was sent: a death in between sends it twice, and never not at all.

    Without the note each delivery that comes twice would double all that follows, and a fan-out multiply it.

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
    """Order the state again where it may be retried, else go where it leads then. Raises: TokenClosed, Unavailable."""
    machine, name, state, given = _find_task(token)
    tried = int((given.get(_TRIES) or {}).get(name, 0))
    if error == states.UNEXPECTED and tried < state.retries:
        delay = states.RETRY_SECONDS * states.RETRY_RATE**tried
        _order(machine.definition, name, state, {**given, _TRIES: {name: tried + 1}}, delay)
        return
    _enter(machine, state.caught_by, {**given, "error": {"Error": error, "Cause": cause}})


def state(run: Run, attempt: int) -> Literal["running", "ended"]:
    """What the table knows: whether this attempt drives the run. Whether its message is lost no one is told."""
    execution = queries.execution(run)
    drives = execution.status == RunStatus.RUNNING and int(execution.engine_attempt) == attempt
    return "running" if drives and int(execution.stopped or 0) < attempt else "ended"


def stop(run: Run, attempt: int) -> None:
    """Mark the attempt as ended, where it still drives its run: the sweeper begins the next."""
    with suppress(Conflict):
        actions.mark_stopped(run, attempt=attempt)


def token_of(definition: Definition, name: str, given: Mapping[str, Any]) -> str:
    """The continuation of the state ``name``. The last answer is not in it: what follows goes on with the next."""
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
    """Follow what needs no one, and order the task that comes then."""
    delay = 0.0
    while True:
        state = machine.states[name]
        if isinstance(state, Choice):
            name = state.follow(given)
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


# What the engine itself says, and no task of ours (AWS: "Error names"; the second are those of its sendMessage).
_ENGINES_OWN = ("States.", "SQS.", "Sqs.")


def goes_on(run: Run, *, attempt: int, error: str) -> bool:
    """Whether ``error`` is none of the run's: then the sweeper starts the next attempt, and nothing is decided anew.

    So it is while a person is asked, or what he decided waits to be applied: workers that were away for some minutes
    are no reason to end a run that has been waiting for days. A refusal of our own task is one.
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
    """The run came to its step later than a timeout of that step could have begun."""
    if error != "States.Timeout" or not execution.last_transition:
        return False
    came = clock.parse(queries.last_transition(run, execution).occurredAt)
    return clock.now() - came < dt.timedelta(seconds=states.step_seconds(definition))

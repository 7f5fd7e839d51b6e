"""An engine's attempt ends badly: whether the run does too, or goes on with another attempt from where it stands."""

import datetime as dt

from config import clock
from workflows.definitions import states
from workflows.definitions.blueprint import Definition
from workflows.engine import actions
from workflows.runs import queries
from workflows.runs.items import Execution, Run

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

"""Definitions as states: which task is sent with which fields, and what follows on which answer.

Declared once for all engines: ``workflows.definitions.asl`` compiles it to Amazon States Language,
``workflows.engine.messages`` interprets it. An input passes through every state; the answer of a task is added to it as
``result``, a failure as ``error``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from workflows.definitions.blueprint import FIRST_ANALYSIS, Definition, StepDefinition

BEGIN, FAIL_RUN, FAILED, DONE = "begin", "fail_run", "failed", "done"
APPLY, EXPIRE = "apply_decision", "expire_review"
REVIEW = "human_review"  # the step whose states do not have its name in theirs
# The error of a step for an unexpected exception. Expected errors are not retried: a retry would not help.
UNEXPECTED = "StepError"
RETRY_SECONDS, RETRY_RATE = 5, 3  # seconds before the first retry, and the backoff rate
SHORT = 300  # seconds for tasks that only write to the table
ANSWER_SECONDS = 3600  # seconds after the deadline of an approval without a document before its state times out

WAIT = "wait"  # in a step's answer: seconds before it is ordered again
PASSED = "passed"  # in an answer: what follows was already ordered
# The output sent with a redeemed token; ``last`` is the run's last transition, so applying it needs no read first.
DECISION_OUTPUT = ("review_id", "decision", "decision_id", "uri", "sha256", "last")
# The input fields of every message: the run, and the attempt that drives it.
RUN = ("site", "project_id", "document_id", "workflow_id", "attempt")


@dataclass(frozen=True)
class InputValue:
    """A value of the state's input, by its path: ``result.next``."""

    path: str

    def value_in(self, given: Mapping[str, Any]) -> Any:
        """Return the value, or None if it is missing, in which case a state machine omits the field."""
        value: Any = given
        for name in self.path.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        return value


@dataclass(frozen=True)
class EntryTime:
    """The time at which the state was entered."""


@dataclass(frozen=True)
class StepTimeout:
    """How long a person has: ``seconds``, or the rest of them if an attempt starts at this state."""

    state: str
    left: InputValue
    seconds: int

    def value_in(self, given: Mapping[str, Any]) -> int:
        return int(self.left.value_in(given)) if given.get("start_at") == self.state else self.seconds


Source = str | int | InputValue | EntryTime | StepTimeout


@dataclass(frozen=True)
class Rule:
    """Go to ``to`` if ``path`` is ``value``, or if ``path`` exists and there is no ``value``."""

    path: str
    to: str
    value: str | int | None = None

    def holds(self, given: Mapping[str, Any]) -> bool:
        found = InputValue(self.path).value_in(given)
        return found is not None if self.value is None else bool(found == self.value)


@dataclass(frozen=True)
class Task:
    """A state that sends a Celery task and continues with its answer. ``seconds``: its timeout.

    ``retries``: how often it is sent again if the answer is ``UNEXPECTED``.
    """

    task: str
    queue: str
    seconds: int | InputValue | StepTimeout
    fields: Mapping[str, Source]
    to: str
    caught_by: str
    expired_by: str | None = None
    retries: int = 0


@dataclass(frozen=True)
class Choice:
    rules: tuple[Rule, ...]
    otherwise: str

    def follow(self, given: Mapping[str, Any]) -> str:
        return next((rule.to for rule in self.rules if rule.holds(given)), self.otherwise)


@dataclass(frozen=True)
class Wait:
    """``scheduled``: the run's due row is the end of the wait, for engines that cannot wait."""

    seconds: InputValue
    to: str
    scheduled: bool = False


@dataclass(frozen=True)
class End:
    """``failed``: with the input's error, which engines with a failed state show."""

    failed: bool = False


State = Task | Choice | Wait | End


@dataclass(frozen=True)
class Machine:
    """``states``: name → state, in step order; the first is ``BEGIN``."""

    definition: Definition
    states: Mapping[str, State]

    def task(self, name: str) -> Task:
        """Return a task state. Raises: KeyError if the state does not wait for an answer."""
        state = self.states[name]
        if not isinstance(state, Task):
            raise KeyError(name)
        return state


def machine_of(definition: Definition) -> Machine:
    """Return the states of a definition; deterministic."""
    states: dict[str, State] = {BEGIN: _begin(definition)}
    for step in definition.steps:
        approval = _approval if definition.needs_document else _approval_without_document
        states.update(approval(definition, step) if step.type == "approval" else dict(_work(definition, step)))
    error = {"error": InputValue("error.Error"), "cause": InputValue("error.Cause")}
    fail = "workflows.tasks.fail_run" if definition.needs_document else "workflows.tasks.fail_execution"
    states[FAIL_RUN] = Task(fail, settings.DESK_QUEUE, SHORT, error, FAILED, FAILED)
    states[FAILED] = End(failed=True)
    states[DONE] = End()
    return Machine(definition, states)


def step_seconds(definition: Definition) -> int:
    """Return the timeout of steps. The first version had an hour, and published versions do not change.

    Slices of 30,000 pages take a day; the sweeper notices a stalled run long before.
    """
    return settings.STEP_TIMEOUT_SECONDS if definition.id == FIRST_ANALYSIS.id else settings.LONG_STEP_TIMEOUT_SECONDS


def start_states(definition: Definition) -> list[str]:
    """List the states at which an attempt may start: any step, or after an approval with its decision as ``result``."""
    approvals = [apply_state(step) for step in definition.steps if step.type == "approval"]
    return [step.name for step in definition.steps] + approvals


def apply_state(step: StepDefinition) -> str:
    """Return the state that applies an approval's decision.

    The first definitions have one approval and name no step.
    """
    return _state_of_step(APPLY, step)


def _state_of_step(state: str, step: StepDefinition) -> str:
    return state if step.name == REVIEW else f"{state}_of_{step.name}"


def _begin(definition: Definition) -> Choice:
    rules = tuple(Rule("start_at", name, name) for name in start_states(definition))
    return Choice(rules, definition.steps[0].name)


def _work(definition: Definition, step: StepDefinition) -> Iterator[tuple[str, State]]:
    targets = definition.reachable(step)
    branches = len(targets) > 1 or step.waits
    following = f"after_{step.name}" if branches else _state_of(definition, next(iter(targets)))
    yield (
        step.name,
        Task(
            "workflows.tasks.run_step" if definition.needs_document else "workflows.tasks.run_execution_step",
            settings.STEPS_QUEUE,
            step.minutes * 60 or step_seconds(definition),
            {"step": step.order},
            following,
            FAIL_RUN,
            retries=step.retries,
        ),
    )
    waiting = f"wait_for_{step.name}"
    again = (Rule(f"result.{WAIT}", waiting),) if step.waits else ()
    if branches:
        yield following, Choice((*again, *_branches(definition, step)), FAIL_RUN)
    if step.waits:
        # The engine owns the wait: no worker and no message is held during an external job.
        yield waiting, Wait(InputValue(f"result.{WAIT}"), step.name, scheduled=step.type == "wait")


def _branches(definition: Definition, step: StepDefinition) -> tuple[Rule, ...]:
    """Return the transitions. The worker decides by the blueprint and answers ``next``; the machine follows it.

    So the two cannot disagree.
    """
    orders = sorted(definition.reachable(step))
    return tuple(Rule("result.next", _state_of(definition, order), order) for order in orders)


def _state_of(definition: Definition, order: int) -> str:
    return definition.step(order).name if order > 0 else DONE


def _approval(definition: Definition, step: StepDefinition) -> dict[str, State]:
    apply, expire = apply_state(step), _state_of_step(EXPIRE, step)
    # The first version's messages do not name their definition, and published versions do not change.
    named: dict[str, Source] = {} if definition == FIRST_ANALYSIS else {"definition": definition.id}
    decision = {name: InputValue(f"result.{name}") for name in DECISION_OUTPUT}
    left = InputValue("review_seconds")
    seconds = StepTimeout(step.name, left, step.minutes * 60) if step.minutes else left
    opening: dict[str, Source] = {
        "step": step.order,
        "timeout": seconds,
        "file_name": InputValue("file_name"),
        "project_name": InputValue("project_name"),
        "found": InputValue("result"),
        "entered": EntryTime(),
        **named,
    }
    desk, after, after_expiry = settings.DESK_QUEUE, f"after_{step.name}", f"after_{expire}"
    return {
        step.name: Task("review.tasks.open_review", desk, seconds, opening, apply, FAIL_RUN, expired_by=expire),
        apply: Task(
            "review.tasks.apply_decision", desk, SHORT, {"step": step.order, **decision, **named}, after, FAIL_RUN
        ),
        after: Choice(_branches(definition, step), FAIL_RUN),
        expire: Task("review.tasks.expire_review", desk, SHORT, {}, after_expiry, FAIL_RUN),
        after_expiry: Choice((Rule("result.decision_id", apply),), FAILED),
    }


def _approval_without_document(definition: Definition, step: StepDefinition) -> dict[str, State]:
    """Yield the states of a review request: the review expires and fails the state before its timeout."""
    apply, after = apply_state(step), f"after_{step.name}"
    seconds = step.minutes * 60 + ANSWER_SECONDS if step.minutes else InputValue("review_seconds")
    desk, ids = settings.DESK_QUEUE, ("review_id", "decision", "decision_id")
    opening: dict[str, Source] = {"step": step.order, "entered": EntryTime()}
    answer: dict[str, Source] = {name: InputValue(f"result.{name}") for name in ids}
    return {
        step.name: Task("review.tasks.ask_for_approval", desk, seconds, opening, apply, FAIL_RUN),
        apply: Task("review.tasks.apply_approval", desk, SHORT, {"step": step.order, **answer}, after, FAIL_RUN),
        after: Choice(_branches(definition, step), FAIL_RUN),
    }

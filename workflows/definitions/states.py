"""A definition as states: what is ordered, with which fields, and what follows on which answer.

Declared once, for every engine: ``workflows.definitions.asl`` writes it as Amazon States Language,
``workflows.engine.messages``
walks through it. An input goes through every state; the answer of a task is laid into it as ``result``, a failure as
``error``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from workflows.definitions.blueprint import FIRST_ANALYSIS, Definition, StepDefinition

BEGIN, FAIL_RUN, FAILED, DONE = "begin", "fail_run", "failed", "done"
APPLY, EXPIRE = "apply_decision", "expire_review"
REVIEW = "human_review"  # the step whose states have no step in their names
# What a step answers to an error that no one foresaw; what it did foresee a second order would not change.
UNEXPECTED = "StepError"
RETRY_SECONDS, RETRY_RATE = 5, 3  # before the first retry, and by what each later one waits longer
SHORT = 300  # seconds for tasks that only write to the table
ANSWER_SECONDS = 3600  # after the deadline of an approval without a document, until its state gives up

WAIT = "wait"  # in a step's answer: seconds after which it is ordered again
PASSED = "passed"  # in an answer: what follows was ordered before
# What a redeemed token carries; ``last`` is the run's last transition, so that applying needs no read before.
DECISION_OUTPUT = ("review_id", "decision", "decision_id", "uri", "sha256", "last")
# The input fields that every message carries: which run, and which attempt drives it.
RUN = ("site", "project_id", "document_id", "workflow_id", "attempt")


@dataclass(frozen=True)
class InputValue:
    """A value of the state's input: ``result.next``."""

    path: str

    def value_in(self, given: Mapping[str, Any]) -> Any:
        """None if there is none, as a state machine leaves such a field out."""
        value: Any = given
        for name in self.path.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        return value


@dataclass(frozen=True)
class EntryTime:
    """The instant at which the state was entered."""


@dataclass(frozen=True)
class StepTimeout:
    """How long a person has: ``seconds``, or what is left of them where an attempt begins at this very state."""

    state: str
    left: InputValue
    seconds: int

    def value_in(self, given: Mapping[str, Any]) -> int:
        return int(self.left.value_in(given)) if given.get("start_at") == self.state else self.seconds


Source = str | int | InputValue | EntryTime | StepTimeout


@dataclass(frozen=True)
class Rule:
    """``to`` follows where ``path`` is ``value``; without one, where it is there at all."""

    path: str
    to: str
    value: str | int | None = None

    def holds(self, given: Mapping[str, Any]) -> bool:
        found = InputValue(self.path).value_in(given)
        return found is not None if self.value is None else bool(found == self.value)


@dataclass(frozen=True)
class Task:
    """A state that orders a Celery task and goes on with its answer. ``seconds`` that the answer may take.

    ``retries``: how often it is ordered again where the answer is ``UNEXPECTED``.
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
    seconds: InputValue
    to: str


@dataclass(frozen=True)
class End:
    """``failed``: with the error of the input, as an engine that knows failures shows it."""

    failed: bool = False


State = Task | Choice | Wait | End


@dataclass(frozen=True)
class Machine:
    """``states``: name → state, in the order of the steps; the first is ``BEGIN``."""

    definition: Definition
    states: Mapping[str, State]

    def task(self, name: str) -> Task:
        """Raises: KeyError if it is no state that waits for an answer."""
        state = self.states[name]
        if not isinstance(state, Task):
            raise KeyError(name)
        return state


def machine_of(definition: Definition) -> Machine:
    """The same for the same definition."""
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
    """How long a step may take. The first version gave it an hour, and what is published stays as it is.

    Slices of 30,000 pages take a day; what stands still the sweeper notices long before.
    """
    return settings.STEP_TIMEOUT_SECONDS if definition.id == FIRST_ANALYSIS.id else settings.LONG_STEP_TIMEOUT_SECONDS


def start_states(definition: Definition) -> list[str]:
    """Where an attempt may begin: at any step, or behind an approval with its decision as ``result``."""
    approvals = [apply_state(step) for step in definition.steps if step.type == "approval"]
    return [step.name for step in definition.steps] + approvals


def apply_state(step: StepDefinition) -> str:
    """Where the decision of an approval is applied; the first definitions have one approval and name no step."""
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
        # The engine owns the wait: no worker and no message is held while someone else works.
        yield waiting, Wait(InputValue(f"result.{WAIT}"), step.name)


def _branches(definition: Definition, step: StepDefinition) -> tuple[Rule, ...]:
    """The worker decides by the blueprint and answers ``next``; the machine follows, so the two cannot disagree."""
    orders = sorted(definition.reachable(step))
    return tuple(Rule("result.next", _state_of(definition, order), order) for order in orders)


def _state_of(definition: Definition, order: int) -> str:
    return definition.step(order).name if order > 0 else DONE


def _approval(definition: Definition, step: StepDefinition) -> dict[str, State]:
    apply, expire = apply_state(step), _state_of_step(EXPIRE, step)
    # The first version's messages do not say whose they are, and what is published stays as it is.
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
    """A question as other systems ask it: the review expires by itself and fails the state, before its own timeout."""
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

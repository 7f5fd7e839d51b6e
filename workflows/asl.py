"""A definition as Amazon States Language: JSONata, a Catch on every task, TimeoutSeconds on every callback.

Each task is ``sqs:sendMessage.waitForTaskToken`` whose body is a Celery message, so that Step Functions enqueues the
worker's tasks itself (AWS: "Wait for a Callback with the Task Token"). The execution's input goes through every state;
a callback's output is laid into it as ``result``.
"""

import json
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from workflows.definitions import FIRST_ANALYSIS, Definition, StepDefinition

_SEND = "arn:aws:states:::sqs:sendMessage.waitForTaskToken"
_KEEP = "{% $merge([$states.input, {'result': $states.result}]) %}"
_KEEP_ERROR = "{% $merge([$states.input, {'error': $states.errorOutput}]) %}"
_SHORT = 300  # seconds for tasks that only write to the table

BEGIN, FAIL_RUN, FAILED, DONE = "begin", "fail_run", "failed", "done"
APPLY, EXPIRE = "apply_decision", "expire_review"

WAIT = "wait"  # in a step's answer: seconds after which it is ordered again
# What a redeemed token carries; ``last`` is the run's last transition, so that applying needs no read before.
DECISION_OUTPUT = ("review_id", "decision", "decision_id", "uri", "sha256", "last")
# The input fields that every message carries: which run, and which attempt drives it.
_RUN = {name: f"$states.input.{name}" for name in ("site", "project_id", "document_id", "workflow_id", "attempt")}


def compile_definition(definition: Definition) -> str:
    """The machine of one definition version as JSON text, the same for the same definition."""
    states: dict[str, Any] = {BEGIN: _begin(definition)}
    for step in definition.steps:
        states.update(_approval(definition, step) if step.type == "approval" else _machine_step(definition, step))
    states[FAIL_RUN] = _task(
        "workflows.tasks.fail_run",
        settings.DESK_QUEUE,
        _SHORT,
        {"error": "$states.input.error.Error", "cause": "$states.input.error.Cause"},
        next_state=FAILED,
        caught_by=FAILED,
    )
    states[FAILED] = {
        "Type": "Fail",
        "Error": "{% $exists($states.input.error.Error) ? $states.input.error.Error : 'RunFailed' %}",
    }
    states[DONE] = {"Type": "Succeed"}
    machine = {"Comment": definition.id, "QueryLanguage": "JSONata", "StartAt": BEGIN, "States": states}
    return json.dumps(machine, indent=1, sort_keys=True)


def start_states(definition: Definition) -> list[str]:
    """Where an attempt may begin: at any step, or behind the review with its decision as ``result``."""
    return [step.name for step in definition.steps] + [APPLY]


def _begin(definition: Definition) -> dict[str, Any]:
    choices = [
        {"Condition": f"{{% $states.input.start_at = '{name}' %}}", "Next": name} for name in start_states(definition)
    ]
    return {"Type": "Choice", "Choices": choices, "Default": definition.steps[0].name}


def _machine_step(definition: Definition, step: StepDefinition) -> dict[str, Any]:
    targets = definition.reachable(step)
    branches = len(targets) > 1 or step.waits
    following = f"after_{step.name}" if branches else _state_of(definition, next(iter(targets)))
    states = {
        step.name: _task(
            "workflows.tasks.run_step",
            settings.STEPS_QUEUE,
            _seconds(definition),
            {"step": str(step.order)},
            next_state=following,
            caught_by=FAIL_RUN,
        )
    }
    if branches:
        states[following] = _branch(definition, step)
    if step.waits:
        waiting = f"wait_for_{step.name}"
        again = {"Condition": f"{{% $exists($states.input.result.{WAIT}) %}}", "Next": waiting}
        states[following]["Choices"].insert(0, again)
        # The engine owns the wait: no worker and no message is held while somebody else works.
        seconds = f"{{% $states.input.result.{WAIT} %}}"
        states[waiting] = {"Type": "Wait", "Seconds": seconds, "Next": step.name}
    return states


def _seconds(definition: Definition) -> int:
    """The first version gave a step an hour, and what is published stays as it is.

    Slices of 30,000 pages take a day; what stands still the sweeper notices long before.
    """
    return settings.STEP_TIMEOUT_SECONDS if definition.version == 1 else settings.LONG_STEP_TIMEOUT_SECONDS


def _branch(definition: Definition, step: StepDefinition) -> dict[str, Any]:
    """The worker decides by the blueprint and answers ``next``; the machine follows, so the two cannot disagree."""
    choices = [
        {"Condition": f"{{% $states.input.result.next = {order} %}}", "Next": _state_of(definition, order)}
        for order in sorted(definition.reachable(step))
    ]
    return {"Type": "Choice", "Choices": choices, "Default": FAIL_RUN}


def _state_of(definition: Definition, order: int) -> str:
    return definition.step(order).name if order > 0 else DONE


def _approval(definition: Definition, step: StepDefinition) -> dict[str, Any]:
    after_expiry = f"after_{EXPIRE}"
    # The first version's messages do not say whose they are, and what is published stays as it is.
    named = {} if definition == FIRST_ANALYSIS else {"definition": f"'{definition.id}'"}
    decision = {name: f"$states.input.result.{name}" for name in DECISION_OUTPUT}
    wait = _task(
        "review.tasks.open_review",
        settings.DESK_QUEUE,
        "{% $states.input.review_seconds %}",
        {
            "step": str(step.order),
            "timeout": "$states.input.review_seconds",
            "file_name": "$states.input.file_name",
            "project_name": "$states.input.project_name",
            "found": "$states.input.result",
            "entered": "$states.context.State.EnteredTime",
            **named,
        },
        next_state=APPLY,
        caught_by=FAIL_RUN,
    )
    wait["Catch"].insert(0, {"ErrorEquals": ["States.Timeout"], "Output": _KEEP_ERROR, "Next": EXPIRE})
    return {
        step.name: wait,
        APPLY: _task(
            "review.tasks.apply_decision",
            settings.DESK_QUEUE,
            _SHORT,
            {"step": str(step.order), **decision, **named},
            next_state=f"after_{step.name}",
            caught_by=FAIL_RUN,
        ),
        f"after_{step.name}": _branch(definition, step),
        EXPIRE: _task(
            "review.tasks.expire_review",
            settings.DESK_QUEUE,
            _SHORT,
            {},
            next_state=after_expiry,
            caught_by=FAIL_RUN,
        ),
        after_expiry: {
            "Type": "Choice",
            "Choices": [{"Condition": "{% $exists($states.input.result.decision_id) %}", "Next": APPLY}],
            "Default": FAILED,
        },
    }


def _task(
    task: str, queue: str, timeout: int | str, kwargs: Mapping[str, str], *, next_state: str, caught_by: str
) -> dict[str, Any]:
    return {
        "Type": "Task",
        "Resource": _SEND,
        "Arguments": {"QueueUrl": settings.QUEUE_URLS[queue], "MessageBody": _message(task, queue, kwargs)},
        "TimeoutSeconds": timeout,
        "Output": _KEEP,
        "Catch": [{"ErrorEquals": ["States.ALL"], "Output": _KEEP_ERROR, "Next": caught_by}],
        "Next": next_state,
    }


def _message(task: str, queue: str, kwargs: Mapping[str, str]) -> str:
    return message(task, queue, {**_RUN, **kwargs, "token": "$states.context.Task.Token"})


def message(task: str, queue: str, fields: Mapping[str, str]) -> str:
    """The body that kombu's SQS transport takes as it is: Celery's protocol 2, ``[args, kwargs, embed]`` inside.

    ``fields``: keyword argument → JSONata.
    """
    named = ", ".join(f"'{name}': {value}" for name, value in fields.items())
    envelope = (
        f"'body': $string([[], {{{named}}}, {{}}]), "
        "'content-type': 'application/json', 'content-encoding': 'utf-8', "
        f"'headers': {{'task': '{task}', 'id': $uuid(), 'lang': 'py'}}, "
        "'properties': {'delivery_tag': $uuid(), 'delivery_mode': 2, 'priority': 0, "
        f"'delivery_info': {{'exchange': '', 'routing_key': '{queue}'}}}}"
    )
    return f"{{% $string({{{envelope}}}) %}}"


def order(task: str, queue: str, fields: Mapping[str, str]) -> dict[str, Any]:
    """A state that sends one message and waits for nothing; for machines that only order work."""
    return {
        "Type": "Task",
        "QueryLanguage": "JSONata",
        "Resource": "arn:aws:states:::sqs:sendMessage",
        "Arguments": {"QueueUrl": settings.QUEUE_URLS[queue], "MessageBody": message(task, queue, fields)},
        "TimeoutSeconds": 60,
        "Retry": [{"ErrorEquals": ["States.ALL"], "IntervalSeconds": 2, "MaxAttempts": 6, "BackoffRate": 3}],
        "End": True,
    }

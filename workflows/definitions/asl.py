"""Compilation of definitions to Amazon States Language: JSONata, a Catch on every task, a timeout on every callback.

Each task is ``sqs:sendMessage.waitForTaskToken`` whose body is a Celery message, so Step Functions enqueues the
worker's tasks itself (AWS: "Wait for a Callback with the Task Token"). The execution's input passes through every
state; a callback's output is added to it as ``result``. State machines that belong to no definition are in
``engine/machines/``.
"""

import json
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from workflows.definitions import states
from workflows.definitions.blueprint import Definition
from workflows.definitions.states import (
    RUN,
    Choice,
    End,
    EntryTime,
    InputValue,
    Rule,
    Source,
    State,
    StepTimeout,
    Task,
    Wait,
)

_SEND = "arn:aws:states:::sqs:sendMessage.waitForTaskToken"
_KEEP = "{% $merge([$states.input, {'result': $states.result}]) %}"
_KEEP_ERROR = "{% $merge([$states.input, {'error': $states.errorOutput}]) %}"


def compile_definition(definition: Definition) -> str:
    """Return the state machine of a definition version as JSON text; deterministic."""
    found = {name: _state(state) for name, state in states.machine_of(definition).states.items()}
    machine = {"Comment": definition.id, "QueryLanguage": "JSONata", "StartAt": states.BEGIN, "States": found}
    return json.dumps(machine, indent=1, sort_keys=True)


def _state(state: State) -> dict[str, Any]:
    if isinstance(state, Task):
        return _task(state)
    if isinstance(state, Choice):
        choices = [{"Condition": _condition(rule), "Next": rule.to} for rule in state.rules]
        return {"Type": "Choice", "Choices": choices, "Default": state.otherwise}
    if isinstance(state, Wait):
        return {"Type": "Wait", "Seconds": _evaluate_source(state.seconds), "Next": state.to}
    return _end(state)


def _end(state: End) -> dict[str, Any]:
    if not state.failed:
        return {"Type": "Succeed"}
    error = "$states.input.error.Error"
    return {"Type": "Fail", "Error": f"{{% $exists({error}) ? {error} : 'RunFailed' %}}"}


def _condition(rule: Rule) -> str:
    path = _jsonata(InputValue(rule.path))
    return f"{{% $exists({path}) %}}" if rule.value is None else f"{{% {path} = {_jsonata(rule.value)} %}}"


def _jsonata(source: Source) -> str:
    if isinstance(source, InputValue):
        return f"$states.input.{source.path}"
    if isinstance(source, EntryTime):
        return "$states.context.State.EnteredTime"
    if isinstance(source, StepTimeout):
        return f"$states.input.start_at = '{source.state}' ? {_jsonata(source.left)} : {source.seconds}"
    return str(source) if isinstance(source, int) else f"'{source}'"


def _evaluate_source(source: Source) -> str:
    return f"{{% {_jsonata(source)} %}}"


def _task(state: Task) -> dict[str, Any]:
    caught = [{"ErrorEquals": ["States.ALL"], "Output": _KEEP_ERROR, "Next": state.caught_by}]
    if state.expired_by:
        caught.insert(0, {"ErrorEquals": ["States.Timeout"], "Output": _KEEP_ERROR, "Next": state.expired_by})
    fields = {name: _jsonata(InputValue(name)) for name in RUN}
    fields |= {name: _jsonata(source) for name, source in state.fields.items()}
    body = celery_message(state.task, state.queue, fields | {"token": "$states.context.Task.Token"})
    return _retry_rules(state) | {
        "Type": "Task",
        "Resource": _SEND,
        "Arguments": {"QueueUrl": settings.QUEUE_URLS[state.queue], "MessageBody": body},
        "TimeoutSeconds": state.seconds if isinstance(state.seconds, int) else _evaluate_source(state.seconds),
        "Output": _KEEP,
        "Catch": caught,
        "Next": state.to,
    }


def _retry_rules(state: Task) -> dict[str, Any]:
    if not state.retries:
        return {}
    rule = {"ErrorEquals": [states.UNEXPECTED], "MaxAttempts": state.retries, "JitterStrategy": "FULL"}
    return {"Retry": [rule | {"IntervalSeconds": states.RETRY_SECONDS, "BackoffRate": states.RETRY_RATE}]}


def celery_message(task: str, queue: str, fields: Mapping[str, str]) -> str:
    """Return a message body for kombu's SQS transport: Celery's protocol 2, with ``[args, kwargs, embed]`` inside.

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


def order_state(task: str, queue: str, fields: Mapping[str, str]) -> dict[str, Any]:
    """Return a state that sends one message and does not wait; for machines that only send work to workers."""
    return {
        "Type": "Task",
        "QueryLanguage": "JSONata",
        "Resource": "arn:aws:states:::sqs:sendMessage",
        "Arguments": {"QueueUrl": settings.QUEUE_URLS[queue], "MessageBody": celery_message(task, queue, fields)},
        "TimeoutSeconds": 60,
        "Retry": [{"ErrorEquals": ["States.ALL"], "IntervalSeconds": 2, "MaxAttempts": 6, "BackoffRate": 3}],
        "End": True,
    }

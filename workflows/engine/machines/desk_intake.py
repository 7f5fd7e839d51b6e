"""The machine ``desk-intake``: other state machines start it with a token, and it hands their request to a worker.

It does not wait: the caller's own state waits on the caller's token. If SQS rejects the message, for example because
the request is too large, a message without the request refuses it.
"""

import json
from typing import Any

from django.conf import settings

from workflows.definitions import asl

_SEND = "arn:aws:states:::sqs:sendMessage"
# The names in AWS's documentation, in seed 004 and in SDKs: a missing entry adds nothing to the list.
TOKEN = "[$states.input.token, $states.input.taskToken, $states.input.TaskToken][0]"  # noqa: S105 - a path, no secret


def name() -> str:
    return f"{settings.STACK}-desk-intake"


def compile_machine() -> str:
    """Return it as JSON text; deterministic for the same settings."""
    question = {"question": "$states.input", "entered": "$states.context.Execution.StartTime"}
    refusal = {"token": "$states.input.token", "error": "$states.input.error"}
    states: dict[str, Any] = {
        "read": {
            "Type": "Choice",
            "Choices": [{"Condition": f"{{% $exists({TOKEN}) %}}", "Next": "hand_over"}],
            "Default": "no_token",
        },
        "hand_over": _send("review.tasks.take_question", question)
        | {
            "Catch": [
                {
                    "ErrorEquals": ["States.ALL"],
                    "Output": {"token": f"{{% {TOKEN} %}}", "error": "{% $states.errorOutput.Error %}"},
                    "Next": "refuse",
                }
            ],
            "Next": "handed_over",
        },
        "handed_over": {"Type": "Succeed"},
        "refuse": _send("review.tasks.refuse_question", refusal) | {"Next": "refused"},
        "refused": {"Type": "Succeed"},  # the caller is notified; nothing to do here
        "no_token": {"Type": "Fail", "Error": "NoToken", "Cause": "Send the token as token: docs/review-requests.md"},
    }
    machine = {"Comment": "desk-intake", "QueryLanguage": "JSONata", "StartAt": "read", "States": states}
    return json.dumps(machine, indent=1, sort_keys=True)


def _send(task: str, fields: dict[str, str]) -> dict[str, Any]:
    queue = settings.DESK_QUEUE
    return {
        "Type": "Task",
        "Resource": _SEND,
        "Arguments": {"QueueUrl": settings.QUEUE_URLS[queue], "MessageBody": asl.celery_message(task, queue, fields)},
        "TimeoutSeconds": 60,
        "Retry": [{"ErrorEquals": ["States.ALL"], "IntervalSeconds": 1, "MaxAttempts": 3, "BackoffRate": 2}],
        "Output": {},
    }

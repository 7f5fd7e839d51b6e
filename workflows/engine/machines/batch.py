"""The parent machine ``batch``: a Distributed Map reads a batch's parts from S3 and sends one message for each.

It waits for no run. The Map uses JSONPath, which its ItemReader needs on the embedded AWS too; the message inside uses
JSONata, like all our messages.
"""

import json

from django.conf import settings

from workflows.definitions import asl

TASK = "workflows.batches.tasks.open_part"
_CONCURRENCY = 20  # messages sent at a time
_FIELDS = ("site", "batch_id", "attempt", "part")


def name() -> str:
    return f"{settings.STACK}-batch"


def compile_machine() -> str:
    """Return it as JSON text. Its input is ``{"key": …}``, the object that lists the parts."""
    fields = {one: f"$states.input.{one}" for one in _FIELDS}
    order = asl.order_state(TASK, settings.STEPS_QUEUE, fields)
    every = {
        "Type": "Map",
        "Label": "parts",
        "MaxConcurrency": _CONCURRENCY,
        "ToleratedFailurePercentage": 100,  # the sweeper orders what was not ordered here
        "ItemReader": {
            "Resource": "arn:aws:states:::s3:getObject",
            "ReaderConfig": {"InputType": "JSON"},
            "Parameters": {"Bucket": settings.BUCKET_NAME, "Key.$": "$.key"},
        },
        "ItemProcessor": {
            "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
            "StartAt": "order",
            "States": {"order": order},
        },
        "ResultPath": None,
        "End": True,
    }
    machine = {"Comment": "batch", "QueryLanguage": "JSONPath", "StartAt": "parts", "States": {"parts": every}}
    return json.dumps(machine, indent=1, sort_keys=True)

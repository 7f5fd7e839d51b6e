"""The machine ``ingress``: EventBridge starts it for each new S3 object, and it sends our task a message.

It is a machine and not an input transformer of the rule because an object's key may contain a quotation mark, which a
template does not escape in the text inside Celery's message.
"""

import json

from django.conf import settings

from workflows.definitions import asl

TASK = "workflows.tasks.take_incoming"
_OBJECT = "$states.input.detail.object"


def name() -> str:
    return f"{settings.STACK}-ingress"


def compile_machine() -> str:
    """Return it as JSON text. Its input is S3's event (AWS: "Amazon S3 event notification with EventBridge")."""
    fields = {
        "key": f"{_OBJECT}.key",
        "version": f"$exists({_OBJECT}.`version-id`) ? {_OBJECT}.`version-id` : ''",
        "size": f"{_OBJECT}.size",
    }
    order = asl.order_state(TASK, settings.STEPS_QUEUE, fields)
    machine = {"Comment": "ingress", "QueryLanguage": "JSONata", "StartAt": "order", "States": {"order": order}}
    return json.dumps(machine, indent=1, sort_keys=True)

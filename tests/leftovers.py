"""Whether a test may have left messages or executions behind: most touch the table alone, and need no look at the rest.

Imported before faults and meters, which wrap the same method later.
"""

import time
from typing import Any

from botocore.client import BaseClient

# What sends, starts, or has the bus send and start; an object that is put may be announced to a machine.
_SERVICES = {"sqs", "stepfunctions", "events", "cloudformation"}
_PUTS = {"PutObject", "CopyObject", "CompleteMultipartUpload"}
_LATE = 1.0  # seconds in which the bus and the machines may still send what a test caused
_inner = BaseClient._make_api_call


class _Seen:
    at = 0.0  # when something was last called that leaves anything behind
    cleaned = -_LATE  # when it was last taken away


def may_be() -> bool:
    return _Seen.at > _Seen.cleaned - _LATE


def taken_away() -> None:
    _Seen.cleaned = time.monotonic()


def _noting(self: BaseClient, operation: str, params: dict[str, Any]) -> Any:
    if self.meta.service_model.service_name in _SERVICES or operation in _PUTS:
        _Seen.at = time.monotonic()
    return _inner(self, operation, params)


BaseClient._make_api_call = _noting

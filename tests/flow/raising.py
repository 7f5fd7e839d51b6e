"""Celery's application for a worker whose tasks raise, or hang, as they write to S3, when a test says so.

The file ``faults`` beside the desk's state has a line for each task, ``workflows.tasks.unpack raise``: a ``ValueError``
that quotes the document as a parser may. With ``hang`` the call lasts for as long as the line is there.
"""

import os
import time
from pathlib import Path
from typing import Any

from botocore.client import BaseClient
from celery import current_task

from config.celery import app

__all__ = ["MARKER", "app"]
NAMED = Path(os.environ["COUNTERSIGN_STATE_DIR"]) / "faults"
MARKER = "Quagmire4711"

app.loader.import_default_modules()
_call = BaseClient._make_api_call  # type: ignore[attr-defined]  # the stubs leave it out


def _wants(what: str) -> bool:
    try:
        lines = NAMED.read_text().splitlines()
    except FileNotFoundError:
        return False
    return bool(current_task) and f"{current_task.name} {what}" in lines


def _faulty(client: BaseClient, operation: str, params: dict[str, Any]) -> Any:
    if operation == "PutObject":
        while _wants("hang"):
            NAMED.with_suffix(".hangs").touch()
            time.sleep(0.1)
        if _wants("raise"):
            raise ValueError(f"could not convert {MARKER!r}")
    return _call(client, operation, params)


BaseClient._make_api_call = _faulty  # type: ignore[attr-defined]

"""Celery's application for a worker that some messages end: what the file beside the desk's state names kills it.

One line for each task and document, ``workflows.tasks.run_step <document id>``; each death is a line in ``.deaths``.
"""

import functools
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from config.celery import app

NAMED = Path(os.environ["COUNTERSIGN_STATE_DIR"]) / "deadly"

app.loader.import_default_modules()


def deadly(name: str, run: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(run)
    def dies(*args: Any, **kwargs: Any) -> Any:
        this = f"{name} {kwargs.get('document_id')}"
        if NAMED.exists() and this in NAMED.read_text().splitlines():
            with NAMED.with_suffix(".deaths").open("a") as deaths:
                deaths.write(f"{this}\n")
            os.kill(os.getpid(), signal.SIGKILL)
        return run(*args, **kwargs)

    return dies


for task in app.tasks.values():
    task.run = deadly(task.name, task.run)

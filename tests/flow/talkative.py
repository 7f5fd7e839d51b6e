"""Celery's and the web server's application of a desk whose code raises what it reads, when a test says so.

The file ``talks`` beside the desk's state names a stage, a task, ``page`` or ``web``: that raises a ``ValueError`` that
quotes the document, from a cause that does. Nothing else is changed, so what is logged is what a bug would log.
"""

import dataclasses
import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.handlers.base import BaseHandler

from config.celery import app
from config.wsgi import application
from workflows.stages import slices
from workflows.stages.registry import STAGES

__all__ = ["app", "application"]
STATE = Path(os.environ["COUNTERSIGN_STATE_DIR"])
NAMED, QUOTE = STATE / "talks", STATE / "quote"


def talk(name: str) -> None:
    if not NAMED.exists() or NAMED.read_text().strip() != name:
        return
    quote = QUOTE.read_text()
    try:
        {}[quote]
    except KeyError as cause:
        raise ValueError(f"could not convert {quote!r}", quote) from cause


def talking(name: str, do: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(do)
    def talks(*args: Any, **kwargs: Any) -> Any:
        talk(name)
        return do(*args, **kwargs)

    return talks


app.loader.import_default_modules()
for task in app.tasks.values():
    task.run = talking(task.name, task.run)
for name, stage in STAGES.items():
    slicing = stage.slicing and dataclasses.replace(stage.slicing, plan=talking(name, stage.slicing.plan))
    STAGES[name] = dataclasses.replace(stage, run=talking(name, stage.run), slicing=slicing)
_each = slices.do_each_page
slices.do_each_page = lambda context, indices, do: _each(context, indices, talking("page", do))
BaseHandler.resolve_request = talking("web", BaseHandler.resolve_request)  # type: ignore[method-assign]

"""One JSON object a line, with ids only: never document text, prompts, tokens or personal data."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from config import clock

_site: ContextVar[str] = ContextVar("site", default="")

_OURS = (
    "site",
    "run",
    "document",
    "project",
    "provider",
    "review",
    "decision",
    "step",
    "attempt",
    "task",
    "event",
    "seconds",
    "rows",
    "error",
)


@contextmanager
def on_site(site: str) -> Iterator[None]:
    """Whatever is logged inside is of this site, also what a library logs: ids alone may be those of two tenants."""
    before = _site.set(site)
    try:
        yield
    finally:
        _site.reset(before)


def set_site(site: str) -> None:
    """The same from here on; who sets it ends it with an empty one."""
    _site.set(site)


class JsonFormatter(logging.Formatter):
    """Keeps the named ids of ``extra`` and drops the rest, so that a careless call cannot leak a document."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": clock.iso(clock.now()),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if site := _site.get():
            line["site"] = site
        line.update({name: getattr(record, name) for name in _OURS if hasattr(record, name)})
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = type(record.exc_info[1]).__name__
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)

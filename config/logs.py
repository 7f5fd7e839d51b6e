"""One JSON object a line, with ids only: never document text, prompts, tokens or personal data."""

import json
import logging

from config import clock

_OURS = (
    "site",
    "run",
    "document",
    "project",
    "review",
    "decision",
    "step",
    "attempt",
    "task",
    "event",
    "seconds",
    "error",
)


class JsonFormatter(logging.Formatter):
    """Keeps the named ids of ``extra`` and drops the rest, so that a careless call cannot leak a document."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": clock.iso(clock.now()),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line.update({name: getattr(record, name) for name in _OURS if hasattr(record, name)})
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = type(record.exc_info[1]).__name__
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)

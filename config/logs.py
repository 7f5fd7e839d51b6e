"""JSON logging, one object a line, with ids only: no document text, prompts, tokens or personal data at any level.

Document text reaches logs through exception messages (``ValueError: could not convert 'ACME Ltd'``) and through the
arguments of library log records. So exceptions are logged by type and place only, and library records by their constant
text, with only numbers, ids and task names filled in.
"""

import json
import logging
import logging.config
import re
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any

from config import clock

REQUEST_HEADER = "X-Request-Id"
_site: ContextVar[str] = ContextVar("site", default="")
_request_id: ContextVar[str] = ContextVar("request", default="")
_about: ContextVar[Mapping[str, str]] = ContextVar("about", default=MappingProxyType({}))

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
    "trial",
    "seconds",
    "cpu_seconds",
    "calls",
    "method",
    "route",
    "status",
    "user",
    "rows",
    "error",
)
_PACKAGES = frozenset({"config", "projects", "workflows", "review", "countersign"})
_TOLD = frozenset({"celery", "django", "gunicorn"})  # libraries whose INFO is of use; of all others from WARNING on
_CONSTANT = frozenset({"celery", "kombu", "amqp"})  # whose messages without arguments were not made from anything
_PRINTED = "celery.redirected"
_HIDDEN = "…"
_SAFE = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # of a message
    r"|(config|projects|workflows|review)(\.[a-z_]+)+"  # a task
)
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ARGUMENTS = {"project": "project_id", "document": "document_id", "run": "workflow_id", "review": "review_id"}
_FRAMES = 25
_ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def on_site(site: str) -> Iterator[None]:
    """Add the site to all lines logged inside, libraries' too: an id alone may belong to two tenants."""
    before = _site.set(site)
    try:
        yield
    finally:
        _site.reset(before)


def set_site(site: str) -> None:
    """Set the site from here on; reset it with an empty one."""
    _site.set(site)


@contextmanager
def on_request(request_id: str) -> Iterator[None]:
    """Add the request id to all lines logged inside."""
    before = _request_id.set(request_id)
    try:
        yield
    finally:
        _request_id.reset(before)


def request_id() -> str:
    """Return the id of the request that caused the current work; a task of no request has its own. Else empty."""
    return _request_id.get()


def request_headers() -> dict[str, str]:
    """Return headers for a call to an outside service, so that its logs can be correlated with ours."""
    found = request_id()
    return {REQUEST_HEADER: found} if found else {}


def set_request(request_id: str) -> None:
    """Set the request id from here on, as found on the work's row."""
    _request_id.set(request_id)


def context() -> dict[str, str]:
    """Return the ids of the current work, as logged."""
    return {"site": _site.get(), "request": _request_id.get(), **_about.get()}


def follow_request(request_id: str | None) -> None:
    """Continue under the request id stored on the row, if any: state machines do not pass it on."""
    if request_id:
        set_request(request_id)


def set_task(arguments: Mapping[str, Any], request_id: str = "") -> None:
    """Set the current task's ids, taken from its arguments; no other argument is kept."""
    set_site(str(arguments.get("site") or ""))
    set_request(request_id)
    _about.set(ids_of(arguments))


def place_of(error: BaseException) -> str:
    """Describe an exception for ``extra={"error": …}``: its type and place, never its message.

    >>> try:
    ...     int("ACME Ltd")
    ... except ValueError as error:
    ...     place_of(error).startswith("ValueError at ")
    True
    """
    name = type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    return f"{name} at {_place(frames[-1])}" if frames else name


def _place(frame: traceback.FrameSummary) -> str:
    path = Path(frame.filename)
    shown = path.relative_to(_ROOT) if path.is_relative_to(_ROOT) else Path(*path.parts[-2:])
    return f"{shown}:{frame.lineno}"


class Library(logging.Filter):
    """Drops library records below WARNING: at DEBUG they log what they send, read and decode."""

    def filter(self, record: logging.LogRecord) -> bool:
        package = record.name.partition(".")[0]
        return package in _PACKAGES or record.levelno >= (logging.INFO if package in _TOLD else logging.WARNING)


class JsonFormatter(logging.Formatter):
    """Keeps known ids from ``extra`` and drops the rest, so that a careless call cannot leak a document."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": clock.iso(clock.now()),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
        }
        if site := _site.get():
            line["site"] = site
        if request := _request_id.get():
            line["request"] = request
        line.update(_about.get())
        if _is_ours(record):
            line.update({name: getattr(record, name) for name in _OURS if hasattr(record, name)})
            line.update(getattr(record, "embedded", {}))  # of ``config.metrics``: names and numbers
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = type(record.exc_info[1]).__name__
            line["trace"] = _trace(record.exc_info[1], record.exc_info[2])
        return json.dumps(line, default=lambda value: type(value).__name__)


def _is_ours(record: logging.LogRecord) -> bool:
    return record.name.partition(".")[0] in _PACKAGES


def _message(record: logging.LogRecord) -> str:
    package = record.name.partition(".")[0]
    if package in _PACKAGES:
        return record.getMessage()
    if record.name == "django.request":
        return _request(record)
    if not record.args and (package not in _CONSTANT or record.name == _PRINTED):  # put together before, of anything
        return f"{Path(record.pathname).name}:{record.lineno}"
    try:
        return str(record.msg) % _without_text(record.args) if record.args else str(record.msg)
    except (TypeError, ValueError, KeyError):
        return f"{Path(record.pathname).name}:{record.lineno}"


def _without_text(args: Any) -> Any:
    if isinstance(args, Mapping):
        return _Shown({name: _format_value(value) for name, value in args.items()})
    return tuple(map(_format_value, args))


class _Shown(dict[str, Any]):
    def __missing__(self, _name: str) -> str:
        return _HIDDEN


def _format_value(value: Any) -> Any:
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, BaseException):
        return _Word(place_of(value))
    return _Word(value if isinstance(value, str) and _SAFE.fullmatch(value) else _HIDDEN)


class _Word(str):
    """A word whose ``repr`` has no quotation marks, for templates with ``%r``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _request(record: logging.LogRecord) -> str:
    return f"{getattr(record, 'status_code', '')} {route_of(getattr(record, 'request', None))}".strip()


def route_of(request: Any) -> str:
    """Return the view's route; paths are not logged, since they may contain typed text or file names."""
    match = getattr(request, "resolver_match", None)
    return str(match.route) if match else "at no address of ours"


def ids_of(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Return the ids among the arguments of a task or view, under the names used in log lines."""
    found = {name: str(arguments[of]) for name, of in _ARGUMENTS.items() if arguments.get(of)}
    return {name: value for name, value in found.items() if _ID.fullmatch(value)}


def _trace(error: BaseException, at: TracebackType | None) -> str:
    """Format a traceback without exception messages and source lines."""
    lines: list[str] = []
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        frames = traceback.extract_tb(at if found is error else found.__traceback__)[-_FRAMES:]
        lines[:0] = [*(f"{_place(frame)} {frame.name}" for frame in frames), type(found).__name__]
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)
    return "\n".join(lines)


def configure_logging(settings: dict[str, Any]) -> None:
    """Django's LOGGING_CONFIG: apply the settings and hook uncaught exceptions."""
    logging.config.dictConfig(settings)
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _log_uncaught
    if threading.excepthook is threading.__excepthook__:
        threading.excepthook = lambda hook: _log_uncaught(hook.exc_type, hook.exc_value, hook.exc_traceback)


def _log_uncaught(kind: type[BaseException], error: BaseException | None, at: TracebackType | None) -> None:
    """Show uncaught exceptions whole at a terminal; anywhere else stderr is a log."""
    if error is None or issubclass(kind, KeyboardInterrupt) or sys.stderr.isatty():
        sys.__excepthook__(kind, error or kind(), at)
    else:
        logging.getLogger("countersign").critical("uncaught", exc_info=(kind, error, at))


def take_over(name: str) -> None:
    """Route a library's logger, which brings its own handler, through ours."""
    logger = logging.getLogger(name)
    logger.handlers.clear()
    logger.propagate = True

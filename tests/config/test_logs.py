"""No log holds the words of a document: what the formatter writes of our records, of libraries' and of exceptions."""

import ast
import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from config import logs
from tests.each import each

MARKER = "Quagmire-Holdings-4711"
ROOT = Path(settings.BASE_DIR)
LOGGED = {"debug", "info", "warning", "error", "exception", "critical"}


def line(name: str, text: str, *args: object, level: int = logging.ERROR, **more: object) -> dict[str, object]:
    record = logging.getLogger(name).makeRecord(name, level, __file__, 12, text, args, None)
    vars(record).update(more)
    written = logs.JsonFormatter().format(record)
    assert MARKER not in written
    found: dict[str, object] = json.loads(written)
    return found


def raised(error: BaseException) -> tuple[object, ...]:
    try:
        try:
            {}[MARKER]
        except KeyError as cause:
            raise error from cause
    except type(error):
        return sys.exc_info()


def test_an_exception_is_its_type_and_its_place_with_those_it_came_from() -> None:
    found = line("workflows.tasks", "page failed", exc_info=raised(ValueError(f"no number: {MARKER}")), run="r-1")
    assert (found["error"], found["run"], found["message"]) == ("ValueError", "r-1", "page failed")
    trace = str(found["trace"]).splitlines()
    assert [one for one in trace if " " not in one] == ["KeyError", "ValueError"]
    assert all(one.startswith("tests/config/test_logs.py:") for one in trace if " " in one)


def test_a_task_that_raises_is_named_without_what_it_raised() -> None:
    """As celery.app.trace logs it, whose template takes the exception and the task's arguments."""
    template = "Task %(name)s[%(id)s] %(description)s: %(exc)s"
    context = {
        "name": "workflows.tasks.run_step", "id": "0d0e3b8c-42ea-4d77-b0f1-58f4fc9e2b0a", "description": MARKER,
        "exc": repr(ValueError(MARKER)), "traceback": MARKER, "args": f"({MARKER},)", "kwargs": MARKER,
    }  # fmt: skip
    found = line("celery.app.trace", template, context, exc_info=raised(ValueError(MARKER)))
    assert found["message"] == f"Task workflows.tasks.run_step[{context['id']}] …: …"
    assert found["error"] == "ValueError"


def test_whatever_is_logged_in_a_task_has_the_ids_of_what_it_is_about() -> None:
    logs.set_task({"site": "acme", "document_id": "d-1", "workflow_id": f"{MARKER} Ltd", "text": MARKER})
    try:
        found = line("celery.app.trace", "Task %(name)s", {"name": "workflows.tasks.run_step"})
    finally:
        logs.set_task({})
    assert {"site": "acme", "document": "d-1"}.items() <= found.items()
    assert not {"run", "site", "document"} & set(line("celery.app.trace", "Task %(name)s", {"name": "x"}))


@each(
    ("name", "text", "args", "message"),
    [
        (
            "celery.worker.consumer",
            "Unknown task %s: %s (%sb)",
            ("a.b", {"text": MARKER}, 12),
            "Unknown task …: … (12b)",
        ),
        ("kombu.connection", "Connection error: %r", (OSError(MARKER),), "Connection error: OSError"),
        ("celery.redirected", MARKER, (), "test_logs.py:12"),
        ("PIL.TiffImagePlugin", "tag: %s - value: %s", (270, MARKER), "tag: 270 - value: …"),
        ("py.warnings", "%s", (f"UserWarning: {MARKER}",), "…"),
        ("gunicorn.error", f"Invalid request: {MARKER}", (), "test_logs.py:12"),
        ("somebody.else", f"{MARKER} %d %d", (1,), "test_logs.py:12"),
    ],
)
def test_a_librarys_record_is_its_own_text_with_numbers_alone(name, text, args, message) -> None:  # type: ignore[no-untyped-def]
    if name == "somebody.else":
        text = text.replace(MARKER, "odd")
    assert line(name, text, *args)["message"] == message


def test_of_a_libraries_record_no_attribute_is_taken_for_an_id() -> None:
    assert "document" not in line("celery.worker", "odd", document=MARKER)
    assert "said" not in line("workflows.engine.steps", "step begins", said=MARKER)


def test_what_libraries_say_below_a_warning_is_dropped_at_any_level() -> None:
    keep = logs.Library().filter
    make = logging.getLogger("x").makeRecord
    kept = {
        (name, level)
        for name in ("workflows.engine.steps", "celery.worker", "urllib3", "PIL.PngImagePlugin")
        for level in (logging.DEBUG, logging.INFO, logging.WARNING)
        if keep(make(name, level, __file__, 1, "x", (), None))
    }
    assert {name for name, level in kept if level == logging.DEBUG} == {"workflows.engine.steps"}
    assert {name for name, level in kept if level == logging.INFO} == {"workflows.engine.steps", "celery.worker"}
    assert len(kept) == 7


@pytest.mark.wide
def test_what_nothing_catches_is_logged_without_its_words() -> None:
    """In a program and in its threads, behind a pipe: that is a log."""
    program = (
        "import django, threading; django.setup()\n"
        f"thread = threading.Thread(target=lambda: int('{MARKER}')); thread.start(); thread.join()\n"
        f"open('/{MARKER}')\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert MARKER not in ran.stdout + ran.stderr
    assert [json.loads(one)["error"] for one in ran.stderr.splitlines()] == ["ValueError", "FileNotFoundError"]


@pytest.mark.wide
def test_no_other_handler_writes() -> None:
    """Those that Django, gunicorn and Celery come with write what they are given, and one sends it by mail."""
    program = (
        "import django, json, logging; logging.getLogger('gunicorn.error').addHandler(logging.StreamHandler())\n"
        "django.setup(); from config.celery import app; app.log.setup(loglevel='DEBUG', redirect_stdouts=True)\n"
        "known = [logging.root, *logging.root.manager.loggerDict.values()]\n"
        "found = [one for one in known if isinstance(one, logging.Logger) and one.handlers]\n"
        "print(json.dumps({one.name: list(map(repr, one.handlers)) for one in found}))\n"
    )
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    found = json.loads(ran.stdout.splitlines()[-1])
    quiet = {name: kinds for name, kinds in found.items() if any("NullHandler" not in one for one in kinds)}
    assert set(quiet) == {"root"}
    assert len(quiet["root"]) == 1


def calls() -> list[tuple[str, ast.Call]]:
    found = []
    for package in ("config", "projects", "workflows", "review"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LOGGED:
                    owner = node.func.value
                    if isinstance(owner, ast.Name) and owner.id in {"log", "logger"}:
                        found.append((f"{path.relative_to(ROOT)}:{node.lineno}", node))
    return found


@pytest.mark.wide
def test_what_we_log_is_a_constant_text_beside_ids() -> None:
    """And an exception is named by ``logs.place_of`` or its type: its words may be the document's."""
    assert len(calls()) > 50
    for where, call in calls():
        assert len(call.args) == 1, where
        assert isinstance(call.args[0], ast.Constant), where
        for keyword in call.keywords:
            assert keyword.arg == "extra", where
            assert "str(error)" not in ast.unparse(keyword.value), where
            assert ".message" not in ast.unparse(keyword.value), where

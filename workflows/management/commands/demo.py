"""``manage.py demo``: run everything on this machine, with sample documents, until Ctrl-C."""

import functools
import hashlib
import logging
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config import clock
from config.brokers.transport import CELERY
from config.errors import CountersignError, Misconfigured
from config.laptop import emulator, locks, log_files
from config.laptop.supervisor import Supervisor, die_with_parent, give_way
from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.schemas.defaults import ensure_default_schemas
from projects.settings.defaults import ensure_default_project, ensure_invoice_project
from projects.sites.demo_users import Login, ensure_logins
from workflows.management.developer_tools import load_tool
from workflows.operations import local_desk, process_files
from workflows.operations.deployment import Report
from workflows.operations.local_desk import LocalDesk
from workflows.operations.process_files import Job

BY = Actor("demo", "Demo")
SAMPLES_SECONDS = 180
# namespace of the samples' ids, so that each is loaded once
_DOCUMENTS = uuid.UUID("6f1d2c7e-3a55-4c39-9f0e-5d1f3b7a9c20")


class Command(BaseCommand):
    help = "Run Countersign locally: embedded AWS, web server, workers and sample documents."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute; each child checks for itself

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--no-samples", action="store_true", help="start without sample documents")
        parser.add_argument("--no-history", action="store_true", help="start without an invented week of documents")
        parser.add_argument("--once", action="store_true", help="stop once everything is running (for tests)")

    def handle(self, *_args: Any, **options: Any) -> None:
        logging.getLogger().setLevel(logging.WARNING)  # keep the terminal for the result
        if not settings.ON_LAPTOP:
            raise CommandError("The demo requires the embedded AWS. Unset COUNTERSIGN_ENV and run it again.")
        signal.signal(signal.SIGTERM, _interrupt)
        port = settings.WEB_PORT
        try:
            _be_the_only_one(port)
            samples, history = not options["no_samples"], not (options["no_history"] or options["no_samples"])
            self._run(port, load_samples=samples, write_history=history, once=options["once"])
        except KeyboardInterrupt:
            self.stdout.write("\nStopped. State is kept and restored on the next start.")
        except CountersignError as error:
            raise CommandError(str(error)) from error

    def _run(self, port: int, *, load_samples: bool, write_history: bool, once: bool) -> None:
        _check_free(port)
        if emulator.is_answering(str(settings.AWS_ENDPOINT_URL)):
            raise Misconfigured(
                f"An emulator is already running at {settings.AWS_ENDPOINT_URL}; the demo may be running. Stop it, "
                "or set COUNTERSIGN_EMULATOR_PORT and COUNTERSIGN_PORT to free ports."
            )
        logins: list[Login] = []

        def set_up() -> None:
            call_command("migrate", verbosity=0, interactive=False)
            _collect_static()
            logins.extend(ensure_logins(settings.STATE_DIR / "logins.json"))

        self._say("Starting embedded AWS, workers and web server")
        with local_desk.run_local_desk(self._aside, set_up) as desk:
            _add_web(desk.supervisor, port)
            _wait_for_web(desk, port, self._say)
            self._welcome(port, logins)
            if load_samples:
                self._load_samples(desk)
            self._say(f"\nLogs: {settings.STATE_DIR / 'logs'}. Press Ctrl-C to stop.")
            if write_history and not once:
                _begin_history(desk.supervisor.logs)
            while not once:
                desk.tend(self._say)
                time.sleep(1)
            self._say("Stopping")

    def _load_samples(self, desk: LocalDesk) -> None:
        samples = load_tool("samples")
        ensure_default_schemas(DEFAULT_SITE, by=BY)
        folder = settings.STATE_DIR / "samples"
        receipts, invoices = ensure_default_project(DEFAULT_SITE, by=BY), ensure_invoice_project(DEFAULT_SITE, by=BY)
        jobs: list[Job] = []
        papers = [(receipts, path) for path in samples.write_samples(folder)]
        papers.append((invoices, samples.write_due_invoice(folder, clock.now().date())))
        for project, path in papers:
            document_id = str(uuid.uuid5(_DOCUMENTS, path.name))
            if not process_files.is_loaded(DEFAULT_SITE, project.id, document_id):
                jobs.append(process_files.begin_job(DEFAULT_SITE, project, path, by=BY, document_id=document_id))
        if jobs:
            self._say(f"Processing {len(jobs)} sample documents")
        deadline = time.monotonic() + SAMPLES_SECONDS
        while (moving := [job for job in jobs if not job.outcome]) and time.monotonic() < deadline:
            for job in moving:
                jobs[jobs.index(job)] = looked = process_files.update_job(job)
                if looked.outcome:
                    self._say(f"  {job.path.name}: {looked.outcome.replace('_', ' ')}")
            desk.tend(self._say)
            time.sleep(0.3)
        if moving:
            self._say(f"  {len(moving)} still running; follow them on the Runs page.")

    def _welcome(self, port: int, logins: list[Login]) -> None:
        width = max(len(login.username) for login in logins)
        self.stdout.write(f"\nCountersign is running: http://127.0.0.1:{port}/\n\n")
        for login in logins:
            self.stdout.write(f"  {login.username:{width}}  {login.password}   {login.role}")
        self._say("")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def _aside(self, text: str) -> None:
        """Print output of bootstrap that newcomers can ignore."""
        if settings.DEBUG:
            self._say(text)


def _collect_static() -> None:
    """Run Django's command, which takes a second, unless no file has changed since."""
    found = sorted((path, Path(storage.path(path)).stat()) for one in get_finders() for path, storage in one.list([]))
    seen = hashlib.sha256(repr([(path, at.st_mtime_ns, at.st_size) for path, at in found]).encode()).hexdigest()
    stamp = settings.STATE_DIR / "static-collected"
    if not stamp.exists() or stamp.read_text() != seen or not settings.STATIC_ROOT.exists():
        call_command("collectstatic", verbosity=0, interactive=False)
        stamp.write_text(seen)


def _begin_history(logs: Path) -> None:
    """Run in a background process that exits with this one, so pages are served meanwhile."""
    with log_files.open_log(logs / "history.log", "the invented week") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.tools.make_history"],
            cwd=settings.BASE_DIR,
            env=os.environ | {"COUNTERSIGN_ENGINE": CELERY},  # this engine's messages can stay in that process
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=functools.partial(die_with_parent, os.getpid()),  # noqa: PLW1509 - we run no threads
        )
    give_way(process.pid, 5)  # with 15 it got 4 CPU seconds in six minutes on a busy machine


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def _be_the_only_one(port: int) -> None:
    """Lock the state folder until this process ends: a second demo must not set up the same database.

    Raises:
        Misconfigured: another demo has it.

    """
    path = settings.STATE_DIR / "demo.lock"
    if locks.hold_lock(path, f"{port} {os.getpid()}") is None:
        port_there, _, process = path.read_text().partition(" ")
        raise Misconfigured(
            f"The demo is already running: open http://127.0.0.1:{port_there or port}/ or stop it (process "
            f"{process}). A second demo needs its own COUNTERSIGN_STATE_DIR, COUNTERSIGN_PORT and "
            "COUNTERSIGN_EMULATOR_PORT."
        )


def _check_free(port: int) -> None:
    """Raises: Misconfigured."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise Misconfigured(
                f"Port {port} is in use. Stop the other program, or set COUNTERSIGN_PORT to a free port."
            ) from error


def _add_web(supervisor: Supervisor, port: int) -> None:
    bind = ("-b", f"127.0.0.1:{port}", "--access-logfile", "/dev/null", "--no-control-socket")
    supervisor.add(
        "web", "gunicorn", "config.wsgi", *bind, "-k", "gthread", "-w", "1", "--threads", "8", "-t", "120", forks=True
    )


def _wait_for_web(desk: LocalDesk, port: int, report: Report) -> None:
    """Raises: Misconfigured if it does not start."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        desk.tend(report)
        time.sleep(0.1)
    log: Path = desk.supervisor.logs / "web.log"
    raise Misconfigured(f"The web server did not start. See {log}.")

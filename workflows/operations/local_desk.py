"""A deployment on this machine: the emulator with everything deployed on it, and the workers."""

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from celery import current_app
from django.conf import settings
from django.core.management import call_command
from django.utils.translation import gettext

from config.brokers import queues
from config.brokers.transport import BROKER_NAMES
from config.errors import Misconfigured
from config.laptop import embedded_model, emulator, locks
from config.laptop.emulator import Emulator
from config.laptop.forked import share_memory
from config.laptop.supervisor import Supervisor
from workflows.operations import deployment
from workflows.operations.deployment import Report
from workflows.operations.processes import LAPTOP


@dataclass
class LocalDesk:
    """The processes of this deployment; ``embedded`` is None if the endpoint was running before it.

    ``clock``: replaces beat; None if another process runs the workers.
    """

    supervisor: Supervisor
    embedded: Emulator | None = None
    clock: "Clock | None" = None

    def tend(self, report: Report) -> None:
        """Restart what has died, the emulator with its last snapshot; call it about once a second.

        Raises:
            Misconfigured: the emulator does not restart; the message says why.

        """
        if self.embedded and (code := self.embedded.process.poll()) is not None:
            lost = f" Changes of the last {emulator.SAVE_SECONDS} seconds may be lost." if code else ""
            report(f"The embedded AWS exited with code {code}; restarting.{lost}")
            self.embedded = start_embedded()
            deployment.deploy_desk(_ignore_report)  # what was deployed after its last snapshot is gone
        self.supervisor.tend(report)
        if self.clock:
            self.clock.tick()  # what it cannot send now is sent next time

    def stop(self) -> None:
        """Stop workers first: they write when they exit."""
        self.supervisor.stop()
        if self.embedded:
            self.embedded.stop()


@dataclass
class Clock:
    """Sends what beat sends in a deployment. It does not wait for the broker, as its caller has more to do."""

    due: dict[str, float] = field(default_factory=dict)

    def tick(self) -> None:
        schedule: Mapping[str, Mapping[str, Any]] = settings.CELERY_BEAT_SCHEDULE
        for name, entry in schedule.items():
            if time.monotonic() >= self.due.get(name, 0.0):
                task = str(entry["task"])
                queue = settings.CELERY_TASK_ROUTES[task]["queue"]
                queues.enqueue_soon(task, queue, {}, expires=entry["options"]["expires"])
                self.due[name] = time.monotonic() + entry["schedule"]


def start_embedded() -> Emulator:
    """Raises: Misconfigured."""
    return emulator.start_emulator(state_dir=settings.STATE_DIR / "emulator", port=settings.EMULATOR_PORT)


def _ignore_report(_text: str) -> None:
    pass


# Low priority, so that single pages get most of a core, but not so low that a busy machine starves large documents.
_NICE = {"worker-slices": 10}


def load_code() -> None:
    """Import what all processes have in common, so that forks share it."""
    level = logging.getLogger().level
    current_app.loader.import_default_modules()  # this sets up Django again, including logging
    logging.getLogger().setLevel(level)
    for module in (settings.ROOT_URLCONF, "celery.bin.celery", "celery.concurrency.prefork", "gunicorn.app.wsgiapp"):
        import_module(module)


def add_workers(supervisor: Supervisor) -> None:
    """Add the workers and the embedded model; the demo adds the web server itself."""
    load_code()
    share_memory()
    for name, arguments in LAPTOP.items():
        supervisor.add(name, *arguments, nice=_NICE.get(name, 0), forks=True)
    if embedded_model.is_installed():
        supervisor.add("model", embedded_model.MODULE, str(embedded_model.socket_of(settings.STATE_DIR)), nice=5)


def _workers_of(path: Path) -> int | None:
    """Raises: Misconfigured if another process's workers use a different broker."""
    lock = locks.hold_lock(path, settings.BROKER)
    theirs = path.read_text()
    if lock is None and theirs != settings.BROKER:
        raise Misconfigured(
            gettext(
                "The workers of %(state_dir)s use %(theirs)s, this process %(broker_names)s. Stop them "
                "or set the same COUNTERSIGN_BROKER_URL."
            )
            % {
                "state_dir": settings.STATE_DIR,
                "theirs": BROKER_NAMES.get(theirs, theirs),
                "broker_names": BROKER_NAMES[settings.BROKER],
            }
        )
    return lock


@contextmanager
def run_local_desk(report: Report, meanwhile: Callable[[], None] = lambda: None) -> Iterator[LocalDesk]:
    """Provide a running endpoint and workers; start what is missing, and stop it at the end.

    ``meanwhile``: called while the emulator starts, which takes seconds.

    Raises:
        Misconfigured, Unavailable: with what to do.

    """
    desk = LocalDesk(Supervisor(settings.STATE_DIR / "logs"))
    with ExitStack() as stack:
        # The lock to run this state folder's workers; another process that has it runs them for both.
        lock = _workers_of(settings.STATE_DIR / "workers.lock") if settings.ON_LAPTOP else None
        if lock is not None:
            stack.callback(os.close, lock)
        stack.callback(desk.stop)
        if settings.ON_LAPTOP and not emulator.is_answering(str(settings.AWS_ENDPOINT_URL)):
            with ThreadPoolExecutor(1) as starter:
                starting = starter.submit(start_embedded)
                try:
                    meanwhile()
                    if lock is not None:
                        load_code()  # a second, for which the workers would wait later
                finally:
                    desk.embedded = starting.result()
        else:
            meanwhile()
        if settings.ON_LAPTOP:
            deployment.deploy_desk(report)
        if lock is not None:
            call_command("migrate", verbosity=0, interactive=False)  # the search index is in this database, too
            add_workers(desk.supervisor)
            desk.clock = Clock()
        yield desk

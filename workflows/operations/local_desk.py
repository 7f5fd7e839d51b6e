"""A desk on this machine: the emulator with everything deployed on it, and the workers."""

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
    """What this process runs; ``embedded`` is None if an endpoint that answers was there before it.

    ``clock``: what beat is in a deployment; None if another process runs the workers.
    """

    supervisor: Supervisor
    embedded: Emulator | None = None
    clock: "Clock | None" = None

    def tend(self, report: Report) -> None:
        """Start again what has died, the embedded AWS with what it had last saved; call it every second or so.

        Raises:
            Misconfigured: the embedded AWS does not come up again; the message says why.

        """
        if self.embedded and (code := self.embedded.process.poll()) is not None:
            lost = f" Changes of the last {emulator.SAVE_SECONDS} seconds may be lost." if code else ""
            report(f"The embedded AWS exited with code {code}; restarting.{lost}")
            self.embedded = start_embedded()
            deployment.deploy_desk(_ignore_report)  # what was deployed after its last save is gone
        self.supervisor.tend(report)
        if self.clock:
            self.clock.tick()  # what it cannot send it sends the next time

    def stop(self) -> None:
        """Workers first: at their end they have something to write."""
        self.supervisor.stop()
        if self.embedded:
            self.embedded.stop()


@dataclass
class Clock:
    """Sends what beat sends in a deployment. It waits for no broker: who tends has more to look after."""

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


# Nice, so that a step of someone's single page has most of a core when it wants one, and not so nice that a busy
# machine leaves them nothing.
_NICE = {"worker-slices": 10}


def load_code() -> None:
    """Import what the processes of a desk have in common, so that copies of this one need not and share it."""
    level = logging.getLogger().level
    current_app.loader.import_default_modules()  # which sets Django up again, and its logging
    logging.getLogger().setLevel(level)
    for module in (settings.ROOT_URLCONF, "celery.bin.celery", "celery.concurrency.prefork", "gunicorn.app.wsgiapp"):
        import_module(module)
    share_memory()


def add_workers(supervisor: Supervisor) -> None:
    """The workers and the embedded model; the web server is the demo's own."""
    load_code()
    for name, arguments in LAPTOP.items():
        supervisor.add(name, *arguments, nice=_NICE.get(name, 0), forks=True)
    if embedded_model.is_installed():
        supervisor.add("model", embedded_model.MODULE, str(embedded_model.socket_of(settings.STATE_DIR)), nice=5)


def _workers_of(path: Path) -> int | None:
    """Raises: Misconfigured if those of another process take no message from our broker."""
    lock = locks.hold_lock(path, settings.BROKER)
    theirs = path.read_text()
    if lock is None and theirs != settings.BROKER:
        raise Misconfigured(
            f"The workers of {settings.STATE_DIR} use {BROKER_NAMES.get(theirs, theirs)}, this process "
            f"{BROKER_NAMES[settings.BROKER]}. Stop them or set the same COUNTERSIGN_BROKER_URL."
        )
    return lock


@contextmanager
def run_local_desk(report: Report, meanwhile: Callable[[], None] = lambda: None) -> Iterator[LocalDesk]:
    """An endpoint that answers and workers on it; starts what is not there, and stops at the end what it started.

    ``meanwhile``: what can be done while the embedded AWS starts, which takes seconds.

    Raises:
        Misconfigured, Unavailable: with what to do.

    """
    desk = LocalDesk(Supervisor(settings.STATE_DIR / "logs"))
    with ExitStack() as stack:
        # The right to run this state folder's workers; another process that has it runs them for both.
        lock = _workers_of(settings.STATE_DIR / "workers.lock") if settings.ON_LAPTOP else None
        if lock is not None:
            stack.callback(os.close, lock)
        stack.callback(desk.stop)
        if settings.ON_LAPTOP and not emulator.is_answering(str(settings.AWS_ENDPOINT_URL)):
            with ThreadPoolExecutor(1) as starter:
                starting = starter.submit(start_embedded)
                try:
                    meanwhile()
                finally:
                    desk.embedded = starting.result()
        else:
            meanwhile()
        if settings.ON_LAPTOP:
            deployment.deploy_desk(report)
        if lock is not None:
            call_command("migrate", verbosity=0, interactive=False)  # the search index is in this database
            add_workers(desk.supervisor)
            desk.clock = Clock()
        yield desk

"""A desk on this machine: the emulator with everything deployed on it, and the workers."""

import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from celery import current_app
from django.conf import settings
from django.core.management import call_command

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
    """What this process runs; ``embedded`` is None if an endpoint that answers was there before it."""

    supervisor: Supervisor
    embedded: Emulator | None = None

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

    def stop(self) -> None:
        """Workers first: at their end they have something to write."""
        self.supervisor.stop()
        if self.embedded:
            self.embedded.stop()


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
    """The workers, the clock of the sweeper, and the embedded model; the web server is the demo's own."""
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
def run_local_desk(report: Report) -> Iterator[LocalDesk]:
    """An endpoint that answers and workers on it; starts what is not there, and stops at the end what it started.

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
            desk.embedded = start_embedded()
        if settings.ON_LAPTOP:
            deployment.deploy_desk(report)
        if lock is not None:
            call_command("migrate", verbosity=0, interactive=False)  # the search index is in this database
            add_workers(desk.supervisor)
        yield desk

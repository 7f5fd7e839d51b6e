"""A desk on this machine: the emulator with everything deployed on it, and the workers."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from django.conf import settings

from config import emulator
from config.supervisor import Supervisor
from workflows import deployment
from workflows.deployment import Report


def add_workers(supervisor: Supervisor) -> None:
    """Two workers, so that a decision never waits behind OCR, and the clock of the sweeper."""
    worker = ("celery", "-A", "config", "worker", "-c", "1", "--without-gossip", "--without-mingle", "-l", "INFO")
    supervisor.add("worker-steps", *worker, "-Q", settings.STEPS_QUEUE, "-n", "steps@localhost")
    supervisor.add("worker-desk", *worker, "-Q", settings.DESK_QUEUE, "-n", "desk@localhost")
    supervisor.add("beat", "celery", "-A", "config", "beat", "-l", "WARNING", "--pidfile=")


@contextmanager
def running(report: Report) -> Iterator[Supervisor]:
    """An endpoint that answers and workers on it; starts what is not there, and stops at the end what it started.

    Raises:
        Misconfigured, Unavailable: with what to do.

    """
    with ExitStack() as stack:
        if settings.ON_LAPTOP and not emulator.is_answering(str(settings.AWS_ENDPOINT_URL)):
            stack.enter_context(emulator.start(state_dir=settings.STATE_DIR / "emulator", port=settings.EMULATOR_PORT))
        if settings.ON_LAPTOP:
            deployment.deploy(report)
        supervisor = stack.enter_context(Supervisor(settings.STATE_DIR / "logs"))
        if settings.ON_LAPTOP and (lock := _workers_lock()) is not None:
            stack.callback(os.close, lock)
            add_workers(supervisor)
        yield supervisor


def _workers_lock() -> int | None:
    """The right to run this state folder's workers, given back with the process; None where another one has it."""
    lock = os.open(settings.STATE_DIR / "workers.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock

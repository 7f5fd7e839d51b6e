"""Celery's application with one task more, which notes what it does in a file beside the desk's state.

``python -m tests.flow.noting <prefix> <count>`` sends so many to each queue of the desk, and holds the workers until it
has. A line of the file is ``<begin or end> <message> <queue>``: no broker has to be asked what was done.
"""

import os
import sys
import time
from pathlib import Path

from django.conf import settings

from config.brokers import queues
from config.celery import app

NOTED = Path(os.environ["COUNTERSIGN_STATE_DIR"]) / "noted"
HOLD = NOTED.with_name("hold")
SLOW = NOTED.with_name("slow")  # made by a test whose work is to take as long as it likes
WORK_SECONDS = 0.1


@app.task(name="tests.note", time_limit=300)
def note(*, message: str, queue: str) -> None:
    while HOLD.exists() or SLOW.exists():
        time.sleep(0.05)
    _write("begin", message, queue)
    time.sleep(WORK_SECONDS)
    _write("end", message, queue)


def _write(what: str, message: str, queue: str) -> None:
    with NOTED.open("a") as noted:  # a short line is written whole, by whichever process
        noted.write(f"{what} {message} {queue}\n")


def main(prefix: str, count: str) -> None:
    app.loader.import_default_modules()
    HOLD.touch()
    try:
        for number in range(int(count)):
            for queue in settings.QUEUE_URLS:
                queues.enqueue("tests.note", queue, {"message": f"{prefix}-{queue}-{number}", "queue": queue})
    finally:
        HOLD.unlink()


if __name__ == "__main__":
    main(*sys.argv[1:])

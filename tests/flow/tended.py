"""The workers as the demo starts and tends them, with another application: ``python -m tests.flow.tended <module>``."""

import signal
import sys
import time
from pathlib import Path

import django
from django.conf import settings


def main(application: str) -> None:
    django.setup()
    from config.laptop.supervisor import Supervisor  # noqa: PLC0415 - after Django's settings
    from workflows.operations.processes import PROCESSES, WORKERS  # noqa: PLC0415

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Supervisor(Path(settings.STATE_DIR) / "logs") as supervisor:
        for name in WORKERS:
            supervisor.add(name, *(application if word == "config" else word for word in PROCESSES[name]))
        while True:
            supervisor.tend(lambda text: print(text, flush=True))
            time.sleep(0.5)


if __name__ == "__main__":
    main(*sys.argv[1:])

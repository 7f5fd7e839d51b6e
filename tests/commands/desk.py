"""Commands as a person runs them: processes of their own, with an emulator, workers and a state folder of their own."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

from django.conf import settings


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "COUNTERSIGN_"))}
    return kept | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "COUNTERSIGN_STATE_DIR": str(folder / "state"),
        "COUNTERSIGN_EMULATOR_PORT": free_port(),
        "COUNTERSIGN_PORT": free_port(),
    }


def overrides(**constants: int | str) -> dict[str, str]:
    """Of processes that a test starts: other values of ``config.constants``."""
    return {"COUNTERSIGN_OVERRIDES": json.dumps(constants)}


def command(*arguments: str) -> list[str]:
    return [sys.executable, str(Path(settings.BASE_DIR) / "manage.py"), *arguments]


def run(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), env=env, capture_output=True, text=True, timeout=150, check=False)

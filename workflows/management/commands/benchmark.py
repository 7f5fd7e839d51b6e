"""``manage.py benchmark``: our overhead compared with the minimal implementation, in one run."""

import dataclasses
import json
import logging
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.errors import CountersignError
from config.laptop import emulator
from workflows.management.developer_tools import load_tool
from workflows.operations import deployment


class Command(BaseCommand):
    help = "Measure CPU ratios on a temporary embedded AWS, which is deleted afterwards."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object per line")
        parser.add_argument("--rounds", type=int, default=40, help="runs per side of each page ratio")
        parser.add_argument("--segments", type=int, default=1000)
        parts = ("pages", "dashboards", "rows", "reading")
        parser.add_argument("--only", choices=parts, default="", help="measure one part alone")
        parser.add_argument("--here", action="store_true", help="use the configured endpoint; its rows are kept")

    def handle(self, *_args: Any, **options: Any) -> None:
        if not settings.ON_LAPTOP:
            raise CommandError("The benchmark requires the embedded AWS. Unset COUNTERSIGN_ENV and run it again.")
        load_tool("benchmark")  # before the emulator is started for it
        if not options["here"]:
            return _elsewhere(sys.argv[2:])
        logging.getLogger().setLevel(logging.ERROR)
        try:
            deployment.deploy_desk(lambda _text: None)
            found = load_tool("benchmark").ratios(options["rounds"], options["segments"], options["only"])
            ratios = [self._say(ratio, options["json"]) for ratio in found]
        except CountersignError as error:
            raise CommandError(str(error)) from error
        if not all(ratio.held for ratio in ratios):
            raise CommandError("A limit was exceeded.")
        return None

    def _say(self, ratio: Any, as_json: bool) -> Any:
        if as_json:
            self.stdout.write(json.dumps({**dataclasses.asdict(ratio), "held": ratio.held}))
        else:
            self.stdout.write(
                f"{'held' if ratio.held else 'NOT HELD':8}  {ratio.name}: {ratio.measured:.2f}, {ratio.sense} "
                f"{ratio.bound} ({ratio.ours:.2f} {ratio.of} a {ratio.unit} against {ratio.theirs:.2f}: "
                f"{ratio.against})"
            )
        self.stdout.flush()
        return ratio


def _elsewhere(arguments: list[str]) -> None:
    """Run the same command in a process with a temporary database, emulator and state folder."""
    with tempfile.TemporaryDirectory(prefix="countersign-benchmark-") as folder:
        port = _free_port()
        env = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "DATABASE_URL"))}
        env |= {"COUNTERSIGN_STATE_DIR": folder, "COUNTERSIGN_EMULATOR_PORT": str(port)}
        with emulator.start_emulator(state_dir=Path(folder) / "emulator", port=port, persistent=False):
            _manage(env, "migrate", "--verbosity=0")
            _manage(env, "collectstatic", "--verbosity=0", "--no-input")
            _manage(env, "benchmark", "--here", *arguments)


def _manage(env: dict[str, str], *arguments: str) -> None:
    done = subprocess.run([sys.executable, "manage.py", *arguments], env=env, cwd=settings.BASE_DIR, check=False)  # noqa: S603 - ourselves
    if done.returncode:
        sys.exit(done.returncode)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((emulator.HOST, 0))
        port: int = probe.getsockname()[1]
    return port

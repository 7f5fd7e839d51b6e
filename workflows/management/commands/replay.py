"""``manage.py replay``: repeat one step of a run in a scratch folder."""

import json
import logging
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.errors import CountersignError
from config.table import DEFAULT_SITE
from workflows.operations import replay
from workflows.stages.registry import STAGES


class Command(BaseCommand):
    help = (
        "Run one step on a run's stored state, optionally with overrides, and print its output. Writes nothing to "
        "the run and calls no external service."
    )
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", metavar="RUN", help="run ID")
        parser.add_argument(
            "--step", metavar="NAME", required=True, help=f"{', '.join(STAGES)}, or any other step of the run"
        )
        parser.add_argument(
            "--state", metavar="FILE", help="JSON overrides: artifacts, settings, file_type, original, …"
        )
        parser.add_argument("--site", metavar="S", default=DEFAULT_SITE)
        parser.add_argument(
            "--json", action="store_true", help="print everything, including artifacts, as one JSON object"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        logging.getLogger().setLevel(logging.WARNING)  # keep the terminal for the result
        try:
            done = replay.replay_run_step(options["site"], options["run"], options["step"], _state(options["state"]))
        except CountersignError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(done.told, ensure_ascii=False, sort_keys=True, default=str))
            return
        self.stdout.write(f"{done.step}: {done.status}{f', {done.reason}' if done.reason else ''}")
        for name, value in done.facts.items():
            self.stdout.write(f"  {name}: {value}")
        if done.failed:
            self.stdout.write(f"  failed pages: {', '.join(str(index + 1) for index in done.failed)}")
        for name, body in sorted(done.artifacts.items()):
            self.stdout.write(f"  wrote {name}, {len(body):,} bytes")


def _state(path: str | None) -> replay.State:
    if not path:
        return replay.State()
    file = Path(path)
    try:
        return replay.state_from(json.loads(file.read_text()), file.parent)
    except (OSError, ValueError) as error:
        raise CommandError(f"The state cannot be read: {error}") from error

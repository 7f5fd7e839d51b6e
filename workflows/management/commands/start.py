"""``manage.py start web``: replace this process with one of a deployment's processes."""

import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from workflows.operations.processes import PROCESSES


class Command(BaseCommand):
    help = "Run the web server, a worker or beat; the entry point for containers and services."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("process", choices=PROCESSES)

    def handle(self, *_args: Any, **options: Any) -> None:
        os.chdir(settings.BASE_DIR)
        settings.STATE_DIR.mkdir(parents=True, exist_ok=True)
        # exec instead of a child process, so that signals reach the process that works.
        os.execv(sys.executable, [sys.executable, "-m", *PROCESSES[options["process"]]])  # noqa: S606 - our own modules

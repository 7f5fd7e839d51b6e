"""``manage.py emulator``: run the embedded AWS in the foreground until Ctrl-C or SIGTERM."""

import os
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config.errors import Misconfigured
from config.laptop import emulator


class Command(BaseCommand):
    help = "Run the embedded AWS in the foreground. State is saved periodically and on exit."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute

    def handle(self, *_args: Any, **_options: Any) -> None:
        state_dir = settings.STATE_DIR / "emulator"
        port = settings.EMULATOR_PORT
        try:
            emulator.check_startable(state_dir, port)
        except Misconfigured as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Embedded AWS on http://{emulator.HOST}:{port}, state in {state_dir}. Ctrl-C stops it.")
        self.stdout.flush()
        os.chdir(settings.BASE_DIR)
        # This process becomes the emulator: signals and kill -9 hit it directly, and no parent can be left behind.
        os.execve(  # noqa: S606 - our own interpreter and module
            emulator.emulator_command()[0],
            emulator.emulator_command(),
            emulator.emulator_environment(state_dir=state_dir, port=port),
        )

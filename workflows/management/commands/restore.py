"""``manage.py restore``: restore a backup to an empty installation."""

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.errors import CountersignError
from workflows.operations import backup, deployment


class Command(BaseCommand):
    help = "Bring a backup back on an empty desk: resources and migrations are made first."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path)

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            backup.check_backup(options["folder"])
            deployment.deploy_desk(lambda _line: None)
            call_command("migrate", verbosity=0, interactive=False)
            backup.restore_backup(options["folder"], self.stdout.write)
        except CountersignError as error:
            raise CommandError(str(error)) from error
        self.stdout.write("Restored. Start the processes, then run manage.py reindex; runs go on by themselves.")

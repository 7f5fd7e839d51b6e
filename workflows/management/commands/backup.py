"""``manage.py backup``: copy everything that people made to a folder."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.errors import CountersignError
from workflows.operations import backup


class Command(BaseCommand):
    help = "Copy tables, objects and accounts to a folder. Add --check to verify one that is there."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument("--check", action="store_true", help="read an existing backup and verify every part")

    def handle(self, *_args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        try:
            if options["check"]:
                manifest = backup.check_backup(folder)
                counts = ", ".join(f"{number} in {part}" for part, number in manifest["counts"].items())
                self.stdout.write(f"The backup of {manifest['at']} is whole: {counts}.")
                return
            if not settings.ON_LAPTOP:
                self.stderr.write("In AWS, point-in-time recovery is the backup; this is a copy to take elsewhere.")
            backup.write_backup(folder, self.stdout.write)
        except CountersignError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Backup written to {folder}. Keep SECRET_KEY beside it: authenticator apps need it.")

"""``manage.py show_keys``: every entity's key templates."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from config.table import page


class Command(BaseCommand):
    help = "Show the key templates of all table entities."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON array")

    def handle(self, *_args: Any, **options: Any) -> None:
        rows = page.key_rows()
        if options["json"]:
            self.stdout.write(json.dumps(rows, indent=1))
            return
        for row in rows:
            self.stdout.write(f"{row['entity']:18} {row['pk']:42} {row['sk']}")

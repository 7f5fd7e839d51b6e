"""``manage.py show_keys``: every entity's key templates, and what writes, reads and shows it."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from config.table import ENTITIES, page
from config.table.uses import uses_of


class Command(BaseCommand):
    help = "Show the key templates of all table entities."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON array")

    def handle(self, *_args: Any, **options: Any) -> None:
        found = zip(page.key_rows(), map(uses_of, ENTITIES), strict=True)
        rows: list[dict[str, Any]] = [row | asdict(uses) for row, uses in found]
        if options["json"]:
            self.stdout.write(json.dumps(rows, indent=1))
            return
        for row in rows:
            used = " / ".join(str(row[name] or "–") for name in ("written_by", "read_by", "page", "api"))
            self.stdout.write(f"{row['entity']:26} {row['pk']:42} {row['sk']:60} {used}")

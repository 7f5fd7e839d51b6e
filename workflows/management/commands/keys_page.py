"""``manage.py keys_page``: write ``docs/keys.md`` from the key space, or check that it is up to date."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.table import page


class Command(BaseCommand):
    help = "Write docs/keys.md from config/table.py."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="fail if the page is out of date; write nothing")

    def handle(self, *_args: Any, **options: Any) -> None:
        path = settings.BASE_DIR / "docs/keys.md"
        if not options["check"]:
            path.write_text(page.keys_page())
        elif not path.exists() or path.read_text() != page.keys_page():
            raise CommandError("docs/keys.md is out of date. Run `make keys` and commit it.")

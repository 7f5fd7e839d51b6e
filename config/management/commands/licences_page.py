"""``manage.py licences_page``: write ``docs/licences.md`` from the lock and the installed packages."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from config.management import licences


class Command(BaseCommand):
    help = "Write docs/licences.md from requirements.lock and the metadata of installed packages."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute

    def handle(self, *_args: Any, **_options: Any) -> None:
        (settings.BASE_DIR / "docs/licences.md").write_text(licences.licences_page(settings.BASE_DIR))

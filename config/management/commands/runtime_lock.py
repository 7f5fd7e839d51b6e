"""``manage.py runtime_lock``: the part of requirements.lock that an image installs."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from config.runtime_lock import runtime_lock


class Command(BaseCommand):
    help = "Print the runtime subset of requirements.lock for the deployment image."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute

    def handle(self, *_args: Any, **_options: Any) -> None:
        self.stdout.write(runtime_lock(settings.BASE_DIR), ending="")

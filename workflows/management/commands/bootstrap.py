"""``manage.py bootstrap``: create or verify every AWS resource, then publish the state machines."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config import bootstrap
from config.errors import CountersignError
from workflows import engine


class Command(BaseCommand):
    help = "Create or verify every AWS resource on the configured endpoint; a second run changes nothing."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            bootstrap.deploy(self.stdout.write)
            engine.publish_machines(self.stdout.write)
        except CountersignError as error:
            raise CommandError(str(error)) from error

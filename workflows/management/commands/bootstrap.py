"""``manage.py bootstrap``: create or verify every AWS resource, state machine and definition."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.errors import CountersignError
from workflows.operations import deployment


class Command(BaseCommand):
    help = "Create or verify AWS resources on the configured endpoint. Safe to run repeatedly."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            deployment.deploy_desk(self.stdout.write)
        except CountersignError as error:
            raise CommandError(str(error)) from error

"""``manage.py template``: print the CloudFormation template, for tools other than ``bootstrap``."""

from typing import Any

from django.core.management.base import BaseCommand

from config.deploy import template


class Command(BaseCommand):
    help = "Print the CloudFormation template that bootstrap deploys."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute

    def handle(self, *_args: Any, **_options: Any) -> None:
        self.stdout.write(template.template_body(), ending="")

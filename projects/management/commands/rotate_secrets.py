"""``manage.py rotate_secrets``: re-encrypt stored secrets with the newest key."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.errors import CountersignError
from projects.accounts import factors


class Command(BaseCommand):
    help = "Encrypt stored secrets with SECRET_KEY. Set the key before as SECRET_KEY_FALLBACKS."

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            count = factors.reencrypt_secrets()
        except CountersignError as error:
            raise CommandError(
                "A stored secret was encrypted with a key that is not in SECRET_KEY_FALLBACKS. Nothing was changed; "
                "add that key, or remove the person's second factor."
            ) from error
        self.stdout.write(f"{count} secrets use SECRET_KEY now; remove the fallback once sessions of it have ended.")

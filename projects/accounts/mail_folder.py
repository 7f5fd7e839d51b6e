"""Where mails are if none can be sent: a laptop writes each to a file."""

from django.conf import settings
from django.utils.translation import gettext


def describe_mail_folder() -> str:
    """Return a sentence for whoever waits for a mail on a laptop; empty if mails are sent."""
    if settings.EMAIL_HOST or not settings.ON_LAPTOP:
        return ""
    sentence = gettext("No mail server is configured. Emails are written to %(folder)s.")
    return sentence % {"folder": settings.EMAIL_FILE_PATH}

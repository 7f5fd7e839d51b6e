"""Email addresses of people."""

from django.contrib.auth.models import User
from django.db import DatabaseError
from django.utils.translation import gettext

from config.errors import Unavailable


def address_of(user_id: str) -> str:
    """Return the address; empty for programs and machines, and for inactive accounts or those without one.

    Raises:
        Unavailable: the database does not answer.

    """
    if not user_id.isdecimal():
        return ""
    try:
        found = User.objects.filter(pk=int(user_id), is_active=True).values_list("email", flat=True).first()
    except (DatabaseError, OverflowError) as error:
        raise Unavailable(gettext("The user database is unavailable. Retrying automatically.")) from error
    return found or ""

"""Where a person of the desk gets mail."""

from django.contrib.auth.models import User
from django.db import DatabaseError

from config.errors import Unavailable


def address_of(user_id: str) -> str:
    """Empty for programs and machines, whose ids are no numbers, and for accounts that are closed or name none.

    Raises:
        Unavailable: the database does not answer.

    """
    if not user_id.isdecimal():
        return ""
    try:
        found = User.objects.filter(pk=int(user_id), is_active=True).values_list("email", flat=True).first()
    except (DatabaseError, OverflowError) as error:
        raise Unavailable("The user database is unavailable. Retrying automatically.") from error
    return found or ""

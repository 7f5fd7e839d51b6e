"""Sessions in Django's own table, read by a statement that is not composed anew for each page."""

from typing import Any

from django.contrib.sessions.backends import db
from django.db import connection
from django.utils import timezone

_LOAD = "SELECT session_data FROM django_session WHERE session_key = %s AND expire_date > %s"


class SessionStore(db.SessionStore):
    """As Django's own, which works out the same statement for each request; what was ended is not found at once."""

    def load(self) -> dict[str, Any]:
        with connection.cursor() as cursor:
            cursor.execute(_LOAD, [self.session_key, connection.ops.adapt_datetimefield_value(timezone.now())])
            row = cursor.fetchone()
        if row is None:
            self._session_key = None
            return {}
        found: dict[str, Any] = self.decode(row[0])
        return found

"""Retention of settled review requests from other systems.

Rows are deleted by TTL, files by the bucket's lifecycle rule (kind ``question``); the lineage stays, as after a purge.
"""

import datetime as dt

from django.conf import settings
from pynamodb.expressions.condition import Condition

from config import clock
from config.item import Item


def keep_until() -> int:
    """Return the TTL of what is closed now, in epoch seconds."""
    return int((clock.now() + dt.timedelta(days=settings.QUESTION_DAYS)).timestamp())


def if_expired() -> Condition:
    """Condition: the row still exists but has expired."""
    condition: Condition = Item.TimeToLive <= int(clock.now().timestamp())
    return condition

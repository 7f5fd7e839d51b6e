"""How long a question of another system is kept once nothing is to be done for it: who asked has the answer.

Its rows go by their TTL, its files by a rule of the bucket (kind ``question``); its lineage stays, as after a purge.
"""

import datetime as dt

from django.conf import settings
from pynamodb.expressions.condition import Condition

from config import clock
from config.item import Item


def keep_until() -> int:
    """Of what is closed now: epoch seconds, DynamoDB's form of a TTL."""
    return int((clock.now() + dt.timedelta(days=settings.QUESTION_DAYS)).timestamp())


def if_expired() -> Condition:
    """The row is there still, and need not be."""
    condition: Condition = Item.TimeToLive <= int(clock.now().timestamp())
    return condition

"""Queues for tests, made through the action that the product uses."""

from config import clock
from projects import actions
from projects.audit import actor
from projects.items.queues import Queue
from tests.people import alice

SITE = "default"


def make_queue(name="Payables", groups=(), site=SITE) -> Queue:
    return actions.queues.create(site, name, groups, by=actor(alice()), queue_id=clock.new_ulid())

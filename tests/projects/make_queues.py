"""Queues for tests, made through the action that the product uses."""

from config import clock
from projects.audit.events import actor_of
from projects.queues import actions as queue_actions
from projects.queues.items import Queue
from tests.people import alice

SITE = "default"


def make_queue(name="Payables", groups=(), site=SITE) -> Queue:
    return queue_actions.create_queue(site, name, groups, by=actor_of(alice()), queue_id=clock.new_ulid())

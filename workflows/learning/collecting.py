"""Collection of a project's reviews for its threshold simulator: ordered by a person, with its status."""

from contextlib import suppress
from dataclasses import dataclass

from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict, NotFound
from config.phrase import Sentence
from config.table import Key
from config.transaction import NEW
from workflows.learning.items import ReviewCollection

LONGEST_SECONDS = 600  # time limit of the task; a worker that takes longer is lost
_COLLECTING, _DONE, _FAILED = "collecting", "done", "failed"
_LOST = Sentence("No result after %(longest_seconds)s minutes: its worker was lost. Collect the reviews again.").fill(
    longest_seconds=LONGEST_SECONDS // 60
)


@dataclass(frozen=True)
class Collecting:
    """``problem``: why the last one failed, or empty."""

    is_under_way: bool = False
    problem: str = ""


def begin_collecting(site: str, project_id: str) -> str:
    """Return the order for a worker; empty if a collection is in progress."""
    order_id = clock.new_ulid()
    actions: list[Action] = [
        ReviewCollection.status.set(_COLLECTING),
        ReviewCollection.order_id.set(order_id),
        ReviewCollection.asked_at.set(clock.iso(clock.now())),
        ReviewCollection.message.remove(),
    ]
    over = (ReviewCollection.status != _COLLECTING) | (ReviewCollection.asked_at < _lost_since())
    try:
        ReviewCollection.change(_key(site, project_id), actions, NEW | over)
    except Conflict:
        return ""
    return order_id


def end_collecting(site: str, project_id: str, order_id: str, *, problem: str = "") -> None:
    """Record the end. Idempotent; does nothing if another order has begun since."""
    actions: list[Action] = [ReviewCollection.status.set(_FAILED if problem else _DONE)]
    actions += [ReviewCollection.message.set(problem)] if problem else []
    mine = (ReviewCollection.order_id == order_id) & (ReviewCollection.status == _COLLECTING)
    with suppress(Conflict):
        ReviewCollection.change(_key(site, project_id), actions, mine)


def find_collecting(site: str, project_id: str) -> Collecting:
    """Strongly consistent."""
    try:
        row = ReviewCollection.load(_key(site, project_id))
    except NotFound:
        return Collecting()
    if row.status == _COLLECTING:
        is_lost = row.asked_at < _lost_since()
        return Collecting(not is_lost, _LOST if is_lost else "")
    return Collecting(problem=str(row.message or ""))


def _lost_since() -> str:
    return clock.iso(clock.in_seconds(-LONGEST_SECONDS))


def _key(site: str, project_id: str) -> Key:
    return table.REVIEW_COLLECTION.key(site, project_id=project_id)

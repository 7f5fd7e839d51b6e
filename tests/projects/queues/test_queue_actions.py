"""Queues are made, renamed, opened to groups and archived: each with its event, and one of two wins."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from config import clock
from config.errors import Conflict, NotFound, Unavailable
from config.table import ENTITY_EVENT, QUEUE
from projects.audit.events import Actor
from projects.audit.items import EntityEvent
from projects.queues import actions as queue_actions
from projects.queues import queries as queue_queries
from projects.queues.items import Queue
from tests.aws_faults import Crash, audit_refused, count_calls, crash_before

SITE = "default"
ALICE = Actor("1", "Alice Novak")
BOB = Actor("2", "Bob Ito")
pytestmark = pytest.mark.usefixtures("table")


def create(name="Payables", groups=("finance",), *, by=ALICE, queue_id=None, site=SITE):
    return queue_actions.create_queue(site, name, groups, by=by, queue_id=queue_id or clock.new_ulid())


def stored(queue):
    return queue_queries.get_queue(SITE, queue.id)


def events(queue):
    pk = ENTITY_EVENT.partition_key(SITE, entity_type="queue", entity_id=queue.id)
    return [(one.type, one.userId) for one in EntityEvent.page(pk, consistent=True).rows]


def change(queue, *, version=None, by=ALICE, **wanted):
    wanted = {"name": queue.name, "groups": list(queue.groups)} | wanted
    queue_actions.update_queue(SITE, queue.id, version=queue.version if version is None else version, by=by, **wanted)


def test_what_was_made_is_read_back_with_the_seeds_names():
    queue = create("Übergabe #1/2", ["z", "a"])
    found = stored(queue)
    assert (found.documentId, found.name, list(found.groups), found.status) == (
        queue.id,
        "Übergabe #1/2",
        ["a", "z"],
        "active",
    )
    assert (f"queues#{queue.id}", "queue", "queues#") == (found.PK, found.SK, found.GSI1PK)
    assert events(queue) == [("created", "1")]


def test_the_same_form_sent_twice_makes_one_queue():
    queue_id = clock.new_ulid()
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: create(queue_id=queue_id), range(4)))
    assert {one.id for one in made} == {queue_id}
    assert events(made[0]) == [("created", "1")]
    with pytest.raises(Conflict):
        create("Mine", by=BOB, queue_id=queue_id)


def test_an_id_that_was_tampered_with_is_not_taken():
    assert queue_actions.queue_id_from("a#b") != "a#b"


def test_queues_are_listed_by_name_in_two_calls():
    for name in ("Zebra", "Alpha", "Mid"):
        create(name)
    with count_calls() as calls:
        rows, following = queue_queries.list_queues(SITE)
    assert [row.name for row in rows] == ["Alpha", "Mid", "Zebra"]
    assert [list(row.groups) for row in rows] == [["finance"]] * 3
    assert following is None
    assert calls.names() == ["dynamodb.Query", "dynamodb.BatchGetItem"]


def test_another_site_has_queues_of_its_own():
    queue = create(site="acme")
    assert queue_queries.list_queues(SITE) == ([], None)
    with pytest.raises(NotFound):
        stored(queue)


def test_a_renamed_queue_moves_in_the_list_and_says_what_changed():
    create("Middle")
    queue = create("Zebra")
    change(queue, name="Alpha", groups=["finance", "audit"])
    assert [row.name for row in queue_queries.all_queues(SITE)] == ["Alpha", "Middle"]
    assert (stored(queue).version, list(stored(queue).groups)) == (2, ["audit", "finance"])
    pk = ENTITY_EVENT.partition_key(SITE, entity_type="queue", entity_id=queue.id)
    said = EntityEvent.page(pk, consistent=True).rows[-1].payload.as_dict()
    assert said["name"] == {"before": "Zebra", "after": "Alpha"}


def test_saving_what_is_there_writes_nothing():
    queue = create()
    change(queue)
    assert (stored(queue).version, events(queue)) == (1, [("created", "1")])


def test_who_saves_second_loses_and_learns_who_was_first():
    queue = create()
    change(queue, name="First", by=BOB)
    with pytest.raises(Conflict, match="Bob Ito changed this queue on"):
        change(queue, name="Second")
    assert stored(queue).name == "First"
    assert len(events(queue)) == 2


def test_of_twenty_at_once_each_version_has_one_winner():
    queue = create()

    def save(number):
        try:
            change(queue, name=f"Name {number}")
        except Conflict:
            return 0
        return 1

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(save, range(20))) == 1
    assert (stored(queue).version, len(events(queue))) == (2, 2)


def test_a_queue_is_archived_once_and_used_again_once():
    queue = create()
    queue_actions.archive_queue(SITE, queue.id, by=ALICE)
    with pytest.raises(Conflict):
        queue_actions.archive_queue(SITE, queue.id, by=BOB)
    assert stored(queue).is_archived
    queue_actions.restore_queue(SITE, queue.id, by=BOB)
    with pytest.raises(Conflict):
        queue_actions.restore_queue(SITE, queue.id, by=ALICE)
    assert not stored(queue).is_archived
    assert [kind for kind, _ in events(queue)] == ["created", "archived", "restored"]


def test_a_queue_that_is_not_there_is_changed_by_nobody():
    for act in (queue_actions.archive_queue, queue_actions.restore_queue):
        with pytest.raises(NotFound):
            act(SITE, "none", by=ALICE)
    with pytest.raises(NotFound):
        queue_actions.update_queue(SITE, "a#b", name="x", groups=[], version=1, by=ALICE)


def test_an_older_writers_queue_without_version_is_saved_here():
    Queue(*QUEUE.key(SITE, document_id="old"), **QUEUE.gsi1(SITE, name="Old", document_id="old"), name="Old").save()
    queue = queue_queries.get_queue(SITE, "old")
    queue.update([Queue.version.remove(), Queue.status.remove()])
    queue_actions.update_queue(SITE, "old", name="New", groups=[], version=0, by=ALICE)
    assert (queue_queries.get_queue(SITE, "old").name, queue_queries.get_queue(SITE, "old").version) == ("New", 1)


def test_without_its_event_no_change_is_kept():
    queue = create()
    archived = create("Archived")
    queue_actions.archive_queue(SITE, archived.id, by=ALICE)
    acts = [
        lambda: create("Other"),
        lambda: change(queue, name="Other"),
        lambda: queue_actions.archive_queue(SITE, queue.id, by=ALICE),
        lambda: queue_actions.restore_queue(SITE, archived.id, by=ALICE),
    ]
    for act in acts:
        with audit_refused(), pytest.raises(Unavailable):
            act()
        with crash_before("dynamodb", "TransactWriteItems"), pytest.raises(Crash):
            act()
    assert [row.name for row in queue_queries.all_queues(SITE)] == ["Archived", "Payables"]
    assert (stored(queue).version, events(queue)) == (1, [("created", "1")])
    assert stored(archived).is_archived

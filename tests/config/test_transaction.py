import datetime as dt
import threading

import pytest

from config import clock
from config.errors import Conflict, CountersignError, NotFound
from config.item import Item, VersionItem
from config.table import PROJECT_WORKFLOW, Key
from config.transaction import NEW, Change, Check, Delete, EventAt, Put, Update, transact
from workflows.runs.items import ProjectWorkflow

AT = "2026-11-21T12:00:00"


def key(name: str) -> Key:
    return PROJECT_WORKFLOW.key("default", project_id="p", workflow_id=name)


def row(name: str, status: str = "new") -> ProjectWorkflow:
    return ProjectWorkflow(*key(name), data={"status": status}, created_at=AT, updated_at=AT)


def status(name: str) -> str:
    return str(ProjectWorkflow.load(key(name)).data["status"])


def set_status(name: str, value: str, only_if: str) -> Update:
    path = ProjectWorkflow.data["status"]
    return Update(key(name), [path.set(value)], path == only_if, name=name)


def event_at(moment: dt.datetime) -> Item:
    return row(clock.iso(moment))


def test_all_changes_are_written_with_their_event(table: str) -> None:
    row("old").save()
    (event,) = transact([Put(row("a")), set_status("old", "done", only_if="new")], event_at)
    assert (status("a"), status("old")) == ("new", "done")
    assert ProjectWorkflow.load(event.key)


def test_one_condition_that_does_not_hold_keeps_everything_out(table: str) -> None:
    row("old", "done").save()
    with pytest.raises(Conflict) as conflict:
        transact([Put(row("a")), set_status("old", "again", only_if="new")], event_at)
    assert conflict.value.failed == {"old"}
    assert status("old") == "done"
    with pytest.raises(NotFound):
        status("a")


def test_failed_changes_are_named_whatever_their_kind(table: str) -> None:
    row("old").save()
    changes = [
        Put(row("a"), name="free"),
        Put(row("old"), name="taken"),
        Delete(key("other"), ProjectWorkflow.PK.exists(), name="gone"),
        Check(key("nobody"), Item.PK.exists(), name="checked"),
    ]
    with pytest.raises(Conflict) as conflict:
        transact(changes)
    assert conflict.value.failed == {"taken", "gone", "checked"}


def test_a_change_without_a_name_fails_without_one(table: str) -> None:
    row("old").save()
    with pytest.raises(Conflict) as conflict:
        transact([Put(row("old"))])
    assert conflict.value.failed == frozenset()


@pytest.mark.parametrize("second", [Put(row("a")), Delete(key("a")), Check(key("a"), Item.PK.exists())])
def test_two_changes_of_one_key_are_refused_before_anything_is_sent(table: str, second: Change) -> None:
    row("a").save()
    with pytest.raises(CountersignError, match="Changes 1 and 2 of one transaction have the same key") as refused:
        transact([set_status("a", "done", only_if="new"), second], event_at)
    assert type(refused.value) is CountersignError
    assert status("a") == "new"


def test_an_event_with_the_key_of_a_change_is_refused(table: str) -> None:
    with pytest.raises(CountersignError, match="Changes 1 and 2"):
        transact([Put(row("a"))], lambda _: row("a"))


def test_the_same_key_of_two_tables_is_two_rows(table: str) -> None:
    row("a").save()
    transact([set_status("a", "done", only_if="new"), Check(key("a"), NEW, VersionItem)])
    assert status("a") == "done"


def test_a_put_does_not_replace_unless_it_is_told_to(table: str) -> None:
    row("a", "first").save()
    with pytest.raises(Conflict):
        transact([Put(row("a", "second"))])
    transact([Put(row("a", "third"), overwrite=True)])
    assert status("a") == "third"


def test_two_events_of_one_microsecond_are_moved_apart(table: str) -> None:
    taken: list[dt.datetime] = []

    def same_key_first(moment: dt.datetime) -> Item:
        taken.append(moment)
        return row("taken" if len(taken) == 1 else clock.iso(moment))

    row("taken").save()
    (event,) = transact([Put(row("a"))], same_key_first)
    assert len(taken) == 2
    assert taken[1] - taken[0] == dt.timedelta(microseconds=1)
    assert key(clock.iso(taken[1])).sk == event.SK


def test_the_same_call_with_its_token_changes_nothing(table: str) -> None:
    token = clock.new_ulid()
    transact([Put(row("a"))], token=token)
    transact([Put(row("a"))], token=token)
    assert status("a") == "new"


def test_of_many_at_once_one_wins(table: str) -> None:
    row("a").save()
    won: list[str] = []

    def take(name: str, event: EventAt) -> None:
        try:
            transact([set_status("a", name, only_if="new")], event)
        except Conflict:
            return
        won.append(name)

    threads = [threading.Thread(target=take, args=(f"t{number}", event_at)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert won == [status("a")]

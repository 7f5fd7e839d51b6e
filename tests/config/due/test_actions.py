"""The verbs, each with who loses its race."""

import pytest
from django.conf import LazySettings

from config import clock
from config.due import actions as due_work
from config.due.actions import T
from config.errors import Conflict
from config.table import ARRIVAL_BEGIN, due_place
from config.transaction import EXISTS
from workflows.intake.items import ArrivalBegin

pytestmark = pytest.mark.usefixtures("table")
PAST, LATER = "2000-01-01T00:00:00+00:00", "2100-01-01T00:00:00+00:00"
DIGEST = "d" * 8


def work(*, due: bool = True) -> ArrivalBegin:
    keys = ArrivalBegin.due_keys(PAST, digest=DIGEST) if due else {}
    row = ArrivalBegin(*ARRIVAL_BEGIN.key("default", digest=DIGEST, by="bucket"), **keys)
    row.save()
    return row


def now(row: T) -> T:
    return type(row).load(row.key)


def due_at(row: ArrivalBegin) -> str:
    return due_place(str(now(row).GSI2SK)).due_at


def test_one_worker_has_the_lease_and_the_same_one_may_take_it_again() -> None:
    row = work()
    due_work.claim(row, owner="one")
    with pytest.raises(Conflict):
        due_work.claim(row, owner="other")
    due_work.claim(row, owner="one")
    assert (now(row).lease_owner, int(now(row).tries)) == ("one", 2)


def test_a_lease_that_ran_out_is_anybodys() -> None:
    row = work()
    due_work.claim(row, owner="one", until=PAST)
    assert due_work.claim(row, owner="other").lease_owner == "other"


def test_what_was_begun_often_enough_is_begun_no_more(settings: LazySettings) -> None:
    settings.WORKER_ATTEMPTS = 2
    row = work()
    for _ in range(2):
        due_work.claim(row, owner="one", until=PAST)
    with pytest.raises(Conflict):
        due_work.claim(row, owner="one")
    assert due_work.attempts_exhausted(now(row))
    assert due_work.is_abandoned(now(row))
    assert not due_work.is_abandoned(ArrivalBegin(tries=2, lease_until=LATER))


def test_who_gives_up_comes_too_late_once_another_has_begun() -> None:
    row = work()
    seen = due_work.claim(row, owner="one", until=PAST)
    due_work.claim(row, owner="other", until=PAST)
    with pytest.raises(Conflict):
        due_work.finish(seen, when=due_work.not_begun_since(seen, owner="one"))
    due_work.finish(seen, when=due_work.not_begun_since(now(row), owner="one"))
    assert not now(row).is_scheduled


def test_a_heartbeat_prolongs_the_lease_until_the_work_is_gone() -> None:
    row = work()
    due_work.claim(row, owner="one", until=PAST)
    due_work.renew(row, when=EXISTS, until=LATER)
    assert now(row).lease_until == LATER
    row.delete()
    with pytest.raises(Conflict):
        due_work.renew(row, when=EXISTS)


def test_of_two_who_postpone_the_second_finds_it_moved() -> None:
    row = work()
    due_work.postpone(row, at=LATER)
    with pytest.raises(Conflict):
        due_work.postpone(row, at=clock.iso(clock.now()))
    assert due_at(row) == LATER


def test_a_postponed_row_keeps_its_kind_and_id_and_forgets_that_its_repair_failed() -> None:
    row = work()
    row.GSI2SK = f"{PAST}#arrival#{DIGEST}#again#3#{PAST}"
    row.save()
    due_work.postpone(row, at=LATER)
    assert ArrivalBegin.due_keys(LATER, digest=DIGEST)["GSI2SK"] == now(row).GSI2SK


def test_no_verb_puts_a_row_into_the_index_that_is_not_in_it() -> None:
    row = work(due=False)
    with pytest.raises(Conflict):
        due_work.postpone(row, at=LATER)
    ArrivalBegin.change(row.key, due_work.postpone_actions(ArrivalBegin, LATER, digest=DIGEST), EXISTS)
    assert not now(row).is_scheduled
    ArrivalBegin.change(row.key, due_work.schedule_actions(ArrivalBegin, LATER, digest=DIGEST), EXISTS)
    assert now(row).is_scheduled


def test_a_released_begin_does_not_count_and_who_lost_the_lease_releases_nothing() -> None:
    row = work()
    due_work.claim(row, owner="one")
    due_work.release(row, owner="other")
    assert (now(row).lease_owner, int(now(row).tries)) == ("one", 1)
    due_work.release(row, owner="one")
    assert (now(row).lease_owner, now(row).lease_until, int(now(row).tries)) == (None, None, 0)


def test_who_finishes_what_was_moved_meanwhile_leaves_it() -> None:
    row = work()
    due_work.postpone(row, at=LATER)
    with pytest.raises(Conflict):
        due_work.finish(row)
    due_work.finish(now(row))
    assert not now(row).is_scheduled
    with pytest.raises(Conflict):
        due_work.finish(now(row), when=due_work.if_scheduled())

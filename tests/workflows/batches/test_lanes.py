"""Slots: one line each, one line once, and how many there are may change at any time."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from config import clock
from config.errors import Conflict, Refused
from config.transaction import EXISTS
from tests.workflows.batches import bulk
from workflows.batches import actions, shares
from workflows.batches.actions import BatchDraft
from workflows.batches.items import Batch, BatchStatus, LineOutcome

pytestmark = pytest.mark.usefixtures("table")


def running(
    *, slots: int = 2, planned: int = 3, allowed: int = 0, project_id: str = "p", site: str = "default"
) -> Batch:
    batch_id = clock.new_ulid()
    draft = BatchDraft("November", project_id, "Bills", "none", "list", slots, 0)
    batch = actions.create_batch(site, draft, by=bulk.BY, batch_id=batch_id)
    actions.record_manifest(site, batch, total=planned, bad=0, planned=planned, parts=0, allowed=allowed)
    actions.begin_lines(site, bulk.now(batch, site))
    return bulk.now(batch, site)


def claim(batch: Batch, lane: int) -> actions.Place:
    place = actions.claim_lane("default", batch, lane)
    assert place
    return place


def test_each_lane_takes_the_next_line_and_goes_on_with_another():
    batch = running()
    first, second = claim(batch, 0), claim(batch, 1)
    assert (first.position, second.position) == (0, 1)
    found, following = actions.settle_lane(first, LineOutcome.PUBLISHED)
    assert (following, found.at_work) == (first._replace(position=2), {0: 2, 1: 1})
    found, following = actions.settle_lane(second, LineOutcome.WAITING)
    assert (following, found.at_work) == (None, {0: 2})  # no line is left
    assert (found.published, found.waiting) == (1, 1)


def test_of_many_that_settle_a_line_one_counts_it():
    batch = running(slots=1, planned=5)
    place = claim(batch, 0)

    def settle(_: int) -> bool:
        try:
            actions.settle_lane(place, LineOutcome.PUBLISHED)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(8) as workers:
        assert sum(workers.map(settle, range(8))) == 1
    assert (bulk.now(batch).published, bulk.now(batch).at_work) == (1, {0: 1})


def test_of_many_that_fill_a_lane_one_does():
    batch = running(slots=3, planned=20)
    with ThreadPoolExecutor(9) as workers:
        places = [one for one in workers.map(lambda n: actions.claim_lane("default", batch, n % 3), range(9)) if one]
    assert sorted(place.position for place in places) == [0, 1, 2]
    assert bulk.now(batch).taken == 3


def test_fewer_slots_close_lanes_as_they_end_and_more_open_them():
    batch = running(slots=2, planned=10)
    first, second = claim(batch, 0), claim(batch, 1)
    actions.change_slots("default", batch, 1, by=bulk.BY)
    assert actions.settle_lane(second, LineOutcome.PUBLISHED)[1] is None
    assert actions.settle_lane(first, LineOutcome.PUBLISHED)[1]
    assert actions.claim_lane("default", batch, 1) is None
    actions.change_slots("default", batch, 2, by=bulk.BY)
    assert claim(batch, 1).position == 3
    for wrong in (0, 101):
        with pytest.raises(Refused, match="from 1 to 100"):
            actions.change_slots("default", batch, wrong, by=bulk.BY)


def test_once_too_much_failed_nothing_is_started():
    batch = running(slots=1, planned=10, allowed=1)
    place: actions.Place | None = claim(batch, 0)
    for expected in (1, 2):
        assert place
        found, place = actions.settle_lane(place, LineOutcome.FAILED)
        assert found.failed == expected
    assert place is None
    assert actions.claim_lane("default", batch, 0) is None


def test_a_line_of_an_earlier_attempt_settles_nothing():
    batch = running(slots=1, planned=1)
    place = claim(batch, 0)
    Batch.change(batch.key, [Batch.attempt.set(2)], EXISTS)
    with pytest.raises(Conflict):
        actions.settle_lane(place, LineOutcome.PUBLISHED)


def test_a_batch_does_not_end_while_a_line_is_under_way():
    batch = running(slots=1, planned=1)
    place = claim(batch, 0)
    with pytest.raises(Conflict):
        actions.finish_batch("default", batch, BatchStatus.FINISHED)
    actions.settle_lane(place, LineOutcome.PUBLISHED)
    actions.finish_batch("default", batch, BatchStatus.FINISHED)
    with pytest.raises(Conflict, match="has changed"):  # who comes second tells nobody
        actions.finish_batch("default", batch, BatchStatus.FINISHED)


def test_a_sites_batches_share_its_slots_and_those_of_a_project_the_projects(settings):
    settings.SITE_SLOTS, settings.PROJECT_SLOTS = 12, 6
    one, two, three = running(slots=50), running(slots=50), running(slots=50, project_id="q")
    other = running(slots=50, site="acme")
    shares.rebalance_shares("default")
    assert [bulk.now(batch).width for batch in (one, two, three)] == [3, 3, 4]
    assert bulk.now(other, "acme").width == 50  # another site's are its own
    actions.finish_batch("default", bulk.now(two), BatchStatus.FINISHED)
    assert {batch.id for batch in shares.rebalance_shares("default")} == {one.id, three.id}
    assert [bulk.now(batch).width for batch in (one, three)] == [6, 6]

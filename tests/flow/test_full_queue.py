"""Each list of the queue and the opening of a review cost the same however many wait."""

import io

import pytest
from django.core.management.base import OutputWrapper
from django.urls import reverse

from config import clock
from projects.sites import directory
from review import queries
from review.decide import claims, postponements
from review.identity import Person
from review.queries import row_ref
from tests.factories import review_of
from tests.metering import metered
from tests.people import bob, signed_in
from tests.review.reviews import url
from tests.tools import fill

pytestmark = pytest.mark.django_db
SITE = "default"
# The calls that each may make, and the read units it may take.
QUERY, ITEMS = "dynamodb.Query", "dynamodb.BatchGetItem"
LISTS = {
    "queue": ("", [QUERY], 4),
    "filtered": ("?text=invoice&sort=unsure", [QUERY], 40),
    "due": ("?due=24h&assignee=none", [QUERY], 40),
    "risk": ("?sort=risk&reason=low_confidence&risk=medium&age=1h", [QUERY], 40),
    "list-reasons": ("", [QUERY], 40),
    "list-mine": ("", [QUERY, ITEMS], 12),
    "list-asked": ("", [QUERY], 1),
    "list-postponed": ("", [QUERY], 4),
    "list-decided": ("", [QUERY], 1),
    "list-queues": ("", [QUERY, QUERY], 2),
    "list-views": ("", [QUERY, QUERY, QUERY, ITEMS, QUERY, QUERY, QUERY], 14),
}


@pytest.mark.parametrize(
    "waiting", [60, pytest.param(10_000, marks=[pytest.mark.slow, pytest.mark.processes, pytest.mark.timeout(1800)])]
)
def test_no_list_costs_more_where_many_wait(table: str, waiting: int) -> None:
    told = OutputWrapper(io.StringIO())
    fill.fill(SITE, "proj_fill", documents=0, reviews=waiting, segment_count=0, again=False, out=told, progress=told)
    me = bob()
    person = Person(str(me.pk), me.get_full_name())
    some = queries.list_queue(SITE).rows
    for row in some[:3]:
        ref = row_ref(SITE, row)
        run = queries.run_of(ref, row)
        claims.claim_review(ref, run, by=person)
    postponements.postpone_review(ref, run, review_of(ref), clock.in_seconds(600), by=person)
    client = signed_in(me)
    directory.get_site(SITE)
    pages = {name: (_address(name) + query, calls, units) for name, (query, calls, units) in LISTS.items()}
    first = row_ref(SITE, some[0])
    pages["open"] = (url("show-review", first), [ITEMS], 4)
    pages["position"] = (url("show-position", first), ["dynamodb.GetItem", QUERY, QUERY], 14)
    wrong = {}
    for name, (where, allowed, units) in pages.items():
        with metered() as meter:
            assert client.get(where).status_code == 200
        calls = [one for one in meter.calls if not one.startswith("sqs.")]  # that someone looked is told to a worker
        print(f"{name:15} {' '.join(calls):90} {meter.reads:g} read units")
        if calls != allowed or meter.reads > units:
            wrong[name] = (calls, meter.reads)
    assert wrong == {}


def _address(name: str) -> str:
    return reverse(f"review:{'queue' if name in {'filtered', 'due', 'risk'} else name}")

"""``manage.py recount``: a full count, what differs from it, and how it is put right."""

import io

import pytest
from django.core.management import CommandError, call_command

from config.errors import Conflict
from config.table import COUNTER
from projects.documents import queries as counter_queries
from projects.documents import recount
from projects.documents.counting import Kind
from projects.documents.items import Counter
from review.decide import claims
from tests.aws_faults import count_calls, crash_before, fail
from tests.factories import PROJECT, PROJECT_ID, ROSA, SITE, start_run
from tests.projects.counts import counted, said
from tests.projects.make_schemas import events, make_attributes, make_classification
from tests.review.reviews import open_review
from tests.tools import fill
from tests.workflows.advancing import failed, published, waiting


def told(**options):
    out = io.StringIO()
    call_command("recount", stdout=out, **options)
    return out.getvalue()


def skewed(by=5):
    """Somebody wrote past the actions."""
    key = COUNTER.key(SITE, kind=Kind.SITE, counted="documents", shard=3)
    Counter.change(key, [Counter.failed.add(by)], Counter.PK.exists() | Counter.PK.does_not_exist())


@pytest.fixture
def desk(table):
    make_attributes()
    project = {**PROJECT, "classification_id": make_classification()}
    for end in (published, failed, waiting):
        end(start_run(project=project))
    open_review()


def test_counters_that_are_right_are_left_alone(desk):
    before = said()
    assert before == counted()
    with count_calls() as calls:
        assert "all counters match" in told(repair=True)
    assert {call.operation for call in calls.calls} == {"Query"}
    assert said() == before


def test_what_differs_is_said_and_repaired_with_an_event(desk):
    skewed()
    with pytest.raises(CommandError, match="1 counters differ"):
        told()
    assert counter_queries.count_documents(SITE).by_status["failed"] == 6
    assert "site documents: failed 6, counted 1" in told(repair=True)
    assert said() == counted()
    assert events("counter", "site-documents")[-1][0] == "repaired"
    assert "all counters match" in told()


def test_counters_that_are_gone_are_made_anew(desk):
    wanted = said()
    for kind in Kind:
        for row in counter_queries.list_shards(SITE, kind):
            row.delete()
    assert counter_queries.count_documents(SITE).total == 0
    told(repair=True)
    assert said() == wanted


def test_what_moves_meanwhile_is_not_written_over(desk):
    skewed()
    (difference,) = recount.find_differences(SITE)
    skewed(by=-1)
    with pytest.raises(Conflict):
        recount.repair_counter(SITE, difference)
    assert counter_queries.count_documents(SITE).by_status["failed"] == 5


def test_more_shards_than_before_change_no_count(desk, settings):
    wanted = said()
    settings.COUNTER_SHARDS = 64
    assert "all counters match" in told()
    failed(start_run())
    assert (
        counter_queries.documents_of_project(SITE, PROJECT_ID).by_status["failed"]
        == wanted["site", "documents", "failed"] + 1
    )


def test_a_site_counts_its_own(desk):
    start_run(site="acme")
    skewed()
    assert "all counters match" in told(site="acme")
    assert said("acme") == counted("acme")
    with pytest.raises(CommandError, match="letters, digits"):
        told(site="Not/a site")


def test_claiming_leaves_the_queue_as_long_as_it_was(desk):
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    assert counter_queries.count_waiting_by_queue(SITE) == {"review": 2}


# --- fill ------------------------------------------------------------------------
def filled(**options):
    call_command("fill", stdout=io.StringIO(), stderr=io.StringIO(), **options)


@pytest.mark.wide
def test_what_is_filled_is_counted_once_however_often(table):
    filled(documents=60, reviews=30)
    assert said() == counted()
    assert said()["queue", "review", "waiting"] == said()["site", "documents", "waiting"] == 30
    filled(documents=60, reviews=30)
    filled(documents=70, reviews=30, again=True)
    assert said() == counted()
    assert "all counters match" in told()


@pytest.mark.parametrize("nth", [1, 2, 3])
def test_killed_as_it_counts_and_started_again_it_counts_once(table, monkeypatch, nth):
    monkeypatch.setattr(fill, "_RECORD_SECONDS", 0)
    monkeypatch.setattr(fill, "_LANES", 1)
    filled(documents=0, reviews=1)
    with crash_before("dynamodb", "TransactWriteItems", nth=nth + 2):
        filled(documents=100)
    filled(documents=100)
    assert said() == counted()


def test_two_who_fill_one_project_are_told(table, monkeypatch):
    filled(documents=25)
    with fail("dynamodb", "TransactWriteItems", times=9), pytest.raises(CommandError):
        filled(documents=50)
    filled(documents=50)
    assert said() == counted()

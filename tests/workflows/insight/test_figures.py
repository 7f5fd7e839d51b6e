"""What one run adds to its days."""

import datetime as dt

from workflows.insight.figures import (
    BOUNDS,
    Decided,
    RunFacts,
    StepTime,
    count_run,
    join_name,
    percentile,
    split_name,
)
from workflows.runs.items import Outcome

CAME = dt.datetime(2026, 11, 20, 23, 50, tzinfo=dt.UTC)
ENDED = dt.datetime(2026, 11, 21, 0, 20, tzinfo=dt.UTC)


def facts(**more):
    return RunFacts("p1", "document-analysis", CAME, CAME, **more)


def test_a_run_under_way_counts_as_received():
    assert count_run(facts()) == {"2026-11-20": {"received": 1}}


def test_a_publication_counts_on_the_day_it_ended():
    days = count_run(facts(ended_at=ENDED, outcome=Outcome.PUBLISHED, steps=[StepTime("assess", 0.2)]))
    assert days["2026-11-20"] == {"received": 1}
    assert days["2026-11-21"] == {
        "ended|published": 1,
        "straight": 1,
        "total|18": 1,  # half an hour
        "step|document-analysis|assess|0": 1,
    }


def test_a_review_is_no_straight_way_and_its_decision_is_counted():
    decided = [Decided("7", "Rosa Marin", 48, ["Total"], ["Date", "Company"])]
    ended = count_run(facts(ended_at=ENDED, outcome=Outcome.PUBLISHED, asked=True, decided=decided))["2026-11-21"]
    assert ended["reviewed"] == 1
    assert "straight" not in ended
    assert ended["field|Total|corrected"] == ended["field|Date|confirmed"] == 1
    assert ended["person|7|Rosa Marin|decided"] == ended["person|7|Rosa Marin|time|9"] == 1


def test_what_failed_attempts_cost_is_told_apart_and_nothing_is_lost():
    used = {("bedrock", "haiku"): 700}
    ended = count_run(facts(ended_at=ENDED, outcome=Outcome.FAILED, cause=("webcrawler", "E"), micros=1000, used=used))
    numbers = ended["2026-11-21"]
    assert numbers["failed|webcrawler|E"] == 1
    assert sum(number for name, number in numbers.items() if name.startswith("cost|")) == 1000


def test_a_run_whose_result_is_not_the_documents_is_no_publication():
    days = count_run(facts(ended_at=ENDED, outcome=Outcome.PUBLISHED, kept=True))
    assert days["2026-11-21"] == {}


def test_names_hold_any_text():
    words = ["field", "Total | [net].1 %", "größe"]
    assert list(split_name(join_name(*words))) == words
    assert "[" not in join_name(*words)


def test_percentiles_lie_in_their_bucket():
    buckets = {0: 90, len(BOUNDS): 10}
    assert percentile(buckets, 0.5) < 1
    assert percentile(buckets, 0.99) == BOUNDS[-1]

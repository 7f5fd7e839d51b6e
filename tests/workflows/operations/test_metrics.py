import json
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from prometheus_client import REGISTRY, generate_latest

from config import clock
from config.due import sweeper
from config.logs import JsonFormatter
from projects.sites import directory
from review.decide.due import drive_review
from review.identity import ReviewRef
from review.items.reviews import READABLE, Review
from review.status import DECIDED
from tests.aws_faults import Calls, count_calls, fail
from tests.config import parsed
from tests.factories import decided_run, start_run
from tests.pump import Pump
from tests.workflows.advancing import failed, published
from workflows.operations import metrics, tasks
from workflows.runs import events


def overdue(ref: ReviewRef) -> None:
    """The repair's time has come long ago, and nobody was there."""
    at = clock.iso(clock.in_seconds(-300))
    Review.change(ref.key, [Review.GSI2SK.set(f"{at}#review#{ref.review_id}")], Review.PK.exists())


def read() -> dict[str, float]:
    """Each gauge by its name and kind."""
    found = {}
    for family in metrics.DeskCollector(decided=DECIDED).collect():
        for sample in family.samples:
            found[" ".join([sample.name, *sample.labels.values()])] = sample.value
    return found


def asked(calls: Calls) -> list[str]:
    return [name for name in calls.names() if name.startswith("dynamodb.")]


def test_a_decision_that_its_run_has_not_taken_is_counted_and_one_in_its_undo_window_is_not(pump: Pump) -> None:
    _, ref, _ = decided_run(pump)
    assert read()["countersign_redeem_backlog"] == 0
    overdue(ref)
    found = read()
    assert (found["countersign_redeem_backlog"], found["countersign_overdue_rows review"]) == (1, 1)
    assert 300 <= found["countersign_overdue_seconds review"] < 400


def test_other_rows_are_counted_by_their_kind(pump: Pump) -> None:
    run = start_run()
    for _ in range(3):
        events.lineage(run, "PUBLISHED", bus_type=events.PROCESSED)(clock.in_seconds(-3600)).save()
    found = read()
    assert found["countersign_overdue_rows event"] == 3
    assert found["countersign_redeem_backlog"] == 0


def test_what_could_not_be_repaired_is_overdue_since_it_was_due_first(table: str) -> None:
    run = start_run()
    events.lineage(run, "PUBLISHED", bus_type=events.PROCESSED)(clock.in_seconds(-3600)).save()
    with fail("events", "PutEvents", error_code="connection"):
        sweeper.sweep()
    assert [row for row in sweeper.due_rows(0) if row.kind == "event"] == []
    assert read()["countersign_overdue_rows event"] == 1
    assert 3590 <= read()["countersign_overdue_seconds event"] < 3700


def test_whoever_asks_often_costs_as_much_as_who_asks_once(table: str) -> None:
    directory.every_place(99)  # remembered for seconds, as in any process that answers pages
    gauges = metrics.DeskCollector(decided=DECIDED)
    with count_calls() as calls:
        for _ in range(5):
            list(gauges.collect())
    # workers, what is due and services; then the figures of today
    assert asked(calls) == ["dynamodb.Query"] * 3 + ["dynamodb.BatchGetItem"]


def test_without_the_table_the_queues_are_told_and_without_the_queues_the_rest(table: str) -> None:
    with fail("dynamodb", "Query", times=3), fail("dynamodb", "BatchGetItem"):
        found = read()
    assert found[f"countersign_waiting_messages {settings.DESK_QUEUE}"] == 0
    assert "countersign_redeem_backlog" not in found
    with fail("sqs", "GetQueueAttributes", error_code="connection", times=99):
        found = read()
    assert found["countersign_redeem_backlog"] == 0
    assert f"countersign_waiting_messages {settings.DESK_QUEUE}" not in found


def test_the_figures_of_the_day_are_told_by_site_and_step(table: str) -> None:
    published(start_run())
    failed(start_run())
    sweeper.sweep()
    found = read()
    assert found["countersign_documents_received_total default"] == 2
    assert found["countersign_documents_processed_total default published"] == 1
    assert found["countersign_run_failures_total default segment_prep"] == 1
    assert found["countersign_document_seconds_bucket default +Inf"] == 1
    assert found["countersign_step_seconds_bucket default segment_prep +Inf"] >= 1


def test_what_a_run_adds_is_logged_once_for_cloudwatch_under_the_same_names(
    table: str, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.LOG_METRICS = True
    caplog.set_level("INFO")
    published(start_run())
    sweeper.sweep()
    sweeper.sweep()
    lines = [json.loads(JsonFormatter().format(one)) for one in caplog.records if one.message == "measured"]
    described = [about for line in lines for about in line["_aws"]["CloudWatchMetrics"]]
    assert {about["Namespace"] for about in described} == {f"Countersign/{settings.STACK}"}
    names = {one["Name"] for about in described for one in about["Metrics"]}
    assert names <= {one.name for one in metrics.EVERY_METRIC}
    (line,) = [line for line in lines if "countersign_documents_processed_total" in line]
    assert (line["countersign_documents_processed_total"], line["outcome"]) == (1, "published")
    assert all({"site"}.isdisjoint(about["Dimensions"][0]) for about in described)


def test_once_a_minute_the_desk_is_logged_for_cloudwatch_and_now_and_then_measured(
    table: str, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.LOG_METRICS = True
    caplog.set_level("INFO")
    for _ in range(2):
        tasks.measure_desk()
    lines = [json.loads(JsonFormatter().format(one)) for one in caplog.records if one.message == "measured"]
    waiting = [line for line in lines if line.get("queue") == settings.DESK_QUEUE]
    assert [line["countersign_waiting_messages"] for line in waiting] == [0, 0]
    with count_calls() as calls:
        tasks.measure_desk()
    # The counts are kept for the page; and no DescribeTable for the next ten minutes.
    assert asked(calls) == ["dynamodb.Query"] * 3 + ["dynamodb.UpdateItem"]
    assert read()["countersign_disk_free_bytes"] > 0


def test_they_are_on_the_page_of_every_web_process(table: str, client: Client) -> None:
    assert b"countersign_redeem_backlog" in client.get("/metrics").content
    assert b"countersign_redeem_backlog" in generate_latest(REGISTRY)


def test_a_decision_that_is_driven_on_says_how_long_it_has_waited(pump: Pump, caplog: pytest.LogCaptureFixture) -> None:
    _, ref, _ = decided_run(pump)
    review = Review.load(ref.key, only=READABLE)
    ago = clock.iso(clock.in_seconds(-700))
    Review.change(ref.key, [Review.reviewedAt.set(ago), Review.redeem_after.set(ago)], Review.PK.exists())
    drive_review(ref.site, Review.load(ref.key, only=READABLE))
    (record,) = [record for record in caplog.records if record.message == "decision waits"]
    line = json.loads(JsonFormatter().format(record))
    assert (line["message"], line["review"]) == ("decision waits", review.reviewId)
    assert 700 <= line["seconds"] < 800


def test_every_sweep_says_that_it_was_there(table: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    sweeper.sweep()
    line = json.loads(JsonFormatter().format(caplog.records[-1]))
    assert (line["message"], line["rows"]) == ("swept", 0)


def test_the_template_counts_the_sentences_that_are_logged() -> None:
    patterns = {made["FilterPattern"] for made in parsed.resources("Logs::MetricFilter").values()}
    repairs = " || ".join(f'$.message = "{one}"' for one in ("run restarted", "slices sent again", "decision waits"))
    assert patterns == {'{ $.message = "decision waits" }', '{ $.message = "swept" }', f"{{ {repairs} }}"}

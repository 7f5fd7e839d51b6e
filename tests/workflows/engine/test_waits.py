"""When a wait ends: after its hours, or as the day of a field begins; a field without a day is not waited for."""

import datetime as dt

import pytest

from config import clock
from workflows.definitions.blueprint import StepDefinition
from workflows.definitions.rules import Facts
from workflows.engine import waits

NOW = dt.datetime(2026, 11, 26, 9, 30, tzinfo=dt.UTC)
HOURS = StepDefinition(11, "wait_11", "Cool off", "wait", {"": 12}, waits=True, parameters=(("hours", "48"),))
DAY = StepDefinition(11, "wait_11", "Until due", "wait", {"": 12}, waits=True, parameters=(("field", "due"),))


@pytest.fixture(autouse=True)
def now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOW)


def due(*values: str) -> Facts:
    return Facts("", fields={"due": values})


def test_hours_are_counted_from_the_first_order() -> None:
    until = waits.find_end(HOURS, due())
    assert clock.parse(until) == NOW + dt.timedelta(hours=48)
    assert waits.seconds_until(until) == 48 * 3600
    assert waits.describe_wait(HOURS) == "Waits 48 hours."
    assert waits.describe_end(HOURS, until) == "Waited until 2026-11-28 09:30 UTC."
    assert waits.preview_wait(HOURS, due()) == "Waits 48 hours. Ends 2026-11-28 09:30 UTC."


def test_a_day_begins_at_midnight_in_utc_and_of_several_the_last_counts() -> None:
    until = waits.find_end(DAY, due("2026-12-01", " 2026-12-24 ", "soon"))
    assert until == "2026-12-24T00:00:00.000000+00:00"
    assert waits.describe_wait(DAY) == "Waits until the day of due (UTC)."


@pytest.mark.parametrize("values", [(), ("31.12.2026",), ("2026-02-30",), ("2026-1-1",), ("",)])
def test_without_a_day_nothing_is_waited_for(values: tuple[str, ...]) -> None:
    until = waits.find_end(DAY, due(*values))
    assert (until, waits.seconds_until(until)) == ("", 0)
    assert waits.preview_wait(DAY, due(*values)) == "Not waited: no date was found in due."


def test_what_is_past_is_over_and_a_long_wait_is_looked_at_between() -> None:
    assert waits.seconds_until(waits.find_end(DAY, due("2026-11-26"))) == 0
    assert waits.seconds_until(waits.find_end(DAY, due("9999-12-31"))) == waits.LONGEST_LOOK


def test_an_engine_that_remembers_is_looked_after_a_little_later() -> None:
    until = waits.find_end(HOURS, due())
    assert waits.look_at(until, kind="celery") == until
    assert waits.look_at(until, kind=None) > until

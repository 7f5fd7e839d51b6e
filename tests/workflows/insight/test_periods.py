"""Periods read from weeks: whatever day it is, the sums are those of the days."""

import datetime as dt
import random

import pytest
from django.core.cache import cache

from tests.aws_faults import count_calls
from tests.factories import SITE
from tests.workflows.insight.rollups import add_figures
from workflows.insight import figures, periods, queries
from workflows.insight.queries import Scope

SATURDAY = dt.date(2026, 11, 28)
SCOPE = Scope(SITE)


def numbers_of(chance: random.Random) -> dict[str, int]:
    names = ("received", "micros", "ended|published", "total|5", "total|12", "field|Total|corrected", "step|a|b|3")
    return {name: chance.randrange(1, 50) for name in names if chance.random() < 0.8}


@pytest.fixture
def days(table):
    """190 days; a tenth of them without any figure."""
    chance, found = random.Random(5), {}
    for day in periods.list_days(SATURDAY, 190):
        found[day] = {} if chance.random() < 0.1 else numbers_of(chance)
        if found[day]:
            add_figures(SCOPE, day, **found[day])
    return found


def total(days, last, number):
    return figures.add_up(days[day] for day in periods.list_days(last, number))


def without_steps(numbers):
    return {name: number for name, number in numbers.items() if not name.startswith("step|")}


def test_a_period_and_the_one_before_it_add_up_on_each_day_of_a_week(days):
    for last in reversed(periods.list_days(SATURDAY, 7)):
        for number in (1, 7, 30, 90):
            found = queries.read_report(SCOPE, last, number)
            assert found.now.numbers == total(days, last, number)
            assert found.before.numbers == without_steps(total(days, last - dt.timedelta(days=number), number))
            assert sum((one.last - one.first).days + 1 for one in found.spans) == number
            for name in ("received", "micros", "total|5"):
                assert sum(one.sums.numbers.get(name, 0) for one in found.spans) == found.now.numbers.get(name, 0)
        if taken := days.pop(last):  # so that the day before is today
            add_figures(SCOPE, last, **{name: -by for name, by in taken.items()})


def test_a_period_is_one_call(days):
    for number in (1, 7, 30, 90):
        with count_calls() as made:
            queries.read_report(SCOPE, SATURDAY, number)
        assert len(made.calls) == 1, made.names()


def test_the_sums_since_a_day_are_those_of_its_days_in_one_call(days):
    for number in range(1, 100):
        with count_calls() as made:
            found = queries.sum_since(SCOPE, SATURDAY - dt.timedelta(days=number - 1))
        assert found == total(days, SATURDAY, number)
        assert len(made.calls) == 1, made.names()


def test_what_was_before_a_long_period_is_kept_for_minutes(days):
    for number in (30, 90):
        first = queries.read_report(SCOPE, SATURDAY, number)
        with count_calls() as made:
            assert queries.read_report(SCOPE, SATURDAY, number) == first
        began = SATURDAY - dt.timedelta(days=number - 1)
        assert min(read_from(made)) == figures.monday_of(began)
    other = queries.read_report(Scope(SITE, "another-project"), SATURDAY, 90)
    assert not other.before.numbers
    add_figures(SCOPE, SATURDAY - dt.timedelta(days=100), received=1)
    cache.clear()  # as minutes later
    assert queries.read_report(SCOPE, SATURDAY, 90).before.received == first.before.received + 1


def read_from(made):
    """The first day or Monday of each batch."""
    for call in made.of("dynamodb", "BatchGetItem"):
        keys = [key for one in call.params["RequestItems"].values() for key in one["Keys"]]
        yield min(dt.date.fromisoformat(key["SK"]["S"].rpartition("#")[2]) for key in keys)


def test_days_of_a_long_period_are_read_with_what_tables_show(days):
    spans = queries.list_spans(SCOPE, SATURDAY, 90)
    assert [one.first for one in spans] == periods.list_days(SATURDAY, 90)
    shown = dict(days[SATURDAY])
    for name in ("field|Total|corrected", "step|a|b|3"):
        shown.pop(name, None)
    assert spans[-1].sums.numbers == shown

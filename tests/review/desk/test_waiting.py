"""Waiting reviews by queue: the numbers of the overview, what they cost, and that each leads to exactly those."""

import datetime as dt

import pytest
from django.urls import reverse

from config import clock
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import bob, charlie, signed_in
from tests.projects.make_queues import make_queue
from tests.review.reviews import open_review

pytestmark = pytest.mark.usefixtures("desk")
NOON = dt.datetime(2026, 11, 25, 12, tzinfo=dt.UTC)
HOUR = 3600


@pytest.fixture
def lines(monkeypatch):
    """Opened at eleven, looked at by noon: one overdue, two due today, one tomorrow."""
    now = [NOON - dt.timedelta(hours=1)]
    monkeypatch.setattr(clock, "now", lambda: now[0])
    for name, hours in (("late.pdf", 0.5), ("soon.pdf", 2), ("evening.pdf", 11), ("tomorrow.pdf", 20)):
        open_review(name, timeout=round(hours * HOUR))
    now[0] = NOON

    def read(user=None):
        return signed_in(user or bob()).get(reverse("review:show-waiting")).context["lines"]

    return read


def test_each_number_leads_to_exactly_what_it_counts(lines):
    (line,) = lines()
    assert (line.name, line.waiting, line.overdue, line.today) == ("Review", 4, "1", "2")
    browser = signed_in(bob())
    for url, names in ((line.overdue_url, ["late.pdf"]), (line.today_url, ["soon.pdf", "evening.pdf"])):
        assert [row.name for row in browser.get(url).context["rows"]] == names
    assert browser.get(line.oldest_url).context["rows"][0].since == line.oldest


def test_today_ends_where_the_persons_day_does(lines):
    user = bob()
    browser = signed_in(user)
    browser.cookies["time-zone"] = "Asia/Tokyo"  # where it is 21:00
    (line,) = browser.get(reverse("review:show-waiting")).context["lines"]
    assert (line.overdue, line.today) == ("1", "1")
    assert [row.name for row in browser.get(line.today_url).context["rows"]] == ["soon.pdf"]


def test_it_costs_five_calls_at_most_however_many_queues_there_are(table):
    for number in range(5):
        open_review(queue=make_queue(f"Queue {number}").id)
    browser = signed_in(bob())
    browser.get(reverse("review:show-waiting"))  # who is let into which queue is remembered for a while
    with count_calls() as calls:
        answer = browser.get(reverse("review:show-waiting"))
    assert calls.names() == ["dynamodb.Query"] * 5
    assert [line.counted for line in answer.context["lines"]] == [True, True, True, False, False]


def test_one_queue_costs_two_and_none_one(table):
    browser = signed_in(bob())
    with count_calls() as calls:
        assert "<section" not in one_line(signed_in(bob(), htmx=True).get(reverse("review:show-waiting")).content)
    assert calls.names() == ["dynamodb.Query"]
    open_review()
    with count_calls() as calls:
        browser.get(reverse("review:show-waiting"))
    assert calls.names() == ["dynamodb.Query"] * 2


def test_a_queue_is_there_for_whom_it_lets_in(table):
    open_review(queue=make_queue("Takeovers", ["board"]).id)
    page = one_line(signed_in(charlie()).get(reverse("review:show-waiting")).content)
    assert "Takeovers" not in page
    assert "No reviews are waiting in your queues." in page


def test_more_than_were_read_says_so(table, monkeypatch):
    monkeypatch.setattr("review.desk.waiting.MOST_READ", 2)
    monkeypatch.setattr(clock, "now", lambda: NOON)
    for hours in (1, 2, 3):
        open_review(timeout=hours * HOUR)
    (line,) = signed_in(bob()).get(reverse("review:show-waiting")).context["lines"]
    assert (line.waiting, line.overdue, line.today) == (3, "0", "2+")

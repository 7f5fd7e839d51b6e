"""Times and days of pages are those of the person's time zone: chosen, else the browser's, else UTC."""

import datetime as dt

import pytest
from django.conf import settings
from django.test import RequestFactory
from django.utils import timezone

from config import clock
from projects.templatetags.desk import local_time
from projects.web import days
from projects.web.time_zone import COOKIE, TimeZoneMiddleware, find_zone
from tests.each import each
from tests.html import one_line
from tests.people import PASSWORD, charlie, signed_in

pytestmark = pytest.mark.django_db
URL = "/account/preferences/"
EVENING = dt.datetime(2026, 11, 25, 23, 30, tzinfo=dt.UTC)


@each(
    ("zone", "day", "words"),
    [
        ("UTC", "2026-11-25", "25 Nov 2026, 23:30 UTC"),
        ("Europe/Berlin", "2026-11-26", "26 Nov 2026, 00:30 CET"),
        ("America/Lima", "2026-11-25", "25 Nov 2026, 18:30 -05"),
    ],
)
def test_a_moment_and_its_day_are_those_of_who_looks(zone, day, words, monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: EVENING)
    with timezone.override(zone):
        assert days.today().isoformat() == day
        assert days.start_of(days.today()) <= EVENING < days.start_of(days.today() + dt.timedelta(days=1))
        assert words in local_time(EVENING)
        assert 'datetime="2026-11-25T23:30:00+00:00"' in local_time(clock.iso(EVENING))


def test_a_name_from_a_browser_is_a_time_zone_or_nothing():
    assert str(find_zone("Asia/Kathmandu")) == "Asia/Kathmandu"
    for name in ("", "../../etc/passwd", "Mars/Olympus", "Europe/berlin"):
        assert find_zone(name) is None


def test_the_browser_says_it_until_the_person_chooses(table):
    browser = signed_in(charlie())
    assert "data-zone" not in one_line(browser.get(URL).content)
    browser.cookies[COOKIE] = "Asia/Tokyo"
    assert seen_zone(browser) == "Asia/Tokyo"
    assert browser.post(URL, {"time_zone": "Europe/Berlin"}).status_code == 302
    assert seen_zone(browser) == "Europe/Berlin"
    page = one_line(browser.get(URL).content)
    assert 'data-zone="Europe/Berlin"' in page
    assert '<option value="Europe/Berlin" selected>' in page
    browser.post(URL, {"time_zone": ""})
    assert seen_zone(browser) == "Asia/Tokyo"


def seen_zone(browser) -> str:
    """The one that a page was rendered in."""
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(days, "today", lambda: seen.append(timezone.get_current_timezone_name()) or dt.date(2026, 1, 1))
        browser.get("/cases/tasks/")
    return seen[0]


def test_what_is_no_time_zone_is_refused(table):
    answer = signed_in(charlie()).post(URL, {"time_zone": "Mars/Olympus"})
    assert answer.status_code == 422
    assert "Select a time zone from the list." in one_line(answer.content)


def test_it_is_kept_with_the_account_and_taken_up_by_the_next_session(table, client):
    signed_in(user := charlie()).post(URL, {"time_zone": "America/Lima"})
    client.post("/login/", {"username": user.username, "password": PASSWORD})
    assert seen_zone(client) == "America/Lima"


def test_programs_are_told_utc(table):
    browser = signed_in(charlie())
    browser.post(URL, {"time_zone": "America/Lima"})
    seen = []
    inside = TimeZoneMiddleware(lambda _: seen.append(timezone.get_current_timezone_name()))
    for path in ("/api/v1/documents", "/documents/"):
        request = RequestFactory().get(path)
        request.COOKIES[settings.SESSION_COOKIE_NAME] = browser.cookies[settings.SESSION_COOKIE_NAME].value
        request.session = browser.session
        inside(request)
    assert seen == ["UTC", "America/Lima"]

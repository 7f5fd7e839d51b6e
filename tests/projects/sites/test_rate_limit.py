"""How often a key may ask: as many requests for all processes together as one while has, and not one more."""

import datetime as dt
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.test import Client

from config import clock
from projects.sites import rate_limit
from projects.sites.api_keys import create_api_key
from projects.sites.permissions import Permission
from tests.aws_faults import fail
from tests.projects.make_sites import BY

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
URL = "/api/v1/projects"


@pytest.fixture
def client(settings):
    settings.API_REQUESTS, settings.API_SECONDS = 45, 86_400
    _, key = create_api_key("default", "Scanner", [Permission.READ], by=BY)
    return Client(headers={"Authorization": f"Bearer {key}"})


def test_every_answer_says_what_is_left_and_none_is_given_beyond_the_limit(client):
    statuses = []
    for _ in range(4):  # processes: none remembers what another took
        rate_limit._held.clear()
        statuses += [client.get(URL).status_code for _ in range(15)]
    # Two took twenty and used fifteen; the third took the last five singly.
    assert statuses == [200] * 35 + [429] * 25
    rate_limit._held.clear()
    refused = client.get(URL)
    assert (refused.status_code, refused["Content-Type"]) == (429, "application/problem+json")
    assert "may send 45 requests in 86400 seconds" in refused.json()["detail"]
    assert int(refused["Retry-After"]) == int(refused["RateLimit-Reset"]) > 0
    assert (refused["RateLimit-Limit"], refused["RateLimit-Remaining"]) == ("45", "0")


def test_one_process_gives_exactly_the_limit_and_counts_down(client):
    answers = [client.get(URL) for _ in range(46)]
    assert [one.status_code for one in answers] == [200] * 45 + [429]
    assert [int(one["RateLimit-Remaining"]) for one in answers] == [*range(44, -1, -1), 0]


def test_many_at_once_get_no_more_than_the_limit(client, settings):
    settings.API_REQUESTS = 5
    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(lambda _: client.get(URL).status_code, range(12)))
    assert (statuses.count(200), statuses.count(429)) == (5, 7)


def test_the_next_while_begins_anew(client, settings, monkeypatch):
    settings.API_REQUESTS = 1
    assert [client.get(URL).status_code for _ in range(2)] == [200, 429]
    later = clock.in_seconds(86_400)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert client.get(URL).status_code == 200


def test_what_cannot_be_counted_is_answered(client):
    with fail("dynamodb", "UpdateItem", error_code="InternalServerError", times=9):
        assert client.get(URL).status_code == 200


def test_a_server_whose_clock_is_behind_counts_in_the_window_that_another_began(client, settings, monkeypatch):
    settings.API_REQUESTS, settings.API_SECONDS = 3, 60
    monkeypatch.setattr(rate_limit, "_AT_ONCE", 1)
    edge = dt.datetime(2026, 12, 1, 12, 1, tzinfo=dt.UTC)

    def ask(seconds: int) -> tuple[int, int, int]:
        """From a server that remembers nothing, so many seconds after the edge of a minute."""
        rate_limit._held.clear()
        monkeypatch.setattr(clock, "now", lambda: edge + dt.timedelta(seconds=seconds))
        found = client.get(URL)
        return found.status_code, int(found["RateLimit-Remaining"]), int(found["RateLimit-Reset"])

    assert ask(1) == (200, 2, 59)
    assert ask(-1) == (200, 1, 61)
    assert ask(1) == (200, 0, 59)
    assert ask(-1) == (429, 0, 61)
    assert ask(-61) == (429, 0, 1)  # no server is a minute behind by chance

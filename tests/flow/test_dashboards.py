"""What dashboards call when nothing of what a process keeps for seconds or minutes is kept."""

import pytest
from django.core.cache import cache
from django.test import Client

from projects.audit.events import actor_of
from projects.settings import actions as project_actions
from projects.settings.values import ProjectSettings
from projects.sites import directory
from tests.aws_faults import count_calls
from tests.factories import PROJECT_ID, SITE, start_run
from tests.people import alice, signed_in
from tests.workflows.advancing import waiting

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
# What any page reads at most every ACCESS_SECONDS: the group's permissions, the site, its queues, and notifications.
ACCESS = 4
OF_PROJECT = f"project={PROJECT_ID}"
DASHBOARDS = {
    "/": 5,
    "/insight/": 5,
    "/insight/?period=today": 5,
    "/insight/?period=7d": 5,
    "/insight/?period=90d": 5,
    f"/insight/?{OF_PROJECT}": 5,
    f"/insight/?period=90d&{OF_PROJECT}": 5,
    "/insight/wall/": 5,
    f"/insight/wall/?{OF_PROJECT}": 5,
    "/review/quality/": 3,
    "/review/quality/?period=12m": 3,
    "/review/load/": 5,
    "/settings/costs/": 5,
    "/settings/operations/": 5,
    "/settings/people/": 5,
}


@pytest.fixture
def client() -> Client:
    wanted = ProjectSettings(name="Invoices")
    project_actions.create_project(SITE, wanted, by=actor_of(alice()), project_id=PROJECT_ID)
    waiting(start_run())
    return signed_in(alice())


def calls_of(client: Client, url: str) -> list[str]:
    with count_calls() as calls:
        assert client.get(url).status_code == 200
    return calls.names()


@pytest.mark.parametrize("url", DASHBOARDS)
def test_a_dashboard_costs_few_calls_after_its_caches_ended(client, url):
    client.get(url)
    cache.clear()
    names = calls_of(client, url)
    assert len(names) <= DASHBOARDS[url], names


@pytest.mark.parametrize("url", [one for one in DASHBOARDS if one not in ("/", "/settings/people/")])
def test_the_first_look_of_a_process_adds_what_any_page_reads(client, url):
    client.get(url)
    cache.clear()
    directory.forget()
    names = calls_of(client, url)
    assert len(names) <= DASHBOARDS[url] + ACCESS, names

"""Learned extraction in a browser: no serious fault at any width and scheme; a reason for each activation."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from projects.audit.events import Actor
from tests.browser.conftest import LOOKS, watch
from tests.browser.desk import sign_in
from tests.browser.patience import PATIENCE_MS
from tests.browser.test_accessibility import faults
from tests.people import alice
from tests.workflows.decided import project
from tests.workflows.learning.extractors.reviewed_orders import SITE, project_of_orders
from workflows.learning.extractors import actions

pytestmark = pytest.mark.django_db(transaction=True)
LONG = "Reads the sponsor of every order that the northern stations send since they changed their forms in spring " * 2


@pytest.fixture
def page(width: int, scheme: Any, browser: Browser, console: list[str]) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    context.set_default_timeout(PATIENCE_MS)
    watch(context, console)
    yield context.new_page()
    context.close()


def check_page(page: Page) -> None:
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.wide
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_extraction_is_learned_and_activated(
    live_server: LiveServer, page: Page, table: str, console: list[str]
) -> None:
    alice()
    new, project_id = project(), project_of_orders(12)
    actions.train_extractor(SITE, project_id, by=Actor("9", "Anna Berg"))
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/workflows/projects/{new}/extraction/")
    expect(page.get_by_text("10 more reviews until extraction can learn")).to_be_visible()
    check_page(page)
    page.goto(f"{live_server.url}/projects/{project_id}/")
    page.get_by_role("link", name="Learned extraction").click()
    expect(page.get_by_role("heading", name="Accuracy of extractor 1")).to_be_visible()
    check_page(page)
    page.get_by_label("Reason").fill(LONG.strip())
    page.get_by_role("button", name="Activate", exact=True).click()
    expect(page.get_by_text("Extractor 1 applies to new runs")).to_be_visible()
    check_page(page)
    page.get_by_label("Reason").fill("New forms")
    page.get_by_role("button", name="Deactivate", exact=True).click()
    expect(page.get_by_text("Built-in rules apply to new runs")).to_be_visible()
    assert console == []

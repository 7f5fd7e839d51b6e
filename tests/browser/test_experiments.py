"""Test sets and experiments in a browser: no serious fault at any width and scheme, and a start by keyboard alone."""

import re
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from config.environment import ModelEndpoint
from tests.browser.conftest import LOOKS, watch
from tests.browser.desk import sign_in
from tests.browser.patience import PATIENCE_MS
from tests.browser.test_accessibility import faults
from tests.people import alice
from tests.projects.models.catalogue import add_model
from tests.pump import Pump
from tests.workflows.experiments.counting_server import serve_counting
from tests.workflows.experiments.made import copy_document, make_experiment, make_set, two_prompts, work_all
from tests.workflows.trials.reading import read_run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def page(width: int, scheme: Any, browser: Browser, console: list[str]) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    context.set_default_timeout(PATIENCE_MS)
    watch(context, console)
    yield context.new_page()
    context.close()


@pytest.mark.wide
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_pages_of_test_sets_and_experiments(
    live_server: LiveServer, page: Page, pump: Pump, console: list[str]
) -> None:
    alice()
    run = read_run(pump)
    testset = make_set(run.project_id, [run.document_id, *(copy_document(run, number) for number in range(3))])
    add_model("local")
    with (
        serve_counting() as server,
        mock.patch.dict(settings.MODEL_ENDPOINTS, {"local": ModelEndpoint(server.url, "")}),
        mock.patch.object(settings, "MESSAGE_LOST_SECONDS", 300),
    ):
        ref = make_experiment(testset, two_prompts(run.project_id), thresholds=(0.4, 0.8))
        work_all(ref)
    paused = make_experiment(testset, [1])
    work_all(paused)  # its model cannot be asked any more
    sign_in(page, live_server, "alice")
    here = f"{live_server.url}/workflows/projects/{run.project_id}"
    one = f"{here}/experiments/{ref.experiment_id}/"
    for url in (
        f"{here}/test-sets/",
        f"{here}/test-sets/new/",
        f"{here}/test-sets/{testset.testset_id}/",
        f"{here}/experiments/",
        one,
        f"{here}/experiments/{paused.experiment_id}/",
        f"{one}answers/",
        f"{one}differences/?first=1&second=3",
        f"{one}documents/{run.document_id}/?first=1&second=3",
    ):
        page.goto(url)
        assert (url, faults(page)) == (url, [])
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), url
    page.goto(f"{here}/experiments/new/")
    assert faults(page) == []
    page.get_by_label("Name").focus()
    page.keyboard.type("By keyboard")
    page.get_by_label("Model local").focus()
    page.keyboard.press("Space")
    page.get_by_label("Cost limit").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"experiments/[0-9A-Z]{26}/"))
    expect(page.get_by_role("heading", name="By keyboard")).to_be_visible()
    expect(page.locator("#experiment-progress")).to_contain_text("Queued")
    assert console == []

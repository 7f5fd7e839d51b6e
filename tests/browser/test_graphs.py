"""Graphs of a document and of a project fit a phone, by day and by night, without scrolling sideways."""

import json
from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import watch
from tests.browser.desk import sign_in
from tests.browser.test_accessibility import faults
from tests.factories import start_run
from tests.people import alice
from tests.projects.projects import make_project
from tests.workflows.repeated import field, publish
from workflows.runs.items import Run
from workflows.runs.run_files import files_of
from workflows.storage import files

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("table")]
NAMES = ("Juniper Mill Paper Manufacturing and Trading Ltd", "2 Weir Street, Saltmarsh", "GBP 5,000.00")
KINDS = ("organisation", "place", "amount")


@pytest.fixture
def page(browser: Browser, console: list[str], scheme: Literal["light", "dark"]) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 375, "height": 800}, color_scheme=scheme)
    watch(context, console)
    yield context.new_page()
    context.close()


def with_graph(project_id: str) -> Run:
    run = publish(start_run(project_id=project_id), field("total", "4.00"))
    entities = [
        {"id": name, "name": name, "type": kind, "mentions": 2, "mentioned_in": []}
        for name, kind in zip(NAMES, KINDS, strict=True)
    ]
    relations = [{"source": "document", "target": name, "weight": 2} for name in NAMES]
    graph = json.dumps({"entities": entities, "relations": relations})
    files_of(run).write(files.GRAPH, graph.encode(), "application/json")
    return run


@pytest.mark.wide
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_graphs_fit_a_phone(live_server: LiveServer, page: Page, console: list[str]) -> None:
    alice()
    project = make_project()
    run = with_graph(project.id)
    with_graph(project.id)
    sign_in(page, live_server, "alice")
    for path, points in (
        (f"/workflows/{run.document_id}/{run.workflow_id}/about/", 1 + len(NAMES)),
        (f"/workflows/projects/{project.id}/graph/", 2 + len(NAMES)),
    ):
        page.goto(live_server.url + path)
        drawing = page.locator("svg.graph:visible")
        expect(drawing).to_have_count(1)
        assert drawing.locator("circle").count() == points
        box = drawing.bounding_box()
        assert box
        assert 0 <= box["x"] < box["x"] + box["width"] <= 375
        for part in drawing.locator("text, path").all():
            inner = part.bounding_box()
            assert inner
            assert 0 <= inner["x"] < inner["x"] + inner["width"] <= 375
        assert page.evaluate("document.documentElement.scrollWidth") == 375
        assert faults(page) == []
        page.set_viewport_size({"width": 1440, "height": 900})
        expect(page.locator("svg.graph:visible")).to_have_class("graph wide")
        assert faults(page) == []
        page.set_viewport_size({"width": 375, "height": 800})
    assert console == []

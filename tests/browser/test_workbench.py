"""An admin's day at the workbench, asked of a real model: a prompt is edited, tried, measured and promoted.

``SHOTS`` names a folder for pictures of each step; otherwise they are in the test's own.
"""

import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from unittest import mock

import pytest
from django.conf import settings
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from config.laptop import embedded_model
from projects.prompts import queries as prompt_queries
from projects.prompts.queries import PromptRef
from projects.settings.values import FieldSetting
from review.decide import claims, decisions
from tests.browser.desk import sign_in
from tests.browser.test_accessibility import faults
from tests.browser.test_settings import sideways
from tests.embedded import needs_model, run_model_process
from tests.factories import PROJECT, ROSA, SITE, ref_of, start_run, verdict
from tests.flow.protocol import sweep_until_ended
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.tools.paper import Sheet, save

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("table")]

_TOTALS = ("12.50", "8.20", "31.00", "4.75", "19.90")
_INSTRUCTIONS = "Find the total on the receipt.\n{{fields}}\nThe total stands after the word Total."
_FIELDS = (FieldSetting("total", "Total", "amount", description="The amount due"),)
LOOKS: tuple[tuple[int, Literal["dark", "light"]], ...] = ((375, "dark"), (1440, "light"))
_MINUTES = 8  # the model writes some tokens a second, on a machine that does other things too


def draw_receipt(folder: Path, name: str, total: str) -> Path:
    sheet = Sheet(300, 200)
    sheet.text(20, 40, "CAFE LUNA", size=14)
    sheet.text(20, 80, f"Total {total} EUR", size=14)
    return save([sheet], folder / name)


def review_five(pump: Pump, project_id: str, folder: Path) -> None:
    """Five receipts that Rosa has approved with what stands on them."""
    stored = [{"name": one.name, "label": one.label, "type": one.type} for one in _FIELDS]
    project = {**PROJECT, "fields": stored, "review_policy": {"default_threshold": 1.0}}
    runs = [
        start_run(draw_receipt(folder, f"receipt {number}.pdf", total), project=project, project_id=project_id)
        for number, total in enumerate(_TOTALS)
    ]
    pump.run(lambda: pump.ran("open_review") == len(runs), seconds=120)
    for run, total in zip(runs, _TOTALS, strict=True):
        ref = ref_of(run)
        claims.claim_review(ref, run, by=ROSA)
        decisions.decide_review(ref, run, verdict(ref, total=total), by=ROSA)
    for run in runs:
        sweep_until_ended(run, pump)


@dataclass
class Workbench:
    """An admin's page of one project."""

    page: Page
    pump: Pump
    folder: Path
    web: str
    project_id: str
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def open(self, path: str) -> None:
        self.page.goto(f"{self.web}/projects/{self.project_id}/{path}")

    def open_workflow(self, path: str) -> None:
        self.page.goto(f"{self.web}/workflows/projects/{self.project_id}/{path}")

    def look(self, name: str) -> None:
        """Keep the page as it is on a phone by night and at a desk by day; both are sound."""
        folder, number = Path(os.environ.get("SHOTS") or self.folder), next(self.numbers)
        for width, scheme in LOOKS:
            self.page.set_viewport_size({"width": width, "height": 900})
            self.page.emulate_media(color_scheme=scheme)
            self.page.screenshot(path=folder / f"{number:02}-{name}-{width}-{scheme}.png", full_page=True)
            assert (name, width, faults(self.page), sideways(self.page)) == (name, width, [], False)


@pytest.fixture
def bench(live_server: LiveServer, context: BrowserContext, pump: Pump, tmp_path: Path) -> Iterator[Workbench]:
    project = make_project("Receipts", fields=_FIELDS)
    review_five(pump, project.id, tmp_path)
    page = context.new_page()
    sign_in(page, live_server, "alice")
    pump.sends_again = True
    with (
        mock.patch.object(settings, "MODEL", "embedded"),  # as ``make demo-model``
        run_model_process(embedded_model.socket_of(settings.STATE_DIR)),
    ):
        yield Workbench(page, pump, tmp_path, live_server.url, project.id)


@needs_model
@pytest.mark.slow
@pytest.mark.timeout(60 * _MINUTES)
def test_a_prompt_is_edited_tried_measured_and_promoted(bench: Workbench, console: list[str]) -> None:
    edit_and_try(bench)
    build_test_set(bench)
    measure_and_promote(bench)
    head = prompt_queries.get_head(PromptRef(SITE, bench.project_id, "extract"))
    assert (int(head.version), int(head.production)) == (2, 2)
    assert [line for line in console if "422" not in line] == []


def edit_and_try(bench: Workbench) -> None:
    page, pump = bench.page, bench.pump
    bench.open("")
    page.get_by_role("link", name="Prompts", exact=True).click()
    bench.look("prompts")
    bench.open("prompts/extract/")
    instructions, desk = page.get_by_label("Instructions"), page.locator("#trial-desk")
    instructions.fill("Find the {{totl}} on the receipt.")
    expect(page.locator("#prompt-problems")).to_contain_text("totl")
    bench.look("placeholder-error")
    instructions.fill(_INSTRUCTIONS)
    expect(desk.get_by_label("Model")).to_have_value("embedded")
    expect(desk.get_by_text("About 2 requests")).to_be_visible()
    desk.get_by_role("button", name="Try", exact=True).click()
    expect(desk.get_by_text("Waiting for the model")).to_be_visible()
    bench.look("trial-waits")
    pump.run(lambda: pump.ran("try_prompt") > 0, seconds=240)
    expect(desk.get_by_text("Done", exact=True)).to_be_visible()
    bench.look("trial-done")
    for side in ("Draft", "Version 1, production"):
        desk.get_by_text(f"{side}: requests and answers").click()
    draft, production = (one.locator("pre").nth(2).inner_text() for one in desk.locator(".trial-raw").all())
    assert draft != production
    bench.look("trial-raw")
    page.get_by_label("Note").fill("Shorter")
    page.get_by_role("button", name="Save version").click()
    expect(page.get_by_role("heading", name="Version 2")).to_be_visible()
    bench.look("version")


def build_test_set(bench: Workbench) -> None:
    page, pump = bench.page, bench.pump
    bench.open_workflow("test-sets/new/")
    page.get_by_label("Name").fill("Receipts")
    bench.look("new-test-set")
    page.get_by_role("button", name="Create test set").click()
    bench.look("test-set-builds")
    pump.run(lambda: pump.ran("testsets.tasks.build") > 0)
    page.get_by_role("link", name="Show them").click()
    expect(page.get_by_text("5 documents with known answers")).to_be_visible()
    bench.look("test-set")


def measure_and_promote(bench: Workbench) -> None:
    page, pump = bench.page, bench.pump
    bench.open_workflow("experiments/new/")
    page.get_by_label("Name").fill("Shorter or not")
    for name in ("Version 1, in production", "Version 2", "SmolLM2"):
        page.get_by_label(name).check()
    page.get_by_label("Temperatures").fill("0, 0.5")
    bench.look("new-experiment")
    page.get_by_role("button", name="Start experiment").click()
    expect(page.locator("#experiment-progress")).to_contain_text("0 of 20 answers")
    pump.run(lambda: page.locator("#experiment-progress").get_by_text("Done").is_visible(), seconds=60 * _MINUTES)
    page.get_by_role("link", name="Show results").click()
    bench.look("experiment")
    variants = page.locator(".variant-table tbody tr")
    expect(variants).to_have_count(4)
    for row in variants.all():
        expect(row.locator("[data-label='Cost']")).to_contain_text("$0.00")
        expect(row.locator("[data-label='F1']")).to_contain_text("%")
    page.get_by_role("link", name="Variant 3", exact=True).click()
    bench.look("variant")
    page.get_by_label("Reason", exact=True).fill("Shorter, and as good")
    despite = page.get_by_label("Why use it all the same")
    if despite.is_visible():
        despite.fill("It is to be tried on new receipts")
    page.get_by_role("button", name="Promote prompt").click()
    expect(page.get_by_text("The prompt of variant 3 is in production.")).to_be_visible()

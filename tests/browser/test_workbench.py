"""An admin's day at the workbench, asked of a real model: a prompt is edited, tried, measured, used and restored.

``SHOTS`` names a folder for pictures of each step; otherwise they are in the test's own.
"""

import itertools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field as dataclass_field
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
from tests.browser.desk import check_all, claim, field, sign_in
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
_MINUTES = 12  # the model writes some tokens a second, on a machine that does other things too


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
    numbers: Iterator[int] = dataclass_field(default_factory=lambda: itertools.count(1))

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
def test_a_prompt_is_edited_tried_measured_promoted_used_and_restored(bench: Workbench, console: list[str]) -> None:
    prompt = PromptRef(SITE, bench.project_id, "extract")
    edit_and_try(bench)
    build_test_set(bench)
    measure_and_promote(bench)
    head = prompt_queries.get_head(prompt)
    assert (int(head.version), int(head.production)) == (2, 2)
    process_a_document(bench)
    find_what_was_asked(bench)
    restore_the_old_one(bench)
    head = prompt_queries.get_head(prompt)
    assert (int(head.version), int(head.production)) == (3, 3)
    first, third = (prompt_queries.get_version(prompt, number).sha256 for number in (1, 3))
    assert first == third
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
    expect(desk.get_by_text("Waiting for a worker")).to_be_visible()
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
    despite = page.get_by_label("Reason for using it anyway")
    if despite.is_visible():
        despite.fill("It is to be tried on new receipts")
    page.get_by_role("button", name="Promote prompt").click()
    expect(page.get_by_text("The prompt of variant 3 is in production.")).to_be_visible()


def process_a_document(bench: Workbench) -> None:
    """To its end. The model's answer may be anything, so a person looks at it."""
    page, pump = bench.page, bench.pump
    bench.open("edit/")
    page.get_by_label("Field extraction").select_option("Language model")
    page.get_by_label("Review threshold (%)").fill("100")  # whatever the model says
    bench.look("project-settings")
    page.get_by_role("button", name="Save settings").first.click()
    expect(page.get_by_text("Settings saved")).to_be_visible()
    page.get_by_role("link", name="Upload").first.click()
    page.get_by_label("Files").set_input_files(draw_receipt(bench.folder, "new receipt.pdf", "17.30"))
    page.get_by_role("button", name="Upload", exact=True).click()
    page.get_by_role("link", name="View run").click()
    pump.run(lambda: pump.ran("open_review") > len(_TOTALS), seconds=240)
    page.reload()
    bench.look("run-needs-review")
    run_url = page.url
    claim(page, str(page.get_by_role("link", name="Open review").evaluate("link => link.href")))
    field(page, "total").fill("17.30")
    check_all(page)
    before = pump.ran("run_step")
    page.locator("[data-approve]").click()
    page.wait_for_url("**/review/?done=*")
    pump.run(lambda: pump.ran("run_step") == before + 3, seconds=60)  # graph, summary, publishing
    page.goto(run_url)
    expect(page.locator("#run").get_by_text("Published", exact=True).first).to_be_visible()
    bench.look("run-published")


def find_what_was_asked(bench: Workbench) -> None:
    page = bench.page
    expect(page.locator("#step-segment_analyzer")).to_contain_text("SmolLM2-135M-Instruct: 1 page")
    page.get_by_role("link", name="Prompts and answers").click()
    bench.look("prompts-and-answers")
    main = page.locator("main")
    expect(main).to_contain_text("version 2 (production)")
    expect(main).to_contain_text(re.compile(r"[1-9]\d* tokens in, [1-9]\d* out,\s+free, \d+\.\d s"))
    sent = [words.inner_text() for words in page.locator("section").first.locator("pre").all()]
    assert sent[0] == _INSTRUCTIONS.replace("{{fields}}", "- total: Total (amount). The amount due.")
    assert "CAFE LUNA\nTotal 17.30 EUR" in sent[1]
    assert '"fields": {' in sent[-1]
    page.get_by_role("link", name="version 2").click()
    expect(page.get_by_role("heading", name="Version 2")).to_be_visible()
    expect(page.locator("section", has=page.get_by_role("heading", name="Runs")).get_by_role("link")).to_have_count(1)


def restore_the_old_one(bench: Workbench) -> None:
    page = bench.page
    bench.open("prompts/extract/versions/1/")
    page.get_by_role("link", name="Restore").click()
    expect(page.get_by_label("Note")).to_have_value("Restores version 1")
    bench.look("restoring")
    page.get_by_role("button", name="Save version").click()
    expect(page.get_by_role("heading", name="Version 3")).to_be_visible()
    production = page.locator("section", has=page.get_by_role("heading", name="Production"))
    production.get_by_label("Reason").fill("The new one was no better")
    production.get_by_role("button", name="Put into production").click()
    expect(page.get_by_text("Version 3 is in production. Runs that start from now on use it.")).to_be_visible()
    bench.look("restored")

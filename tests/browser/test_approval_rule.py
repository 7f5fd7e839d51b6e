"""An approval rule with a wait is composed in the browser, published, activated, and approved by three people there.

On each engine; its looks are looked at on one.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from unittest import mock

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from config import clock
from projects.audit.events import Actor
from projects.queues.actions import create_queue
from review.decide.redemption import redeem_decision
from review.identity import ReviewRef
from review.items.reviews import Review
from tests.browser.conftest import LOOKS, watch
from tests.browser.desk import claim, sign_in
from tests.browser.test_ocr_models import look
from tests.engines import KINDS, STEP_FUNCTIONS, EngineKind, running_on
from tests.factories import SITE, review_of
from tests.flow.approvals import asked, begin, ended
from tests.people import alice, bob, person
from tests.pump import Pump
from workflows.definitions import actions as definition_actions
from workflows.definitions import versions
from workflows.definitions.composition import Block, Plan
from workflows.engine import repair, waits
from workflows.runs import queries

pytestmark = pytest.mark.django_db(transaction=True)
BY = Actor("1", "Alice Novak")
MESSAGES = next(kind for kind in KINDS if kind != STEP_FUNCTIONS)
RUNS = [
    *(pytest.param(*getattr(one, "values", one), STEP_FUNCTIONS, marks=getattr(one, "marks", ())) for one in LOOKS),
    (1440, "light", MESSAGES),
]


@pytest.fixture
def page(browser: Browser, console: list[str], width: int, scheme: Literal["light", "dark"]) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    context.set_default_timeout(15_000)
    watch(context, console)
    yield context.new_page()
    context.close()


@pytest.fixture
def on_engine(kind: EngineKind, pump: Pump) -> Iterator[None]:
    with running_on(kind):
        yield


@pytest.fixture
def people(pump: Pump) -> None:
    alice(), bob(), person("frida", "Olsen", "reviewers"), person("hedda", "Holm", "heads", "reviewers")
    for number, (name, groups) in enumerate((("Finance", ["reviewers"]), ("Heads", ["heads"]))):
        create_queue(SITE, name, groups, by=BY, queue_id=f"01K000000000000000000000Q{number}")


@pytest.fixture
def filing(pump: Pump) -> None:
    tag = Block("tag", "Mark as filed", parameters={"key": "filed", "value": "yes"})
    note = Block("event", "Announce", parameters={"type": "invoice.filed"})
    definition_actions.create_composed("filing", Plan(blocks=(tag, note)), by=BY)
    definition_actions.publish_plan("filing", revision=1, by=BY)


@pytest.mark.usefixtures("people", "filing", "on_engine")
@pytest.mark.parametrize(("width", "scheme", "kind"), RUNS)
def test_two_of_finance_and_the_head_approve_what_was_composed(
    live_server: LiveServer, page: Page, pump: Pump, console: list[str], tmp_path: Path
) -> None:
    sign_in(page, live_server, "alice")
    compose(page, live_server, pump, tmp_path)
    definition = versions.active_definition("invoice-rule")
    first, second, head = (one.name for one in definition.steps if one.queue)
    run = begin(tmp_path, "12000.00", definition=definition)
    for who, step in (("bob", first), ("frida", second), ("hedda", head)):
        approve(page, live_server, asked(run, pump, step), who)
    soon = clock.iso(clock.in_seconds(10))  # as if the two days were over then
    with mock.patch.object(waits, "find_end", return_value=soon):
        pump.run(lambda: bool(queries.execution(run).waits_until))
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/workflows/{run.document_id}/{run.workflow_id}/")
    expect(page.get_by_text("Waiting until").first).to_be_visible()
    look(page, "3-waits")

    def is_over() -> bool:
        execution = queries.execution(run)
        if execution.waits_until and str(execution.GSI2SK) <= clock.iso(clock.now()):
            repair.check_run(SITE, execution)
        return ended(run)

    pump.run(is_over, seconds=60)
    page.goto(f"{live_server.url}/workflows/{run.document_id}/{run.workflow_id}/")
    expect(page.get_by_text("Published").first).to_be_visible()
    look(page, "4-published")
    assert console == []


def compose(page: Page, live_server: LiveServer, pump: Pump, folder: Path) -> None:
    page.goto(f"{live_server.url}/settings/definitions/new/")
    page.get_by_label("Name").fill("invoice-rule")
    page.get_by_role("button", name="Create workflow").click()
    fill_approval(page, 0, "Finance", "1,000", queue="Finance", approvers="2")
    page.get_by_role("button", name="Add a step").click()
    fill_approval(page, 1, "Head of finance", "10000", queue="Heads")
    page.get_by_role("button", name="Add a step").click()
    page.locator("#id_blocks-2-kind").select_option("wait")
    page.locator("#id_blocks-2-label").fill("Cooling-off period")
    expect(page.locator("#id_blocks-2-target")).to_be_hidden()
    page.locator("#id_blocks-2-wait_hours").fill("48")
    page.get_by_role("button", name="Add a step").click()
    page.locator("#id_blocks-3-kind").select_option("workflow")
    page.locator("#id_blocks-3-label").fill("Filing")
    page.locator("#id_blocks-3-part").select_option("filing, version 1")
    old = begin(folder, "5000.00")  # to try it on
    pump.run(lambda: pump.ran("open_review") == 1)
    page.get_by_label("Document ID").fill(old.document_id)
    page.get_by_role("button", name="Try").click()
    expect(page.locator("section[aria-labelledby=h-trial] ol")).to_contain_text("Asks for approval in Finance.")
    expect(page.locator("section[aria-labelledby=h-trial] ol")).not_to_contain_text("Asks for approval in Heads.")
    expect(page.locator("section[aria-labelledby=h-trial] ol")).to_contain_text("Waits 48 hours. Ends")
    expect(page.locator("section[aria-labelledby=h-trial] ol")).to_contain_text("Filing: Mark as filed")
    look(page, "1-plan")
    page.get_by_role("button", name="Publish version 1").click()
    expect(page.get_by_text("Being deployed")).to_be_visible()
    pump.run(lambda: pump.ran("deploy_definition") == 1)
    page.reload()
    page.get_by_role("button", name="Activate").click()
    expect(page.get_by_text("New runs of invoice-rule use version 1")).to_be_visible()
    look(page, "2-version")


def fill_approval(page: Page, row: int, label: str, above: str, *, queue: str, approvers: str = "") -> None:
    page.locator(f"#id_blocks-{row}-kind").select_option("approval")
    page.locator(f"#id_blocks-{row}-label").fill(label)
    page.locator(f"#id_blocks-{row}-key_1").fill("total")
    page.locator(f"#id_blocks-{row}-value_1").fill(above)
    page.locator(f"#id_blocks-{row}-approvers").fill(approvers)
    page.locator(f"#id_blocks-{row}-queue").select_option(queue)


def approve(page: Page, live_server: LiveServer, ref: ReviewRef, who: str) -> None:
    sign_in(page, live_server, who)
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    page.locator("[data-approve]").click()
    page.wait_for_url("**/?done=*")
    decided = str(review_of(ref).decision_id)
    Review.change(ref.key, [Review.redeem_after.set(clock.iso(clock.now()))], Review.decision_id == decided)
    assert redeem_decision(ref, decided)

"""Rules, mappings and queues in a real browser: rows that come without a reload, and no page with a serious fault."""

import pytest
from django.contrib.auth.models import Group
from playwright.sync_api import Browser, BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import LOOKS
from tests.browser.desk import sign_in
from tests.browser.test_accessibility import faults
from tests.people import alice
from tests.projects.make_queues import SITE, make_queue
from tests.projects.make_sites import BY
from tests.pump import Pump
from tests.workflows.follow_ups import drive, published
from tests.workflows.make_rules import is_pdf, make_mapping, make_rule, make_ruleset, says
from workflows.definitions.actions import create_composed
from workflows.definitions.composition import Block, Plan
from workflows.definitions.rules import Act, Condition, Operator, Source, When
from workflows.routing import pinned_rules

pytestmark = pytest.mark.django_db(transaction=True)
# Names of visible selects that are narrower than what is chosen in them.
CUT = """main => [...main.querySelectorAll("select")].filter(one => one.getClientRects().length).filter(one => {
  const style = getComputedStyle(one), pen = document.createElement("canvas").getContext("2d")
  pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
  const room = one.clientWidth - parseFloat(style.paddingInlineStart) - parseFloat(style.paddingInlineEnd)
  return pen.measureText(one.selectedOptions[0].text).width > room
}).map(one => one.name)"""


def test_a_rule_is_made_row_by_row(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    alice()
    ruleset = make_ruleset()
    page = context.new_page()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/settings/rules/{ruleset.documentId}/new/")
    page.get_by_label("Description").fill("Urgent ones")
    page.locator("[name=conditions-0-source]").select_option("TEXT")
    page.locator("[name=conditions-0-value]").fill("urgent")
    page.get_by_role("button", name="Add a condition").click()
    expect(page.locator("[name=conditions-1-source]")).to_be_focused()
    page.locator("[name=conditions-1-source]").select_option("FIELD")
    page.locator("[name=conditions-1-key]").fill("total")
    page.locator("[name=conditions-1-operator]").select_option("GE")
    page.locator("[name=conditions-1-value]").fill("soon")
    page.get_by_role("button", name="Add an action").click()
    page.locator("[name=actions-0-type]").select_option("NOTIFY")
    page.locator("[name=actions-0-target]").fill("a@example.org")
    page.get_by_role("button", name="Create rule").first.click()
    expect(page.get_by_text("Enter a number such as 1000.50")).to_be_visible()
    page.locator("[name=conditions-1-value]").fill("1,000")
    page.get_by_role("button", name="Create rule").first.click()
    expect(page.get_by_role("link", name="Urgent ones")).to_be_visible()
    (stored,) = pinned_rules.list_rules(SITE, ruleset.documentId)
    assert [one.words for one in stored.rule.conditions] == ["Text contains “urgent”", "Field total is at least “1000”"]
    assert stored.rule.effect.actions == (Act("NOTIFY", {"to": "a@example.org"}),)
    assert [line for line in console if "422" not in line] == []


def test_what_is_chosen_can_be_read_on_a_phone(live_server: LiveServer, context: BrowserContext, pump: Pump) -> None:
    alice()
    steps = (
        Block("approval", "Manager", (Condition(Source.FIELD, Operator.GT, "1000", key="total"),)),
        Block("attribute", "File", parameters={"key": "filed", "value": "yes"}),
    )
    create_composed("filing", Plan(blocks=steps), by=BY)
    page = context.new_page()
    page.set_viewport_size({"width": 375, "height": 800})
    sign_in(page, live_server, "alice")
    for path in ("definitions/filing/plan/", f"rules/{make_ruleset().documentId}/new/"):
        page.goto(f"{live_server.url}/settings/{path}")
        expect(page.locator("main select").first).to_be_visible()
        assert page.locator("main").evaluate(CUT) == []
        assert page.evaluate("document.documentElement.scrollWidth") == 375


def test_a_document_is_taken_out_of_its_queue(live_server: LiveServer, context: BrowserContext, pump: Pump) -> None:
    alice()
    queue = make_queue("Payables")
    run = published(Act("QUEUE", {"queue": queue.id}))
    drive(run)
    page = context.new_page()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/review/queues/{queue.id}/")
    page.get_by_role("link", name="View documents").click()
    page.get_by_role("button", name="Done with secret-name.pdf").click()
    expect(page.get_by_role("heading", name="No documents in this queue")).to_be_visible()


@pytest.mark.wide
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_no_page_of_routing_has_a_serious_fault(
    live_server: LiveServer, browser: Browser, pump: Pump, width: int, scheme: str
) -> None:
    alice().groups.add(Group.objects.get_or_create(name="a group with a long name")[0])
    queue = make_queue("Payables", ["a group with a long name"])
    ruleset, mapping = make_ruleset("Where invoices of all our suppliers go"), make_mapping(("total", "total"))
    rule = make_rule(ruleset, says("invoice"), queue=queue.id, actions=(Act("WEBHOOK", {"url": "https://a.example/"}),))
    make_rule(ruleset, is_pdf(), when=When.UPLOAD, priority=1, language="de")
    run = published(Act("OCR"), Act("QUEUE", {"queue": queue.id}))
    drive(run)
    failed = published(Act("WEBHOOK", {"url": "https://10.0.0.1/"}))
    drive(failed)
    rules, runs = f"/settings/rules/{ruleset.documentId}/", f"/workflows/{failed.document_id}/{failed.workflow_id}/"
    paths = ["/settings/queues/", "/settings/queues/new/", f"/settings/queues/{queue.id}/", "/settings/rules/", rules]
    paths += [f"{rules}new/", f"{rules}{rule.documentId}/", "/settings/mappings/", f"/settings/mappings/{mapping.id}/"]
    paths += [f"/queues/{queue.id}/", f"/review/queues/{queue.id}/", "/review/queues/", "/workflows/actions/"]
    paths += [runs, f"{runs}follow-up/"]
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    sign_in(page, live_server, "alice")
    found = {}
    for path in paths:
        answer = page.goto(live_server.url + path)
        assert answer
        assert answer.ok, path
        found[path] = faults(page)
        wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        found[path] += [f"wider than the window by {wider}"] if wider > 0 else []
    context.close()
    assert {path: wrong for path, wrong in found.items() if wrong} == {}

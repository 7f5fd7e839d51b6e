"""No page has a serious fault that a machine can find: axe-core on each, by day and by night."""

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import LazySettings
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from config import clock
from config.due import sweeper
from projects.prompts import actions as prompt_actions
from projects.prompts.prompt import Prompt
from projects.prompts.queries import PromptRef
from projects.settings.items import Project
from review.decide import claims
from tests.browser.conftest import SCHEMES, watch
from tests.browser.desk import check_all, claim, field, sign_in, sign_in_by_form, waiting
from tests.browser.patience import PATIENCE_MS
from tests.factories import start_run
from tests.people import alice, bob
from tests.projects.make_sites import BY
from tests.projects.projects import SITE, make_project
from tests.pump import Pump
from tests.review.handovers.asking import hand_over
from tests.review.reviews import lapse, open_review, person, result
from tests.workflows.advancing import failed, published
from tests.workflows.insight.rollups import add_figures
from workflows.insight.queries import Scope

pytestmark = pytest.mark.django_db(transaction=True)
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


# What fades in has its colours at the end; what pulses has none.
_MOTION = """() => Promise.allSettled(document.getAnimations()
    .filter((one) => one.effect.getComputedTiming().endTime !== Infinity).map((one) => one.finished))"""


def faults(page: Page) -> list[str]:
    """Serious and critical ones: the rule and the first element that breaks it."""
    page.wait_for_load_state("networkidle")
    page.evaluate(_MOTION)
    options = {"runOnly": {"type": "tag", "values": TAGS}, "rules": {"target-size": {"enabled": True}}}
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['target']} {one['nodes'][0]['failureSummary']}"
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]


def test_faults_are_found(page: Page) -> None:
    page.set_content("<html lang='en'><title>A page</title><main><h1>A page</h1><img src='x.png'></main></html>")
    assert [fault.split(":")[0] for fault in faults(page)] == ["image-alt"]


@pytest.fixture(params=SCHEMES)
def page(request: pytest.FixtureRequest, browser: Browser, console: list[str]) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=request.param)
    context.set_default_timeout(PATIENCE_MS)
    watch(context, console)
    yield context.new_page()
    context.close()


def prompt_paths(project: Project) -> list[str]:
    """The list, the editor, and a version with the forms of its labels."""
    ref, prompt = PromptRef(SITE, project.id, "extract"), Prompt("extract", "Mine.\n", "{{page_text}}\n")
    prompt_actions.save_version(ref, prompt, based_on=1, note="Shorter", by=BY)
    url = f"/projects/{project.id}/prompts/"
    return [url, f"{url}extract/", f"{url}extract/versions/2/"]


def test_a_prompt_is_checked_while_it_is_typed(
    live_server: LiveServer, page: Page, table: str, console: list[str]
) -> None:
    alice()
    project = make_project()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/projects/{project.id}/prompts/extract/")
    page.get_by_label("Message").fill("Read {{total}}.")
    expect(page.locator("#prompt-problems")).to_contain_text("{{total}} is not a placeholder of this prompt.")
    assert faults(page) == []
    page.get_by_label("Message").fill("Read {{page_text}}.")
    expect(page.locator("#prompt-problems")).to_be_empty()
    page.get_by_role("button", name="Save version").click()
    expect(page).to_have_url(re.compile("versions/2/"))
    assert console == []


def test_the_figures_of_a_period(live_server: LiveServer, page: Page, table: str, console: list[str]) -> None:
    alice()
    make_project()
    published(start_run())
    failed(start_run())
    sweeper.sweep()
    add_figures(Scope(SITE), clock.now().date(), **{"micros": 90_000, "cost||openai-local|tiny": 90_000})
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/insight/?period=7d")
    expect(page.get_by_role("img", name="Documents by day")).to_be_visible()
    drawn = [page.get_by_role("img", name=name).bounding_box() for name in ("Documents by day", "Cost by day")]
    assert len({round(box["width"]) for box in drawn if box}) == 1  # wider, its words are larger than all others
    assert faults(page) == []
    page.get_by_role("link", name="E", exact=True).click()
    expect(page.get_by_role("heading", name="E", exact=True)).to_be_visible()
    assert faults(page) == []
    assert console == []


def test_every_page_of_the_desk(live_server: LiveServer, page: Page, pump: Pump, console: list[str]) -> None:
    bob(), alice()
    project = make_project()
    url, run, ref = waiting(live_server, pump)
    start_run()
    sign_in(page, live_server, "alice")
    run_url = f"/workflows/{run.document_id}/{run.workflow_id}/"
    paths = [
        "/",
        "/review/",
        "/review/waiting/",
        "/insight/wall/",
        "/account/preferences/",
        "/workflows/",
        run_url,
        "/projects/",
        f"/projects/{project.id}/",
    ]
    paths += [f"/projects/{project.id}/edit/", f"/workflows/projects/{project.id}/upload/", "/settings/operations/"]
    paths += [f"/workflows/projects/{project.id}/exports/", *prompt_paths(project)]
    found = {}
    for path in paths:
        answer = page.goto(live_server.url + path)
        assert answer
        assert answer.ok, path
        found[path] = faults(page)
    page.goto(url)
    found["desk, free"] = faults(page)
    claim(page, url)
    found["desk, mine"] = faults(page)
    page.locator("[data-approve]").click()
    expect(page.locator("[data-unseen]")).to_contain_text("fields not checked")
    found["desk, not checked"] = faults(page)
    page.locator("[data-seen]").first.check()
    found["desk, one checked"] = faults(page)
    page.locator("[data-reject] summary").click()
    found["desk, rejecting"] = faults(page)
    page.locator("[data-keys-open]").click()
    expect(page.locator("#keys")).to_be_visible()
    found["keys"] = faults(page)
    page.keyboard.press("Escape")
    lapse(ref)
    claims.claim_review(ref, run, by=person(bob()))
    field(page, "total").fill("28.53")
    expect(page.locator("[data-standing]")).to_contain_text("Claimed by Bob Ito until")
    found["desk, lost"] = faults(page)
    console[:] = [line for line in console if "409" not in line and "422" not in line]
    assert {name: faults for name, faults in found.items() if faults} == {}
    assert console == []


@pytest.mark.wide
def test_the_pages_of_an_account(live_server: LiveServer, page: Page, table: str, console: list[str]) -> None:
    bob()
    found = {}
    for path in ("/login/", "/login/forgotten/"):
        page.goto(live_server.url + path)
        found[path] = faults(page)
    sign_in_by_form(page, live_server, "bob")  # a factor is changed only by who has just signed in
    paths = ("/account/password/", "/account/sessions/", "/account/security/", "/account/security/app/")
    for path in (*paths, "/account/security/passkeys/add/", "/review/notifications/"):
        answer = page.goto(live_server.url + path)
        assert answer
        assert answer.ok, path
        found[path] = faults(page)
    assert {name: faults for name, faults in found.items() if faults} == {}
    assert [line for line in console if "404" not in line] == []


@pytest.mark.wide
def test_several_reviews_at_once(live_server: LiveServer, page: Page, table: str, console: list[str]) -> None:
    bob()
    for name in ("one.pdf", "two.pdf"):
        open_review(name, unseen_allowed=True)
    sign_in(page, live_server, "bob")
    found = {}
    for size in ({"width": 1440, "height": 900}, {"width": 375, "height": 800}, {"width": 812, "height": 375}):
        page.set_viewport_size(size)
        page.goto(f"{live_server.url}/review/")
        page.get_by_role("checkbox", name="Select all").check()
        page.evaluate("scrollTo(0, 0)")  # nothing lies half under the bar
        found[f"queue, {size}"] = faults(page)
        page.get_by_role("button", name="Approve…").click()
        expect(page.get_by_role("heading", name="Approve 2 documents")).to_be_visible()
        found[f"approving, {size}"] = faults(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert {name: faults for name, faults in found.items() if faults} == {}
    assert [line for line in console if "404" not in line] == []  # these reviews have no picture


@pytest.mark.wide
def test_questions_of_other_systems(live_server: LiveServer, page: Page, pump: Pump, console: list[str]) -> None:
    bob()
    with_text, only_fields = hand_over(text="Please decide.").ref, hand_over(caller="A" * 80, title="L" * 200).ref
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/{only_fields.document_id}/{only_fields.review_id}/")
    found = {"only fields, free": faults(page)}
    claim(page, f"{live_server.url}/review/{with_text.document_id}/{with_text.review_id}/")
    found["text, mine"] = faults(page)
    page.set_viewport_size({"width": 375, "height": 800})
    found["text, on a phone"] = faults(page)
    check_all(page)
    page.locator("[data-approve]").click()
    expect(page).to_have_url(re.compile("/review/"))
    expect(page.get_by_text("approved").first).to_be_visible()
    assert {name: faults for name, faults in found.items() if faults} == {}
    assert console == []


def test_splitting_a_document(
    live_server: LiveServer, page: Page, pump: Pump, console: list[str], settings: LazySettings
) -> None:
    settings.REVIEW_UNDO_SECONDS = 60
    bob()
    found = result()
    found["pages"] = [{**found["pages"][0], "index": index} for index in range(3)]
    _, ref = open_review("scan.pdf", found=found)
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    page.keyboard.press("?")
    listed = page.locator("#keys").get_by_role("row", name="Split document")
    expect(listed.get_by_role("button")).to_have_text("<")
    page.keyboard.press("Escape")
    page.keyboard.press("<")
    expect(page.get_by_label("New document starts here").first).to_be_focused()
    page.keyboard.press("Space")
    for width in (1440, 375):
        page.set_viewport_size({"width": width, "height": 800})
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Split and open next").click()
    expect(page.get_by_text("Split: scan.pdf")).to_be_visible()
    page.get_by_role("button", name="Undo").first.click()
    expect(page.locator("[data-approve]")).to_be_visible()
    assert [line for line in console if "404" not in line] == []  # these pages have no picture

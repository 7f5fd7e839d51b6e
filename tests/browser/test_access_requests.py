"""A person without a role asks on the page that refuses them, and works as soon as an admin has let them in."""

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import LOOKS, watch
from tests.browser.desk import sign_in
from tests.browser.patience import PATIENCE_MS
from tests.browser.test_accessibility import faults
from tests.people import alice, person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("table")]


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_a_newcomer_asks_and_is_let_in(
    live_server: LiveServer, browser: Browser, console: list[str], width: int, scheme: str
) -> None:
    alice()
    person("nora", "Neu")
    pages = []
    for username in ("nora", "alice"):
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE_MS)
        watch(context, console)
        pages.append(context.new_page())
        sign_in(pages[-1], live_server, username)
    newcomer, admin = pages
    newcomer.goto(f"{live_server.url}/review/")
    newcomer.get_by_role("link", name="Ask for access").click()
    newcomer.get_by_label("What you need to do").select_option("Claim and decide reviews")
    newcomer.get_by_label("Message to the admins").fill("أنا جديدة في الحسابات " + "long" * 40)
    found = {"asking": faults(newcomer)}
    newcomer.get_by_role("button", name="Send request").click()
    expect(newcomer.get_by_text("You are notified once you have access.")).to_be_visible()
    admin.goto(f"{live_server.url}/review/notifications/list/")
    admin.get_by_role("link", name="Nora Neu asks for access").click()
    requests = admin.get_by_role("region", name="Access requests")
    expect(requests).to_contain_text("Claim and decide reviews")
    found["answering"] = faults(admin)
    for page in pages:
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, page.url
    requests.get_by_role("checkbox", name="reviewers").check()
    requests.get_by_role("button", name="Give access").click()
    expect(admin.get_by_text("Nora Neu has access.")).to_be_visible()
    newcomer.goto(f"{live_server.url}/review/")
    expect(newcomer.get_by_role("heading", name="Review", exact=True)).to_be_visible()
    assert {name: faults for name, faults in found.items() if faults} == {}
    assert [line for line in console if "403" not in line] == []
    for page in pages:
        page.context.close()

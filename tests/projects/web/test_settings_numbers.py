"""The numbers beside the lines of a site's settings."""

import re

import pytest

from config import clock, table
from projects.models import queries as model_queries
from projects.queues import actions as queue_actions
from projects.sites import api_keys
from projects.sites.permissions import EVERYTHING, Permission
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import alice, bob, charlie, person, signed_in
from tests.projects.make_sites import BY, grant, make_site
from workflows.definitions import versions
from workflows.providers.items import ProviderState

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
URL = "/settings/numbers/"
HTMX = {"HX-Request": "true"}


def numbers(browser, url=URL) -> dict[str, str]:
    page = one_line(browser.get(url, headers=HTMX).content)
    return {name: words.strip() for name, words in re.findall(r'id="number-([a-z-]+)"[^>]*>([^<]*)</span>', page)}


def test_each_line_has_its_place_and_its_number_comes_after_the_page():
    browser = signed_in(alice())
    page = one_line(browser.get("/settings/").content)
    assert f'hx-get="{URL}"' in page
    assert re.search(r'<span id="number-settings-list-people" class="count" ?></span>', page)


def test_numbers_are_of_what_there_is():
    browser = signed_in(alice())
    bob(), charlie()
    make_site("acme")
    before = numbers(browser)
    catalogue = model_queries.list_entries("default")
    assert before["settings-list-people"] == "3"
    assert before["settings-list-sites"] == "2"
    assert before["settings-edit-groups"] == "3"
    assert before["settings-edit-keys"] == "0"
    assert before["policies-list-versions"] == "none"
    assert before["models-list-models"] == str(len(catalogue.language) + len(catalogue.ocr))
    assert before["definitions-list-definitions"] == str(len(versions.list_names()))
    assert "incoming-list-incoming" not in before  # nothing needs attention


def test_numbers_keep_up_with_what_is_made():
    browser = signed_in(alice())
    queue_actions.create_queue("default", "Payables", ["finance"], by=BY, queue_id=clock.new_ulid())
    made, _ = api_keys.create_api_key("default", "ERP", [Permission.READ], by=BY)
    assert {"queues-list-queues": "Review + 1", "settings-edit-keys": "1"}.items() <= numbers(browser).items()
    api_keys.revoke_api_key("default", made.mask, by=BY)
    assert numbers(browser)["settings-edit-keys"] == "0"


def test_a_tenants_numbers_are_its_own():
    make_site("acme")
    grant("acme", "admins", *EVERYTHING)
    queue_actions.create_queue("acme", "Payables", [], by=BY, queue_id=clock.new_ulid())
    browser = signed_in(alice())
    assert numbers(browser)["queues-list-queues"] == "Review only"
    of_acme = numbers(browser, "/s/acme/settings/numbers/")
    assert of_acme["queues-list-queues"] == "Review + 1"
    assert of_acme["settings-edit-groups"] == "1"
    assert "settings-list-sites" not in of_acme


def test_who_sees_some_lines_is_told_their_numbers_only():
    grant("default", "governors", Permission.READ, Permission.GOVERN)
    found = numbers(signed_in(person("gil", "G", "governors")))
    assert found.keys() == {
        "schemas-list-classifications", "queues-list-queues", "routing-list-rulesets", "routing-list-mappings",
    }  # fmt: skip
    assert signed_in(bob()).get(URL).status_code == 403


def test_without_a_script_the_page_has_them_itself():
    page = one_line(signed_in(alice()).get(URL).content)
    assert "<h1>Settings</h1>" in page
    assert re.search(r'<span id="number-settings-list-people" class="count" ?>1</span>', page)


def test_the_page_itself_counts_nothing_and_numbers_are_a_query_each():
    browser = signed_in(alice())
    numbers(browser)
    with count_calls() as seen:
        browser.get("/settings/")
    assert seen.names() == []
    with count_calls() as seen:
        found = numbers(browser)
    assert set(seen.names()) == {"dynamodb.Query"}
    assert len(seen.names()) <= len(found) + 2  # and of services and files, which say nothing


def test_what_needs_attention_says_so_in_words_and_colour():
    state = ProviderState(*table.PROVIDER_STATE.key("default", provider="textract"), provider="textract", failures=2)
    state.save()
    page = one_line(signed_in(alice()).get(URL, headers=HTMX).content)
    assert re.search(r'id="number-services-list-providers"[^>]*class="status bad" ?>1 failing<', page)

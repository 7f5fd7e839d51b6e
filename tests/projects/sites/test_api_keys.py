"""API keys: shown once, kept as a hash, used, revoked; and their page."""

import datetime as dt
import logging
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.test import Client

from config import aws, clock
from config.errors import KeyRefused, NotFound, Unavailable
from config.table import ENTITY_EVENT
from projects.audit.items import EntityEvent
from projects.sites import actions as site_actions
from projects.sites import queries as api_key_queries
from projects.sites.api_keys import create_api_key, revoke_api_key, verify_api_key
from projects.sites.permissions import EVERYTHING, Permission
from tests.aws_faults import Crash, count_calls, crash_before, fail
from tests.each import each
from tests.people import alice, bob, charlie, signed_in
from tests.projects.make_sites import BY, grant, make_site

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
READ = frozenset({Permission.READ})
URL = "/settings/keys/"
TOKENS = "/settings/tokens/"


def events(site, mask):
    pk = ENTITY_EVENT.partition_key(site, entity_type="apikey", entity_id=mask)
    return [one.type for one in EntityEvent.page(pk, consistent=True).rows]


def everything_stored(table):
    return str(aws.dynamodb_client().scan(TableName=table)["Items"])


def test_a_key_opens_its_site_with_its_permissions(table):
    make_site("acme")
    row, key = create_api_key("acme", "Scanner 3", [Permission.WRITE, Permission.READ], by=BY)
    program = verify_api_key(key)
    assert (program.site, program.permissions) == ("acme", {Permission.READ, Permission.WRITE})
    assert (program.actor.id, program.actor.name) == (f"key:{row.mask}", "API key Scanner 3")
    assert key.startswith(f"{row.mask}_")
    assert events("acme", row.mask) == ["created"]


def test_neither_the_key_nor_its_secret_part_is_stored_anywhere(table):
    row, key = create_api_key("default", "Scanner", READ, by=BY)
    verify_api_key(key)
    stored = everything_stored(table)
    assert row.apiKey in stored
    assert key not in stored
    assert key.removeprefix(f"{row.mask}_") not in stored


@each(
    "spoil",
    [lambda key: key[:-1], lambda key: key + "x", lambda key: key[:-1] + ("a" if key[-1] != "a" else "b"),
     lambda key: f" {key}", lambda key: key.upper(), lambda _: "", lambda _: "cs_#/é"],
)  # fmt: skip
def test_a_key_that_is_not_quite_one_is_refused(spoil):
    _, key = create_api_key("default", "Scanner", READ, by=BY)
    with pytest.raises(KeyRefused, match="Invalid API key"):
        verify_api_key(spoil(key))


def test_what_has_not_the_form_of_a_key_is_refused_without_asking_the_table():
    with count_calls() as seen, pytest.raises(KeyRefused):
        verify_api_key("Bearer of bad news")
    assert seen.names() == []


def test_a_revoked_key_opens_nothing_from_its_next_use_on():
    row, key = create_api_key("default", "Scanner", READ, by=BY)
    revoke_api_key("default", row.mask, by=BY)
    revoke_api_key("default", row.mask, by=BY)
    with pytest.raises(KeyRefused):
        verify_api_key(key)
    assert events("default", row.mask) == ["created", "revoked"]


def test_two_who_revoke_at_once_write_one_event():
    row, _ = create_api_key("default", "Scanner", READ, by=BY)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: revoke_api_key("default", row.mask, by=BY), range(4)))
    assert events("default", row.mask) == ["created", "revoked"]


def test_a_key_of_another_site_cannot_be_revoked():
    make_site("acme")
    row, key = create_api_key("acme", "Theirs", READ, by=BY)
    for mask in (row.mask, "cs_nothing", "a#b/c"):
        with pytest.raises(NotFound):
            revoke_api_key("default", mask, by=BY)
    assert verify_api_key(key).site == "acme"


def test_the_keys_of_a_closed_site_are_refused_and_come_back_with_it():
    site = make_site("acme")
    _, key = create_api_key("acme", "Theirs", READ, by=BY)
    closed = site_actions.close_site("acme", version=site.version, by=BY)
    with pytest.raises(KeyRefused):
        verify_api_key(key)
    site_actions.reopen_site("acme", version=closed.version, by=BY)
    assert verify_api_key(key).site == "acme"


def test_the_last_use_is_noted_once_an_hour(monkeypatch):
    row, key = create_api_key("default", "Scanner", READ, by=BY)
    now = clock.now().replace(minute=20)
    monkeypatch.setattr(clock, "now", lambda: now)
    for calls in (["dynamodb.GetItem", "dynamodb.UpdateItem"], ["dynamodb.GetItem"], ["dynamodb.GetItem"]):
        with count_calls() as seen:
            verify_api_key(key)
        assert seen.names() == calls
    noted = api_key_queries.by_hash(row.apiKey).used_at
    assert noted == clock.iso(now.replace(minute=0, second=0, microsecond=0))
    monkeypatch.setattr(clock, "now", lambda: now.replace(year=now.year + 1))
    verify_api_key(key)
    assert api_key_queries.by_hash(row.apiKey).used_at > noted


def test_of_many_first_uses_at_once_every_one_is_answered():
    _, key = create_api_key("default", "Scanner", READ, by=BY)
    with ThreadPoolExecutor(8) as pool:
        assert {one.site for one in pool.map(lambda _: verify_api_key(key), range(8))} == {"default"}


def test_a_use_that_cannot_be_noted_is_still_a_use(caplog):
    _, key = create_api_key("default", "Scanner", READ, by=BY)
    with fail("dynamodb", "UpdateItem", error_code="InternalServerError", times=9), caplog.at_level(logging.WARNING):
        assert verify_api_key(key).site == "default"
    assert "was not noted" in caplog.text
    assert key not in caplog.text


def test_a_key_expires(monkeypatch):
    _, key = create_api_key("default", "Scanner", READ, by=BY, days=30)
    assert verify_api_key(key)
    after = clock.now() + dt.timedelta(days=30, seconds=1)
    monkeypatch.setattr(clock, "now", lambda: after)
    with pytest.raises(KeyRefused, match="expired"):
        verify_api_key(key)


def test_a_token_acts_as_its_person_with_no_more_than_they_may_do_today():
    browser, rosa = signed_in(bob()), bob()
    made = browser.post(TOKENS, {"name": "Script", "may": ["READ", "REVIEW", "PERSONAL"], "days": "30"}).context["made"]
    assert "GOVERN" not in browser.get(TOKENS).content.decode()
    program = Client(headers={"Authorization": f"Bearer {made['key']}"})
    assert verify_api_key(made["key"]).actor.id == str(rosa.pk)
    assert program.get("/api/v1/projects").status_code == 200
    assert made["mask"] in browser.get(TOKENS).content.decode()
    assert made["mask"] not in signed_in(alice()).get(TOKENS).content.decode()
    assert "Token of" in signed_in(alice()).get(URL).content.decode()
    rosa.groups.clear()
    assert program.get("/api/v1/projects").status_code == 403
    rosa.is_active = False
    rosa.save()
    refused = program.get("/api/v1/projects")
    assert (refused.status_code, "deactivated" in refused.json()["detail"]) == (401, True)


def test_a_token_is_revoked_by_its_person_and_by_admins():
    browser = signed_in(bob())
    mine, other = (
        browser.post(TOKENS, {"name": name, "may": ["READ"]}).context["made"] for name in ("First", "Second")
    )
    assert signed_in(charlie()).post(f"{TOKENS}{mine['mask']}/revoke/").status_code == 404
    assert browser.post(f"{TOKENS}{mine['mask']}/revoke/").status_code == 302
    assert signed_in(alice()).post(f"{URL}{other['mask']}/revoke/").status_code == 302
    for one in (mine, other):
        with pytest.raises(KeyRefused):
            verify_api_key(one["key"])


def test_what_cannot_be_audited_is_not_done():
    row, key = create_api_key("default", "Scanner", READ, by=BY)
    for change in (
        lambda: create_api_key("default", "New", READ, by=BY),
        lambda: revoke_api_key("default", row.mask, by=BY),
    ):
        broken = fail("dynamodb", "TransactWriteItems", error_code="InternalServerError", times=9)
        with broken, pytest.raises(Unavailable):
            change()
        with crash_before("dynamodb", "TransactWriteItems"), pytest.raises(Crash):
            change()
    assert [one.name for one in api_key_queries.list_keys("default").rows] == ["Scanner"]
    assert verify_api_key(key)


def test_only_an_admin_of_the_site_has_the_page():
    make_site("acme")
    grant("acme", "reviewers", *EVERYTHING)
    assert signed_in(bob()).get(URL).status_code == 403
    assert signed_in(bob()).get(f"/s/acme{URL}").status_code == 200
    row, _ = create_api_key("default", "Scanner", READ, by=BY)
    assert signed_in(bob()).post(f"{URL}{row.mask}/revoke/").status_code == 403
    assert signed_in(bob()).post(f"/s/acme{URL}{row.mask}/revoke/").status_code == 404


def test_the_form_and_the_list_use_the_same_words():
    admin = signed_in(alice())
    page = admin.get(URL).content.decode()
    for words in ('Read<br><small class="quiet-text">View projects', 'Write<br><small class="quiet-text">Upload'):
        assert words in page


def test_the_page_shows_a_new_key_once():
    browser = signed_in(alice())
    assert b"No API keys yet" in browser.get(URL).content
    answer = browser.post(URL, {"name": "Scanner <3>", "may": ["READ", "WRITE"]})
    made = answer.context["made"]
    assert (answer.status_code, "no-store" in answer["Cache-Control"]) == (201, True)
    assert made["key"] in answer.content.decode()
    assert verify_api_key(made["key"]).permissions == {Permission.READ, Permission.WRITE}
    page = browser.get(URL).content.decode()
    assert made["key"] not in page
    assert made["mask"] in page
    assert "Scanner &lt;3&gt;" in page
    assert "Read, Write" in page


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"name": "", "may": ["READ"]}, "Enter a name"),
        ({"name": "x"}, "Select at least one"),
        ({"name": "x", "may": ["REVIEW"]}, "Select from the list"),
        ({"name": "x", "may": ["GOVERN"]}, "Select from the list"),
        ({"name": "x" * 81, "may": ["READ"]}, "currently 81"),
    ],
)
def test_what_no_key_can_be_is_said_beside_its_field(form, words):
    answer = signed_in(alice()).post(URL, form)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert api_key_queries.list_keys("default").rows == []


def test_a_key_that_promotes_is_made_by_those_who_may_promote():
    typed = {"name": "Pipeline", "may": ["ADMIN", "PROMOTE"]}
    answer = signed_in(alice()).post(URL, typed)
    assert verify_api_key(answer.context["made"]["key"]).permissions == {Permission.ADMIN, Permission.PROMOTE}
    make_site("acme")
    grant("acme", "reviewers", *EVERYTHING - {Permission.PROMOTE})
    refused = signed_in(bob()).post(f"/s/acme{URL}", typed)
    assert (refused.status_code, "Select from the list" in refused.content.decode()) == (422, True)


def test_a_key_is_revoked_on_the_page_by_a_post():
    browser = signed_in(alice())
    row, key = create_api_key("default", "Scanner", READ, by=BY)
    assert browser.get(f"{URL}{row.mask}/revoke/").status_code == 405
    assert browser.post(f"{URL}{row.mask}/revoke/")["Location"] == URL
    assert "Scanner revoked" in browser.get(URL).content.decode()
    with pytest.raises(KeyRefused):
        verify_api_key(key)
    assert browser.post(f"{URL}nothing/revoke/").status_code == 404


def test_many_keys_come_in_pages_of_two_calls_by_name(settings):
    for i in range(settings.PAGE_SIZE + 1):
        create_api_key("default", f"Key {i:02}", READ, by=BY)
    browser = signed_in(alice())
    browser.get(URL)
    with count_calls() as seen:
        first = browser.get(URL)
    assert seen.names() == ["dynamodb.Query", "dynamodb.BatchGetItem"]
    assert [one.name for one in first.context["rows"]][:2] == ["Key 00", "Key 01"]
    second = browser.get(URL, {"after": first.context["next_cursor"]})
    assert [one.name for one in second.context["rows"]] == [f"Key {settings.PAGE_SIZE:02}"]

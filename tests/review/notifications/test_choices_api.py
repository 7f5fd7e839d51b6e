"""What a person is notified of, their account, and what a site's chat tool is told, by API."""

import json
from typing import Any

import pytest
from django.test import Client

from config import internet, table
from projects.accounts.preferences import find_preferences
from projects.audit.events import actor_of
from projects.audit.items import EntityEvent
from projects.sites.api_keys import create_api_key
from projects.sites.permissions import Permission
from review.notifications import queries
from review.notifications.items import CHAT
from tests.factories import SITE
from tests.people import alice, bob, charlie
from tests.workflows.test_api import API, problem, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
HOOK = "https://chat.example.org/hooks/secret-word"


def token(user: Any, *permissions: Permission) -> Client:
    may = permissions or (Permission.READ,)
    _, key = create_api_key(SITE, "Script", may, by=actor_of(user), personal=True)
    return Client(headers={"Authorization": f"Bearer {key}"})


def send(client: Client, method: str, path: str, **body: Any) -> Any:
    return getattr(client, method)(f"{API}{path}", json.dumps(body), content_type="application/json")


def test_a_person_chooses_what_they_are_notified_of() -> None:
    me = bob()
    mine, other = token(me), token(charlie())
    before = mine.get(f"{API}/notifications/choices").json()
    assert before["email"] == ["access", "admitted", "answered", "asked", "assigned", "mentioned", "paused"]
    wish = {"email": ["digest"], "web": ["asked", "assigned"]}
    assert send(mine, "put", "/notifications/choices", **wish).json() == wish
    assert queries.list_web_kinds(SITE, str(me.pk)) == {"asked", "assigned"}
    assert other.get(f"{API}/notifications/choices").json() == before
    problem(send(mine, "put", "/notifications/choices", email=["sms"], web=[]), 422)
    problem(program(Permission.READ).get(f"{API}/notifications/choices"), 403)


def test_a_person_looks_after_their_account() -> None:
    me = charlie()
    mine = token(me)
    found = mine.get(f"{API}/account").json()
    assert (found["id"], found["site"], found["permissions"], found["time_zone"]) == (str(me.pk), SITE, ["READ"], "")
    assert send(mine, "patch", "/account", time_zone="Asia/Tokyo").json()["time_zone"] == "Asia/Tokyo"
    assert send(mine, "patch", "/account", language="ja").json()["language"] == "ja"
    assert find_preferences(str(me.pk)) == ("ja", "Asia/Tokyo")
    problem(send(mine, "patch", "/account", time_zone="Mars/Olympus"), 422)
    problem(send(mine, "patch", "/account", language="tlh"), 422)
    assert find_preferences(str(me.pk)) == ("ja", "Asia/Tokyo")
    assert send(mine, "patch", "/account", time_zone="").json()["time_zone"] == ""
    problem(program(Permission.READ).get(f"{API}/account"), 403)


def test_an_admin_has_a_chat_tool_told_and_its_secret_is_never_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(internet, "resolve_host", lambda *_: ["93.184.216.34"])
    admin = token(alice(), Permission.READ, Permission.ADMIN)
    problem(admin.get(f"{API}/notifications/chat"), 404)
    saved = send(admin, "put", "/notifications/chat", url=HOOK, kinds=["deadline"])
    assert (saved.json()["host"], saved.json()["kinds"]) == ("chat.example.org", ["deadline"])
    assert "secret-word" not in saved.content.decode() + admin.get(f"{API}/notifications/chat").content.decode()
    stored = queries.find_chat_webhook(SITE)
    assert stored is not None
    assert (stored.url, stored.kinds) == (HOOK, {"deadline"})
    assert admin.delete(f"{API}/notifications/chat").status_code == 204
    assert admin.delete(f"{API}/notifications/chat").status_code == 204
    assert queries.find_chat_webhook(SITE) is None
    events = EntityEvent.page(table.ENTITY_EVENT.partition_key(SITE, entity_type="chat", entity_id=CHAT)).rows
    assert [one.type for one in events] == ["updated", "updated"]


def test_no_address_inside_is_told_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(internet, "resolve_host", lambda *_: ["10.0.0.1"])
    admin = token(alice(), Permission.READ, Permission.ADMIN)
    told = problem(send(admin, "put", "/notifications/chat", url=HOOK, kinds=[]), 422)
    assert told["errors"][0]["where"] == "url"  # type: ignore[index]
    assert queries.find_chat_webhook(SITE) is None
    for call in ("get", "delete"):
        problem(getattr(token(bob()), call)(f"{API}/notifications/chat"), 403)

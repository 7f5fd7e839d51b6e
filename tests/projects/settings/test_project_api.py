"""Projects by API: their settings are checked as the page checks them, and who comes second is told."""

import json

import pytest
from django.test import Client

from projects.settings import queries as project_queries
from projects.sites.permissions import Permission
from tests.projects.projects import make_project
from tests.workflows.test_api import API, problem, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
ADMIN = (Permission.READ, Permission.ADMIN)


def patch(client: Client, project_id: str, etag: str = "", **wish: object):
    headers = {"If-Match": etag} if etag else {}
    return client.patch(
        f"{API}/projects/{project_id}", json.dumps(wish), content_type="application/json", headers=headers
    )


def test_settings_come_back_as_they_were_sent() -> None:
    client = program(*ADMIN)
    fields = [{"name": "iban", "label": "IBAN", "personal": True}, {"label": "Total due", "type": "amount"}]
    made = client.post(
        f"{API}/projects",
        {"name": "Bills", "fields": fields, "default_threshold": 0.9, "reject_reasons": ["Unreadable"]},
        content_type="application/json",
    )
    assert made.status_code == 201, made.json()
    found = client.get(f"{API}/projects/{made.json()['id']}")
    assert (found.json(), found["ETag"]) == (made.json(), made["ETag"])
    told = found.json()["settings"]
    assert [(one["name"], one["personal"]) for one in told["fields"]] == [("iban", True), ("total_due", False)]
    changed = patch(client, made.json()["id"], made["ETag"], audit_share=0.2, reject_reasons=[])
    assert changed.status_code == 200
    after = changed.json()["settings"]
    assert {name for name in told if told[name] != after[name]} == {"audit_share", "reject_reasons"}
    assert project_queries.get_project("default", made.json()["id"]).settings.audit_share == 0.2
    assert patch(client, made.json()["id"], audit_share=0.2)["ETag"] == changed["ETag"]
    problem(patch(client, made.json()["id"], made["ETag"], audit_share=0.3), 412)


def test_what_the_page_would_mark_is_named() -> None:
    client, project = program(*ADMIN), make_project()
    before = client.get(f"{API}/projects/{project.id}").json()
    wish = {"ocr_model": "magic", "fields": [{"label": "A"}, {"label": "A"}], "review_queue": "none"}
    wrong = problem(patch(client, project.id, **wish), 422)["errors"]
    assert {one["where"] for one in wrong} == {"ocr_model", "fields.1.label", "review_queue"}
    assert problem(patch(client, project.id, default_threshold=2), 422)["errors"][0]["fix"] == "Send 1.0 or less."
    assert client.get(f"{API}/projects/{project.id}").json() == before
    problem(patch(program(Permission.READ), project.id, name="Mine"), 403)
    assert program(Permission.READ).get(f"{API}/projects/{project.id}").status_code == 200

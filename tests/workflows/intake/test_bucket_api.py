"""Folders of the bucket and the quarantine by API: who has which, and what becomes of a file that waits."""

import json
from typing import Any

import pytest
from django.test import Client

from projects.sites.permissions import Permission
from tests.projects.make_sites import make_site
from tests.projects.projects import make_project
from tests.workflows.intake.test_bucket_page import quarantined
from tests.workflows.test_api import API, problem, program
from workflows.intake import bucket

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
ADMIN = (Permission.READ, Permission.ADMIN)


def assign(client: Client, folder: str, project_id: str, site: str = "default") -> Any:
    body = json.dumps({"folder": folder, "site": site, "project_id": project_id})
    return client.post(f"{API}/bucket-folders", body, content_type="application/json")


def test_a_folder_is_assigned_once_and_removed() -> None:
    client, project = program(*ADMIN), make_project("Bills")
    made = assign(client, "acme", project.id)
    assert (made.status_code, made.json()["project_name"]) == (201, "Bills")
    problem(assign(client, "acme", project.id), 409)
    assert client.get(f"{API}/bucket-folders").json()["items"] == [made.json()]
    problem(assign(client, "a/b", project.id), 422)
    problem(assign(client, "other", "none"), 404)
    problem(assign(client, "other", project.id, "nowhere"), 404)
    assert client.delete(f"{API}/bucket-folders/acme").status_code == 204
    problem(client.delete(f"{API}/bucket-folders/acme"), 422)
    assert list(bucket.tenants().rows) == []


def test_what_waits_in_quarantine_is_tried_again_or_discarded() -> None:
    file, client = quarantined(), program(*ADMIN)
    (found,) = client.get(f"{API}/quarantine").json()["items"]
    assert (found["id"], found["name"], found["message"]) == (file.digest, file.name, file.message)
    assert client.post(f"{API}/quarantine/{file.digest}/retry").status_code == 202
    assert client.delete(f"{API}/quarantine/{file.digest}").status_code in {204, 409}
    problem(client.post(f"{API}/quarantine/{'0' * 64}/retry"), 404)


def test_they_are_for_admins_and_folders_for_those_of_the_main_site() -> None:
    file = quarantined()
    make_site("acme")
    elsewhere, reader = program(*ADMIN, site="acme"), program(Permission.READ, Permission.WRITE)
    problem(elsewhere.get(f"{API}/bucket-folders"), 404)
    assert elsewhere.get(f"{API}/quarantine").json()["items"] == []
    problem(elsewhere.delete(f"{API}/quarantine/{file.digest}"), 404)
    for path in ("bucket-folders", "quarantine"):
        problem(reader.get(f"{API}/{path}"), 403)

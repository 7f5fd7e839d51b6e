"""Attributes, the site's schema and document types by API, checked as their pages check them."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from django.test import Client

from projects.schemas import queries
from projects.sites.permissions import Permission
from tests.each import each
from tests.projects.make_sites import make_site
from tests.workflows.test_api import API, problem, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


@pytest.fixture
def client() -> Client:
    return program(Permission.READ, Permission.GOVERN)


def send(client: Client, method: str, path: str, body: Mapping[str, Any], etag: str = "") -> Any:
    headers = {"If-Match": etag} if etag else {}
    return getattr(client, method)(f"{API}{path}", json.dumps(body), content_type="application/json", headers=headers)


def create(client: Client, key: str = "cost_centre", **more: Any) -> Any:
    return send(client, "post", "/attributes", {"key": key, "label": key.title(), "type": "text"} | more)


def test_an_attribute_is_created_changed_and_deleted(client: Client) -> None:
    made = create(client, personal=True)
    assert (made.status_code, made.json()["personal"], made.json()["in_use"]) == (201, True, False)
    problem(create(client), 409)
    assert [one["key"] for one in client.get(f"{API}/attributes").json()["items"]] == ["cost_centre"]
    changed = send(client, "patch", "/attributes/cost_centre", {"label": "Cost centre"}, made["ETag"])
    assert (changed.json()["label"], changed.json()["personal"]) == ("Cost centre", True)
    problem(send(client, "patch", "/attributes/cost_centre", {"label": "Other"}, made["ETag"]), 412)
    assert client.get(f"{API}/attributes/cost_centre")["ETag"] == changed["ETag"]
    assert client.delete(f"{API}/attributes/cost_centre").status_code == 204
    problem(client.get(f"{API}/attributes/cost_centre"), 404)


def test_schemas_that_use_an_attribute_are_named_with_the_values_they_allow(client: Client) -> None:
    create(client)
    use = {"key": "cost_centre", "required": True, "allowed_values": ["4711", "4712"], "default": "4712"}
    made = send(client, "post", "/document-types", {"name": "Invoice", "attributes": [use]})
    site = send(client, "put", "/schema", {"attributes": [{"key": "cost_centre", "allowed_values": ["1"]}]})
    assert (made.status_code, site.status_code, site.json()["version"]) == (201, 200, 1)
    assert made.json()["attributes"] == [use]
    found = client.get(f"{API}/attributes/cost_centre").json()
    assert sorted(one["name"] for one in found["used_by"]) == ["Invoice", "Site schema"]
    assert {one["document_type"] for one in found["used_by"]} == {made.json()["id"], None}
    assert found["allowed_values"] == ["1", "4711", "4712"]
    problem(client.delete(f"{API}/attributes/cost_centre"), 409)
    assert queries.site_schema("default").schema.keys == ("cost_centre",)


def test_a_document_type_is_replaced_and_archived_by_who_saw_it_last(client: Client) -> None:
    for key in ("category", "currency"):
        create(client, key)
    made = send(client, "post", "/document-types", {"name": "Receipt", "attributes": [{"key": "category"}]})
    path = f"/document-types/{made.json()['id']}"
    wish = {"name": "Receipts", "composite_keys": [["category", "currency"]]}
    saved = send(client, "put", path, wish, made["ETag"])
    assert (saved.json()["name"], saved.json()["attributes"]) == ("Receipts", [])
    assert saved.json()["composite_keys"] == [["category", "currency"]]
    problem(send(client, "put", path, wish | {"name": "Mine"}, made["ETag"]), 412)
    archived = send(client, "put", f"{path}/archived", {"archived": True})
    assert archived.json()["archived"] is True
    assert [one["archived"] for one in client.get(f"{API}/document-types").json()["items"]] == [True]
    assert client.get(f"{API}{path}").json() == archived.json()


@each(
    "wish, where",
    [
        ({"attributes": [{"key": "unknown"}]}, "attributes.0.key"),
        ({"attributes": [{"key": "a/b"}]}, "attributes.0.key"),
        ({"attributes": [{"key": "day", "allowed_values": ["soon"]}]}, "attributes.0.allowed_values"),
        ({"attributes": [{"key": "day"}, {"key": "day"}]}, "attributes.1.key"),
        ({"composite_keys": [["day"]]}, "composite_keys.0"),
    ],
)
def test_what_a_schema_may_not_say_is_named(client: Client, wish: dict[str, Any], where: str) -> None:
    create(client, "day", type="date")
    told = [send(client, "put", "/schema", wish), send(client, "post", "/document-types", wish | {"name": "Note"})]
    assert [problem(one, 422)["errors"][0]["where"] for one in told] == [where, where]
    assert queries.list_classifications("default")[0] == []


@each(
    "wish, where",
    [
        ({"key": "Cost Centre"}, "key"),
        ({"type": "table"}, "columns"),
        ({"type": "watermark"}, "watermark"),
        ({"watermark": "Draft"}, "watermark"),
        ({"plausible_dates": "past"}, "plausible_dates"),
    ],
)
def test_what_an_attribute_may_not_be_is_named(client: Client, wish: dict[str, Any], where: str) -> None:
    told = create(client, **wish)
    assert problem(told, 422)["errors"][0]["where"] == where
    assert client.get(f"{API}/attributes").json()["items"] == []


def test_schemas_are_of_the_keys_site_and_for_those_who_govern(client: Client) -> None:
    create(client)
    make_site("acme")
    elsewhere = program(Permission.READ, Permission.GOVERN, site="acme")
    assert elsewhere.get(f"{API}/attributes").json()["items"] == []
    problem(elsewhere.get(f"{API}/attributes/cost_centre"), 404)
    reader = program(Permission.READ, Permission.WRITE)
    for path in ("/attributes", "/attributes/cost_centre", "/schema", "/document-types"):
        problem(reader.get(f"{API}{path}"), 403)
    problem(create(reader, "mine"), 403)

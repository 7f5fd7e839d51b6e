"""A document by API: read, changed as a whole or not at all, its files fetched without the web server."""

import json
from concurrent.futures import ThreadPoolExecutor
from urllib.request import urlopen

import pytest
from django.test import Client

from projects.documents.queries import list_activities
from projects.schemas import actions as attribute_definition_actions
from projects.schemas.governing import AttributeDefinition
from projects.sites.permissions import Permission
from tests.projects.make_sites import BY
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.workflows.repeated import field, published_run
from tests.workflows.test_api import API, problem, program, upload

pytestmark = pytest.mark.django_db


@pytest.fixture
def at(table: str) -> str:
    for key, kind in (("vendor", "text"), ("amount", "amount")):
        attribute_definition_actions.create_definition("default", AttributeDefinition(key, key, kind), by=BY)
    return f"{API}/documents/{published_run(field('total', '4.00')).document_id}"


def change(client: Client, at: str, etag: str = "", **changes: object):
    headers = {"If-Match": etag} if etag else {}
    return client.patch(at, json.dumps(changes), content_type="application/json", headers=headers)


def test_properties_are_changed_together_and_recorded_once(at: str) -> None:
    client = program()
    before = client.get(at)
    assert (before.json()["status"], before.json()["tags"]) == ("published", [])
    answer = change(
        client, at, before["ETag"],
        tags={"paid": [""], "year": ["2026", "2027", "2026"]}, attributes={"vendor": ["Ames"], "amount": ["1200.50"]},
        metadata={"box": "17"},
    )  # fmt: skip
    told = answer.json()
    assert answer.status_code == 200, told
    assert told["tags"] == [{"name": "paid", "values": [""]}, {"name": "year", "values": ["2026", "2027"]}]
    assert {one["name"]: one["values"] for one in told["attributes"]} == {"vendor": ["Ames"], "amount": ["1200.5"]}
    assert told["metadata"] == {"box": "17"}
    activity = client.get(f"{at}/activity").json()["items"]
    assert [one["type"] for one in activity].count("MODIFY") == 1
    assert {one["what"] for one in activity[0]["changes"]} == {
        "tag paid", "tag year", "attribute vendor", "attribute amount", "metadata box",
    }  # fmt: skip
    gone = change(client, at, tags={"year": None}, attributes={"amount": None}, metadata={"box": None}).json()
    assert ([one["name"] for one in gone["tags"]], len(gone["attributes"]), gone["metadata"]) == (["paid"], 1, {})
    same = change(client, at, tags={"paid": [""]})
    assert same["ETag"] == client.get(at)["ETag"]


def test_a_change_that_is_refused_in_part_changes_nothing(at: str) -> None:
    client = program()
    before = client.get(at)
    refused = change(client, at, tags={"paid": [""]}, attributes={"amount": ["much"]})
    assert "not a valid value for amount" in problem(refused, 422)["detail"]
    assert "Nothing was changed" in problem(change(client, at, attributes={"colour": ["red"]}), 422)["detail"]
    assert problem(change(client, at, colour=1), 422)["errors"] == [
        {"where": "colour", "problem": "Extra inputs are not permitted",
         "fix": "Remove this entry, or correct its name."}
    ]  # fmt: skip
    assert client.get(at).json() == before.json()


def test_who_comes_second_is_told(at: str) -> None:
    client = program()
    etag = client.get(at)["ETag"]
    with ThreadPoolExecutor(3) as pool:
        statuses = list(pool.map(lambda n: change(client, at, etag, metadata={"by": str(n)}).status_code, range(3)))
    assert sorted(statuses) == [200, 412, 412]
    assert "Nothing was saved" in problem(change(client, at, etag, metadata={"by": "me"}), 412)["detail"]
    assert change(client, at, metadata={"by": "anyone"}).status_code == 200


def test_reading_is_no_right_to_change(at: str) -> None:
    problem(change(program(Permission.READ), at, tags={"paid": [""]}), 403)
    problem(change(program(Permission.WRITE), at, tags={"paid": [""]}), 403)
    problem(program(Permission.READ).get(f"{API}/documents/nothing"), 404)


def test_a_file_is_fetched_from_where_it_lies(pump: Pump) -> None:
    project, client = make_project(), program()
    made = upload(client, project, "note.txt", b"Invoice 17").json()
    at = f"{API}/documents/{made['document_id']}/versions"
    versions = client.get(at).json()["items"]
    assert [(one["current"], one["name"], one["file_size"]) for one in versions] == [(True, "note.txt", 10)]
    for version in (versions[0]["id"], "current"):
        told = client.get(f"{at}/{version}/download").json()
        with urlopen(told["url"]) as answer:
            assert answer.read() == b"Invoice 17"
        assert "attachment" in told["url"]  # the embedded AWS sends no such header
    problem(client.get(f"{at}/2001-01-01T00:00:00Z/download"), 404)
    pump.run(lambda: "VIEW" in [row.type for row in list_activities("default", made["document_id"]).rows])


def test_a_deleted_document_is_listed_restored_and_purged(pump: Pump) -> None:
    run, gone = published_run(field("total", "4.00")), f"{API}/deleted-documents"
    desk, reader = program(Permission.READ, Permission.DELETE), program(Permission.READ, Permission.WRITE)
    at = f"{gone}/{run.document_id}"
    assert desk.post(f"{at}/restore").status_code == 404  # it is not deleted
    for is_restored in (True, False):
        assert desk.delete(f"{API}/documents/{run.document_id}").status_code == 204
        (row,) = desk.get(gone).json()["items"]
        assert (row["document_id"], row["status"], bool(row["name"] and row["at"])) == (
            run.document_id,
            "deleted",
            True,
        )
        assert [reader.get(gone).status_code, reader.post(f"{at}/restore").status_code] == [403, 403]
        assert reader.delete(at).status_code == 403
        if is_restored:
            assert desk.post(f"{at}/restore").status_code == 204
            assert desk.get(f"{API}/documents/{run.document_id}").status_code == 200
            assert desk.get(gone).json()["items"] == []
    assert desk.delete(at).status_code == 202
    pump.run(lambda: [one["status"] for one in desk.get(f"{gone}?purged=true").json()["items"]] == ["purged"])
    (row,) = desk.get(f"{gone}?purged=true").json()["items"]
    assert (row["document_id"], row["name"]) == (run.document_id, None)
    assert desk.post(f"{at}/restore").status_code == 409  # it is gone for good

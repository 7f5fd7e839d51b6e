"""Entities in the browser and by API: kept, changed, imported, merged."""

import io

import pytest

from projects.entities import actions, queries
from projects.entities.actions import EntityDraft
from projects.sites.permissions import EVERYTHING
from tests.factories import SITE
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.workflows.removing import ROSA
from tests.workflows.test_api import API, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
IBAN, VAT = "DE89370400440532013000", "DE136695976"


def test_suppliers_are_kept_by_hand_imported_merged_and_deleted() -> None:
    ada, rosa = signed_in(alice()), signed_in(bob())
    assert "Suppliers and customers" not in one_line(rosa.get("/documents/").content)
    assert rosa.post("/entities/", {"name": "Suppliers"}).status_code == 403
    of_type = ada.post("/entities/", {"name": "Suppliers"})["Location"]
    assert ada.post("/entities/", {"name": "suppliers"}).status_code == 409
    assert "Suppliers and customers" in one_line(rosa.get("/documents/").content)
    assert 'value="Mill"' in one_line(rosa.get(f"{of_type}new/", {"name": "Mill"}).content)
    form = {"name": "Mill Ltd", "ibans": IBAN, "attributes": "city: Bern\nmail: a@b.c"}
    own = rosa.post(f"{of_type}new/", form)["Location"]
    assert rosa.post(f"{of_type}new/", form).status_code == 409
    assert rosa.post(own, form | {"version": "1", "tax_id": VAT})["Location"] == own
    assert rosa.post(own, form | {"version": "1"}).status_code == 409
    page = one_line(rosa.get(own).content)
    assert "city: Bern" in page
    assert f"tax ID: – → {VAT}" in page
    file = io.BytesIO(b"name,aliases\nMill Limited,Old Mill\n,\n")
    file.name = "suppliers.csv"
    assert "1 created" in one_line(rosa.post(f"{of_type}import/", {"file": file}).content)
    assert rosa.post(f"{of_type}import/", {}).status_code == 422
    (other,) = [one for one in queries.list_entities(SITE, of_type.split("/")[2]).rows if one.name == "Mill Limited"]
    assert rosa.post(f"{own}merge/", {"other": other.entity_id})["Location"] == own
    assert "Merged into" in one_line(rosa.get(f"{of_type}{other.entity_id}/").content)
    listed = one_line(rosa.get(of_type, {"start": "Mill"}).content)
    assert ("Mill Ltd" in listed, "Mill Limited" in listed) == (True, False)
    assert "Save" not in one_line(signed_in(charlie()).get(own).content)
    version = queries.get_entity(SITE, own.split("/")[2], own.split("/")[3]).version
    assert rosa.post(f"{own}delete/", {"version": version})["Location"] == of_type
    assert rosa.get(own).status_code == 404


def test_programs_keep_and_merge_entities() -> None:
    client = program(*EVERYTHING)
    made = client.post(f"{API}/entities", {"name": "Suppliers"}, content_type="application/json").json()
    of_type = f"{API}/entities/{made['id']}"
    wish = {"name": "Mill", "tax_id": VAT, "ibans": [IBAN], "attributes": {"city": "Bern"}}
    mill = client.post(of_type, wish, content_type="application/json").json()
    assert (mill["tax_id"], mill["attributes"]) == (VAT, {"city": "Bern"})
    own = f"{of_type}/{mill['id']}"
    assert client.post(of_type, wish, content_type="application/json").status_code == 409
    changed = client.put(own, wish | {"name": "Mill Ltd", "version": 1}, content_type="application/json").json()
    assert (changed["name"], changed["version"]) == ("Mill Ltd", 2)
    assert client.put(own, wish | {"version": 1}, content_type="application/json").status_code == 409
    other = actions.create_entity(SITE, made["id"], EntityDraft("The Mill"), by=ROSA)
    merged = client.post(f"{own}/merge", {"duplicate_id": other.entity_id}, content_type="application/json").json()
    assert merged["aliases"] == ["The Mill"]
    assert client.get(f"{of_type}/{other.entity_id}").json()["merged_into"] == mill["id"]
    for start in ("MILL", "the m"):
        assert [one["id"] for one in client.get(of_type, {"start": start}).json()["items"]] == [mill["id"]]
    assert [one["name"] for one in client.get(of_type).json()["items"]] == ["Mill Ltd"]
    assert [one["name"] for one in client.get(f"{API}/entities").json()] == ["Suppliers"]
    assert program().post(f"{API}/entities", {"name": "X"}, content_type="application/json").status_code == 403

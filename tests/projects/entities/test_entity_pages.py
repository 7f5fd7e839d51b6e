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
    file = io.BytesIO(b"name,aliases\nMill Limited,Old Mill\n,Nameless\n")
    file.name = "suppliers.csv"
    assert "1 created, 0 updated, 0 unchanged, 1 refused" in one_line(
        rosa.post(f"{of_type}import/", {"file": file}).content
    )
    assert rosa.post(f"{of_type}import/", {}).status_code == 422
    assert "Enter “city of mills” as “name: value”." in one_line(
        rosa.post(own, form | {"version": "2", "attributes": "city of mills"}).content
    )
    (other,) = [one for one in queries.list_entities(SITE, of_type.split("/")[2]).rows if one.name == "Mill Limited"]
    assert rosa.post(f"{own}merge/", {"other": other.entity_id})["Location"] == own
    assert "Merged into" in one_line(rosa.get(f"{of_type}{other.entity_id}/").content)
    assert "from: Mill Limited" in one_line(rosa.get(own).content)
    listed = one_line(rosa.get(of_type, {"start": "Mill"}).content)
    assert ("Mill Ltd" in listed, "Mill Limited" in listed) == (True, False)
    assert "Save" not in one_line(signed_in(charlie()).get(own).content)
    version = queries.get_entity(SITE, own.split("/")[2], own.split("/")[3]).version
    unsure = rosa.post(f"{own}delete/", {"version": version})
    assert unsure.status_code == 422
    page = one_line(unsure.content)
    assert "Confirm the permanent deletion" in page
    assert 'name="sure" value="yes" required' in page
    sure = {"sure": "yes"}
    assert rosa.post(f"{own}delete/", sure | {"version": version - 1}).status_code == 409
    assert rosa.post(f"{own}delete/", sure | {"version": version})["Location"] == of_type
    assert rosa.get(own).status_code == 404


@pytest.mark.wide
def test_a_duplicate_with_another_name_is_merged_by_its_name_or_number() -> None:
    ada = signed_in(alice())
    of_type = ada.post("/entities/", {"name": "Suppliers"})["Location"]
    type_id = of_type.split("/")[2]
    mill, wharf, quay, twin = (
        actions.create_entity(SITE, type_id, draft, by=ROSA).entity_id
        for draft in (
            EntityDraft("Mill Ltd"),
            EntityDraft("Wharf Paper", ibans=[IBAN]),
            EntityDraft("Quay", VAT),
            EntityDraft("mill ltd"),
        )
    )
    at = f"{of_type}{mill}/merge/"
    refused = ada.post(at, {"other": "", "named": "Nobody & Co"})
    assert refused.status_code == 422
    page = one_line(refused.content)
    assert "No other entry has the name, tax ID or IBAN “Nobody &amp; Co”." in page
    assert 'value="Nobody &amp; Co"' in page
    assert ada.post(at, {"other": ""}).status_code == 422
    for text, gone in (("WHARF paper", wharf), ("de 136-695 976", quay), ("mill LTD", twin)):
        assert ada.post(at, {"other": "", "named": text})["Location"] == f"{of_type}{mill}/"
        assert queries.get_entity(SITE, type_id, gone).merged_into == mill
    listed = one_line(ada.get(of_type, {"start": "Zz"}).content)
    assert "Show all" in listed


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

import pytest
from django.test import Client

from projects.schemas.labels import queries
from projects.sites import api_keys
from projects.sites.permissions import Permission
from tests.each import each
from tests.projects.make_schemas import SITE, make_classification
from tests.projects.make_sites import BY, make_site
from tests.projects.schemas.labels.make_labels import interface, label, of_type, stored

pytestmark = pytest.mark.django_db
LOCALES = "/api/v1/locales"
ITEMS = f"{LOCALES}/de/resourceItems"
TOTAL = {"itemType": "INTERFACE", "interfaceKey": "total", "localizedValue": "Summe"}


def program(*permissions, site=SITE):
    _, key = api_keys.create_api_key(site, "Script", permissions or [Permission.READ, Permission.GOVERN], by=BY)
    return Client(headers={"Authorization": f"Bearer {key}"})


def send(client, method, path, item):
    return getattr(client, method)(path, {"resourceItem": item}, content_type="application/json")


def test_languages_are_added_listed_and_removed(table):
    client = program()
    added = client.post(LOCALES, {"locale": "pt-br"}, content_type="application/json")
    assert (added.status_code, added.json()) == (201, {"locale": "pt-BR"})
    assert client.post(LOCALES, {"locale": "pt-BR"}, content_type="application/json").status_code == 409
    assert client.post(LOCALES, {"locale": "xx"}, content_type="application/json").status_code == 422
    assert client.get(LOCALES).json() == {"locales": [{"locale": "pt-BR"}], "next": None}
    assert client.delete(f"{LOCALES}/pt-BR").status_code == 204
    assert client.delete(f"{LOCALES}/pt-BR").status_code == 404
    assert queries.list_locales(SITE) == []


def test_a_label_is_made_read_replaced_and_deleted(table):
    label({})
    client = program()
    made = send(client, "post", ITEMS, TOTAL)
    assert (made.status_code, made.json()) == (201, {"itemKey": "INTERFACE#total"})
    assert send(client, "post", ITEMS, TOTAL).status_code == 409
    one = f"{ITEMS}/INTERFACE%23total"
    shape = {
        **TOTAL,
        "itemKey": "INTERFACE#total",
        "classificationId": None,
        "attributeKey": None,
        "allowedValue": None,
    }
    assert client.get(one).json() == {"resourceItem": shape}
    set_ = send(client, "put", one, {**TOTAL, "localizedValue": "Betrag"})
    assert set_.json()["resourceItem"]["localizedValue"] == "Betrag"
    assert client.get(ITEMS).json() == {"resourceItems": [{**shape, "localizedValue": "Betrag"}], "next": None}
    assert send(client, "put", f"{ITEMS}/INTERFACE%23vendor", TOTAL).status_code == 422
    assert client.delete(one).status_code == 204
    assert [client.delete(one).status_code, client.get(one).status_code] == [404, 404]


def test_values_and_document_types_have_labels(table, attributes):
    made, client = make_classification(), program()
    label({})
    item = {"itemType": "CLASSIFICATION", "classificationId": made, "localizedValue": "Rechnung"}
    assert send(client, "post", ITEMS, item).json() == {"itemKey": f"CLASSIFICATION#{made}##"}
    item |= {"attributeKey": "category", "allowedValue": "services / work", "localizedValue": "Dienst"}
    key = send(client, "post", ITEMS, item).json()["itemKey"]
    assert key == f"CLASSIFICATION#{made}#category#services %2F work"
    address = f"{ITEMS}/{key.replace('%', '%25').replace('#', '%23').replace(' ', '%20')}"
    assert client.get(address).json()["resourceItem"]["allowedValue"] == "services / work"
    assert stored() == {of_type(made): "Rechnung", of_type(made, "category", "services / work"): "Dienst"}


@each(
    ("item", "sentence"),
    [
        ({"itemType": "SCHEMA", "attributeKey": "nope", "allowedValue": "x"}, "not used in this schema"),
        ({"itemType": "CLASSIFICATION", "classificationId": "nope"}, "There is no document type nope"),
        ({"itemType": "CLASSIFICATION"}, "There is no document type"),
        ({"itemType": "INTERFACE"}, "Enter an interface key"),
        ({"itemType": "INTERFACE", "interfaceKey": "a", "allowedValue": "x"}, "INTERFACE has no allowedValue"),
        ({"itemType": "CLASSIFICATION", "classificationId": "a", "allowedValue": "x"}, "Send the attributeKey"),
    ],
)
def test_a_label_of_nothing_is_refused(table, item, sentence):
    if not queries.list_locales(SITE):
        label({})
    answer = send(program(), "post", ITEMS, {**item, "localizedValue": "x"})
    assert answer.status_code == 422
    assert sentence in answer.json()["detail"]


def test_who_reads_writes_nothing_and_other_sites_nothing_at_all(table):
    make_site("acme", "Tenant")
    label({interface("total"): "Summe"})
    reader = program(Permission.READ)
    assert reader.get(ITEMS).status_code == 200
    assert send(reader, "post", ITEMS, TOTAL).status_code == 403
    assert reader.delete(f"{LOCALES}/de").status_code == 403
    theirs = program(site="acme")
    assert theirs.get(LOCALES).json()["locales"] == []
    assert [theirs.get(ITEMS).status_code, theirs.delete(f"{LOCALES}/de").status_code] == [404, 404]
    assert stored() == {interface("total"): "Summe"}


def test_a_long_list_has_pages(table):
    label({interface(f"key{number:03}"): "x" for number in range(30)})
    client = program()
    first = client.get(ITEMS).json()
    following = client.get(ITEMS, {"after": first["next"]}).json()
    keys = [one["interfaceKey"] for one in first["resourceItems"] + following["resourceItems"]]
    assert keys == [f"key{number:03}" for number in range(30)]
    assert following["next"] is None

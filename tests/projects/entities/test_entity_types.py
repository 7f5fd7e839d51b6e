"""Entity types renamed, and deleted while nothing is in them; who comes second is told."""

import pytest

from config import table
from config.errors import Conflict, NotFound, Refused
from config.transaction import Delete, transact
from projects.audit.items import EntityEvent
from projects.entities import actions, queries
from projects.entities.actions import EntityDraft
from projects.entities.importing import import_entities
from projects.entities.items import EntityType
from projects.schemas import actions as schema_actions
from projects.schemas import queries as schema_queries
from projects.schemas.governing import AttributeDefinition, AttributeUse, Schema
from projects.sites import directory
from projects.sites.permissions import EVERYTHING
from tests.factories import SITE
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.projects.entities.test_entity_actions import make, overtake
from tests.projects.make_schemas import make_classification
from tests.workflows.removing import MARTA, ROSA
from tests.workflows.test_api import API, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
SURE = {"sure": "yes"}


@pytest.fixture
def type_id(table: str) -> str:
    return actions.create_type(SITE, "Suppliers", by=ROSA).type_id


def told(type_id: str) -> list[tuple[str, dict[str, str]]]:
    pk = table.ENTITY_EVENT.partition_key(SITE, entity_type="entityType", entity_id=type_id)
    return [(one.type, one.payload.as_dict()) for one in EntityEvent.page(pk).rows]


def types() -> list[str]:
    return [str(one.name) for one in queries.list_types(SITE)]


def uses(type_id: str) -> int:
    return int(queries.get_type(SITE, type_id).uses or 0)


def refer(type_id: str, key: str = "supplier") -> None:
    definition = AttributeDefinition(key, "Supplier", "entity", entity_type=type_id)
    schema_actions.create_definition(SITE, definition, by=ROSA)


def test_a_type_is_renamed_with_all_that_it_has(type_id: str) -> None:
    make(type_id)
    actions.create_type(SITE, "Customers", by=ROSA)
    for _ in range(2):  # the form was sent twice
        actions.rename_type(SITE, type_id, " Vendors ", was="Suppliers", by=ROSA)
    assert types() == ["Customers", "Vendors"]
    assert [one.name for one in queries.list_entities(SITE, type_id).rows] == ["Mill Ltd"]
    assert told(type_id)[1:] == [("renamed", {"name": "Vendors", "before": "Suppliers"})]
    assert actions.rename_type(SITE, type_id, "VENDORS", by=ROSA).name == "VENDORS"
    with pytest.raises(Conflict, match="already a type “customers”"):
        actions.rename_type(SITE, type_id, "customers", by=ROSA)
    with pytest.raises(Refused):
        actions.rename_type(SITE, type_id, " ", by=ROSA)
    for wrong in ("none", "a#b"):
        with pytest.raises(NotFound):
            actions.rename_type(SITE, wrong, "Vendors", by=ROSA)


def test_who_renames_second_is_told(type_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    overtake(monkeypatch, lambda: actions.rename_type(SITE, type_id, "Vendors", by=MARTA))
    told_who = f"{MARTA.name} renamed this type to “Vendors”"
    with pytest.raises(Conflict, match=told_who):
        actions.rename_type(SITE, type_id, "Sellers", by=ROSA)
    with pytest.raises(Conflict, match=told_who):
        actions.rename_type(SITE, type_id, "Sellers", was="Suppliers", by=ROSA)
    assert types() == ["Vendors"]


def test_a_type_is_deleted_once_it_is_empty(type_id: str) -> None:
    keep, gone = make(type_id, "Mill"), make(type_id, "The Mill")
    actions.merge_entities(SITE, type_id, keep.entity_id, gone.entity_id, by=ROSA)
    with pytest.raises(Refused, match="Delete them first"):
        actions.delete_type(SITE, type_id, by=ROSA)
    assert uses(type_id) == 1
    actions.delete_entity(SITE, type_id, keep.entity_id, version=2, by=ROSA)
    assert uses(type_id) == 0
    actions.delete_type(SITE, type_id, by=ROSA)  # what is left of the duplicate does not count
    assert types() == []
    assert not directory.has_entities(SITE)
    assert told(type_id)[-1] == ("deleted", {"name": "Suppliers"})
    for again in (lambda: actions.delete_type(SITE, type_id, by=ROSA), lambda: make(type_id)):
        with pytest.raises(NotFound):
            again()


def test_a_type_stays_while_an_attribute_refers_to_it(type_id: str) -> None:
    refer(type_id)
    with pytest.raises(Refused, match=r"Attribute Supplier .* Delete the attribute first"):
        actions.delete_type(SITE, type_id, by=ROSA)
    schema_actions.delete_definition(SITE, "supplier", by=ROSA)
    assert uses(type_id) == 0
    refer(type_id)
    make_classification(Schema("Order", (AttributeUse("supplier"),)))
    with pytest.raises(Refused, match="Rename it instead"):
        actions.delete_type(SITE, type_id, by=ROSA)
    assert types() == ["Suppliers"]


def test_an_attribute_whose_type_is_gone_can_be_deleted(type_id: str) -> None:
    refer(type_id)
    transact([Delete(queries.get_type(SITE, type_id).key)])  # by another writer of the table
    schema_actions.delete_definition(SITE, "supplier", by=ROSA)
    assert schema_queries.attribute_definitions(SITE) == []


def test_a_type_that_was_just_used_stays(type_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other = actions.create_type(SITE, "Customers", by=ROSA).type_id
    overtake(monkeypatch, lambda: make(type_id))
    with pytest.raises(Refused, match="still has entries"):
        actions.delete_type(SITE, type_id, by=ROSA)
    overtake(monkeypatch, lambda: refer(other))
    with pytest.raises(Refused, match="Delete the attribute first"):
        actions.delete_type(SITE, other, by=ROSA)
    monkeypatch.setattr(queries, "has_entries", lambda *_: False)  # the indexes lag behind
    monkeypatch.setattr(actions, "list_referring", lambda *_: ())
    third = actions.create_type(SITE, "Carriers", by=ROSA).type_id
    overtake(monkeypatch, lambda: make(third, "Third"))
    for one in (third, type_id, other):
        with pytest.raises(Refused, match="just added"):
            actions.delete_type(SITE, one, by=ROSA)
    assert types() == ["Carriers", "Customers", "Suppliers"]


def test_nothing_is_added_to_a_type_that_was_just_deleted(type_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    overtake(monkeypatch, lambda: actions.delete_type(SITE, type_id, by=MARTA))
    with pytest.raises(NotFound):
        make(type_id, ibans=["DE89370400440532013000"])
    assert not queries.has_entries(SITE, type_id)
    other = actions.create_type(SITE, "Customers", by=ROSA).type_id
    overtake(monkeypatch, lambda: actions.delete_type(SITE, other, by=MARTA))
    with pytest.raises(NotFound):
        import_entities(SITE, other, b"name\nMill\n", by=ROSA)
    with pytest.raises(Refused, match="just deleted"):
        refer(type_id)
    assert types() == []


def test_who_deletes_second_has_what_was_wanted(type_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    overtake(monkeypatch, lambda: actions.delete_type(SITE, type_id, by=MARTA))
    actions.delete_type(SITE, type_id, by=ROSA)
    assert [one for one, _ in told(type_id)] == ["created", "deleted"]
    other = actions.create_type(SITE, "Customers", by=ROSA).type_id
    overtake(monkeypatch, lambda: actions.delete_type(SITE, other, by=MARTA))
    with pytest.raises(NotFound):
        actions.rename_type(SITE, other, "Clients", by=ROSA)


def test_types_of_before_count_from_now_on(type_id: str) -> None:
    mill, quill = make(type_id, "Mill"), make(type_id, "Quill")
    EntityType.change(queries.get_type(SITE, type_id).key, [EntityType.uses.remove()], EntityType.PK.exists())
    last = make(type_id, "Last")
    actions.delete_entity(SITE, type_id, mill.entity_id, version=1, by=ROSA)
    actions.delete_entity(SITE, type_id, last.entity_id, version=1, by=ROSA)
    with pytest.raises(Refused, match="entries"):
        actions.delete_type(SITE, type_id, by=ROSA)
    actions.delete_entity(SITE, type_id, quill.entity_id, version=1, by=ROSA)
    assert uses(type_id) == -2
    actions.delete_type(SITE, type_id, by=ROSA)
    assert types() == []


def test_types_are_renamed_and_deleted_by_forms(type_id: str) -> None:
    ada, rosa = signed_in(alice()), signed_in(bob())
    own, edit = f"/entities/{type_id}/", f"/entities/{type_id}/edit/"
    assert f'href="{edit}"' in one_line(ada.get(own).content)
    for who in (rosa, signed_in(charlie())):
        assert edit not in one_line(who.get(own).content)
        assert (who.get(edit).status_code, who.post(edit, {"name": "X"}).status_code) == (403, 403)
        assert who.post(f"{own}delete/", SURE).status_code == 403
    assert 'name="was" value="Suppliers"' in one_line(ada.get(edit).content)
    assert ada.post(edit, {"name": "Vendors", "was": "Suppliers"})["Location"] == own
    late = ada.post(edit, {"name": "Sellers", "was": "Suppliers"})
    assert late.status_code == 409
    page = one_line(late.content)
    assert "renamed this type to “Vendors”" in page
    assert 'value="Sellers"' in page
    assert 'name="was" value="Vendors"' in page
    assert ada.post(edit, {"name": " ", "was": "Vendors"}).status_code == 422
    mill = make(type_id)
    page = one_line(ada.get(edit).content)
    assert "This type still has entries. Delete them first." in page
    assert 'name="sure"' not in page
    assert ada.post(f"{own}delete/", SURE).status_code == 422
    actions.delete_entity(SITE, type_id, mill.entity_id, version=1, by=ROSA)
    assert 'name="sure"' in one_line(ada.get(edit).content)
    unsure = ada.post(f"{own}delete/")
    assert unsure.status_code == 422
    assert "Confirm the permanent deletion" in one_line(unsure.content)
    assert ada.get(f"{own}delete/").status_code == 405
    assert ada.post(f"{own}delete/", SURE)["Location"] == "/entities/"
    assert "Vendors deleted." in one_line(ada.get("/entities/").content)
    assert (ada.get(edit).status_code, ada.post(f"{own}delete/", SURE).status_code) == (404, 404)


def test_the_page_says_that_a_list_was_just_deleted(type_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = signed_in(alice())
    real = schema_actions.transact
    form = {"label": "Supplier", "key": "supplier", "kind": "entity", "entity_type": type_id, "date_range": "around"}

    def overtaken(*changes: object, **more: object) -> object:
        monkeypatch.setattr(schema_actions, "transact", real)
        actions.delete_type(SITE, type_id, by=MARTA)
        return real(*changes, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(schema_actions, "transact", overtaken)
    late = ada.post("/schemas/attributes/", form)
    assert late.status_code == 422
    assert "This list was just deleted." in one_line(late.content)


def test_programs_rename_and_delete_types(type_id: str) -> None:
    client, path = program(*EVERYTHING), f"{API}/entities/{type_id}"
    for _ in range(2):
        renamed = client.patch(path, {"name": "Vendors"}, content_type="application/json")
        assert renamed.json() == {"id": type_id, "name": "Vendors"}
    actions.create_type(SITE, "Customers", by=ROSA)
    assert client.patch(path, {"name": "customers"}, content_type="application/json").status_code == 409
    assert client.patch(path, {"name": " "}, content_type="application/json").status_code == 422
    mill = actions.create_entity(SITE, type_id, EntityDraft("Mill"), by=ROSA)
    refused = client.delete(path)
    assert (refused.status_code, refused.json()["detail"]) == (422, "This type still has entries. Delete them first.")
    assert client.delete(f"{path}/{mill.entity_id}").status_code == 204
    assert program().delete(path).status_code == 403
    assert client.delete(path).status_code == 204
    assert client.delete(path).status_code == 404

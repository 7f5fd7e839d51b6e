"""Attributes that refer to suppliers and customers: set, shown, found, merged, restored, deleted."""

import re
from typing import Any

import pytest

from config import clock
from config.due import sweeper
from config.errors import Conflict, Refused
from config.item import Item
from projects.documents.actions import properties
from projects.documents.actions.properties import remove_attribute, set_attribute
from projects.documents.earlier_values import list_earlier, restore_earlier
from projects.documents.queries import list_activities, list_attributes
from projects.documents.tasks import follow_merge
from projects.entities import actions
from projects.entities.actions import EntityDraft
from projects.entities.items import EntityRow
from projects.entities.references import name_references, reference_to
from projects.schemas.actions import create_definition
from projects.schemas.governing import AttributeDefinition, AttributeUse, Schema
from projects.sites.permissions import EVERYTHING
from tests.factories import SITE, start_run
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.projects.make_schemas import make_classification
from tests.workflows.removing import ROSA
from tests.workflows.test_api import API, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
IBAN, VAT = "DE89370400440532013000", "DE136695976"


def make(type_id: str, name: str = "Mill Ltd", **more: Any) -> EntityRow:
    return actions.create_entity(SITE, type_id, EntityDraft(name, **more), by=ROSA)


@pytest.fixture
def type_id(table: str) -> str:
    made = actions.create_type(SITE, "Suppliers", by=ROSA).type_id
    create_definition(SITE, AttributeDefinition("supplier", "Supplier", "entity", entity_type=made), by=ROSA)
    return made


def values(document_id: str) -> list[str]:
    return [str(one.value) for one in list_attributes(SITE, document_id) if one.key_ == "supplier"]


@pytest.mark.wide
def test_what_is_typed_is_looked_up(type_id: str) -> None:
    mill, document = make(type_id, tax_id=VAT, ibans=[IBAN], aliases=["The Old Mill"]), start_run().document_id
    stored = reference_to(type_id, mill.entity_id)
    for text in (
        "Mill  Ltd",
        "MILL LTD",
        "the old mill",
        "de 136-695 976",
        "DE89 3704 0044 0532 0130 00",
        mill.entity_id,
        stored,
    ):
        set_attribute(SITE, document, "supplier", [text], by=ROSA)
        assert values(document) == [stored]
        remove_attribute(SITE, document, "supplier", by=ROSA)
    make(type_id, "Twin"), make(type_id, "Twin")
    other = actions.create_type(SITE, "Customers", by=ROSA).type_id
    foreign = make(other, "Elsewhere", tax_id="GB123456782")
    for text, told in (
        ("Twin", "Several"), ("Mill", "not known"), ("Elsewhere", "not known"), ("", "not known"),
        ("GB123456782", "not known"), (reference_to(other, foreign.entity_id), "not known"), ("x#y", "not known"),
    ):  # fmt: skip
        with pytest.raises(Refused, match=told):
            set_attribute(SITE, document, "supplier", [text], by=ROSA)
    assert values(document) == []


def test_the_page_shows_the_name_and_finds_the_documents(type_id: str) -> None:
    mill, document, rosa = make(type_id, aliases=["Old Works"]), start_run().document_id, signed_in(bob())
    page = f"/documents/{document}/"
    assert 'list="entity-names"' in one_line(rosa.get(page).content)
    options = one_line(rosa.get("/entities/suggest/", {"key": "supplier", "value": "Mi"}).content)
    assert 'value="Mill Ltd"' in options
    by_other_name = one_line(rosa.get("/entities/suggest/", {"key": "supplier", "value": "OLD w"}).content)
    assert re.search(r'<option value="Mill Ltd"> ?Old Works ?</option>', by_other_name)
    assert "option" not in one_line(rosa.get("/entities/suggest/", {"key": "nothing", "value": "Mi"}).content)
    assert rosa.post(f"{page}attributes/", {"key": "supplier", "value": "Mill Ltd"}).status_code == 302
    own = f"/entities/{type_id}/{mill.entity_id}/"
    shown = one_line(rosa.get(page).content)
    assert f'href="{own}"' in shown
    assert ">Mill Ltd</textarea>" in shown
    assert "Mill Ltd" in str((list_activities(SITE, document).rows[0].changes or ())[0])
    entity_page = one_line(rosa.get(own).content)
    found = "/documents/?a=supplier&o=is&v=Mill+Ltd"
    assert found.replace("&", "&amp;") in entity_page
    assert document in one_line(rosa.get(found).content)
    assert document in one_line(rosa.get("/documents/?a=supplier&o=is&v=OLD+works").content)
    everything = one_line(rosa.get("/documents/?a=supplier&o=is&v=").content)
    assert document in everything
    assert "Mill Ltd" in everything
    assert rosa.get("/documents/?a=supplier&o=is&v=Nobody").status_code == 422
    by_id = one_line(
        rosa.get("/documents/", {"a": "supplier", "o": "is", "v": reference_to(type_id, mill.entity_id)}).content
    )
    assert "Supplier Mill Ltd" in by_id
    form = {"version": "1", "sure": "yes"}
    assert "Documents refer to it" in one_line(rosa.post(f"{own}delete/", form).content)


@pytest.mark.wide
def test_documents_follow_a_merge_also_if_its_message_is_lost(
    type_id: str, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    sent: list[dict[str, str]] = []
    monkeypatch.setattr("config.brokers.queues.enqueue", lambda _task, _queue, kwargs, **_: sent.append(kwargs))
    settings.REPAIR_AFTER_SECONDS = 60
    keep, gone, document = make(type_id, "Mill Ltd"), make(type_id, "The Mill"), start_run().document_id
    set_attribute(SITE, document, "supplier", ["The Mill", "Mill Ltd"], by=ROSA)
    sent.clear()
    actions.merge_entities(SITE, type_id, keep.entity_id, gone.entity_id, by=ROSA)
    before, after = (reference_to(type_id, one.entity_id) for one in (gone, keep))
    assert name_references(SITE, [before])[before].name == "Mill Ltd"  # at once
    monkeypatch.setattr(properties, "resolve_texts", lambda *_: [before])
    with pytest.raises(Conflict):  # who looked it up before the merge
        set_attribute(SITE, start_run().document_id, "supplier", ["The Mill"], by=ROSA)
    (message,) = [one for one in sent if "entity_id" in one]
    follow_merge(**message)
    assert values(document) == [after]
    assert [row for row in Item.scan() if row.SK == "merge"]  # one more look, since the index lags behind
    settings.REPAIR_AFTER_SECONDS = 0
    sent.clear()
    later = clock.in_seconds(3600)
    monkeypatch.setattr(clock, "now", lambda: later)
    sweeper.sweep()
    while sent:
        message = sent.pop()
        if "entity_id" in message:
            follow_merge(**message)
            follow_merge(**message)  # delivered twice
    assert not [row for row in Item.scan() if row.SK == "merge"]


def test_earlier_values_have_names_and_come_back(type_id: str) -> None:
    make(type_id, "Mill Ltd"), make(type_id, "Quill")
    document = start_run().document_id
    set_attribute(SITE, document, "supplier", ["Mill Ltd"], by=ROSA)
    was = values(document)
    set_attribute(SITE, document, "supplier", ["Quill"], by=ROSA)
    (one,) = list_earlier(SITE, document)
    assert one.shown == "Mill Ltd"
    restore_earlier(SITE, document, one.kind, one.key, one.at, by=ROSA)
    assert values(document) == was


def test_programs_define_set_read_and_delete(table: str) -> None:
    client = program(*EVERYTHING)

    def ask(method: str, path: str, body: Any = None, status: int = 200) -> Any:
        sent = {} if body is None else {"data": body, "content_type": "application/json"}
        answer = getattr(client, method)(f"{API}/{path}", **sent)
        assert answer.status_code == status, answer.content
        return answer.json() if answer.content else None

    wish = {"key": "supplier", "label": "Supplier", "type": "entity"}
    ask("post", "attributes", wish, 422)  # the site has no lists yet
    kind = ask("post", "entities", {"name": "Suppliers"}, 201)["id"]
    ask("post", "attributes", wish, 422)
    ask("post", "attributes", {"key": "note", "label": "Note", "type": "text", "entity_type": kind}, 422)
    assert ask("post", "attributes", wish | {"entity_type": kind}, 201)["entity_type"] == kind
    mill = ask("post", f"entities/{kind}", {"name": "Mill Ltd"}, 201)
    path = f"documents/{start_run().document_id}"
    ask("patch", path, {"attributes": {"supplier": ["Nobody"]}}, 422)
    (given,) = ask("patch", path, {"attributes": {"supplier": ["Mill Ltd"]}})["attributes"]
    assert given["kind"] == "entity"
    assert given["values"] == [f"{kind}#{mill['id']}"]
    assert given["entities"] == [{"type_id": kind, "entity_id": mill["id"], "name": "Mill Ltd"}]
    ask("delete", f"entities/{kind}/{mill['id']}", status=422)
    ask("patch", path, {"attributes": {"supplier": None}})
    ask("delete", f"entities/{kind}/{mill['id']}", status=204)
    ask("get", f"entities/{kind}/{mill['id']}", status=404)


def test_a_deleted_entity_is_called_so(type_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mill, document = make(type_id), start_run().document_id
    set_attribute(SITE, document, "supplier", ["Mill Ltd"], by=ROSA)
    monkeypatch.setattr(actions, "list_referring", lambda *_: ())  # the index had yet to tell
    actions.delete_entity(SITE, type_id, mill.entity_id, version=1, by=ROSA)
    assert "Deleted entry" in one_line(signed_in(bob()).get(f"/documents/{document}/").content)


def test_the_attribute_is_made_on_the_page_and_takes_no_values_in_a_schema(type_id: str) -> None:
    ada = signed_in(alice())
    form = {"label": "Customer", "key": "customer", "kind": "entity", "date_range": "around"}
    assert "Select the list" in one_line(ada.post("/schemas/attributes/", form).content)
    assert ada.post("/schemas/attributes/", form | {"entity_type": type_id}).status_code == 302
    assert "Suppliers</a>" in one_line(ada.get("/schemas/attributes/customer/").content)
    made = make_classification(Schema("Order", (AttributeUse("customer", required=True),)))
    assert made
    with pytest.raises(Refused, match="takes any entry"):
        make_classification(Schema("Order", (AttributeUse("customer", allowed=("x#y",)),)))

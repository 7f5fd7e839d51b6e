from concurrent.futures import ThreadPoolExecutor

import pytest

from config.errors import Conflict, NotAllowed, NotFound, Unavailable
from config.table import ATTRIBUTE, ENTITY_EVENT
from config.transaction import transact
from projects.audit.items import EntityEvent
from projects.schemas import actions as attribute_definition_actions
from projects.schemas import queries as schema_queries
from projects.schemas.governing import AttributeDefinition
from projects.schemas.items import Attribute
from tests.aws_faults import fail
from tests.projects.make_schemas import ALICE, BOB, KINDS, SITE, make_attributes

DUE = AttributeDefinition("due_date", "Due date", "date")


def events(key):
    pk = ENTITY_EVENT.partition_key(SITE, entity_type="attribute", entity_id=key)
    return [(one.type, one.userId, one.payload.as_dict()) for one in EntityEvent.page(pk, consistent=True).rows]


def create(definition=DUE, by=ALICE):
    attribute_definition_actions.create_definition(SITE, definition, by=by)


def test_what_was_made_is_read_back_and_audited(table):
    create()
    found = schema_queries.attribute_definition(SITE, "due_date")
    assert (found.key, found.label, found.kind, found.data_type) == ("due_date", "Due date", "date", "STRING")
    assert (found.in_use, found.version) == (False, 1)
    told = {"key": "due_date", "label": "Due date", "kind": "date", "date_range": "around"}
    assert events("due_date") == [("created", "1", told)]


def test_plausible_dates_are_stored_changed_and_audited(table):
    create(AttributeDefinition("born", "Born", "date", date_range="any"))
    create(AttributeDefinition("note", "Note", "text", date_range="any"))
    assert schema_queries.attribute_definition(SITE, "born").date_range == "any"
    assert schema_queries.attribute_definition(SITE, "note").date_range == ""
    attribute_definition_actions.change_definition(SITE, "born", "Born on", date_range="past", version=1, by=BOB)
    attribute_definition_actions.change_definition(SITE, "born", "Birth", version=2, by=BOB)
    found = schema_queries.attribute_definition(SITE, "born")
    assert (found.label, found.date_range, found.version) == ("Birth", "past", 3)
    assert events("born")[1] == ("updated", "2", {"label": "Born on", "version": 2, "date_range": "past"})


@pytest.mark.parametrize(("key", "plausible"), [("date", "past"), ("warranty_until", "around")])
def test_a_date_of_an_older_writer_may_lie_ahead_unless_it_is_the_date_of_issue(table, key, plausible):
    index = ATTRIBUTE.gsi1(SITE, key=key) | ATTRIBUTE.gsi2(SITE, data_type="STRING")
    Attribute(*ATTRIBUTE.key(SITE, key=key), **index, documentId=key, dataType="STRING", file_type="date").save()
    assert schema_queries.attribute_definition(SITE, key).date_range == plausible


def test_the_stored_item_has_the_seeds_names(table):
    create()
    row = Attribute.load(ATTRIBUTE.key(SITE, key="due_date"))
    assert (row.documentId, row.key_, row.dataType, row.isInUse) == ("due_date", "due_date", "STRING", False)
    assert (row.GSI1SK, row.GSI2SK) == ("attr#due_date", "attr#STRING")


def test_a_list_shows_them_by_key_with_kind_and_use(table):
    make_attributes()
    rows, following = schema_queries.list_attributes(SITE)
    assert [one.key for one in rows] == sorted(KINDS)
    assert {one.key: one.kind for one in rows} == KINDS
    assert following is None
    assert list(schema_queries.attribute_definitions(SITE)) == list(rows)


def test_definitions_are_read_in_one_call_and_those_missing_are_not_there(table):
    make_attributes("vendor", "total")
    found = schema_queries.definitions_of(SITE, ["vendor", "nothing", "total", "vendor"])
    assert set(found) == {"vendor", "total"}
    assert schema_queries.definitions_of(SITE, []) == {}


def test_an_attribute_of_an_older_writer_is_read(table):
    key = ATTRIBUTE.key(SITE, key="Cost centre #1")
    index = ATTRIBUTE.gsi1(SITE, key="Cost centre #1") | ATTRIBUTE.gsi2(SITE, data_type="NUMBER")
    Attribute(*key, **index, documentId="Cost centre #1", dataType="NUMBER").save()
    (found,), _ = schema_queries.list_attributes(SITE)
    assert found.key == "Cost centre #1"
    assert schema_queries.attribute_definition(SITE, "Cost centre #1").kind == "number"


def test_a_key_is_given_once(table):
    create()
    with pytest.raises(Conflict, match="Attribute due_date already exists"):
        create(AttributeDefinition("due_date", "Mine", "text"), by=BOB)
    assert schema_queries.attribute_definition(SITE, "due_date").kind == "date"
    assert len(events("due_date")) == 1


def test_of_two_who_rename_it_the_second_is_told(table):
    create()
    attribute_definition_actions.change_definition(SITE, "due_date", "Payable by", version=1, by=BOB)
    with pytest.raises(Conflict, match="It is now “Payable by”"):
        attribute_definition_actions.change_definition(SITE, "due_date", "Deadline", version=1, by=ALICE)
    assert schema_queries.attribute_definition(SITE, "due_date").label == "Payable by"
    assert [one[0] for one in events("due_date")] == ["created", "updated"]


def test_one_that_nothing_uses_can_be_deleted_also_twice(table):
    create()
    attribute_definition_actions.delete_definition(SITE, "due_date", by=ALICE)
    with pytest.raises(NotFound):
        attribute_definition_actions.delete_definition(SITE, "due_date", by=ALICE)
    assert [one[0] for one in events("due_date")] == ["created", "deleted"]


def test_one_in_use_stays(table):
    create()
    transact(attribute_definition_actions.mark_used(SITE, [DUE]))
    assert schema_queries.attribute_definition(SITE, "due_date").in_use
    with pytest.raises(NotAllowed, match="use it"):
        attribute_definition_actions.delete_definition(SITE, "due_date", by=ALICE)


def test_who_begins_to_use_one_that_is_being_deleted_loses_or_keeps_it(table):
    for _ in range(10):
        create()
        found = schema_queries.attribute_definition(SITE, "due_date")

        def use(found=found):
            try:
                transact(attribute_definition_actions.mark_used(SITE, [found]))
            except Conflict:
                return False
            return True

        def delete():
            try:
                attribute_definition_actions.delete_definition(SITE, "due_date", by=ALICE)
            except NotAllowed:
                return False
            return True

        with ThreadPoolExecutor(2) as pool:
            used, deleted = pool.submit(use), pool.submit(delete)
        assert used.result() != deleted.result()
        if used.result():
            Attribute.load(ATTRIBUTE.key(SITE, key="due_date")).delete()


def test_an_attribute_that_is_used_already_needs_no_write(table):
    used = AttributeDefinition("due_date", "Due date", "date", in_use=True)
    assert attribute_definition_actions.mark_used(SITE, [used]) == []


def test_what_cannot_be_audited_is_not_done(table):
    create()
    broken = {"error_code": "InternalServerError", "times": 9}
    with fail("dynamodb", "TransactWriteItems", **broken), pytest.raises(Unavailable):
        create(AttributeDefinition("lost", "Lost", "text"))
    with fail("dynamodb", "TransactWriteItems", **broken), pytest.raises(Unavailable):
        attribute_definition_actions.change_definition(SITE, "due_date", "Lost", version=1, by=BOB)
    with fail("dynamodb", "TransactWriteItems", **broken), pytest.raises(Unavailable):
        attribute_definition_actions.delete_definition(SITE, "due_date", by=ALICE)
    assert [one.key for one in schema_queries.list_attributes(SITE)[0]] == ["due_date"]
    assert schema_queries.attribute_definition(SITE, "due_date").label == "Due date"


def test_another_site_has_attributes_of_its_own(table):
    create()
    assert schema_queries.list_attributes("acme")[0] == []
    with pytest.raises(NotFound):
        schema_queries.attribute_definition("acme", "due_date")

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from config.table import ENTITY_EVENT
from projects.audit.items import EntityEvent
from projects.schemas import actions as attribute_definition_actions
from projects.schemas import queries as schema_queries
from projects.schemas.defaults import DEFAULT_ATTRIBUTES, DEFAULT_CLASSIFICATIONS, ensure_default_schemas
from projects.schemas.governing import AttributeDefinition
from tests.aws_faults import count_calls
from tests.projects.make_schemas import ALICE, BOB, SITE


def schemas():
    return {one.id: schema_queries.get_classification(SITE, one.id) for one in schema_queries.all_classifications(SITE)}


def test_a_new_desk_knows_invoices_receipts_and_contracts(table):
    ensure_default_schemas(SITE, by=ALICE)
    assert {name: head.schema for name, head in schemas().items()} == dict(DEFAULT_CLASSIFICATIONS)
    found = {one.key: one for one in schema_queries.attribute_definitions(SITE)}
    assert {key: one.label for key, one in found.items()} == {key: one.label for key, one in DEFAULT_ATTRIBUTES.items()}
    assert all(one.in_use for one in found.values())


def test_again_it_reads_and_changes_nothing(table):
    ensure_default_schemas(SITE, by=ALICE)
    with count_calls() as calls:
        ensure_default_schemas(SITE, by=BOB)
    assert calls.names() == ["dynamodb.GetItem"] * 3


def test_what_an_admin_made_of_it_stays(table):
    ensure_default_schemas(SITE, by=ALICE)
    invoice = replace(DEFAULT_CLASSIFICATIONS["invoice"], name="Bill")
    attribute_definition_actions.save_classification(SITE, "invoice", invoice, version=1, by=BOB)
    attribute_definition_actions.archive_classification(SITE, "contract", archived=True, version=1, by=BOB)
    ensure_default_schemas(SITE, by=ALICE)
    assert schemas()["invoice"].schema.name == "Bill"
    assert schemas()["contract"].archived


def test_an_attribute_that_is_there_keeps_its_meaning(table):
    mine = AttributeDefinition("total", "Sum", "amount")
    attribute_definition_actions.create_definition(SITE, mine, by=BOB)
    ensure_default_schemas(SITE, by=ALICE)
    assert schema_queries.attribute_definition(SITE, "total").label == "Sum"


def test_four_at_once_make_each_once(table):
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: ensure_default_schemas(SITE, by=ALICE), range(4)))
    assert len(schemas()) == 3
    pk = ENTITY_EVENT.partition_key(SITE, entity_type="classification", entity_id="invoice")
    assert [one.type for one in EntityEvent.page(pk, consistent=True).rows] == ["created"]


def test_another_site_gets_its_own(table):
    ensure_default_schemas("acme", by=ALICE)
    assert schemas() == {}
    assert len(schema_queries.all_classifications("acme")) == 3

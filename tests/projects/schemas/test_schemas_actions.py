from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from config.errors import Conflict, NotFound, Refused, Unavailable
from config.table import CLASSIFICATION, CLASSIFICATION_COMPOSITE_KEY, SITE_SCHEMA
from projects.schemas import actions as schema_actions
from projects.schemas import queries as schema_queries
from projects.schemas import rows as schema_rows
from projects.schemas.governing import AttributeUse, Schema, schema_from_json
from projects.schemas.items import SchemaCompositeKey, SchemaHead
from tests.aws_faults import count_calls, fail
from tests.projects.make_schemas import ALICE, BOB, INVOICE, SITE, events, make_classification, rows, save


# --- made, saved, read back --------------------------------------------------
def test_a_classification_is_read_back_with_its_order(attributes):
    found = schema_queries.get_classification(SITE, make_classification())
    assert found.schema == INVOICE
    assert (found.number, found.archived, found.updated_by) == (1, False, "Alice Novak")


def test_head_and_rows_are_written_together(attributes):
    with count_calls() as calls:
        owner = make_classification()
    looked, *made = calls.names()  # the first asks the factory which names there are
    assert looked == "dynamodb.Query"
    assert made == ["dynamodb.BatchGetItem", "dynamodb.Query", "dynamodb.TransactWriteItems"]
    composite = [sk for sk in rows(owner) if sk.startswith("compositeKey#")]
    assert len(composite) == 1
    assert sorted(set(rows(owner)) - set(composite)) == [
        "attr#category",
        "attr#category#allowedvalue#goods",
        "attr#category#allowedvalue#rent %231",
        "attr#category#allowedvalue#services %2F work",
        "attr#currency",
        "attr#currency#allowedvalue#EUR",
        "attr#currency#allowedvalue#USD",
        "attr#total",
        "attr#vendor",
        "class#document",
    ]


def test_its_attributes_are_in_use_from_then_on(attributes):
    make_classification()
    used = {one.key for one in schema_queries.attribute_definitions(SITE) if one.in_use}
    assert used == {"vendor", "category", "currency", "total"}


def test_a_save_puts_what_is_new_and_deletes_what_is_gone(attributes):
    owner = make_classification()
    wanted = Schema("Invoice", (AttributeUse("currency", allowed=("EUR", "CHF")), AttributeUse("paid")))
    saved = save(owner, wanted, by=BOB)
    assert (saved.schema, saved.number, saved.updated_by) == (wanted, 2, "Bob Ito")
    assert rows(owner) == [
        "attr#currency",
        "attr#currency#allowedvalue#CHF",
        "attr#currency#allowedvalue#EUR",
        "attr#paid",
        "class#document",
    ]
    assert events("classification", owner)[-1] == (
        "updated",
        {
            "name": "Invoice",
            "added": ["paid"],
            "removed": ["vendor", "category", "total"],
            "changed": ["currency"],
            "version": 2,
        },
    )


def test_a_save_writes_no_row_that_stays_as_it_is(attributes):
    owner = make_classification()
    with count_calls() as calls:
        save(owner, replace(INVOICE, uses=(*INVOICE.uses, AttributeUse("issued"))))
    (write,) = calls.of("dynamodb", "TransactWriteItems")
    assert len(write.params["TransactItems"]) == 5  # head, row of issued, definition, event, line


def test_saving_what_is_there_already_writes_nothing(attributes):
    owner = make_classification()
    assert save(owner, INVOICE, by=BOB).number == 1
    assert len(events("classification", owner)) == 1


def test_a_new_name_moves_it_in_the_list_and_is_told_to_who_asks_for_a_key(attributes):
    first, second = make_classification(), make_classification(replace(INVOICE, name="Zebra"))
    save(first, replace(INVOICE, name="Zulu"))
    assert [(one.id, one.name) for one in schema_queries.list_classifications(SITE)[0]] == [
        (second, "Zebra"),
        (first, "Zulu"),
    ]
    assert {one.name for one in schema_queries.schemas_using(SITE, "vendor")} == {"Zebra", "Zulu"}


def test_the_sites_schema_is_empty_until_it_is_saved(attributes):
    assert schema_queries.site_schema(SITE).schema == Schema("Site schema")
    wanted = Schema("Site schema", (AttributeUse("category", required=True, allowed=("a", "b")),))
    saved = schema_actions.save_site_schema(SITE, wanted, version=0, by=ALICE)
    assert (saved.schema, saved.number) == (wanted, 1)
    assert SITE_SCHEMA.key(SITE, entity="document") == (saved.PK, saved.SK)
    assert rows() == ["attr#category", "attr#category#allowedvalue#a", "attr#category#allowedvalue#b", "site#document"]
    assert events("siteSchema", "document")[0][0] == "updated"


# --- looked up ---------------------------------------------------------------
def test_the_allowed_values_of_a_key_are_found_over_all_schemas(attributes):
    make_classification()
    make_classification(Schema("Other", (AttributeUse("category", allowed=("goods", "Ärger")),)))
    with count_calls() as calls:
        found = schema_queries.list_allowed_values(SITE, "category")
    assert found == ["goods", "rent #1", "services / work", "Ärger"]
    assert calls.names() == ["dynamodb.Query"]
    assert schema_queries.list_allowed_values(SITE, "vendor") == []


def test_which_schemas_use_a_key(attributes):
    owner = make_classification()
    site = Schema("Site schema", (AttributeUse("vendor"),))
    schema_actions.save_site_schema(SITE, site, version=0, by=ALICE)
    found = schema_queries.schemas_using(SITE, "vendor")
    assert {(one.classification_id, one.name) for one in found} == {(owner, INVOICE.name), ("", "Site schema")}
    assert schema_queries.schemas_using(SITE, "urgent") == []


def test_every_composite_key_of_the_site_is_in_one_list(attributes):
    make_classification()
    page = SchemaCompositeKey.page(CLASSIFICATION_COMPOSITE_KEY.gsi1_partition(SITE), index="GSI1")
    assert [(one.name, one.GSI1SK) for one in page.rows] == [("Supplier invoice", "key#category#currency")]


# --- races -------------------------------------------------------------------
def test_the_loser_of_two_saves_is_told_who_was_first_and_changes_nothing(attributes):
    owner = make_classification()
    save(owner, replace(INVOICE, name="First", uses=INVOICE.uses[:1], composite_keys=()), by=BOB)
    before = rows(owner)
    with pytest.raises(Conflict, match=r"^Bob Ito saved this on \d\d \w+ \d{4} at [\d:]+ UTC\.$"):
        save(owner, replace(INVOICE, name="Second"))
    assert schema_queries.get_classification(SITE, owner).schema.name == "First"
    assert rows(owner) == before


def test_of_eight_first_saves_of_a_sites_schema_one_wins(attributes):
    def first(i):
        schema = Schema("Site schema", (AttributeUse("category", allowed=(f"v{i}",)),))
        try:
            return schema_actions.save_site_schema(SITE, schema, version=0, by=ALICE)
        except Conflict:
            return None

    with ThreadPoolExecutor(8) as pool:
        won = [one for one in pool.map(first, range(8)) if one]
    assert len(won) == 1
    assert len(rows()) == 3
    assert schema_queries.list_allowed_values(SITE, "category") == list(won[0].schema.uses[0].allowed)


def test_the_same_form_sent_twice_makes_one(attributes):
    wanted = schema_actions.new_classification_id()
    for _ in range(2):
        schema_actions.create_classification(SITE, INVOICE, by=ALICE, classification_id=wanted)
    assert len(schema_queries.list_classifications(SITE)[0]) == 1
    with pytest.raises(Conflict):
        schema_actions.create_classification(SITE, INVOICE, by=BOB, classification_id=wanted)


def test_an_attribute_that_is_deleted_meanwhile_stops_the_save(attributes):
    owner = make_classification()
    wanted = replace(INVOICE, uses=(*INVOICE.uses, AttributeUse("pages")))
    ready = schema_actions._prepare_schema(SITE, owner, INVOICE, wanted)
    schema_actions.delete_definition(SITE, "pages", by=BOB)
    head = schema_queries.get_classification(SITE, owner)
    with pytest.raises(Refused, match="One of these attributes was just deleted"):
        schema_actions._write(
            SITE,
            owner,
            [schema_rows.Put(head, overwrite=True), *ready.changes],
            schema_actions._schema_event(SITE, owner, "updated", ALICE, {}),
        )
    assert schema_queries.get_classification(SITE, owner).schema == INVOICE


# --- archived ----------------------------------------------------------------
def test_an_archived_one_is_offered_no_longer_and_can_come_back(attributes):
    owner = make_classification()
    schema_actions.archive_classification(SITE, owner, archived=True, version=1, by=ALICE)
    assert [one.archived for one in schema_queries.list_classifications(SITE)[0]] == [True]
    assert schema_queries.get_classification(SITE, owner).schema == INVOICE
    schema_actions.archive_classification(SITE, owner, archived=False, version=2, by=ALICE)
    assert [one.archived for one in schema_queries.all_classifications(SITE)] == [False]
    assert [one[0] for one in events("classification", owner)] == ["created", "archived", "restored"]


def test_archiving_what_somebody_saved_meanwhile_is_a_conflict(attributes):
    owner = make_classification()
    save(owner, replace(INVOICE, name="Newer"), by=BOB)
    with pytest.raises(Conflict, match="Bob Ito"):
        schema_actions.archive_classification(SITE, owner, archived=True, version=1, by=ALICE)
    assert not schema_queries.get_classification(SITE, owner).archived


# --- refused -----------------------------------------------------------------
def test_what_cannot_be_audited_is_not_done(attributes):
    owner = make_classification()
    broken = {"error_code": "InternalServerError", "times": 9}
    before = rows(owner)
    with fail("dynamodb", "TransactWriteItems", **broken), pytest.raises(Unavailable):
        save(owner, Schema("Lost"))
    with fail("dynamodb", "TransactWriteItems", **broken), pytest.raises(Unavailable):
        schema_actions.archive_classification(SITE, owner, archived=True, version=1, by=ALICE)
    with fail("dynamodb", "TransactWriteItems", **broken), pytest.raises(Unavailable):
        schema_actions.save_site_schema(SITE, INVOICE, version=0, by=ALICE)
    with fail("dynamodb", "TransactWriteItems", **broken), pytest.raises(Unavailable):
        make_classification(Schema("Another"))
    assert schema_queries.get_classification(SITE, owner).schema == INVOICE
    assert (rows(owner), rows()) == (before, [])
    assert len(schema_queries.list_classifications(SITE)[0]) == 1


# --- older writers, other sites ----------------------------------------------
def test_a_classification_of_an_older_writer_is_read_and_saved(attributes):
    document = (
        '{"name":"Old","attributes":{"compositeKeys":[{"attributeKeys":["vendor","category"]}],'
        '"required":[{"attributeKey":"vendor","defaultValues":["A","B"]}],'
        '"optional":[{"attributeKey":"category","allowedValues":["x"]}]}}'
    )
    key = CLASSIFICATION.key(SITE, document_id="old", entity="document")
    SchemaHead(
        *key,
        **CLASSIFICATION.gsi1(SITE, entity="document", name="Old"),
        documentId="old",
        schema_=document,
        name="Old",
    ).save()
    found = schema_queries.get_classification(SITE, "old")
    assert found.schema.uses == (
        AttributeUse("vendor", required=True, default="A"),
        AttributeUse("category", allowed=("x",)),
    )
    assert found.schema.composite_keys == (("vendor", "category"),)
    assert save("old", replace(found.schema, name="New"), version=0).number == 1
    with pytest.raises(Conflict):
        save("old", found.schema, version=0)


def test_a_schema_document_reads_back_what_it_says():
    assert schema_from_json(INVOICE.to_json()) == INVOICE
    assert schema_from_json(None, "Empty") == Schema("Empty")


def test_another_site_has_schemas_of_its_own(attributes):
    owner = make_classification()
    with pytest.raises(NotFound):
        schema_queries.get_classification("acme", owner)
    assert schema_queries.list_classifications("acme")[0] == []
    assert schema_queries.schemas_using("acme", "vendor") == []
    with pytest.raises(NotFound):
        schema_queries.get_classification(SITE, "odd/../id")


def test_a_documents_composite_keys_are_the_sites_and_its_classifications(attributes):
    owner = make_classification()
    site = Schema("Site schema", composite_keys=(("vendor", "issued"),))
    schema_actions.save_site_schema(SITE, site, version=0, by=ALICE)
    assert schema_queries.composite_keys(SITE) == (("vendor", "issued"),)
    assert schema_queries.composite_keys(SITE, owner) == (("vendor", "issued"), ("category", "currency"))


IDS = ("6f1c1d7e-0000-4000-8000-000000000001", "6f1c1d7e-0000-4000-8000-000000000002")


def test_two_document_types_do_not_share_a_name(attributes):
    invoice = schema_actions.create_classification(SITE, Schema("Invoice"), by=ALICE, classification_id=IDS[0])
    with pytest.raises(Refused, match="belongs to another document type"):
        schema_actions.create_classification(SITE, Schema("invoice"), by=ALICE, classification_id=IDS[1])
    again = schema_actions.create_classification(SITE, Schema("Invoice"), by=ALICE, classification_id=IDS[0])
    assert again.id == invoice.id  # the same form sent twice
    receipt = schema_actions.create_classification(SITE, Schema("Receipt"), by=ALICE, classification_id=IDS[1])
    with pytest.raises(Refused, match="Choose another name"):
        schema_actions.save_classification(SITE, receipt.id, Schema("Invoice"), version=1, by=ALICE)
    schema_actions.archive_classification(SITE, invoice.id, archived=True, version=1, by=ALICE)
    with pytest.raises(Refused, match="belongs to an archived document type"):
        schema_actions.save_classification(SITE, receipt.id, Schema("Invoice"), version=1, by=ALICE)
    assert (
        schema_actions.save_classification(SITE, receipt.id, Schema("receipt"), version=1, by=ALICE).name == "receipt"
    )


def test_document_types_that_shared_a_name_are_still_saved(attributes):
    made = [
        schema_actions.create_classification(SITE, Schema(name), by=ALICE, classification_id=id_)
        for name, id_ in zip(("Invoice", "Bill"), IDS, strict=True)
    ]
    made[1].update(actions=[SchemaHead.name.set("Invoice"), SchemaHead.schema_.set(Schema("Invoice").to_json())])
    saved = schema_actions.save_classification(
        SITE, made[1].id, Schema("Invoice", (AttributeUse("currency"),)), version=1, by=ALICE
    )
    assert saved.version == 2

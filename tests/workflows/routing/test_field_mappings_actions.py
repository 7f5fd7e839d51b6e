"""Mappings: written with their events, edited in pages, and applied when a run is published, once."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.urls import reverse

from config import clock
from config.errors import Conflict, NotFound, Refused, Unavailable
from config.table import ENTITY_EVENT, MAPPING
from projects.audit.items import EntityEvent
from projects.documents import queries as document_queries
from projects.documents.activity import ActivityType
from projects.schemas import actions as attribute_definition_actions
from projects.schemas.governing import AttributeDefinition
from tests.aws_faults import Crash, audit_refused, crash_before
from tests.factories import PROJECT_ID, SITE
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.workflows.follow_ups import drive, publish, ready
from tests.workflows.make_rules import ALICE, BOB
from workflows.publish import queries as publish_queries
from workflows.routing import actions, field_mapping, pinned_rules
from workflows.routing.actions import MappingDraft
from workflows.routing.field_mapping import FieldMapping, MappedAttribute
from workflows.routing.items import StoredMapping
from workflows.runs.items import FollowUpStatus

pytestmark = pytest.mark.usefixtures("table")
LIST = "/settings/mappings/"


def draft(*pairs, name="Invoices", on=True, **more):
    return MappingDraft(name, "", on, pairs, **more)


def make(*pairs, by=ALICE, mapping_id=None, site=SITE, **more):
    return actions.create_mapping(site, draft(*pairs, **more), by=by, mapping_id=mapping_id or clock.new_ulid())


def attribute(key, kind="text"):
    definition = AttributeDefinition(key, key.capitalize(), kind)
    attribute_definition_actions.create_definition(SITE, definition, by=ALICE)


def events(one):
    pk = ENTITY_EVENT.partition_key(SITE, entity_type="mapping", entity_id=one.id)
    return [event.type for event in EntityEvent.page(pk, consistent=True).rows]


def values(run):
    found = document_queries.list_attributes(SITE, run.document_id)
    return {row.key_: str(row.value) for row in found if row.valueType != "COMPOSITE_STRING"}


# --- what it says -------------------------------------------------------------
OUTPUT = {"fields": [{"name": "total", "value": "12.50"}, {"name": "date", "value": None}, {"name": "company"}]}


def test_fields_with_values_become_attributes_and_the_first_word_counts():
    found = field_mapping.map_output(
        [
            FieldMapping("1", "One", (("total", "amount"), ("date", "day"), ("none", "x"))),
            FieldMapping("2", "Two", (("total", "amount"), ("total", "sum"))),
            FieldMapping("3", "Of another project", (("total", "other"),), "p2"),
        ],
        OUTPUT,
        "p1",
    )
    assert found == [MappedAttribute("amount", "12.50", "One"), MappedAttribute("sum", "12.50", "Two")]


# --- how it is written --------------------------------------------------------
def test_what_was_made_is_read_back_in_the_seeds_shape():
    made = make(("total", "amount"), ("date", "day"), name="A/B #1", project_id="p1")
    found = pinned_rules.get_mapping(SITE, made.id)
    assert actions.mapping_draft_of(found) == draft(
        ("total", "amount"), ("date", "day"), name="A/B #1", project_id="p1"
    )
    assert (found.PK, found.GSI1PK, found.documentId) == (f"mappings#{made.id}", "mappings#", made.id)
    assert pinned_rules.list_mappings("acme") == []
    assert events(made) == ["created"]


def test_the_same_form_makes_one_and_nobody_elses():
    mapping_id = clock.new_ulid()
    for _ in range(2):
        make(mapping_id=mapping_id)
    assert len(pinned_rules.list_mappings(SITE)) == 1
    with pytest.raises(Conflict):
        make(mapping_id=mapping_id, by=BOB)


def test_who_changes_it_second_loses_and_saving_it_as_it_is_writes_nothing():
    made = make(("total", "amount"))
    actions.update_mapping(SITE, made.id, draft(("total", "amount")), version=1, by=BOB)
    actions.update_mapping(SITE, made.id, draft(("total", "sum"), name="First", on=False), version=1, by=BOB)
    with pytest.raises(Conflict, match="Bob Ito changed this field mapping"):
        actions.update_mapping(SITE, made.id, draft(name="Second"), version=1, by=ALICE)
    found = pinned_rules.get_mapping(SITE, made.id)
    assert actions.mapping_draft_of(found) == draft(("total", "sum"), name="First", on=False)
    assert (int(found.version), events(made)) == (2, ["created", "updated"])
    assert [one.name for one in pinned_rules.list_mappings(SITE)] == ["First"]


def test_of_many_at_once_one_wins():
    made = make()

    def save(number):
        try:
            actions.update_mapping(SITE, made.id, draft(name=f"N {number}"), version=1, by=ALICE)
        except Conflict:
            return 0
        return 1

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(save, range(12))) == 1


def test_an_older_writers_mapping_is_read_and_saved_here():
    key = MAPPING.key(SITE, document_id="old")
    row = StoredMapping(*key, **MAPPING.gsi1(SITE, name="Old"), name="Old", attributes=[{"attributeKey": "x"}])
    row.save()
    row.update([StoredMapping.version.remove(), StoredMapping.status.remove()])
    assert pinned_rules.get_mapping(SITE, "old").mapping.pairs == ()
    actions.update_mapping(SITE, "old", draft(("a", "b"), name="New"), version=0, by=ALICE)
    assert pinned_rules.get_mapping(SITE, "old").mapping.pairs == (("a", "b"),)


def test_without_its_event_no_change_is_kept(monkeypatch):
    made = make(("total", "amount"))
    for act in (
        lambda: make(name="Other"),
        lambda: actions.update_mapping(SITE, made.id, draft(name="Other"), version=1, by=ALICE),
    ):
        with audit_refused(), pytest.raises(Unavailable):
            act()
        with crash_before("dynamodb", "TransactWriteItems"), pytest.raises(Crash):
            act()
    assert [actions.mapping_draft_of(one) for one in pinned_rules.list_mappings(SITE)] == [draft(("total", "amount"))]
    monkeypatch.setattr(pinned_rules, "MOST_MAPPINGS", 1)
    with pytest.raises(Refused, match="up to 1 field mappings"):
        make()


def test_what_is_not_there_is_not_found():
    for mapping_id in ("none", "a#b"):
        with pytest.raises(NotFound):
            pinned_rules.get_mapping(SITE, mapping_id)


# --- what it does -------------------------------------------------------------
def test_a_published_result_sets_attributes_once(pump):
    attribute("amount", "amount")
    attribute("vendor")
    make(("total", "amount"), ("company", "vendor"), ("invoice_number", "vendor"))
    run = ready()
    publish(run)
    drive(run)
    assert values(run) == {"amount": "510.24", "vendor": "Alder & Quill"}
    assert publish_queries.follow_up(run).status == FollowUpStatus.DONE
    told = list(document_queries.list_activities(SITE, run.document_id).rows)
    changed = [one for one in told if one.type == ActivityType.MODIFY]
    assert {one.user_name for one in changed} == {"Mapping Invoices"}
    drive(run)
    assert len(document_queries.list_activities(SITE, run.document_id).rows) == len(told)


def test_killed_between_two_attributes_it_sets_the_rest_and_nothing_twice(pump):
    attribute("amount", "amount")
    attribute("vendor")
    make(("total", "amount"), ("company", "vendor"))
    run = ready()
    publish(run)
    with crash_before("dynamodb", "TransactWriteItems", nth=2), pytest.raises(Crash):
        drive(run, "dies")
    assert values(run) == {"amount": "510.24"}
    drive(run, "dies")  # the same message again
    assert values(run) == {"amount": "510.24", "vendor": "Alder & Quill"}
    kinds = [one.type for one in document_queries.list_activities(SITE, run.document_id).rows]
    assert kinds.count(ActivityType.MODIFY) == 2


def test_what_cannot_be_set_is_said_and_stops_nothing(pump):
    attribute("amount", "amount")
    make(("company", "amount"), ("total", "gone"), ("total", "amount2"))
    attribute("amount2", "amount")
    run = ready()
    publish(run)
    drive(run)
    follow_up = publish_queries.follow_up(run)
    assert "Invoices: “Alder & Quill” is not a valid value for" in follow_up.message
    assert "gone" in follow_up.message
    assert (values(run), follow_up.status) == ({"amount2": "510.24"}, FollowUpStatus.DONE)


def test_a_mapping_of_another_project_or_that_is_off_sets_nothing(pump):
    attribute("amount", "amount")
    make(("total", "amount"), project_id="proj_other")
    make(("total", "amount"), on=False)
    run = ready()
    publish(run)
    drive(run)
    assert values(run) == {}


def test_a_run_keeps_the_mappings_it_began_with(pump):
    attribute("amount", "amount")
    made = make(("total", "amount"), project_id=PROJECT_ID)
    run = ready()
    actions.update_mapping(SITE, made.id, draft(on=False), version=1, by=ALICE)
    publish(run)
    drive(run)
    assert values(run) == {"amount": "510.24"}


def test_a_document_that_was_deleted_meanwhile_gets_none_and_no_action(pump):
    make(("total", "amount"))
    run = ready()
    publish(run)
    document = document_queries.get_document(SITE, run.document_id)
    document.delete()
    drive(run)
    assert publish_queries.follow_up(run).status == FollowUpStatus.CANCELLED


# --- how it is edited ---------------------------------------------------------
def typed(*pairs, **changes):
    form = {"name": "Invoices", "description": "", "project_id": "", "on": "on"}
    form |= {"pairs-TOTAL_FORMS": str(len(pairs)), "pairs-INITIAL_FORMS": "0"}
    for i, (field, key) in enumerate(pairs):
        form |= {f"pairs-{i}-field": field, f"pairs-{i}-key": key}
    return form | changes


@pytest.mark.django_db
def test_a_mapping_is_made_changed_and_listed_in_pages():
    attribute("amount", "amount")
    browser = signed_in(alice())
    assert "No field mappings yet" in one_line(browser.get(LIST).content)
    assert "Amount" in one_line(browser.get(f"{LIST}new/").content)
    answer = browser.post(f"{LIST}new/", typed(("total", "amount"), ("", ""), mapping_id=clock.new_ulid()))
    assert answer["Location"] == LIST
    (made,) = pinned_rules.list_mappings(SITE)
    assert made.mapping.pairs == (("total", "amount"),)
    page = one_line(browser.get(LIST).content)
    assert "<code>total</code> → <code>amount</code>" in page
    url = reverse("routing:edit-mapping", args=[made.id])
    assert 'value="total"' in one_line(browser.get(url).content)
    assert browser.post(url, typed(("date", "amount"), name="Renamed", version="1")).status_code == 302
    lost = browser.post(url, typed(name="Mine", version="1"))
    assert lost.status_code == 409
    assert "Changed by another user" in one_line(lost.content)
    assert pinned_rules.get_mapping(SITE, made.id).name == "Renamed"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("form", "words"),
    [
        (typed(name=" "), "Enter a name"),
        (typed(("Not A Name", "amount")), "Enter the field"),
        (typed(("total", "")), "Choose an attribute"),
        (typed(("total", "gone")), "This attribute no longer exists"),
        (typed(project_id="proj_none"), "Select an option from the list"),
        (typed(*[("total", "amount")] * 41), "At most 40 rows"),
    ],
)
def test_what_cannot_be_a_mapping_is_said_beside_it(form, words):
    attribute("amount", "amount")
    answer = signed_in(alice()).post(f"{LIST}new/", form)
    assert (answer.status_code, pinned_rules.list_mappings(SITE)) == (422, [])
    assert words in one_line(answer.content)


@pytest.mark.django_db
def test_rows_are_added_without_saving_and_who_does_not_govern_is_refused():
    made = make(("total", "amount"))
    url = reverse("routing:edit-mapping", args=[made.id])
    page = one_line(signed_in(alice()).post(url, typed(("total", "amount"), rows="pairs-add")).content)
    assert page.count('class="rule-row pair-row"') == 2
    page = one_line(signed_in(alice()).post(f"{LIST}new/", typed(("total", "amount"), rows="pairs-remove-0")).content)
    assert 'class="rule-row pair-row"' not in page
    for address in (LIST, f"{LIST}new/", url):
        assert signed_in(bob()).get(address).status_code == 403

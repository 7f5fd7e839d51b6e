"""One definition from the schema to the published result, and what a run pinned of it stays pinned."""

import json
from dataclasses import replace

import pytest

from projects.schemas import actions as attribute_definition_actions
from projects.schemas import queries as schema_queries
from projects.schemas.governing import AttributeDefinition, AttributeUse, Schema
from review import queries as review_queries
from review.decide import claims
from review.identity import Person
from tests.factories import PROJECT, PROJECT_ID, SITE, ref_of, start_run
from tests.html import one_line
from tests.people import bob, signed_in
from tests.projects.make_schemas import ALICE, make_attributes, make_classification
from tests.pump import Pump
from tests.review.desk.pages import form
from tests.review.reviews import url
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.django_db
PAPER = Schema(
    "Paper",
    (
        AttributeUse("total", required=True),
        AttributeUse("category", required=True, allowed=("goods", "services")),
        AttributeUse("currency", allowed=("GBP", "EUR"), default="EUR"),
    ),
)


@pytest.fixture
def waiting(pump: Pump):
    """A run under a classification and the site's schema, that waits because nothing on the paper is a category."""
    make_attributes("total", "category", "currency", "paid")
    site = Schema("Site schema", (AttributeUse("paid", required=True),))
    attribute_definition_actions.save_site_schema(SITE, site, version=0, by=ALICE)
    owner = make_classification(PAPER)
    run = start_run(project={**PROJECT, "classification_id": owner})
    pump.run(lambda: pump.ran("open_review") > 0)
    return run, ref_of(run), owner


def test_the_run_reads_the_schemas_attributes_and_says_why_it_waits(waiting):
    run, _, owner = waiting
    store = DocumentFiles(SITE, PROJECT_ID, run.document_id)
    found = json.loads(store.read(files.result(run.workflow_id)))
    assert [(one["name"], one["type"]) for one in found["fields"]] == [
        ("total", "amount"),
        ("category", "text"),
        ("currency", "currency"),
        ("paid", "boolean"),
    ]
    assert found["classification"] == {"id": owner, "name": "Paper", "version": 1}
    reasons = json.loads(store.read(files.assessment(run.workflow_id)))["reasons"]
    assert {(one["field"], one["code"]) for one in reasons} >= {("category", "missing"), ("paid", "missing")}


@pytest.mark.wide
def test_a_change_of_schema_does_not_reach_a_review_that_waits(waiting, pump: Pump):
    run, ref, owner = waiting
    user = bob()
    claims.claim_review(ref, run, by=Person(str(user.pk), user.get_full_name()))
    before = signed_in(user).get(url("show-review", ref)).context["sheet"]
    changed = replace(
        PAPER, uses=(AttributeUse("category", allowed=("nothing else",)), AttributeUse("vat", required=True))
    )
    attribute_definition_actions.create_definition(SITE, AttributeDefinition("vat", "VAT", "amount"), by=ALICE)
    attribute_definition_actions.save_classification(SITE, owner, changed, version=1, by=ALICE)
    attribute_definition_actions.save_site_schema(SITE, Schema("Site schema"), version=1, by=ALICE)
    attribute_definition_actions.change_definition(SITE, "total", "Sum", version=1, by=ALICE)
    after = signed_in(user).get(url("show-review", ref)).context["sheet"]
    assert [one.spec for one in after.lines] == [one.spec for one in before.lines]
    answers = {"field-total": "12.00", "field-category": "services", "field-paid": "true", "field-currency": "GBP"}
    assert signed_in(user).post(url("decide", ref), form(user, ref, **answers)).status_code == 302
    assert review_queries.get_review(ref).status == "DECIDED"
    pump.run(lambda: pump.ran("apply_decision") > 0)
    pump.run()
    store = DocumentFiles(SITE, PROJECT_ID, run.document_id)
    published = json.loads(store.read(files.output(run.workflow_id)))
    assert {one["name"]: one["value"] for one in published["fields"]} == {
        "total": "12.00",
        "category": "services",
        "currency": "GBP",
        "paid": "true",
    }
    assert published["classification"] == {"id": owner, "name": "Paper", "version": 1}
    page = one_line(signed_in(user).get(f"/workflows/{run.document_id}/{run.workflow_id}/result/").content)
    assert "Paper v1" in page
    assert schema_queries.get_classification(SITE, owner).schema == changed

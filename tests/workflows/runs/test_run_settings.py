import json
from dataclasses import replace

import pytest

from config.errors import Refused
from projects.schemas import actions as attribute_definition_actions
from projects.schemas.governing import AttributeDefinition, AttributeUse, Governing, Schema
from tests.aws_faults import count_calls
from tests.projects.make_schemas import ALICE, INVOICE, KINDS, SITE, make_attributes, make_classification
from workflows.runs import run_settings
from workflows.stages.base import FieldSpec

DEFINITIONS = {key: AttributeDefinition(key, key.capitalize(), kind) for key, kind in KINDS.items()}
OWN = {
    "language": "de",
    "fields": [
        {"name": "vendor", "label": "Seller", "type": "text"},
        {"name": "date", "label": "Date", "type": "date"},
    ],
    "review_policy": {"default_threshold": 0.7, "thresholds": {"vendor": 0.9, "total": 0.95}, "required": ["date"]},
}
CLASSIFIED = Governing(
    classification=INVOICE, classification_id="c1", classification_version=3, definitions=DEFINITIONS
)


def governed(*uses, **changes):
    return replace(Governing(site=Schema("Site schema", uses), site_version=2, definitions=DEFINITIONS), **changes)


def test_a_project_without_schemas_reads_its_own_fields():
    found = run_settings.freeze(OWN)
    assert found.fields == (
        FieldSpec("vendor", "Seller", "text", required=False, threshold=0.9),
        FieldSpec("date", "Date", "date", required=True, threshold=0.7, date_range="past"),
    )
    assert (found.classification_id, found.classification_version, found.site_schema_version) == ("", 0, 0)


def test_what_models_are_told_of_a_field_goes_with_its_name_through_a_classification_and_back():
    about = {"description": "Who sends it", "examples": "Alder Ltd; Quill"}
    fields = [{"name": "vendor", "label": "Seller", "type": "text", **about}]
    for found in (run_settings.freeze({"fields": fields}), run_settings.freeze({"fields": fields}, CLASSIFIED)):
        vendor = run_settings.from_json(run_settings.to_json(found)).fields[0]
        assert vendor.told == "Who sends it. For example: Alder Ltd; Quill."
        assert vendor == found.fields[0]
    older = FieldSpec.from_stored({"name": "x", "label": "X", "type": "text", "required": False, "threshold": 0.8})
    assert older.told == ""


def test_a_classification_takes_the_place_of_the_projects_fields_and_leaves_its_thresholds():
    found = run_settings.freeze(OWN, CLASSIFIED)
    assert found.fields == (
        FieldSpec("vendor", "Vendor", "text", required=True, threshold=0.9),
        FieldSpec(
            "category",
            "Category",
            "text",
            required=True,
            threshold=0.7,
            allowed=("goods", "services / work", "rent #1"),
        ),
        FieldSpec(
            "currency", "Currency", "currency", required=False, threshold=0.7, allowed=("EUR", "USD"), default="EUR"
        ),
        FieldSpec("total", "Total", "amount", required=True, threshold=0.95),
    )
    assert (found.classification_id, found.classification_name, found.classification_version) == (
        "c1",
        "Supplier invoice",
        3,
    )


def test_what_the_sites_schema_requires_is_read_in_every_run():
    found = run_settings.freeze(OWN, governed(AttributeUse("pages", required=True), AttributeUse("paid")))
    assert [(one.name, one.type, one.required) for one in found.fields] == [
        ("vendor", "text", False),
        ("date", "date", True),
        ("pages", "number", True),
    ]
    assert found.site_schema_version == 2


def test_the_sites_schema_also_governs_what_the_project_names_itself():
    use = AttributeUse("vendor", required=True, allowed=("A", "B"), default="A")
    (vendor, _) = run_settings.freeze(OWN, governed(use)).fields
    assert vendor == FieldSpec("vendor", "Seller", "text", True, 0.9, ("A", "B"), "A")


def test_a_classification_says_more_than_the_site():
    site = (AttributeUse("currency", required=True, allowed=("CHF",), default="CHF"),)
    found = run_settings.freeze(OWN, replace(CLASSIFIED, site=Schema("Site schema", site)))
    currency = next(one for one in found.fields if one.name == "currency")
    assert (currency.required, currency.allowed, currency.default) == (True, ("EUR", "USD"), "EUR")


def test_a_name_without_value_is_not_read_and_yes_or_no_has_two_values():
    found = run_settings.freeze(
        {}, governed(AttributeUse("urgent", required=True), AttributeUse("paid", required=True))
    )
    assert [(one.name, one.allowed) for one in found.fields] == [("paid", ("true", "false"))]


@pytest.mark.parametrize(
    "governing", [run_settings.UNGOVERNED, CLASSIFIED, governed(AttributeUse("paid", required=True))]
)
def test_what_is_frozen_is_read_back(governing):
    found = run_settings.freeze(OWN, governing)
    assert run_settings.from_json(run_settings.to_json(found)) == found


def test_what_an_older_version_froze_is_read_back():
    text = (
        '{"language":"en","document_prompt":"","ocr_model":"m","ocr_options":{},"default_threshold":0.8,'
        '"fields":[{"name":"a","label":"A","type":"text","required":true,"threshold":0.5}]}'
    )
    found = run_settings.from_json(text)
    assert found.fields == (FieldSpec("a", "A", "text", True, 0.5),)
    assert found.classification_version == 0
    assert run_settings.from_json(None).fields == ()


def test_the_schemas_of_now_are_read_once_each(table):
    make_attributes()
    owner = make_classification()
    with count_calls() as calls:
        found = run_settings.settings_of(SITE, "proj_test", OWN | {"classification_id": owner})
    assert calls.names() == ["dynamodb.GetItem", "dynamodb.GetItem", "dynamodb.BatchGetItem"]
    assert [one.name for one in found.fields] == ["vendor", "category", "currency", "total"]
    with count_calls() as calls:
        run_settings.settings_of(SITE, "proj_test", OWN)
    assert calls.names() == ["dynamodb.GetItem"]


def test_a_new_label_is_shown_from_the_next_run_on(table):
    make_attributes()
    owner = make_classification()
    attribute_definition_actions.change_definition(SITE, "vendor", "Sold by", version=1, by=ALICE)
    assert run_settings.settings_of(SITE, "proj_test", {"classification_id": owner}).fields[0].label == "Sold by"


def test_a_classification_that_is_gone_refuses_and_says_what_to_do(table):
    with pytest.raises(Refused, match="Select another in its settings"):
        run_settings.settings_of(SITE, "proj_test", {"classification_id": "gone"})


def test_an_archived_one_still_governs_the_projects_that_name_it(table):
    make_attributes()
    owner = make_classification()
    attribute_definition_actions.archive_classification(SITE, owner, archived=True, version=1, by=ALICE)
    found = run_settings.settings_of(SITE, "proj_test", {"classification_id": owner})
    assert (found.classification_version, len(found.fields)) == (2, 4)


def test_a_run_freezes_which_dates_are_plausible():
    use = AttributeUse("issued", required=True)
    definitions = {"issued": AttributeDefinition("issued", "Issued", "date", date_range="any")}
    own = {"fields": [{"name": "ends", "label": "Ends", "type": "date", "date_range": "past"}]}
    found = run_settings.freeze(own, Governing(site=Schema("Site schema", (use,)), definitions=definitions))
    assert [(one.name, one.date_range) for one in found.fields] == [("ends", "past"), ("issued", "any")]
    assert run_settings.from_json(run_settings.to_json(found)) == found
    without = json.loads(run_settings.to_json(found))
    del without["fields"][0]["date_range"]  # as an older run pinned it
    assert run_settings.from_json(json.dumps(without)).fields[0].date_range == ""


def test_a_run_freezes_whether_unchecked_fields_may_be_approved():
    allowed = run_settings.freeze({"review_policy": {"unseen_allowed": True, "reject_reasons": "Not ours"}})
    assert (allowed.reject_reasons, run_settings.freeze({}).reject_reasons) == ("Not ours", "")
    assert (allowed.unseen_allowed, run_settings.freeze({}).unseen_allowed) == (True, False)
    assert run_settings.from_json(run_settings.to_json(allowed)) == allowed


def test_a_run_freezes_the_share_of_second_reviews():
    found = run_settings.freeze({"review_policy": {"check_share": 0.1}})
    assert (found.check_share, run_settings.freeze({}).check_share) == (0.1, 0.0)
    assert run_settings.from_json(run_settings.to_json(found)) == found


def test_a_run_freezes_calibration_and_audit_sample():
    found = run_settings.freeze({"calibration": {"version": 3, "sha256": "ab"}, "review_policy": {"audit_share": 0.05}})
    assert (found.calibration_version, found.calibration_sha256, found.audit_share) == (3, "ab", 0.05)
    assert run_settings.from_json(run_settings.to_json(found)) == found


def test_a_run_freezes_the_error_limit_of_its_project_or_the_desks(settings):
    settings.MOST_WRONG_PERCENT = 1
    assert run_settings.freeze({}).most_wrong == 0.01
    assert run_settings.freeze({"review_policy": {"most_wrong": 0}}).most_wrong == 0.0
    found = run_settings.freeze({"review_policy": {"most_wrong": 0.005}})
    assert run_settings.from_json(run_settings.to_json(found)).most_wrong == 0.005

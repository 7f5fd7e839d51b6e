import pytest

from config.table import ATTRIBUTE
from projects.schemas import actions as schema_actions
from projects.schemas import queries as schema_queries
from projects.schemas.governing import AttributeUse, Schema
from projects.schemas.items import Attribute
from tests.each import each
from tests.html import one_line
from tests.people import alice, signed_in
from tests.projects.make_schemas import ALICE, SITE, make_classification

pytestmark = pytest.mark.django_db
ATTRIBUTES = "/schemas/attributes/"


def test_an_attribute_is_made_and_listed(table):
    browser = signed_in(alice())
    assert b"No attributes yet" in browser.get(ATTRIBUTES).content
    answer = browser.post(ATTRIBUTES, {"label": " Cost   centre ", "key": "cost_centre", "kind": "text"})
    assert (answer.status_code, answer["Location"]) == (302, ATTRIBUTES)
    page = one_line(browser.get(ATTRIBUTES).content)
    assert "Cost centre" in page
    assert "Unused" in page
    assert "/schemas/attributes/cost_centre/" in page


@each(
    ("form", "sentence"),
    [
        ({"label": "", "key": "x", "kind": "text"}, "Enter a label."),
        ({"label": "番号", "key": "", "kind": "text"}, "Enter a key, for example cost_centre."),
        ({"label": "X", "key": "Cost centre", "kind": "text"}, "Use lowercase letters, digits and _"),
        ({"label": "X", "key": "a#b", "kind": "text"}, "Use lowercase letters, digits and _"),
        ({"label": "X", "key": "x" * 41, "kind": "text"}, "at most 40 characters (currently 41)"),
        ({"label": "X", "key": "x", "kind": "WATERMARK"}, "Select an option from the list."),
    ],
)
@each("htmx", [False, True])
def test_what_an_attribute_may_not_be(table, form, sentence, htmx):
    answer = signed_in(alice(), htmx=htmx).post(ATTRIBUTES, form)
    page = one_line(answer.content)
    assert answer.status_code == 422
    assert sentence in page
    assert ("<html" in page) != htmx
    assert schema_queries.list_attributes(SITE)[0] == []


def test_a_key_that_is_not_typed_is_made_from_the_label(table):
    answer = signed_in(alice()).post(ATTRIBUTES, {"label": "Numéro de permis", "key": "", "kind": "text"})
    assert answer.status_code == 302
    (made,) = schema_queries.list_attributes(SITE)[0]
    assert (made.key, made.label) == ("numero_de_permis", "Numéro de permis")


def test_a_key_that_is_taken_is_told_beside_it(attributes):
    answer = signed_in(alice()).post(ATTRIBUTES, {"label": "Mine", "key": "vendor", "kind": "date"})
    assert answer.status_code == 409
    assert b"Attribute vendor already exists. Choose another key." in answer.content
    assert b'value="Mine"' in answer.content


def test_one_shows_who_uses_it_and_stays(attributes):
    make_classification()
    site = Schema("Site schema", (AttributeUse("category"),))
    schema_actions.save_site_schema(SITE, site, version=0, by=ALICE)
    browser = signed_in(alice())
    page = one_line(browser.get(ATTRIBUTES + "category/").content)
    for text in ("Supplier invoice", "Site schema", "rent #1", "This attribute is in use and cannot be deleted"):
        assert text in page
    answer = browser.post(ATTRIBUTES + "category/delete/")
    assert answer.status_code == 409
    assert b"Attribute not deleted" in answer.content
    assert schema_queries.attribute_definition(SITE, "category").in_use


def test_one_that_nothing_uses_is_deleted(attributes):
    browser = signed_in(alice())
    assert b"Delete urgent" in browser.get(ATTRIBUTES + "urgent/").content
    assert browser.post(ATTRIBUTES + "urgent/delete/").status_code == 302
    assert browser.get(ATTRIBUTES + "urgent/").status_code == 404


def test_a_label_is_changed_and_the_second_of_two_is_told(attributes):
    browser = signed_in(alice())
    assert browser.post(ATTRIBUTES + "vendor/", {"label": "", "version": "1"}).status_code == 422
    assert browser.post(ATTRIBUTES + "vendor/", {"label": "Seller", "version": "1"}).status_code == 302
    lost = browser.post(ATTRIBUTES + "vendor/", {"label": "Merchant", "version": "1"})
    assert lost.status_code == 409
    assert "It is now “Seller”" in one_line(lost.content)
    assert b'value="Merchant"' in lost.content
    assert schema_queries.attribute_definition(SITE, "vendor").label == "Seller"


def test_plausible_dates_are_chosen_of_a_date_and_of_nothing_else(table):
    browser = signed_in(alice())
    date = {"label": "Warranty until", "key": "warranty", "kind": "date", "date_range": "any"}
    assert browser.post(ATTRIBUTES, date).status_code == 302
    assert schema_queries.attribute_definition(SITE, "warranty").date_range == "any"
    assert "Plausible dates: any date" in one_line(browser.get(ATTRIBUTES).content)
    page = one_line(browser.get(ATTRIBUTES + "warranty/").content)
    assert '<option value="any" selected>Any date</option>' in page
    change = {"label": "Warranty until", "date_range": "past", "version": "1"}
    assert browser.post(ATTRIBUTES + "warranty/", change).status_code == 302
    assert schema_queries.attribute_definition(SITE, "warranty").date_range == "past"
    wrong = browser.post(ATTRIBUTES + "warranty/", {**change, "date_range": "soon", "version": "2"})
    assert (wrong.status_code, b"Select an option from the list." in wrong.content) == (422, True)
    assert browser.post(ATTRIBUTES, {"label": "Note", "key": "note", "kind": "text"}).status_code == 302
    assert b"Plausible dates" not in browser.get(ATTRIBUTES + "note/").content
    assert browser.post(ATTRIBUTES + "note/", {"label": "Remark", "version": "1"}).status_code == 302


def test_an_older_writers_key_has_a_page(table):
    key = "Cost centre/#1"
    index = ATTRIBUTE.gsi1(SITE, key=key) | ATTRIBUTE.gsi2(SITE, data_type="WATERMARK")
    Attribute(*ATTRIBUTE.key(SITE, key=key), **index, documentId=key, dataType="WATERMARK").save()
    browser = signed_in(alice())
    listed = one_line(browser.get(ATTRIBUTES).content)
    path = listed.split('<a class="truncate" href="')[1].split('"')[0]
    page = browser.get(path)
    assert page.status_code == 200
    assert b"watermark" in page.content

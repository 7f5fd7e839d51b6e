import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from projects.schemas import actions as schema_actions
from projects.schemas.governing import AttributeUse, Schema
from projects.schemas.labels import queries
from projects.schemas.labels.actions import LONGEST
from projects.schemas.labels.keys import item_key
from projects.schemas.labels.sheet import LINES
from tests.each import each
from tests.html import one_line
from tests.people import alice, signed_in
from tests.projects.make_schemas import ALICE, SITE, make_attributes, make_classification
from tests.projects.schemas.labels.make_labels import interface, label, of_type, site_value, stored

pytestmark = pytest.mark.django_db
LANGUAGES = "/schemas/languages/"
GERMAN = f"{LANGUAGES}de/"


@pytest.fixture
def schemas(attributes):
    """The id of a document type; the site's schema allows two values."""
    site = Schema("Site schema", (AttributeUse("category", allowed=("goods", "rent #1")),))
    schema_actions.save_site_schema(SITE, site, version=0, by=ALICE)
    return make_classification()


def form(browser, **typed):
    """What the page would send, with ``typed`` by item key."""
    sheet = browser.get(GERMAN).context["sheet"]
    sent = {}
    for line in sheet.lines:
        sent |= {f"key-{line.number}": line.original.id, f"before-{line.number}": line.before}
        sent[f"text-{line.number}"] = typed.get(line.original.id, line.text)
    return sent


def test_a_language_is_added_listed_and_removed(table):
    browser = signed_in(alice())
    assert b"No languages yet" in browser.get(LANGUAGES).content
    answer = browser.post(LANGUAGES, {"locale": "de"})
    assert (answer.status_code, answer["Location"]) == (302, GERMAN)
    page = one_line(browser.get(LANGUAGES).content)
    assert "German" in page
    assert 'value="de"' not in page  # not offered again
    answer = browser.post(f"{GERMAN}remove/")
    assert (answer.status_code, answer["Location"]) == (302, LANGUAGES)
    assert queries.list_locales(SITE) == []
    assert browser.get(GERMAN).status_code == 404


@each(("typed", "status", "sentence"), [("de", 409, "already has German"), ("xx", 422, "not a known language")])
def test_what_cannot_be_added_is_told(table, typed, status, sentence):
    label({})
    answer = signed_in(alice()).post(LANGUAGES, {"locale": typed})
    assert answer.status_code == status
    assert sentence in one_line(answer.content)


def test_the_table_has_everything_with_what_is_missing_counted(schemas):
    label({interface("total"): "Gesamtbetrag", of_type(schemas, "currency", "EUR"): "Euro"})
    sheet = signed_in(alice()).get(GERMAN).context["sheet"]
    by_id = {line.original.id: line for line in sheet.lines}
    assert by_id["INTERFACE#total"].text == "Gesamtbetrag"
    assert by_id["SCHEMA#category#rent %231"].original.text == "rent #1"
    assert by_id[f"CLASSIFICATION#{schemas}##"].original.text == "Supplier invoice"
    assert by_id[f"CLASSIFICATION#{schemas}#currency#EUR"].text == "Euro"
    assert not by_id[f"CLASSIFICATION#{schemas}#currency#"].is_missing  # its general label does
    # 8 attributes, 2 values of the site's schema, the type's name and its 5 values
    assert (sheet.needed, sheet.missing) == (16, 14)
    assert [name for name, _ in sheet.groups] == [
        "Attributes", "Allowed values of the site schema", "Document type: Supplier invoice",
    ]  # fmt: skip
    page = one_line(signed_in(alice()).get(f"{GERMAN}?missing=1").content)
    assert "14 of 16 labels missing" in page
    assert "Gesamtbetrag" not in page


def test_what_is_typed_is_saved_and_the_rest_stays(schemas):
    label({interface("total"): "Summe"})
    browser = signed_in(alice())
    typed = {"INTERFACE#total": "Gesamtbetrag", f"CLASSIFICATION#{schemas}##": "Eingangsrechnung"}
    answer = browser.post(GERMAN, form(browser, **typed))
    assert (answer.status_code, answer["Location"]) == (302, GERMAN)
    assert stored() == {interface("total"): "Gesamtbetrag", of_type(schemas): "Eingangsrechnung"}
    assert "2 labels saved." in one_line(browser.get(GERMAN).content)
    browser.post(GERMAN, form(browser, **{"INTERFACE#total": ""}))
    assert stored() == {of_type(schemas): "Eingangsrechnung"}


def test_what_another_saved_meanwhile_is_not_overwritten(schemas):
    browser = signed_in(alice())
    label({})
    sent = form(browser, **{"INTERFACE#total": "Betrag", "INTERFACE#vendor": "Lieferant"})
    label({interface("total"): "Summe"})
    answer = browser.post(GERMAN, sent)
    assert answer.status_code == 409
    assert "Another user changed these labels" in one_line(answer.content)
    line = next(one for one in answer.context["sheet"].lines if one.original.id == "INTERFACE#total")
    assert (line.text, line.before) == ("Betrag", "Summe")  # what was typed stays, and saved again it wins
    assert stored() == {interface("total"): "Summe"}


def test_a_label_that_is_too_long_is_told_beside_it(schemas):
    browser = signed_in(alice())
    label({})
    answer = browser.post(GERMAN, form(browser, **{"INTERFACE#total": "x" * (LONGEST + 1)}))
    assert answer.status_code == 422
    assert f"up to {LONGEST} characters" in one_line(answer.content)
    assert stored() == {}


def test_a_key_that_was_tampered_with_saves_nothing(table):
    label({})
    sent = {"key-0": "NOTHING#x", "text-0": "x", "key-1": "SCHEMA#a", "text-1": "x", "key-2": "INTERFACE#a#b"}
    assert signed_in(alice()).post(GERMAN, sent).status_code == 302
    assert stored() == {}


def test_a_key_of_a_projects_field_has_a_label_and_loses_it(table):
    label({})
    browser = signed_in(alice())
    assert browser.post(GERMAN, {"op": "add", "key": "iban", "text": "Kontonummer"}).status_code == 302
    assert stored() == {interface("iban"): "Kontonummer"}
    assert browser.get(GERMAN).context["sheet"].groups[0][0] == "Other labels"
    browser.post(GERMAN, form(browser, **{"INTERFACE#iban": ""}))
    assert stored() == {}


@each("sent", [{"key": "", "text": "x"}, {"key": "x", "text": " "}, {"key": "x" * 121, "text": "x"}])
def test_a_key_without_words_is_refused(table, sent):
    if not queries.list_locales(SITE):
        label({})
    assert signed_in(alice()).post(GERMAN, {"op": "add", **sent}).status_code == 422
    assert stored() == {}


def test_labels_of_what_is_gone_are_listed_to_be_deleted(table):
    label({site_value("category", "old"): "Alt", of_type("gone"): "Weg"})
    assert [name for name, _ in signed_in(alice()).get(GERMAN).context["sheet"].groups] == ["No longer used"]


def test_a_long_table_has_pages(table):
    make_attributes(*(f"key{number}" for number in range(LINES + 5)))
    label({})
    browser = signed_in(alice())
    sheet = browser.get(GERMAN).context["sheet"]
    assert (len(sheet.lines), sheet.pages, sheet.missing) == (LINES, 2, LINES + 5)
    assert len(browser.get(f"{GERMAN}?page=2").context["sheet"].lines) == 5
    assert browser.get(f"{GERMAN}?page=99").context["sheet"].page == 2


def csv_of(browser):
    answer = browser.get(f"{GERMAN}labels.csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    return b"".join(answer).decode()


def test_a_file_goes_to_the_translators_and_comes_back(schemas):
    label({interface("total"): "Summe", interface("vendor"): "=cmd"})
    browser = signed_in(alice())
    text = csv_of(browser)
    assert text.startswith("\ufeffitem_key,original,translation\r\n")
    assert "INTERFACE#total,Total,Summe\r\n" in text
    assert "INTERFACE#vendor,Vendor,'=cmd\r\n" in text  # no formula
    filled = text.replace("SCHEMA#category#rent %231,rent #1,", "SCHEMA#category#rent %231,rent #1,Miete")
    upload = SimpleUploadedFile("labels.csv", filled.encode())
    page = one_line(browser.post(f"{GERMAN}import/", {"file": upload}).content)
    assert "1 saved, 2 unchanged" in page
    assert stored()[site_value("category", "rent #1")] == "Miete"
    assert stored()[interface("vendor")] == "=cmd"
    again = SimpleUploadedFile("labels.csv", filled.encode())
    assert "0 saved, 3 unchanged" in one_line(browser.post(f"{GERMAN}import/", {"file": again}).content)


def test_lines_that_say_nothing_known_are_told_and_the_others_saved(schemas):
    label({})
    lines = ["item_key;translation", "INTERFACE#total;Summe", "SCHEMA#category#none;X", "WHAT;X", "INTERFACE#vendor;"]
    upload = SimpleUploadedFile("labels.csv", "\n".join(lines).encode())
    page = one_line(signed_in(alice()).post(f"{GERMAN}import/", {"file": upload}).content)
    assert "1 saved, 0 unchanged, 2 refused" in page
    assert "Line 3: “SCHEMA#category#none”: “none” is not an allowed value" in page
    assert stored() == {interface("total"): "Summe"}


@each(
    ("body", "sentence"),
    [
        (b"\xff\xfe", "not UTF-8"),
        (b"a,b\n1,2", "The first line must name the columns item_key and translation"),
        (b'item_key,translation\n"a', "not valid CSV"),
        (b"x" * 1_000_001, "exceeds 1 MB"),
        (b"item_key,translation\n" + b"a,b\n" * 10_001, "up to 10,000 lines"),
    ],
)
def test_a_file_that_is_none_is_refused(table, body, sentence):
    if not queries.list_locales(SITE):
        label({})
    upload = SimpleUploadedFile("labels.csv", body)
    answer = signed_in(alice()).post(f"{GERMAN}import/", {"file": upload})
    assert answer.status_code == 422
    assert sentence in one_line(answer.content)


def test_a_right_to_left_label_says_so(table):
    make_attributes("total")
    label({interface("total"): "المجموع"}, tag="ar")
    page = one_line(signed_in(alice()).get(f"{LANGUAGES}ar/").content)
    assert 'value="المجموع"' in page
    assert 'lang="ar" dir="auto"' in page


def test_the_keys_of_labels_are_read_back():
    assert item_key(site_value("a", "b#c/d %")) == "SCHEMA#a#b%23c%2Fd %25"

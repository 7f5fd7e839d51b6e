"""Labels where people look: a document, the list's filters, a run's result, exports. What is stored stays."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from projects.audit.events import Actor
from projects.documents.actions import classification, properties
from projects.schemas import actions as schema_actions
from projects.schemas.governing import AttributeUse, Schema
from projects.schemas.labels import reading
from projects.settings.values import FieldSetting
from projects.sites import api_keys
from projects.sites.permissions import EVERYTHING
from tests.factories import start_run
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.projects.make_schemas import ALICE, INVOICE, SITE, make_attributes
from tests.projects.projects import make_project
from tests.projects.schemas.labels.make_labels import interface, label, of_type, speak
from tests.review.reviews import PROJECT
from tests.workflows.repeated import analysed_again, field, publish, published_run
from workflows.exports import actions as export_actions
from workflows.exports import queries as export_queries
from workflows.exports import writing
from workflows.exports.actions import Orderer
from workflows.exports.choice import APART, Choice
from workflows.runs import run_settings
from workflows.storage import files
from workflows.storage.objects import DocumentFiles, open_object

pytestmark = pytest.mark.django_db
ROSA = Actor("1", "Rosa Marin")
ARABIC = "المجموع"


@pytest.fixture(autouse=True)
def nothing_kept():
    reading._kept.clear()


@pytest.fixture
def document_id(table):
    make_attributes()
    schema_actions.create_classification(SITE, INVOICE, by=ALICE, classification_id="t1")
    schema_actions.save_site_schema(
        SITE, Schema("Site schema", (AttributeUse("category", allowed=("goods",)),)), version=0, by=ALICE
    )
    made = start_run().document_id
    classification.classify_document(SITE, made, "t1", by=ROSA)
    properties.set_attribute(SITE, made, "category", ["goods"], by=ROSA)
    properties.set_attribute(SITE, made, "total", ["1200"], by=ROSA)
    return made


def test_a_document_calls_its_type_attributes_and_values_so(document_id, monkeypatch):
    label(
        {interface("category"): "Warengruppe", of_type("t1"): "Rechnung", of_type("t1", "category", "goods"): "Waren"}
    )
    speak(monkeypatch, "de")
    page = one_line(signed_in(bob()).get(f"/documents/{document_id}/").content)
    assert '<span lang="de" dir="auto">Warengruppe</span></dt><dd><span lang="de" dir="auto">Waren</span></dd>' in page
    assert '<span lang="de" dir="auto">Rechnung</span></a>' in page
    assert '<input type="hidden" name="expected" value="goods">' in page
    assert ">Total</dt><dd>1,200.00</dd>" in page
    kinds = one_line(signed_in(bob()).get(f"/documents/{document_id}/type/").content)
    assert '<option value="t1" selected lang="de" dir="auto">Rechnung</option>' in kinds


def test_filters_offer_labels_and_ask_by_keys(document_id, monkeypatch):
    label({interface("category"): "Warengruppe", of_type("t1"): "Rechnung"})
    speak(monkeypatch, "de")
    browser = signed_in(bob())
    page = one_line(browser.get("/documents/?more=1").content)
    assert '<option value="category" lang="de" dir="auto">Warengruppe</option>' in page
    assert '<option value="t1" lang="de" dir="auto">Rechnung</option>' in page
    assert '<option value="total">Total</option>' in page
    found = one_line(browser.get("/documents/?a=category&o=is&v=goods").content)
    assert "Warengruppe goods" in found
    label({interface("category"): "فئة"}, tag="ar")
    speak(monkeypatch, "ar")
    assert "\u2068فئة\u2069 goods" in one_line(browser.get("/documents/?a=category&o=is&v=goods").content)
    assert document_id in found
    speak(monkeypatch, "en")
    assert "Warengruppe" not in browser.get("/documents/?more=1").content.decode()


def test_a_runs_result_is_called_so_too(table, monkeypatch):
    run = published_run(field("total", "4.00"))
    label({interface("total"): "Gesamtbetrag"})
    speak(monkeypatch, "de")
    page = one_line(signed_in(alice()).get(f"/workflows/{run.document_id}/{run.workflow_id}/result/").content)
    assert '<th scope="row"><span lang="de" dir="auto">Gesamtbetrag</span></th>' in page


def test_a_runs_type_is_called_so_and_stays_as_stored(table, monkeypatch):
    run = published_run(field("total", "4.00"))
    kind = {"id": "t1", "name": "Supplier invoice", "version": 2}
    store = DocumentFiles(SITE, run.project_id, run.document_id)
    body = json.dumps({"classification": kind, "fields": [field("total", "4.00")]})
    store.write(files.output(run.workflow_id), body.encode(), "application/json")
    label({of_type("t1"): "Rechnung", of_type("t1", "total"): "Endbetrag"})
    speak(monkeypatch, "de")
    page = one_line(signed_in(alice()).get(f"/workflows/{run.document_id}/{run.workflow_id}/result/").content)
    assert '<span lang="de" dir="auto">Rechnung</span> v2' in page
    assert '<span lang="de" dir="auto">Endbetrag</span></th>' in page
    _, key = api_keys.create_api_key(SITE, "Script", EVERYTHING, by=ROSA)
    client = Client(headers={"Authorization": f"Bearer {key}"})
    answer = client.get(f"/api/v1/documents/{run.document_id}/runs/{run.workflow_id}/result").content.decode()
    assert "Rechnung" not in answer
    assert "Endbetrag" not in answer


def test_two_runs_are_compared_by_labels(table, monkeypatch):
    run = published_run(field("total", "4.00"))
    analysed_again(run, run_settings.freeze(PROJECT), field("total", "5.00"))
    label({interface("total"): "Gesamtbetrag"})
    speak(monkeypatch, "de")
    page = one_line(signed_in(alice()).get(reverse("workflows:compare-runs", args=[run.document_id])).content)
    assert '<th scope="row"><span lang="de" dir="auto">Gesamtbetrag</span></th>' in page


@pytest.fixture
def bills(table):
    fields = (
        FieldSetting("total", "Total", "amount"),
        FieldSetting("items", "Items", "table", columns="Description\nAmount, amount"),
    )
    project_id = make_project("Bills", fields=fields).id
    rows = [[{"column": "description", "value": "Pen"}, {"column": "amount", "value": "1.25"}]]
    publish(start_run(project_id=project_id), field("total", "4.50"), field("items", "", rows=rows))
    return project_id


def written(row, name="documents.csv"):
    writing.write_export(SITE, row.project_id, row.export_id, owner="me", keep=lambda: None)
    done = export_queries.get_export(SITE, row.project_id, row.export_id)
    return open_object(writing.key_of(SITE, done, name)).read().decode()


def test_an_exports_titles_are_in_the_language_of_who_ordered_it(bills, monkeypatch):
    label({interface("total"): "Gesamtbetrag", interface("items"): "Posten", interface("items.amount"): "Betrag"})
    browser = signed_in(alice())
    speak(monkeypatch, "de")
    page = one_line(browser.get(f"/workflows/projects/{bills}/exports/").content)
    assert "Gesamtbetrag" in page
    answer = browser.post(
        f"/workflows/projects/{bills}/exports/", {"form": "csv", "tables": "flat", "columns": ["total", "items"]}
    )
    assert answer.status_code == 302
    (row,) = export_queries.list_exports(SITE, bills).rows
    speak(monkeypatch, "en")  # whoever writes it speaks none
    head, line = written(row).splitlines()
    assert head == "Gesamtbetrag,Posten: Description,Posten: Betrag"
    assert line == "4.50,Pen,1.25"


def test_an_export_that_a_program_ordered_has_the_sites_own_titles(bills, monkeypatch):
    label({interface("total"): "Gesamtbetrag", interface("items"): "Posten"})
    speak(monkeypatch, "de")
    choice = Choice(tables=APART, columns=("total", "items"))
    row = export_actions.order_export(SITE, bills, choice, who=Orderer(ROSA, ("admins",), is_everywhere=True))
    assert written(row).splitlines()[0] == "Total"

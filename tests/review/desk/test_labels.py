"""The desk in the language of who looks: fields, values, right to left. What is stored stays."""

import json

import pytest
from django.test import Client

from projects.schemas.labels import reading
from projects.sites import api_keys
from projects.sites.permissions import EVERYTHING
from review import queries as review_queries
from review.decide import claims
from tests.html import one_line
from tests.people import bob, signed_in
from tests.projects.make_sites import BY
from tests.projects.schemas.labels.make_labels import interface, label, site_value, speak
from tests.review.desk.pages import form
from tests.review.desk.test_allowed_values import field
from tests.review.reviews import SITE, open_review, person, result, url
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("desk")
ARABIC = "المجموع"


@pytest.fixture(autouse=True)
def nothing_kept():
    reading._kept.clear()


@pytest.fixture
def claimed():
    found = result()
    fields = [*found["fields"], field("category", "goods", ["goods", "rent"])]
    run, ref = open_review(found={**found, "fields": fields})
    claims.claim_review(ref, run, by=person(bob()))
    return run, ref


def show_desk(ref):
    return one_line(signed_in(bob()).get(url("show-review", ref)).content)


def test_the_desk_calls_fields_and_values_as_who_looks_does(claimed, monkeypatch):
    _, ref = claimed
    label({interface("total"): "Gesamtbetrag", site_value("category", "goods"): "Waren"})
    label({interface("total"): ARABIC}, tag="ar")
    assert '<label for="i-f-total">Total</label>' in show_desk(ref)
    speak(monkeypatch, "de")
    page = show_desk(ref)
    assert '<label for="i-f-total"><span lang="de" dir="auto">Gesamtbetrag</span></label>' in page
    assert '<option value="goods" selected lang="de" dir="auto">Waren</option>' in page
    assert '<option value="rent">rent</option>' in page
    assert "Gesamtbetrag 55 %" in page  # why it has to be checked
    assert '<label for="i-f-company">Company</label>' in page
    speak(monkeypatch, "ar")
    assert f'<span lang="ar" dir="auto">{ARABIC}</span>' in show_desk(ref)


def test_a_label_from_right_to_left_stands_for_itself_in_sentences(claimed, monkeypatch):
    _, ref = claimed
    label({interface("total"): ARABIC}, tag="ar")
    speak(monkeypatch, "ar")
    assert f"\u2068{ARABIC}\u2069 55 %, needs 90 %" in show_desk(ref)


def test_what_has_to_be_mended_is_said_with_labels(claimed, monkeypatch):
    _, ref = claimed
    label({interface("total"): "Gesamtbetrag"})
    speak(monkeypatch, "de")
    posted = form(bob(), ref, **{"field-total": ""})
    answer = signed_in(bob()).post(url("decide", ref), posted)
    assert answer.status_code == 422
    assert "Gesamtbetrag is required" in one_line(answer.content)


def test_what_is_decided_is_stored_as_without_labels(claimed, monkeypatch):
    _, ref = claimed
    label({interface("total"): "Gesamtbetrag", site_value("category", "rent"): "Miete"})
    speak(monkeypatch, "de")
    posted = form(bob(), ref, **{"field-total": "38.90", "field-category": "rent"})
    assert signed_in(bob()).post(url("decide", ref), posted).status_code == 302
    review = review_queries.get_review(ref)
    store = DocumentFiles(SITE, review.project_id, ref.document_id)
    stored = store.read_pinned(store.name_of(review.decision_uri), review.decision_sha256)
    assert json.loads(stored)["corrections"] == {"total": "38.90", "category": "rent"}
    text = stored if isinstance(stored, str) else stored.decode()
    assert "Gesamtbetrag" not in text
    assert "Miete" not in text


def test_programs_get_the_sites_own_names(claimed, monkeypatch):
    _, ref = claimed
    label({interface("total"): "Gesamtbetrag"})
    speak(monkeypatch, "de")
    _, key = api_keys.create_api_key(SITE, "Script", EVERYTHING, by=BY)
    client = Client(headers={"Authorization": f"Bearer {key}"})
    answer = client.get(f"/api/v1/documents/{ref.document_id}/reviews/{ref.review_id}")
    assert "Gesamtbetrag" not in answer.content.decode()

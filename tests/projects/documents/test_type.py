"""A person sets a document's type on its page; lists and counts follow, in one write."""

from typing import Any

import pytest
from django.test import Client

from config.errors import NotFound, Refused
from projects.audit.events import Actor, actor_of
from projects.documents import queries
from projects.documents.actions import classification, locks
from projects.documents.actions.classification import classify_document
from projects.schemas import actions as schema_actions
from projects.schemas.governing import Schema
from projects.sites.api_keys import create_api_key
from projects.sites.permissions import Permission
from tests.factories import SITE, start_run
from tests.people import alice, charlie, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
BY = Actor("1", "Rosa")


def kind(name: str) -> str:
    made = schema_actions.new_classification_id()
    schema_actions.create_classification(SITE, Schema(name), by=BY, classification_id=made)
    return made


def test_its_page_sets_it_and_lists_and_counts_follow() -> None:
    one, bill, letter = start_run().document_id, kind("Bill"), kind("Letter")
    browser = signed_in(alice())
    assert "Bill" in browser.get(f"/documents/{one}/type/").content.decode()
    for chosen in (bill, letter, letter, ""):
        assert browser.post(f"/documents/{one}/type/", {"type": chosen}).status_code == 302
        assert (queries.get_document(SITE, one).classification_id or "") == chosen
        assert queries.documents_of_classification(SITE, bill) == (chosen == bill)
        assert queries.documents_of_classification(SITE, letter) == (chosen == letter)
    assert browser.post(f"/documents/{one}/type/", {"type": "none"}).status_code == 422
    assert signed_in(charlie()).get(f"/documents/{one}/").status_code == 200


def test_a_program_sets_it() -> None:
    one, bill = start_run().document_id, kind("Bill")
    _, key = create_api_key(SITE, "Scanner", (Permission.READ, Permission.WRITE), by=actor_of(alice()))
    client = Client(headers={"Authorization": f"Bearer {key}"})
    url = f"/api/v1/documents/{one}/type"
    told = client.put(url, {"document_type": bill}, content_type="application/json").json()
    assert told["document_type"] == bill
    assert client.put(url, {"document_type": "none"}, content_type="application/json").status_code == 422
    assert client.put(url, {}, content_type="application/json").json()["document_type"] is None


def test_who_is_too_late_reads_again(monkeypatch: pytest.MonkeyPatch) -> None:
    one, bill, letter = start_run().document_id, kind("Bill"), kind("Letter")
    real, other = classification.set_classification, []

    def between(*args: Any, **more: Any) -> Any:
        found = real(*args, **more)
        if not other:
            other.append(1)
            classify_document(SITE, one, letter, by=BY)
        return found

    monkeypatch.setattr(classification, "set_classification", between)
    classify_document(SITE, one, bill, by=BY)
    assert queries.get_document(SITE, one).classification_id == bill
    assert [queries.documents_of_classification(SITE, each) for each in (bill, letter)] == [1, 0]


def test_what_cannot_be_set_is_refused() -> None:
    one = start_run().document_id
    with pytest.raises(NotFound):
        classify_document(SITE, one, "none", by=BY)
    locks.check_out(SITE, one, 8, by=Actor("2", "Marta"))
    with pytest.raises(Refused, match="Marta"):
        classify_document(SITE, one, kind("Bill"), by=BY)

"""A document's classification that was found: its lists, its counters, its activity, and who comes second."""

import pytest

from config import clock
from config import table as keys
from config.errors import Conflict
from config.transaction import transact
from projects.audit.events import Actor
from projects.documents import queries as counter_queries
from projects.documents.actions.classification import Classified, set_classification
from projects.documents.actions.properties import add_tag
from projects.documents.items import Document, DocumentStatus
from projects.schemas.defaults import ensure_default_schemas
from tests.factories import PROJECT_ID, SITE, start_run
from tests.projects.documents.test_tags_actions import told
from workflows.runs.actions.document_rows import DocumentState, More, write_document
from workflows.runs.items import Run

BY = Actor("system", "Classification")
AT = DocumentState(DocumentStatus.IN_PROGRESS)


def found(document_id: str, classification_id: str, name: str = "") -> Classified | None:
    return set_classification(SITE, document_id, classification_id, name=name, by=BY)


def write(document_id: str, typed: Classified) -> None:
    run = Run(SITE, PROJECT_ID, document_id, "w1")
    transact(write_document(run, AT, AT, clock.iso(clock.now()), more=More(classified=typed)), *typed.events)


def classify(document_id: str, classification_id: str, name: str = "") -> bool:
    typed = found(document_id, classification_id, name)
    assert typed
    write(document_id, typed)
    return typed.changes


@pytest.fixture
def document_id(table: str) -> str:
    ensure_default_schemas(SITE, by=BY)
    return start_run().document_id


def listed(classification_id: str) -> list[str]:
    pk = keys.DOCUMENT_BY_CLASSIFICATION.gsi2_partition(SITE, classification_id=classification_id)
    return [str(row.document_id) for row in Document.page(pk, index="GSI2").rows]


def counted(*names: str) -> list[int]:
    return [counter_queries.documents_of_classification(SITE, one) for one in names]


def test_it_is_in_the_list_and_the_count_of_its_classification_and_of_no_other(document_id: str) -> None:
    assert classify(document_id, "invoice", "Invoice")
    assert (listed("invoice"), counted("invoice", "receipt")) == ([document_id], [1, 0])
    assert classify(document_id, "receipt", "Receipt")
    assert (listed("invoice"), listed("receipt"), counted("invoice", "receipt")) == ([], [document_id], [0, 1])
    assert classify(document_id, "", "")
    assert (listed("receipt"), counted("receipt")) == ([], [0])
    assert counter_queries.get_document(SITE, document_id).classification_id is None
    assert told(document_id) == [
        ("document type", "Receipt", None, "Classification"),
        ("document type", "Invoice", "Receipt", "Classification"),
        ("document type", None, "Invoice", "Classification"),
    ]


def test_a_second_time_changes_nothing(document_id: str) -> None:
    assert classify(document_id, "invoice", "Invoice")
    assert not classify(document_id, "invoice", "Invoice")
    assert (counted("invoice"), len(told(document_id))) == ([1], 1)


def test_of_two_at_once_the_second_writes_nothing(document_id: str) -> None:
    first, second = found(document_id, "invoice", "Invoice"), found(document_id, "receipt", "Receipt")
    assert first
    assert second
    write(document_id, first)
    with pytest.raises(Conflict):
        write(document_id, second)
    assert (counted("invoice", "receipt"), len(told(document_id))) == ([1, 0], 1)


def test_one_that_has_the_type_already_is_guarded_too(document_id: str) -> None:
    assert classify(document_id, "invoice", "Invoice")
    same = found(document_id, "invoice", "Invoice")
    assert same
    assert classify(document_id, "receipt", "Receipt")
    with pytest.raises(Conflict):
        write(document_id, same)


def test_an_attribute_that_is_set_meanwhile_is_kept_and_knows_of_the_new_schema(document_id: str) -> None:
    typed = found(document_id, "invoice", "Invoice")
    assert typed
    assert add_tag(SITE, document_id, "shelf", "1", by=BY)
    before = counter_queries.get_document(SITE, document_id).revision
    write(document_id, typed)
    document = counter_queries.get_document(SITE, document_id)
    assert (document.classification_id, document.revision) == ("invoice", before + 1)


def test_a_document_that_is_gone_is_nothing_to_classify(table: str) -> None:
    assert found("00000000-0000-0000-0000-000000000000", "invoice", "Invoice") is None

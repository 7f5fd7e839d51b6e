"""A document's classification that was found: its lists, its counters, its activity, and who comes second."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from config import table as keys
from projects import queries
from projects.actions.classifying import classify
from projects.audit import Actor
from projects.default_schemas import ensure_default_schemas
from projects.items.documents import Document
from tests.factories import SITE, start_run
from tests.projects.actions.test_tags import told

BY = Actor("system", "Classification")


@pytest.fixture
def document_id(table: str) -> str:
    ensure_default_schemas(SITE, by=BY)
    return start_run().document_id


def listed(classification_id: str) -> list[str]:
    pk = keys.DOCUMENT_BY_CLASSIFICATION.gsi2_partition(SITE, classification_id=classification_id)
    return [str(row.document_id) for row in Document.page(pk, index="GSI2").rows]


def counted(*names: str) -> list[int]:
    return [queries.counters.documents_of_classification(SITE, one) for one in names]


def test_it_is_in_the_list_and_the_count_of_its_classification_and_of_no_other(document_id: str) -> None:
    assert classify(SITE, document_id, "invoice", name="Invoice", by=BY)
    assert (listed("invoice"), counted("invoice", "receipt")) == ([document_id], [1, 0])
    assert classify(SITE, document_id, "receipt", name="Receipt", by=BY)
    assert (listed("invoice"), listed("receipt"), counted("invoice", "receipt")) == ([], [document_id], [0, 1])
    assert classify(SITE, document_id, "", name="", by=BY)
    assert (listed("receipt"), counted("receipt")) == ([], [0])
    assert queries.documents.get_document(SITE, document_id).classification_id is None
    assert told(document_id) == [
        ("document type", "Receipt", None, "Classification"),
        ("document type", "Invoice", "Receipt", "Classification"),
        ("document type", None, "Invoice", "Classification"),
    ]


def test_a_second_time_changes_nothing(document_id: str) -> None:
    assert classify(SITE, document_id, "invoice", name="Invoice", by=BY)
    assert not classify(SITE, document_id, "invoice", name="Invoice", by=BY)
    assert (counted("invoice"), len(told(document_id))) == ([1], 1)


def test_of_several_at_once_one_writes_and_the_others_find_it_done(document_id: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(classify, SITE, document_id, "invoice", name="Invoice", by=BY) for _ in range(4)]
    assert sorted(one.result() for one in asked) == [False, False, False, True]
    assert counted("invoice") == [1]


def test_a_document_that_is_gone_is_nothing_to_classify(table: str) -> None:
    assert not classify(SITE, "00000000-0000-0000-0000-000000000000", "invoice", name="Invoice", by=BY)

"""Examples are values that people recorded of other documents: few, short, and of no closed queue."""

import pytest

from config import table
from projects.documents.items import Document
from projects.sites import directory
from tests.projects.make_queues import make_queue
from tests.workflows.decided import decided_run, field, project
from workflows.learning import examples
from workflows.learning.examples import read_examples

pytestmark = [pytest.mark.usefixtures("table"), pytest.mark.django_db]
SITE = "default"


def test_the_last_reviewed_documents_are_shown_without_the_one_that_is_read() -> None:
    project_id = project()
    runs = [
        decided_run(project_id, [field("total", "amount", f"{n}.00"), field("terms", "text", None)], {"total": f"9{n}"})
        for n in range(6)
    ]
    assert read_examples(SITE, project_id, but="") == (
        "Document 1\ntotal: 95.00\n\nDocument 2\ntotal: 94.00\n\nDocument 3\ntotal: 93.00"
    )
    assert "95.00" not in read_examples(SITE, project_id, but=runs[5].document_id)
    assert read_examples(SITE, project(name="Other"), but="") == ""


def test_values_are_short_and_unread_ones_left_out() -> None:
    project_id = project()
    fields = [field("company", "text", "x" * 900), field("total", "amount", "1.00")]
    decided_run(project_id, fields, {}, unseen=("total",))
    assert read_examples(SITE, project_id, but="") == f"Document 1\ncompany: {'x' * examples.LONGEST_VALUE}"


def test_a_document_of_a_limited_queue_is_no_example() -> None:
    project_id = project()
    run = decided_run(project_id, [field("company", "text", "Secret Ltd")], {})
    queue = make_queue("Board", ["board"])
    directory.forget()
    key = table.DOCUMENT.key(SITE, document_id=run.document_id)
    Document.change(key, [Document.queue.set(queue.id)], Document.PK.exists())
    assert read_examples(SITE, project_id, but="") == ""

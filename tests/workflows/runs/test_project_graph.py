"""The graph across a project's documents: what two of them name is drawn and listed, and nothing else."""

import json

import pytest

from projects.settings.items import Project
from tests.compat.pages import words
from tests.factories import start_run
from tests.people import charlie, signed_in
from tests.projects.projects import make_project
from tests.workflows.repeated import field, publish
from workflows.runs.items import Run
from workflows.runs.views import project_graph
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.django_db


def naming(project: Project, *names: str) -> Run:
    run = publish(start_run(project_id=project.id), field("total", "4.00"))
    entities = [{"id": name, "name": name, "type": "organisation", "mentions": 2} for name in names]
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    store.write(files.GRAPH, json.dumps({"entities": entities, "relations": []}).encode(), "application/json")
    return run


def test_what_two_documents_name_is_drawn_and_listed(table: str) -> None:
    project = make_project()
    one, other = naming(project, "Acme Ltd", "Alone & Co"), naming(project, "ACME Ltd", "Third Inc")
    page = signed_in(charlie()).get(f"/workflows/projects/{one.project_id}/graph/").content.decode()
    text = words(page)
    assert "Acme Ltd organisation 4" in text or "ACME Ltd organisation 4" in text
    assert "Alone" not in text
    assert page.count("<line") == 2
    for run in (one, other):
        assert f"/workflows/{run.document_id}/{run.workflow_id}/" in page


def test_a_drawing_has_room_for_each() -> None:
    class Row:
        def __init__(self, number: int) -> None:
            self.document_id, self.workflow_id, self.name = f"d{number}", f"w{number}", "x" * 60

    rows = [Row(number) for number in range(7)]
    entities = [{"id": "a", "name": "Acme", "type": "organisation", "mentions": 1}]
    shared = project_graph.share([(row, entities) for row in rows])
    drawn = project_graph.draw(shared)
    assert len({point.y for point in drawn.documents}) == 7
    assert drawn.height == 228
    assert all(0 < point.y < drawn.height for point in (*drawn.documents, *drawn.names))
    assert drawn.documents[0].words.endswith("…")
    assert [stop.kind for stop in drawn.narrow.stops] == ["document"] * 7 + ["organisation"]
    assert len(drawn.narrow.lines) == 7


def test_a_project_without_such_names_says_so(table: str) -> None:
    one = naming(make_project(), "Acme Ltd")
    text = words(signed_in(charlie()).get(f"/workflows/projects/{one.project_id}/graph/").content.decode())
    assert "Two published documents are needed." in text

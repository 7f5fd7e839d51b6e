"""Names that several documents of a project share, as a drawing and a table."""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.text import Truncator
from django.views.decorators.http import require_safe

from config.errors import NotFound
from projects.personal.access import fields_hidden_from
from projects.queues import visibility
from projects.sites import access
from projects.web.http import DeskRequest, page_links, render_answer
from workflows.runs import queries, run_files
from workflows.runs.items import Outcome, ProjectDocument
from workflows.runs.views.about import NAME_TYPES
from workflows.runs.views.arcs import Arcs, Stop, draw_arcs
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

MOST_SHARED = 100  # names of the table
DRAWN = 20  # of the drawing
_LANES = 8  # objects read concurrently
_ROW, _TOP = 30, 24  # of the drawing, in SVG units
_LEFT, _RIGHT, WIDTH = 330, 530, 860
_LETTERS = 40


@dataclass
class SharedName:
    """A name that several documents mention. ``mentions``: in all of them."""

    name: str
    kind: str
    mentions: int = 0
    documents: list[ProjectDocument] = field(default_factory=list)

    @property
    def kind_name(self) -> str:
        return NAME_TYPES.get(self.kind, self.kind)


@dataclass(frozen=True)
class Point:
    words: str
    title: str
    kind: str
    y: int
    url: str = ""


@dataclass(frozen=True)
class Drawing:
    """Documents on the left, names on the right; ``lines``: from one y to the other.

    ``narrow``: the same for a phone.
    """

    documents: Sequence[Point]
    names: Sequence[Point]
    lines: Sequence[tuple[int, int]]
    height: int
    narrow: Arcs
    width: int = WIDTH
    left: int = _LEFT
    right: int = _RIGHT


@require_safe
def show_project_graph(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_view(request, project_id)
    cursor = request.GET.get("after")
    documents, shared, following = read_shared_names(request, project_id, cursor)
    context = {
        "project": project,
        "documents": documents,
        "shared": shared,
        "drawing": draw(shared) if shared else None,
        **page_links(request, following, reverse("workflows:show-project-graph", args=[project_id])),
    }
    return render_answer(request, "workflows/runs/project_graph.html", None, context)


def read_shared_names(
    request: HttpRequest, project_id: str, cursor: str | None
) -> tuple[Sequence[ProjectDocument], Sequence[SharedName], str | None]:
    """Return the published documents on one page of the project, the names they share, and the next cursor.

    One Query, one batch read, and an object for each document.

    Raises:
        NotAllowed: the project has personal fields, and names of a graph may be their values.

    """
    if fields_hidden_from(request, project_id):
        access.check_can_see_personal(request)
    site = str(request.site)
    page = visibility.filter_page(
        request,
        lambda place: queries.project_documents(site, project_id, cursor=place),
        cursor,
        lambda row: row.document_id,
    )
    found = [row for row in page.rows if row.outcome == Outcome.PUBLISHED and row.workflow_id]
    layers = {
        key: board.layers for key, board in queries.boards_of(site, [str(row.workflow_id) for row in found]).items()
    }

    def read(row: ProjectDocument) -> Sequence[Mapping[str, Any]]:
        store = DocumentFiles(site, project_id, str(row.document_id))
        return _entities(run_files.open_run_files(store, layers.get(str(row.workflow_id))))

    with ThreadPoolExecutor(_LANES) as lanes:
        graphs = list(lanes.map(read, found))
    return found, share(zip(found, graphs, strict=True)), page.next


def _entities(store: DocumentFiles) -> Sequence[Mapping[str, Any]]:
    """Return an empty sequence if there is no graph, or one of another system, in another format."""
    try:
        graph = json.loads(store.read(files.GRAPH))
    except NotFound:
        return []
    found = graph.get("entities") or [] if isinstance(graph, dict) else []
    return [one for one in found if {"id", "name", "type", "mentions"} <= one.keys()]


def share(graphs: Any) -> list[SharedName]:
    """Return names in two or more documents, most documents first. ``graphs``: document, its entities."""
    names: dict[tuple[str, str], SharedName] = {}
    for document, entities in graphs:
        for one in entities:
            key = (str(one["type"]), str(one["name"]).casefold())
            entry = names.setdefault(key, SharedName(str(one["name"]), str(one["type"])))
            entry.mentions += int(one["mentions"])
            if document not in entry.documents:
                entry.documents.append(document)
    shared = [one for one in names.values() if len(one.documents) > 1]
    return sorted(shared, key=lambda one: (-len(one.documents), -one.mentions, one.name))[:MOST_SHARED]


def draw(shared: Sequence[SharedName]) -> Drawing:
    """Draw the most shared names, in order, and their documents."""
    drawn = shared[:DRAWN]
    documents = list({str(row.document_id): row for one in drawn for row in one.documents}.values())
    rows = max(len(documents), len(drawn))
    height = 2 * _TOP + _ROW * (rows - 1)

    def y_of(number: int, count: int) -> int:
        return _TOP + round(_ROW * (rows - 1) * (number + 0.5) / count) if count < rows else _TOP + _ROW * number

    places = {str(row.document_id): y_of(number, len(documents)) for number, row in enumerate(documents)}
    points = [
        Point(
            Truncator(str(row.name)).chars(_LETTERS), str(row.name), "document", places[str(row.document_id)],
            reverse("workflows:show-run", args=[row.document_id, row.workflow_id]),
        )
        for row in documents
    ]  # fmt: skip
    names = [
        Point(Truncator(one.name).chars(_LETTERS), one.name, one.kind, y_of(i, len(drawn)))
        for i, one in enumerate(drawn)
    ]
    lines = [
        (places[str(row.document_id)], names[number].y) for number, one in enumerate(drawn) for row in one.documents
    ]
    stops = [
        Stop(f"document {row.document_id}", str(row.name), "document", point.url)
        for row, point in zip(documents, points, strict=True)
    ]
    stops += [Stop(f"name {number}", one.name, one.kind) for number, one in enumerate(drawn)]
    pairs = (
        (f"document {row.document_id}", f"name {number}", False)
        for number, one in enumerate(drawn)
        for row in one.documents
    )
    return Drawing(points, names, lines, height, draw_arcs(stops, pairs))

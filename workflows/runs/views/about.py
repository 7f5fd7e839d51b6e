"""What a document is about: its summary, and its entity graph as a drawing and a table."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.utils.text import Truncator
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from config import clock
from config.errors import NotFound
from config.phrase import Phrase, begin_sentence, tell_sentence
from projects.web.http import DeskRequest, render_answer
from workflows.definitions.blueprint import Definition, StepDefinition, tell_label
from workflows.definitions.diagram import name_way
from workflows.runs import queries, run_files
from workflows.runs.items import END, Run, Transition
from workflows.runs.redaction.documents import secrets_for
from workflows.runs.redaction.words import Secrets
from workflows.runs.views.arcs import Arcs, Stop, draw_arcs
from workflows.runs.views.pages import run_of
from workflows.runs.views.state_labels import words_of
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

DRAWN = 16  # entities in the drawing; the table has all
WIDTH, HEIGHT = 860, 460  # of the drawing, in SVG units
# What the built-in stage calls names; a model may have its own words.
NAME_TYPES: Mapping[str, str] = {
    "organisation": Phrase("organisation"),
    "place": Phrase("place"),
    "email": Phrase("email"),
    "website": Phrase("website"),
    "account": Phrase("account"),
    "number": Phrase("number"),
    "date": Phrase("date"),
    "amount": Phrase("amount"),
}
_MOST_EDGES = 120
_LETTERS = 22  # characters of a name in the drawing


@dataclass(frozen=True)
class Node:
    """``anchor``: the side of the point with its name."""

    name: str
    kind: str
    x: float
    y: float
    radius: float
    anchor: str

    @property
    def words(self) -> str:
        return Truncator(self.name).chars(_LETTERS)

    @property
    def text_x(self) -> float:
        return self.x + (self.radius + 5) * {"start": 1, "end": -1}.get(self.anchor, 0)


@dataclass(frozen=True)
class Edge:
    x1: float
    y1: float
    x2: float
    y2: float
    strong: bool


@dataclass(frozen=True)
class Drawing:
    """``narrow``: the same for a phone."""

    nodes: Sequence[Node]
    edges: Sequence[Edge]
    narrow: Arcs


@require_safe
def show_about(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    board, link = run_of(request, document_id, workflow_id)
    store = run_files.open_run_files(DocumentFiles(request.site, str(board.project_id), document_id), board.layers)
    # The run of an earlier file version shows nothing, as the artifacts are the newest one's.
    gone = bool(board.replaced_by)
    summary = {} if gone else _read_object(store, files.SUMMARY)
    graph = {} if gone or link else _read_object(store, files.GRAPH)
    secrets = Secrets() if gone else secrets_for(request, store, workflow_id)
    graph = {**graph, "entities": [_mask_entity(one, secrets) for one in graph.get("entities") or ()]}
    entities = list(graph["entities"])
    context = {
        "board": board,
        "summary": secrets.mask(str(summary.get("document_summary") or "")),
        "model": tell_sentence(str(summary.get("model") or "")),
        "entities": [{**one, "type": NAME_TYPES.get(str(one["type"]), one["type"])} for one in entities],
        "first": entities[:8],
        "drawing": draw_graph(graph, str(board.name)) if entities else None,
    }
    return render_answer(request, "workflows/runs/about.html", "workflows/runs/_about.html", context)


def _mask_entity(entity: Mapping[str, Any], secrets: Secrets) -> Mapping[str, Any]:
    """Also within the places where it is mentioned, which quote their line."""
    return {name: one if name == "id" else _mask_texts(one, secrets) for name, one in entity.items()}


def _mask_texts(value: Any, secrets: Secrets) -> Any:
    if isinstance(value, str):
        return secrets.mask(value)
    if isinstance(value, list):
        return [_mask_texts(one, secrets) for one in value]
    return {name: _mask_texts(one, secrets) for name, one in value.items()} if isinstance(value, dict) else value


def _read_object(store: DocumentFiles, name: str) -> Mapping[str, Any]:
    """Return an empty mapping if the object does not exist."""
    try:
        found: Mapping[str, Any] = json.loads(store.read(name))
    except NotFound:
        return {}
    return found


def draw_graph(graph: Mapping[str, Any], name: str) -> Drawing:
    """Draw the document in the middle, with its entities around it: fields first, then by number of mentions.

    On a phone it is at the top, with its ``name``.
    """
    ranked = sorted(graph["entities"], key=lambda one: (not one.get("role"), -int(one["mentions"])))[:DRAWN]
    places = {"document": (WIDTH / 2, HEIGHT / 2)}
    nodes: list[Node] = []
    for number, one in enumerate(ranked):
        turn = 2 * math.pi * number / len(ranked) - math.pi / 2
        x, y = WIDTH / 2 + 205 * math.cos(turn), HEIGHT / 2 + 185 * math.sin(turn)
        places[str(one["id"])] = (x, y)
        anchor = "middle" if abs(math.cos(turn)) < 0.1 else "start" if math.cos(turn) > 0 else "end"
        radius = 5 + min(6.0, math.log2(1 + int(one["mentions"])))
        nodes.append(Node(str(one["name"]), str(one["type"]), round(x, 1), round(y, 1), round(radius, 1), anchor))
    pairs = [
        (str(one["source"]), str(one["target"]), int(one["weight"]) > 1)
        for one in graph.get("relations") or ()
        if str(one["source"]) in places and str(one["target"]) in places
    ][:_MOST_EDGES]
    edges = [_edge(places[first], places[second], strong=strong) for first, second, strong in pairs]
    stops = [Stop("document", name, "document")]
    stops += [Stop(str(one["id"]), str(one["name"]), str(one["type"])) for one in ranked]
    return Drawing(nodes, edges, draw_arcs(stops, pairs))


def _edge(first: tuple[float, float], second: tuple[float, float], *, strong: bool) -> Edge:
    return Edge(round(first[0], 1), round(first[1], 1), round(second[0], 1), round(second[1], 1), strong)


_RESULTS = {
    "completed": Phrase("Completed"),
    "skipped": Phrase("Not needed"),
    "approve": Phrase("Approved"),
    "reject": Phrase("Rejected"),
    "partial": Phrase("Partial"),
    "Cancelled": Phrase("Cancelled"),
    "ReviewExpired": Phrase("Review expired"),
}


@dataclass(frozen=True)
class Move:
    """``took``: since the previous transition, or the start of the run."""

    left: str
    to: str
    result: str
    at: str
    took: str
    reason: str


@require_safe
def show_history(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    board, link = run_of(request, document_id, workflow_id)
    if link is not None:
        raise NotFound(gettext("The source system stored no step history."))
    run = Run(request.site, str(board.project_id), document_id, workflow_id)
    execution = queries.execution(run)
    definition = queries.definition_of(execution)
    cursor = request.GET.get("after")
    page = queries.transitions(run.site, workflow_id, cursor=cursor)
    since = request.GET.get("since") or execution.createdAt
    context = {
        "board": board,
        "definition": definition,
        "attempt": int(execution.engine_attempt),
        "rows": list(_moves(definition, page.rows, since)),
        "next": page.next,
        "last_at": page.rows[-1].occurredAt if page.rows else since,
        "document_id": document_id,
        "workflow_id": workflow_id,
    }
    return render_answer(request, "workflows/runs/history.html", "workflows/runs/_history.html", context)


def _moves(definition: Definition, rows: Iterable[Transition], since: str) -> Iterator[Move]:
    steps = {step.order: step for step in definition.steps}
    labels = {order: tell_label(step.label) for order, step in steps.items()} | {END: Phrase("End")}
    for row in rows:
        seconds = (clock.parse(row.occurredAt) - clock.parse(since)).total_seconds()
        data = row.data.as_dict() if row.data is not None else {}
        left, to = labels.get(int(row.fromStep), "?"), labels.get(int(row.toStep), "?")
        took, reason = words_of(max(seconds, 0.0)), tell_sentence(str(data.get("reason") or ""))
        choice = steps.get(int(row.fromStep)) if "choice" in data else None
        yield Move(left, to, _describe_result(row.result, choice), row.occurredAt, took, reason)
        since = row.occurredAt


def _describe_result(result: str, choice: StepDefinition | None) -> str:
    """A failed step's result is its error code; the reason beside it says what happened."""
    if choice is None or result in _RESULTS:
        return _RESULTS.get(result, Phrase("Failed"))
    return begin_sentence(Phrase(name_way(choice, result)))

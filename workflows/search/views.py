"""The search page: documents of the site with all words, each with its matches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from config.errors import Refused
from projects.personal.access import projects_hidden_from
from projects.personal.masking import MASK
from projects.personal.queries import list_personal_projects
from projects.queues import visibility
from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from workflows.runs.views import state_labels
from workflows.runs.views.state_labels import Mark
from workflows.search import database
from workflows.search.index import Entry, Kind, Part, SearchHit, search_index
from workflows.search.snippets import Piece, cut_snippet
from workflows.search.words import QUERY_LENGTH, Term, parse_terms


@dataclass(frozen=True)
class Place:
    """A match, and the URL of its page."""

    label: str
    url: str
    pieces: Sequence[Piece]


@dataclass(frozen=True)
class Result:
    """``more``: matches that are not listed. ``masked``: its texts are shown where showing is recorded (ADR 0041)."""

    entry: Entry
    name: Sequence[Piece]
    mark: Mark
    places: Sequence[Place]
    more: int
    masked: bool


@require_safe
def search(request: DeskRequest) -> HttpResponse:
    access.check_can_view(request)
    searched, cursor = request.GET.get("q", "").strip(), request.GET.get("after")
    context: dict[str, Any] = {
        "searched": searched[:QUERY_LENGTH],
        "query_length": QUERY_LENGTH,
        "is_first": not cursor,
    }
    if searched:
        try:
            context |= _find_results(request, searched, cursor)
        except Refused as refused:
            context["refused"] = str(refused)
    return render_answer(request, "workflows/search/show.html", None, context)


def _find_results(request: DeskRequest, searched: str, cursor: str | None) -> dict[str, Any]:
    """Raises: Refused, NotFound, Unavailable."""
    terms = parse_terms(searched)
    found = search_index().find(request.site, terms, cursor=cursor, closed=projects_hidden_from(request))
    hits = visibility.filter_rows(request, found.hits, lambda hit: hit.entry.document_id)
    personal = list_personal_projects(request.site) if hits else {}
    return {
        "results": [_result(hit, terms, masked=hit.entry.project_id in personal) for hit in hits],
        "next_cursor": found.next,
        "first_url": f"{reverse('workflows:search')}?{urlencode({'q': searched})}",
        "page_size": database.PAGE_SIZE,
    }


def _result(hit: SearchHit, terms: Sequence[Term], *, masked: bool) -> Result:
    parts = list(hit.entry.parts)
    places = [_place(hit.entry, part, terms, masked=masked) for part in parts if part.kind != Kind.NAME]
    mark = state_labels.of_run(hit.entry.status, waits=False)
    name = cut_snippet(hit.entry.name, terms)
    return Result(hit.entry, name, mark, places, hit.total - len(parts), masked and bool(places))


def _place(entry: Entry, part: Part, terms: Sequence[Term], *, masked: bool) -> Place:
    if part.page is None:
        url = reverse("workflows:show-run", args=[entry.document_id, entry.run_id])
    else:
        url = reverse("workflows:show-segment", args=[entry.document_id, entry.run_id, part.page])
    label = part.label if part.kind == Kind.FIELD else gettext("Page %(page)s") % {"page": (part.page or 0) + 1}
    return Place(label, url, [Piece(MASK, found=False)] if masked else cut_snippet(part.text, terms))

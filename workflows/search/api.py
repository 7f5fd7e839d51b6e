"""The API of the search."""

from typing import Annotated

from ninja import Router, Schema
from pydantic import WithJsonSchema

from projects.personal.access import projects_hidden_from
from projects.personal.masking import MASK
from projects.personal.queries import list_personal_projects
from projects.queues import visibility
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest, Problem
from workflows.search.index import Kind, Part, SearchHit, search_index
from workflows.search.snippets import Piece, cut_snippet
from workflows.search.words import QUERY_LENGTH, Term, parse_terms

router = Router(tags=["search"])
# Only in the description: ``parse`` refuses longer text with a message, and only it knows what a word is.
Words = Annotated[str, WithJsonSchema({"type": "string", "minLength": 1, "maxLength": QUERY_LENGTH})]


class PlaceShape(Schema):
    """``kind``: name, field or page; ``page``: 0-based; ``label``: of a field; ``found``: the matches in ``text``.

    ``text`` is masked in projects with personal data.
    """

    kind: str
    page: int | None
    label: str | None
    text: str
    found: list[str]


class DocumentHit(Schema):
    """``total``: number of matches in the document; ``places``: the first of them."""

    document_id: str
    run_id: str
    project_id: str
    name: str
    file_type: str
    status: str
    created_at: str
    places: list[PlaceShape]
    total: int


class SearchResult(Schema):
    items: list[DocumentHit]
    next: str | None


@router.get(
    "/search",
    response={200: SearchResult, 422: Problem, **FAILURES},
    operation_id="search",
    summary="Search published documents",
    description=f"Newest first. `q`: up to {QUERY_LENGTH} characters; documents must contain every word. "
    'Words match by prefix; use "quotes" for exact phrases. Requires READ.',
)
def search(request: ApiRequest, q: Words, after: str | None = None) -> SearchResult:
    access.check_can_view(request)
    terms = parse_terms(q)
    found = search_index().find(request.site, terms, cursor=after, closed=projects_hidden_from(request))
    hits = visibility.filter_rows(request, found.hits, lambda hit: hit.entry.document_id)
    personal = list_personal_projects(request.site) if hits else {}
    return SearchResult(
        items=[_hit(one, terms, masked=one.entry.project_id in personal) for one in hits], next=found.next
    )


def _hit(hit: SearchHit, terms: tuple[Term, ...], *, masked: bool) -> DocumentHit:
    entry = hit.entry
    return DocumentHit(
        document_id=entry.document_id,
        run_id=entry.run_id,
        project_id=entry.project_id,
        name=entry.name,
        file_type=entry.file_type,
        status=entry.status,
        created_at=entry.created_at,
        places=[_place(part, terms, masked=masked and part.kind != Kind.NAME) for part in entry.parts],
        total=hit.total,
    )


def _place(part: Part, terms: tuple[Term, ...], *, masked: bool) -> PlaceShape:
    pieces = [Piece(MASK, found=False)] if masked else cut_snippet(part.text, terms)
    return PlaceShape(
        kind=part.kind,
        page=part.page,
        label=part.label or None,
        text="".join(one.text for one in pieces),
        found=[one.text for one in pieces if one.found],
    )

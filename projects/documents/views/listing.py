"""The filtered list of a site's documents."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from config.errors import Refused
from config.item import Page
from config.table import InvalidKey
from projects.documents import queries, query_plan
from projects.documents.filters import Filters, Op, filters_from
from projects.documents.index_queries import ByAttribute, ByClassification, ByStatus, QueryPlan
from projects.documents.items import ListedDocument
from projects.documents.listing import ListRequest, form_context, list_context, not_indexed_context
from projects.documents.query_plan import NotIndexed
from projects.entities.references import name_references, resolve_texts
from projects.personal.access import find_personal_documents
from projects.policies.gate import shows_counts
from projects.queues import visibility
from projects.schemas.governing import ENTITY
from projects.schemas.labels.reading import get_labels
from projects.schemas.queries import definitions_of
from projects.schemas.vocabulary import Vocabulary, get_vocabulary
from projects.sites import access, directory
from projects.web import days
from projects.web.http import DeskRequest, render_answer


@require_safe
def list_documents(request: DeskRequest) -> HttpResponse:
    access.check_can_view(request)
    today = days.today()
    filters = filters_from(request.GET, today)
    full = filters.needs_vocabulary or "more" in request.GET
    known, url = _get_vocabulary(request.site) if full else Vocabulary(), reverse("documents:list-documents")
    asking = ListRequest(filters, known, today, full=full, url=url, names=directory.has_entities(request.site))
    try:
        way = query_plan.plan_query(_resolve_filters(request.site, filters, known), known, today)
        if isinstance(way, NotIndexed):
            return _list_page(request, asking, None, not_indexed_context(asking, way))
        page = visibility.filter_page(
            request,
            lambda place: _drop_personal(request, filters, queries.list_documents(request.site, way, cursor=place)),
            request.GET.get("after"),
            lambda row: row.document_id,
        )
    except (Refused, InvalidKey) as error:
        return _list_page(request, asking, None, {"wrong": str(error)}, status=422)
    asking = replace(asking, named=_name_entities(request.site, way, page, asking))
    context = list_context(asking, way, page) | {"is_first": "after" not in request.GET}
    return _list_page(request, asking, way, context)


def _resolve_filters(site: str, filters: Filters, known: Vocabulary) -> Filters:
    """Look entities up by what was typed of them; no call for other attributes. Raises: Refused."""
    keys = [one.key for one in filters.attributes if one.key in known.attributes and one.value and one.op == Op.IS]
    referring = [key for key in keys if known.attributes[key].kind == ENTITY]
    if not referring:
        return filters
    found = definitions_of(site, referring)
    return replace(
        filters,
        attributes=tuple(
            replace(one, value=resolve_texts(site, found[one.key], [one.value])[0]) if one.key in found else one
            for one in filters.attributes
        ),
    )


def _name_entities(site: str, way: QueryPlan, page: Page[ListedDocument], asking: ListRequest) -> Mapping[str, str]:
    """Return the names of entities that the rows and the filters refer to; no call for other attributes."""
    definition = asking.known.attributes.get(way.key) if isinstance(way, ByAttribute) else None
    if definition is None or definition.kind != ENTITY:
        return {}
    values = {*(queries.value_of(row, way) for row in page.rows), *(one.value for one in asking.filters.attributes)}
    return {value: one.name for value, one in name_references(site, values).items() if one.name}


def _get_vocabulary(site: str) -> Vocabulary:
    """Return the vocabulary in the viewer's language."""
    return get_vocabulary(site).in_language(get_labels(site))


def _drop_personal(request: DeskRequest, filters: Filters, page: Page[ListedDocument]) -> Page[ListedDocument]:
    """Drop filters on personal attributes for people who may not see them, since hits would reveal values."""
    if not filters.attributes or access.can_see_personal(request):
        return page
    closed = find_personal_documents(request, (str(row.document_id) for row in page.rows))
    return Page([row for row in page.rows if row.document_id not in closed], page.next)


def _list_page(
    request: DeskRequest, asking: ListRequest, way: QueryPlan | None, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """Return a page; one more call for the count of the document type or site, if it may be shown."""
    counts = None
    if not shows_counts(request):
        context |= {"number": None}
    elif isinstance(way, ByClassification):
        number = queries.documents_of_classification(request.site, way.classification_id)
        context |= {"number": None if way.day else number}
    else:
        counts = queries.count_documents(request.site)
        context |= {"number": counts.count_of(way.status) if isinstance(way, ByStatus) else None}
    return render_answer(
        request, "projects/documents/list.html", None, form_context(asking, way, counts) | context, status=status
    )

"""Access to personal values."""

from collections.abc import Iterable

from django.http import HttpRequest

from config.errors import NotFound
from projects.documents import queries as document_queries
from projects.documents.queries import get_documents
from projects.personal import queries
from projects.personal.queries import PersonalFields
from projects.queues import visibility
from projects.sites import access

_NOTHING = PersonalFields()


def fields_hidden_from(request: HttpRequest, project_id: str) -> PersonalFields:
    """Return the fields hidden from this person or program; no call if they may see all."""
    if access.can_see_personal(request):
        return _NOTHING
    return queries.get_personal_fields(str(request.site), project_id)


def projects_hidden_from(request: HttpRequest) -> frozenset[str]:
    """Return projects with hidden fields; no call if the person may see all."""
    if access.can_see_personal(request):
        return frozenset()
    return frozenset(queries.list_personal_projects(str(request.site)))


def is_closed(request: HttpRequest, *, project_id: str = "", document_id: str = "") -> bool:
    """Return whether anything of this document or project is hidden from the person.

    A document of unknown project is closed if the site has any personal fields.
    """
    if access.can_see_personal(request):
        return False
    site = str(request.site)
    if not queries.list_personal_names(site):  # remembered: most sites mark nothing, and no page of theirs costs a call
        return False
    if document_id:
        try:
            project_id = document_queries.get_document(site, document_id).project_id
        except NotFound:
            return True
    return bool(queries.get_personal_fields(site, project_id))


def check_can_see(request: HttpRequest, *, project_id: str = "", document_id: str = "") -> None:
    """Required before showing unmasked content. Raises: NotAllowed."""
    if is_closed(request, project_id=project_id, document_id=document_id):
        access.check_can_see_personal(request)


def is_there(request: HttpRequest, document_id: str) -> bool:
    """Return whether the person may see the document at all."""
    return not visibility.find_hidden_documents(request, [document_id])


def names_in_document(request: HttpRequest, document_id: str) -> frozenset[str]:
    """Return a document's personal fields, regardless of permissions; without a row, those of the whole site."""
    site = str(request.site)
    try:
        project_id = document_queries.get_document(site, document_id).project_id
    except NotFound:
        return queries.list_personal_names(site)
    return queries.get_personal_fields(site, project_id).names


def find_personal_documents(request: HttpRequest, document_ids: Iterable[str]) -> frozenset[str]:
    """Return documents that may have personal values: one BatchGetItem per page, if anything is personal."""
    site, ids = str(request.site), {one for one in document_ids if one}
    projects = queries.list_personal_projects(site) if ids else {}
    if not projects:
        return frozenset()
    known = {one.documentId: one.project_id for one in get_documents(site, sorted(ids))}
    return frozenset(one for one in ids if known.get(one) is None or known[one] in projects)

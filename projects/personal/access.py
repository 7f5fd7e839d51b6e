"""Who sees personal values."""

from collections.abc import Iterable

from django.http import HttpRequest

from config.errors import NotFound
from projects.documents import queries as document_queries
from projects.documents.queries import get_documents
from projects.personal import queries
from projects.personal.queries import PersonalFields
from projects.queues import admission
from projects.sites import access

_NOTHING = PersonalFields()


def fields_hidden_from(request: HttpRequest, project_id: str) -> PersonalFields:
    """What of a project's documents this person or program does not see; no call if they may see all."""
    if access.can_see_personal(request):
        return _NOTHING
    return queries.get_personal_fields(str(request.site), project_id)


def projects_hidden_from(request: HttpRequest) -> frozenset[str]:
    """The projects of whose documents this person does not see all; no call if they may see all."""
    if access.can_see_personal(request):
        return frozenset()
    return frozenset(queries.list_personal_projects(str(request.site)))


def is_closed(request: HttpRequest, *, project_id: str = "", document_id: str = "") -> bool:
    """Whether something of this document, or of this project, is not for the person's eyes.

    A document whose project no row tells is closed if anything on the site is personal.
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
    """Before what is shown as it is. Raises: NotAllowed."""
    if is_closed(request, project_id=project_id, document_id=document_id):
        access.check_can_see_personal(request)


def is_there(request: HttpRequest, document_id: str) -> bool:
    """Whether the person is let into the document at all: to others nothing about it is said."""
    return not admission.find_hidden_documents(request, [document_id])


def names_in_document(request: HttpRequest, document_id: str) -> frozenset[str]:
    """The personal fields of a document for everyone, whatever they may see; of one without a row, of all the site."""
    site = str(request.site)
    try:
        project_id = document_queries.get_document(site, document_id).project_id
    except NotFound:
        return queries.list_personal_names(site)
    return queries.get_personal_fields(site, project_id).names


def find_personal_documents(request: HttpRequest, document_ids: Iterable[str]) -> frozenset[str]:
    """Those of them that may have personal values: of each page of a list one BatchGetItem, if anything is personal."""
    site, ids = str(request.site), {one for one in document_ids if one}
    projects = queries.list_personal_projects(site) if ids else {}
    if not projects:
        return frozenset()
    known = {one.documentId: one.project_id for one in get_documents(site, sorted(ids))}
    return frozenset(one for one in ids if known.get(one) is None or known[one] in projects)

"""Log of API calls that change something: written after the response, listed by subject."""

import logging
import re
from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse

from config import logs, table
from config.errors import CountersignError
from config.item import Page
from config.transaction import transact
from projects.audit.events import API_CALL, api_call_event
from projects.audit.items import EntityEvent
from projects.sites.api_keys import Program
from projects.web.http import API_PATH

log = logging.getLogger(__name__)
# Calls that only read are not noted: programs poll, and who viewed a document is in its activity.
_NOTED = frozenset({"POST", "PUT", "PATCH", "DELETE"})


def note_api_call(request: HttpRequest, response: HttpResponse) -> None:
    """Record a call with a valid key, whatever its outcome; ids and path only, no content.

    If the table does not answer, the call is not recorded and the response is sent anyway.
    """
    program, match, method = getattr(request, "auth", None), request.resolver_match, str(request.method)
    if method not in _NOTED or match is None or not isinstance(program, Program):
        return
    ids = {name: str(value) for name, value in match.kwargs.items() if name.endswith("_id")}
    path = _PART.sub(r"{\1}", f"/{match.route}".removeprefix(API_PATH.rstrip("/")))
    payload = {"path": path, "status": response.status_code, **ids}
    subject = table.encode_part(_find_subject(ids) or path.split("/")[1])
    try:
        transact([], api_call_event(program.site, subject, method, by=program.actor, payload=payload))
    except CountersignError as error:
        log.warning("API call was not noted", extra={"error": logs.place_of(error)})


_PART = re.compile(r"<(?:\w+:)?(\w+)>")


def _find_subject(ids: Mapping[str, str]) -> str:
    """Return the document that the path belongs to, else the last record in the path."""
    return ids.get("document_id") or next(reversed(list(ids.values())), "")


def list_api_calls(site: str, subject: str, cursor: str | None = None) -> Page[EntityEvent]:
    """Return calls, newest first: one Query. ``subject``: an id, or the first part of a path without ids."""
    pk = table.ENTITY_EVENT.partition_key(site, entity_type=API_CALL, entity_id=table.encode_part(subject))
    return EntityEvent.page(pk, newest_first=True, cursor=cursor)

"""The values to redact in a document, read from its published result."""

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from config.errors import NotAllowed, NotFound
from config.phrase import Phrase
from projects.personal import access as personal_access
from projects.personal.queries import PersonalFields
from workflows.runs.redaction.words import Secrets, read_secrets
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

CLOSED = Phrase(
    "This page may show personal data that is not known yet. Open it after publication, or ask an admin for the "
    "permission to see personal data."
)


def load_personal_values(store: DocumentFiles, hidden: PersonalFields, workflow_id: str) -> list[Mapping[str, Any]]:
    """Return the ``hidden`` fields as found and as published, with people's corrections.

    Raises:
        NotAllowed: it has no published result, or not of all personal fields: what to redact is unknown.
        Unavailable: S3 does not answer.

    """
    output, read = (_read(store, name(workflow_id)) for name in (files.output, files.result))
    fields = output["fields"]
    if hidden.is_own and not hidden.own <= {one["name"] for one in fields}:
        raise NotAllowed(CLOSED)
    changes = (output.get("decision") or {}).get("changes") or ()
    return [
        one | {"changes": [each for each in changes if each["field"] == one["name"]]}
        for one in (*fields, *read["fields"])
        if one["name"] in hidden.names
    ]


def secrets_for(request: HttpRequest, store: DocumentFiles, workflow_id: str) -> Secrets:
    """Return what to redact for this person; nothing, and without a call, for those who may see all.

    Raises: NotAllowed as ``load_personal_values``.
    """
    hidden = personal_access.fields_hidden_from(request, store.project_id)
    return read_secrets(load_personal_values(store, hidden, workflow_id)) if hidden else Secrets()


def _read(store: DocumentFiles, name: str) -> dict[str, Any]:
    """Raises: NotAllowed if it does not exist."""
    try:
        found: dict[str, Any] = json.loads(store.read(name))
    except NotFound as error:
        raise NotAllowed(CLOSED) from error
    return found

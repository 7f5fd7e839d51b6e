"""Changing several properties of a document atomically."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from django.utils.translation import gettext

from config.errors import Outdated
from projects.audit.events import Actor
from projects.documents.actions.properties import revise_attributes, revise_metadata, revise_tags, tidy_values
from projects.documents.activity import Revision, revise_document
from projects.documents.items import Document
from projects.entities.references import resolve_texts
from projects.schemas.attribute_values import parse_values
from projects.schemas.queries import attribute_definition

T = TypeVar("T")


@dataclass(frozen=True)
class DocumentChanges:
    """Name → values as typed, None to remove; names left out stay."""

    tags: Mapping[str, Sequence[str] | None] = field(default_factory=dict)
    attributes: Mapping[str, Sequence[str] | None] = field(default_factory=dict)
    metadata: Mapping[str, str | None] = field(default_factory=dict)


def change_document(
    site: str, document_id: str, changes: DocumentChanges, *, by: Actor, revision: int | None = None
) -> bool:
    """Write the changes in one transaction with one activity; False if nothing changes.

    ``revision``: the revision that the changes are based on; without it the last writer wins.

    Raises:
        NotFound: no such document, or no such attribute on this site.
        Refused: a value is invalid, or there are too many.
        Outdated: the document has another revision.

    """
    found = {key: attribute_definition(site, key) for key in changes.attributes}
    attributes = [
        (found[key], _become(parse_values(found[key], resolve_texts(site, found[key], values)) if values else []))
        for key, values in changes.attributes.items()
    ]
    tags = {key: _become(tidy_values(values or ())) for key, values in changes.tags.items()}

    def plan(document: Document, at: dt.datetime) -> Revision | None:
        if revision is not None and int(document.revision) != revision:
            raise Outdated(gettext("This document has changed since you read it. Nothing was saved; get it again."))
        return _merge(
            revise_tags(site, document, tags, by) if tags else None,
            revise_attributes(site, document, attributes, at, by) if attributes else None,
            revise_metadata(site, document, changes.metadata, at) if changes.metadata else None,
        )

    return revise_document(site, document_id, plan, by=by)


def _become(values: Sequence[T]) -> Callable[[Sequence[T]], Sequence[T]]:
    return lambda _before: values


def _merge(*parts: Revision | None) -> Revision | None:
    some = [one for one in parts if one is not None]
    if not some:
        return None
    return Revision(
        [told for one in some for told in one.changed],
        [change for one in some for change in one.changes],
        [action for one in some for action in one.actions],
        next((one.version for one in some if one.version), None),
    )

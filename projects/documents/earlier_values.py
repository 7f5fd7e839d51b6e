"""Earlier metadata and attributes of a document: listing and restoring."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext

from config import table
from config.errors import NotFound
from config.phrase import Phrase
from projects.audit.events import Actor
from projects.documents.actions.changes import DocumentChanges, change_document
from projects.documents.actions.properties import PREFIX, metadata_of
from projects.documents.items import Document, DocumentAttributeVersion, DocumentMetadataVersion
from projects.documents.queries import get_document
from projects.entities.references import name_references
from projects.schemas.attribute_values import format_value
from projects.schemas.governing import ENTITY, KINDS

_MOST = 100  # of each kind, the latest; a page shows no more
METADATA, ATTRIBUTE = "metadata", "attribute"
_REFERENCE = KINDS[ENTITY].data_type


@dataclass(frozen=True)
class EarlierValues:
    """The values replaced by one change. ``at``: second of the change; ``key``: of the attribute, empty for metadata.

    ``values``: name → earlier values; an attribute's under its key. ``named``: of values that refer to entities, names.
    """

    kind: str
    key: str
    at: str
    values: Mapping[str, Sequence[str]]
    named: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        if self.kind == ATTRIBUTE:
            return ", ".join(
                self.named.get(one, one) or Phrase("(no value)").translated() for one in self.values[self.key]
            )
        return "; ".join(f"{name}: {', '.join(values)}" for name, values in self.values.items())


def list_earlier(site: str, document_id: str) -> list[EarlierValues]:
    """Return them newest first; one Query per kind."""
    found = [*_list_metadata(site, document_id), *_list_attributes(site, document_id)]
    return sorted(found, key=lambda one: one.at, reverse=True)


def _list_metadata(site: str, document_id: str) -> list[EarlierValues]:
    pk = table.DOCUMENT_METADATA_VERSION.partition_key(site, document_id=document_id)
    prefix = DocumentMetadataVersion.SK.startswith(table.DOCUMENT_METADATA_VERSION.sort_prefix())
    rows = DocumentMetadataVersion.page(pk, sk=prefix, newest_first=True, limit=_MOST).rows
    return [
        EarlierValues(
            METADATA,
            "",
            row.SK.partition("#")[2],
            {name.removeprefix(PREFIX): [str(text)] for name, text in row.metadata.as_dict().items()},
        )
        for row in rows
    ]


def _list_attributes(site: str, document_id: str) -> list[EarlierValues]:
    """Group the values of one attribute removed by one change."""
    pk = table.DOCUMENT_ATTRIBUTE_VERSION.partition_key(site, document_id=document_id)
    prefix = DocumentAttributeVersion.SK.startswith(table.DOCUMENT_ATTRIBUTE_VERSION.sort_prefix())
    changes: dict[tuple[str, str], list[DocumentAttributeVersion]] = {}
    for row in DocumentAttributeVersion.page(pk, sk=prefix, newest_first=True, limit=_MOST).rows:
        changes.setdefault((str(row.key_), row.SK.split("#")[2]), []).append(row)
    referring = [str(row.value) for rows in changes.values() for row in rows if row.valueType == _REFERENCE]
    named = {value: one.name or value for value, one in name_references(site, referring).items()}
    return [
        EarlierValues(ATTRIBUTE, key, at, {key: [format_value(row.value) for row in sorted(rows, key=_place)]}, named)
        for (key, at), rows in changes.items()
    ]


def restore_earlier(site: str, document_id: str, kind: str, key: str, at: str, *, by: Actor) -> None:
    """Restore the values replaced by a change; the current values become earlier values.

    Raises:
        NotFound: there is no such change, document or attribute.
        Refused: a value is no longer valid.

    """
    document = get_document(site, document_id)
    wanted = (one for one in list_earlier(site, document_id) if (one.kind, one.key, one.at) == (kind, key, at))
    earlier = next(wanted, None)
    if earlier is None:
        raise NotFound(gettext("These values are no longer listed. Reload to see what can be restored."))
    change_document(site, document_id, _changes(document, earlier), by=by)


def _changes(document: Document, earlier: EarlierValues) -> DocumentChanges:
    if earlier.kind == ATTRIBUTE:
        return DocumentChanges(attributes=dict(earlier.values))
    gone: dict[str, str | None] = dict.fromkeys(metadata_of(document).keys() - earlier.values.keys())
    return DocumentChanges(metadata=gone | {name: values[0] for name, values in earlier.values.items()})


def _place(row: DocumentAttributeVersion) -> int:
    return int(row.index or 0)

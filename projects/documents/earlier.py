"""What a document's metadata and attributes said before: listed, and put back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from config import table
from config.errors import NotFound
from projects.audit.events import Actor
from projects.documents.actions.changes import DocumentChanges, change_document
from projects.documents.actions.properties import PREFIX, metadata_of
from projects.documents.items import Document, DocumentAttributeVersion, DocumentMetadataVersion
from projects.documents.queries import get_document
from projects.schemas.attribute_values import format_value

_MOST = 100  # of each kind, the latest; a page shows no more
METADATA, ATTRIBUTE = "metadata", "attribute"


@dataclass(frozen=True)
class EarlierValues:
    """What one change replaced. ``at``: the second of the change; ``key``: of an attribute, empty of metadata.

    ``values``: name → values as they were; of an attribute under its key.
    """

    kind: str
    key: str
    at: str
    values: Mapping[str, Sequence[str]]

    @property
    def shown(self) -> str:
        if self.kind == ATTRIBUTE:
            return ", ".join(one or "(no value)" for one in self.values[self.key])
        return "; ".join(f"{name}: {', '.join(values)}" for name, values in self.values.items())


def list_earlier(site: str, document_id: str) -> list[EarlierValues]:
    """Newest first; one Query of each kind."""
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
    """The values of one attribute that one change took away are one entry."""
    pk = table.DOCUMENT_ATTRIBUTE_VERSION.partition_key(site, document_id=document_id)
    prefix = DocumentAttributeVersion.SK.startswith(table.DOCUMENT_ATTRIBUTE_VERSION.sort_prefix())
    changes: dict[tuple[str, str], list[DocumentAttributeVersion]] = {}
    for row in DocumentAttributeVersion.page(pk, sk=prefix, newest_first=True, limit=_MOST).rows:
        changes.setdefault((str(row.key_), row.SK.split("#")[2]), []).append(row)
    return [
        EarlierValues(ATTRIBUTE, key, at, {key: [format_value(row.value) for row in sorted(rows, key=_place)]})
        for (key, at), rows in changes.items()
    ]


def restore_earlier(site: str, document_id: str, kind: str, key: str, at: str, *, by: Actor) -> None:
    """Put back what a change replaced; what is there now becomes an earlier value itself.

    Raises:
        NotFound: there is no such change, document or attribute.
        Refused: a value is not taken any more.

    """
    document = get_document(site, document_id)
    wanted = (one for one in list_earlier(site, document_id) if (one.kind, one.key, one.at) == (kind, key, at))
    earlier = next(wanted, None)
    if earlier is None:
        raise NotFound("These values are no longer listed. Reload to see what can be restored.")
    change_document(site, document_id, _changes(document, earlier), by=by)


def _changes(document: Document, earlier: EarlierValues) -> DocumentChanges:
    if earlier.kind == ATTRIBUTE:
        return DocumentChanges(attributes=dict(earlier.values))
    gone: dict[str, str | None] = dict.fromkeys(metadata_of(document).keys() - earlier.values.keys())
    return DocumentChanges(metadata=gone | {name: values[0] for name, values in earlier.values.items()})


def _place(row: DocumentAttributeVersion) -> int:
    return int(row.index or 0)

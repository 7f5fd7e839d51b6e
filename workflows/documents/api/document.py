"""The API of a document itself: its tags, attributes, metadata and type, now and before earlier changes; deletion."""

from typing import Any

from ninja import Field, Router, Schema, Status

from config.errors import NotFound, Refused
from config.table import InvalidKey
from projects.documents import queries as document_queries
from projects.documents.actions.changes import DocumentChanges, change_document
from projects.documents.actions.classification import classify_document
from projects.documents.actions.properties import metadata_of
from projects.documents.earlier_values import list_earlier, restore_earlier
from projects.documents.items import Document
from projects.documents.page import attributes_of, mask_attribute, refer, tags_of
from projects.documents.queries import DocumentRows
from projects.documents.states import word_of
from projects.personal.access import fields_hidden_from
from projects.queues import visibility
from projects.schemas import queries as schema_queries
from projects.sites import access
from projects.web.api import (
    FAILURES,
    IF_MATCH,
    OUTDATED,
    REFUSALS,
    ApiRequest,
    Body,
    etag_of,
    read_if_match,
    with_etag,
    with_example,
)
from workflows.documents.actions import removals
from workflows.documents.api.files import CheckoutShape, shape_checkout

router = Router()


class TagShape(Schema):
    """A tag without a value has one empty text."""

    name: str
    values: list[str]


class ReferenceShape(Schema):
    """The entity that a value refers to, merges followed; ``name``: null if it was deleted."""

    type_id: str
    entity_id: str
    name: str | None


class AttributeShape(Schema):
    """``kind``: the type of its definition. ``masked``: may hold personal data that the key may not see.

    ``entities``: what the values of an attribute of kind ``entity`` refer to, in their order.
    """

    name: str
    label: str
    kind: str
    values: list[str]
    entities: list[ReferenceShape]
    masked: bool


class DocumentDetail(Schema):
    """``status``: running, in_review, published, rejected, expired, failed, partial, cancelled or unpacked.

    ``file_size``: bytes. ``sha256``: of the current file, hexadecimal. ``hold``: the reason for the legal hold.
    ``checkout``: who has it checked out, and until when; null if it is not, or the hours have passed.
    ``document_type``: ID of its classification. ``parent_id``: the email or archive that it was extracted from.
    ``path``: its folder and name; after a folder above is moved, it is updated in a moment.
    """

    id: str
    name: str
    path: str
    project_id: str
    status: str | None
    file_type: str
    file_size: int
    sha256: str | None
    document_type: str | None
    parent_id: str | None
    hold: str | None
    checkout: CheckoutShape | None
    tags: list[TagShape]
    attributes: list[AttributeShape]
    metadata: dict[str, str]
    uploaded_by: str
    created_at: str
    updated_at: str


class DocumentPatch(Body):
    """Name → values; null removes an entry; omitted names stay. A tag may have an empty value.

    A value of an attribute of kind ``entity``: the ID, tax ID, IBAN or exact name of an entity of its type.
    """

    model_config = with_example(tags={"paid": [""], "year": ["2026"]}, metadata={"box": "17"})

    tags: dict[str, list[str] | None] = Field(default_factory=dict)
    attributes: dict[str, list[str] | None] = Field(default_factory=dict)
    metadata: dict[str, str | None] = Field(default_factory=dict)


@router.get(
    "/documents/{document_id}",
    response={200: DocumentDetail, **FAILURES},
    operation_id="show_document",
    summary="Get a document",
)
def show_document(request: ApiRequest, document_id: str) -> Any:
    """Runs and results have endpoints of their own. Returns an ETag. Requires READ."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    return _answer_document(request, document_queries.document_rows(request.site, document_id))


@router.patch(
    "/documents/{document_id}",
    response={200: DocumentDetail, **OUTDATED},
    operation_id="change_document",
    summary="Change tags, attributes and metadata",
    openapi_extra={"parameters": [IF_MATCH]},
)
def change_properties(request: ApiRequest, document_id: str, wish: DocumentPatch) -> Any:
    """All changes are applied, or none. Send the ETag as `If-Match` to detect concurrent changes.

    Requires READ and WRITE.
    """
    access.check_can_view(request)
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    rows = document_queries.document_rows(request.site, document_id)
    revision = read_if_match(request, _etag(rows.document), int(rows.document.revision))
    changes = DocumentChanges(wish.tags, wish.attributes, wish.metadata)
    try:
        change_document(request.site, document_id, changes, by=request.auth.actor, revision=revision)
    except (NotFound, InvalidKey) as error:  # the document itself exists
        raise Refused(f"{error} Nothing was changed.") from error
    return _answer_document(request, document_queries.document_rows(request.site, document_id))


@router.delete(
    "/documents/{document_id}",
    response={204: None, **REFUSALS},
    operation_id="delete_document",
    summary="Delete a document",
)
def delete_document(request: ApiRequest, document_id: str) -> Status[None]:
    """Remove it from all lists; it can be restored or purged. 422 while a run is in progress. Requires DELETE."""
    access.check_can_delete(request)
    visibility.check_document(request, document_id)
    removals.delete_document(request.site, document_id, by=request.auth.actor)
    return Status(204, None)


class DocumentTypeWish(Body):
    """``document_type``: ID of a document type; null for none."""

    model_config = with_example(document_type=None)

    document_type: str | None = None


@router.put(
    "/documents/{document_id}/type",
    response={200: DocumentDetail, **REFUSALS},
    operation_id="set_document_type",
    summary="Set the document type",
)
def set_document_type(request: ApiRequest, document_id: str, wish: DocumentTypeWish) -> Any:
    """Does not change the results of its runs. Requires READ and WRITE."""
    access.check_can_view(request)
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    document_queries.get_document(request.site, document_id)
    try:
        classify_document(request.site, document_id, wish.document_type or "", by=request.auth.actor)
    except (NotFound, InvalidKey) as error:  # the document itself exists
        raise Refused(f"{error} Nothing was changed.", field="document_type") from error
    return _answer_document(request, document_queries.document_rows(request.site, document_id))


class EarlierShape(Schema):
    """The values that one change replaced.

    ``kind``: metadata or attribute; ``key``: of an attribute; ``until``: the change.
    """

    kind: str
    key: str
    until: str
    values: dict[str, list[str]]


class EarlierList(Schema):
    items: list[EarlierShape]


class EarlierWish(Body):
    """Values as returned by list_earlier_values."""

    model_config = with_example(kind="metadata", until="2026-11-21T12:00:00Z")

    kind: str = Field(max_length=20)
    key: str = Field("", max_length=200)
    until: str = Field(max_length=40)


@router.get(
    "/documents/{document_id}/earlier-values",
    response={200: EarlierList, **FAILURES},
    operation_id="list_earlier_values",
    summary="List earlier metadata and attributes",
)
def list_earlier_values(request: ApiRequest, document_id: str) -> EarlierList:
    """The latest hundred changes of each, newest first. Requires READ, and PERSONAL for personal fields."""
    document = _document_with_values(request, document_id)
    found = list_earlier(request.site, document.document_id)
    items = [
        EarlierShape(kind=one.kind, key=one.key, until=one.at, values={name: list(v) for name, v in one.values.items()})
        for one in found
    ]
    return EarlierList(items=items)


@router.post(
    "/documents/{document_id}/earlier-values/restore",
    response={200: DocumentDetail, **REFUSALS},
    operation_id="restore_earlier_values",
    summary="Restore earlier metadata or attributes",
)
def restore_earlier_values(request: ApiRequest, document_id: str, wish: EarlierWish) -> Any:
    """The current values become earlier values. Requires READ and WRITE."""
    access.check_can_upload(request)
    document = _document_with_values(request, document_id)
    restore_earlier(request.site, document.document_id, wish.kind, wish.key, wish.until, by=request.auth.actor)
    return _answer_document(request, document_queries.document_rows(request.site, document_id))


def _document_with_values(request: ApiRequest, document_id: str) -> Document:
    """Raises: NotAllowed if any of its values is personal and the key may not see it."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    document = document_queries.get_document(request.site, document_id)
    if fields_hidden_from(request, document.project_id):
        access.check_can_see_personal(request)
    return document


def _etag(document: Document) -> str:
    return etag_of(document.document_id, int(document.revision), document.status)


def _answer_document(request: ApiRequest, rows: DocumentRows) -> Any:
    document = rows.document
    definitions = schema_queries.attribute_definitions(request.site)
    given = attributes_of(rows.attributes, definitions, referred=refer(request.site, rows.attributes))
    hidden = bool(fields_hidden_from(request, document.project_id))
    shape = DocumentDetail(
        id=document.document_id,
        name=document.name,
        path=document.path,
        project_id=document.project_id,
        status=word_of(document.status) if document.status else None,
        file_type=document.file_type,
        file_size=int(document.file_size),
        sha256=document.checksum,
        document_type=document.classification_id,
        parent_id=document.belongsToDocumentId,
        hold=document.hold_reason,
        checkout=shape_checkout(document) if document.is_locked else None,
        tags=[TagShape(name=one.key, values=list(one.values)) for one in tags_of(rows.tags)],
        attributes=[
            AttributeShape(
                name=one.key,
                label=one.label,
                kind=one.kind,
                values=list(one.values),
                entities=[
                    ReferenceShape(type_id=to.type_id, entity_id=to.entity_id, name=to.name or None)
                    for to in one.entities
                ],
                masked=hidden,
            )
            for one in (map(mask_attribute, given) if hidden else given)
        ],
        metadata=metadata_of(document),
        uploaded_by=document.user_name,
        created_at=document.created_at,
        updated_at=document.lastModifiedDate,
    )
    return with_etag(request, shape, _etag(document))

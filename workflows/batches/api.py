"""The API of batches: create one from a list of keys or a manifest in the bucket, follow it, retry and cancel it."""

import functools
import io
import json
from collections.abc import Callable
from typing import Any

from django.conf import settings
from ninja import Field, Router, Schema, Status
from pydantic import ConfigDict
from ulid import ULID

from config import clock
from config.errors import Refused
from projects.queues import visibility
from projects.sites import access
from projects.web.api import FAILURES, KEY_LENGTH, REFUSALS, ApiRequest, Body, Problem, idempotency_key, with_example
from workflows.batches import actions, orders, queries, reading
from workflows.batches.items import Batch
from workflows.batches.reading import DEFAULT_PERCENT, DEFAULT_SLOTS, BatchRequest
from workflows.storage import files

router = Router(tags=["batches"])


class EntryShape(Body):
    """``project``: name or ID; default: the batch's project."""

    key: str
    project: str = ""
    name: str = ""


class BatchWish(Body):
    """Either ``manifest``, the key of a manifest in the bucket, or ``documents``.

    ``slots``: concurrency limit. ``tolerated_percent``: stop starting lines once more than this share has failed.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"project_id": "proj_V1StGXR8Z5jdHi6B-myT2", "documents": [{"key": "bulk/default/may/1.pdf"}]}
            ],
            "oneOf": [
                {"required": ["manifest"], "properties": {"manifest": {"minLength": 1}, "documents": {"maxItems": 0}}},
                {"required": ["documents"], "properties": {"documents": {"minItems": 1}, "manifest": {"maxLength": 0}}},
            ],
        }
    )
    project_id: str
    manifest: str = ""
    documents: list[EntryShape] = Field(default_factory=list)
    name: str = Field("", max_length=200)
    slots: int = Field(DEFAULT_SLOTS, ge=1, le=settings.BATCH_MOST_SLOTS)
    tolerated_percent: int = Field(DEFAULT_PERCENT, ge=0, le=100)


class SlotsWish(Body):
    model_config = with_example(slots=10)

    slots: int = Field(ge=1, le=settings.BATCH_MOST_SLOTS)


class BatchShape(Schema):
    """``status``: reading, checking, running, finished, stopped, cancelled, refused. Counts are manifest lines.

    ``waiting``: awaiting review, which the batch does not wait for; ``wrong``: invalid manifest lines.
    ``skipped``: files that were not extracted from mails and archives; ``skipped_kinds``: their extensions.
    """

    id: str
    name: str
    project_id: str
    status: str
    message: str | None
    attempt: int
    slots: int
    total: int
    under_way: int
    published: int
    waiting: int
    rejected: int
    unpacked: int
    skipped: int
    skipped_kinds: list[str]
    failed: int
    wrong: int
    created_at: str
    updated_at: str


class BatchList(Schema):
    items: list[BatchShape]
    next: str | None


class LineShape(Schema):
    line: int
    key: str | None
    reason: str
    can_be_tried_again: bool
    document_id: str | None


class LineList(Schema):
    items: list[LineShape]
    next: str | None


@router.post(
    "",
    response={201: BatchShape, 422: Problem, **FAILURES},
    operation_id="create_batch",
    summary="Create a batch",
    openapi_extra={
        "parameters": [
            {
                "name": "Idempotency-Key",
                "in": "header",
                "required": False,
                "schema": {"type": "string", "minLength": 1, "maxLength": KEY_LENGTH},
                "description": "Repeating a request with the same key and content returns the same batch; the same key "
                "with another project, manifest, name or limit returns 422.",
            }
        ]
    },
)
def create_batch(request: ApiRequest, wish: BatchWish) -> Any:
    """Processes files in the bucket under `bulk/<site>/`. Requires WRITE."""
    project = access.project_to_upload(request, wish.project_id)
    if bool(wish.manifest) == bool(wish.documents):
        raise Refused("Send either documents or manifest. No batch was created.")
    sent = None
    if wish.documents:
        sent = io.BytesIO(json.dumps([one.dict() for one in wish.documents]).encode())
    made = reading.make_batch(
        request.site,
        project,
        BatchRequest(_batch_id(request), wish.name, wish.manifest, wish.slots, wish.tolerated_percent),
        sent,
        file_name="documents.json" if sent else "",
        by=request.auth.actor,
    )
    return Status(201, _shape(made))


def _batch_id(request: ApiRequest) -> str:
    """Return a new id, or the one derived from the caller's idempotency key."""
    key = idempotency_key(request)
    if key is None:
        return clock.new_ulid()
    digest = files.sha256("\n".join([request.site, request.auth.actor.id, "batch", key]).encode())
    return str(ULID(bytes.fromhex(digest)[:16]))


@router.get("", response={200: BatchList, **FAILURES}, operation_id="list_batches", summary="List batches")
def list_batches(request: ApiRequest, after: str | None = None) -> BatchList:
    """Batches of all projects, newest first, with their counts. Requires READ.

    `list_batch_lines` returns which lines of one are invalid or failed.
    """
    access.check_can_view(request)
    page = queries.list_batches(request.site, cursor=after)
    return BatchList(items=[_shape(one) for one in page.rows], next=page.next)


@router.get("/{batch_id}", response={200: BatchShape, **FAILURES}, operation_id="show_batch", summary="Get a batch")
def show_batch(request: ApiRequest, batch_id: str) -> BatchShape:
    """Requires READ. Cheap enough to poll."""
    access.check_can_view(request)
    return _shape(queries.get_batch(request.site, batch_id))


@router.get(
    "/{batch_id}/lines",
    response={200: LineList, **FAILURES},
    operation_id="list_batch_lines",
    summary="List invalid and failed lines",
)
def list_lines(request: ApiRequest, batch_id: str, after: str | None = None) -> LineList:
    """In manifest order, each with its reason. Requires READ."""
    access.check_can_view(request)
    queries.get_batch(request.site, batch_id, consistent=False)
    page = queries.list_failed_lines(request.site, batch_id, cursor=after)
    shapes = [
        LineShape(
            line=int(one.number),
            key=one.s3_key,
            reason=one.message,
            can_be_tried_again=bool(one.again),
            document_id=one.document_id,
        )
        for one in visibility.filter_rows(request, page.rows, lambda line: line.document_id)
    ]
    return LineList(items=shapes, next=page.next)


@router.post(
    "/{batch_id}/retry",
    response={200: BatchShape, **REFUSALS},
    operation_id="retry_batch",
    summary="Retry failed lines",
)
def retry_batch(request: ApiRequest, batch_id: str) -> BatchShape:
    """Retries the whole manifest if the batch stopped before its first line. Requires WRITE."""
    access.check_can_upload(request)
    batch = queries.get_batch(request.site, batch_id)
    attempt = actions.retry_batch(request.site, batch, by=request.auth.actor)
    orders.order_reading(request.site, batch.id, attempt)
    return _shape(queries.get_batch(request.site, batch_id))


@router.post(
    "/{batch_id}/cancel",
    response={200: BatchShape, **REFUSALS},
    operation_id="cancel_batch",
    summary="Cancel a batch",
)
def cancel_batch(request: ApiRequest, batch_id: str) -> BatchShape:
    """Starts no more lines; current runs finish. 409 if the batch has ended. Requires WRITE."""
    return _change_batch(request, batch_id, actions.cancel_batch)


@router.post(
    "/{batch_id}/continue",
    response={200: BatchShape, **REFUSALS},
    operation_id="continue_batch",
    summary="Continue a batch",
)
def continue_batch(request: ApiRequest, batch_id: str) -> BatchShape:
    """Starts the remaining lines of a cancelled or stopped batch; failures no longer stop it. Requires WRITE."""
    return _change_batch(request, batch_id, actions.go_on)


@router.put(
    "/{batch_id}/slots",
    response={200: BatchShape, **REFUSALS},
    operation_id="change_batch_slots",
    summary="Set the concurrency limit",
)
def change_batch_slots(request: ApiRequest, batch_id: str, wish: SlotsWish) -> BatchShape:
    """Takes effect immediately; site and project limits also apply. Requires WRITE."""
    return _change_batch(request, batch_id, functools.partial(actions.change_slots, slots=wish.slots))


def _change_batch(request: ApiRequest, batch_id: str, act: Callable[..., None]) -> BatchShape:
    access.check_can_upload(request)
    act(request.site, queries.get_batch(request.site, batch_id), by=request.auth.actor)
    orders.order_drive(request.site, batch_id)
    return _shape(queries.get_batch(request.site, batch_id))


def _shape(batch: Batch) -> BatchShape:
    names = ("attempt", "slots", "total", "published", "waiting", "rejected", "unpacked", "skipped", "failed")
    return BatchShape(
        id=batch.id,
        name=str(batch.name),
        project_id=batch.project_id,
        status=batch.status,
        message=batch.message,
        under_way=len(batch.at_work),
        wrong=int(batch.bad),
        skipped_kinds=sorted(batch.skipped_kinds or ()),
        created_at=batch.created_at,
        updated_at=batch.updated_at,
        **{name: int(getattr(batch, name)) for name in names},
    )

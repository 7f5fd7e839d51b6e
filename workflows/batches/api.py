"""The API of batches: make one of a list of keys or of a manifest in the bucket, and follow it."""

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
from projects.queues import admission
from projects.sites import access
from projects.web.api import FAILURES, KEY_LENGTH, ApiRequest, Body, Problem, idempotency_key
from workflows.batches import making, orders, queries
from workflows.batches.actions import batches
from workflows.batches.items import Batch
from workflows.batches.making import DEFAULT_PERCENT, DEFAULT_SLOTS, Wish
from workflows.storage import files

router = Router(tags=["batches"])


class EntryShape(Body):
    """``project``: a name or an id, the batch's own where it is left out."""

    key: str
    project: str = ""
    name: str = ""


class BatchWish(Body):
    """Either ``manifest``, the key of one in the bucket, or ``documents``.

    ``tolerated_percent``: once more of the lines have failed, nothing more is started.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {"required": ["manifest"], "properties": {"manifest": {"minLength": 1}, "documents": {"maxItems": 0}}},
                {"required": ["documents"], "properties": {"documents": {"minItems": 1}, "manifest": {"maxLength": 0}}},
            ]
        }
    )
    project_id: str
    manifest: str = ""
    documents: list[EntryShape] = Field(default_factory=list)
    name: str = Field("", max_length=200)
    slots: int = Field(DEFAULT_SLOTS, ge=1, le=settings.BATCH_MOST_SLOTS)
    tolerated_percent: int = Field(DEFAULT_PERCENT, ge=0, le=100)


class SlotsWish(Body):
    slots: int = Field(ge=1, le=settings.BATCH_MOST_SLOTS)


class BatchShape(Schema):
    """``status``: reading, checking, running, finished, stopped, cancelled, refused. The numbers are lines.

    ``waiting``: handed to a person, whose decision the batch does not wait for; ``wrong``: in the manifest itself.
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
    failed: int
    wrong: int
    created_at: str
    updated_at: str


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
    summary="Make a batch of files in the bucket",
    openapi_extra={
        "parameters": [
            {
                "name": "Idempotency-Key",
                "in": "header",
                "required": False,
                "schema": {"type": "string", "minLength": 1, "maxLength": KEY_LENGTH},
                "description": "The same key and content are the same batch, however often they are sent; the same "
                "key with another project, manifest, name or limit is refused with 422.",
            }
        ]
    },
)
def create_batch(request: ApiRequest, wish: BatchWish) -> Any:
    """Files lie under `bulk/<site>/`. Needs WRITE."""
    project = access.project_to_upload(request, wish.project_id)
    if bool(wish.manifest) == bool(wish.documents):
        raise Refused("Send documents, or name a manifest in the bucket; one of the two.")
    sent = None
    if wish.documents:
        sent = io.BytesIO(json.dumps([one.dict() for one in wish.documents]).encode())
    made = making.make(
        request.site,
        project,
        Wish(_batch_id(request), wish.name, wish.manifest, wish.slots, wish.tolerated_percent),
        sent,
        file_name="documents.json" if sent else "",
        by=request.auth.actor,
    )
    return Status(201, _shape(made))


def _batch_id(request: ApiRequest) -> str:
    """A new id, or the one that this program's own key for the batch stands for."""
    key = idempotency_key(request)
    if key is None:
        return clock.new_ulid()
    digest = files.sha256("\n".join([request.site, request.auth.actor.id, "batch", key]).encode())
    return str(ULID(bytes.fromhex(digest)[:16]))


@router.get(
    "/{batch_id}", response={200: BatchShape, **FAILURES}, operation_id="show_batch", summary="How far a batch is"
)
def show_batch(request: ApiRequest, batch_id: str) -> BatchShape:
    """Needs READ. One cheap read."""
    access.check_can_view(request)
    return _shape(queries.batch(request.site, batch_id))


@router.get(
    "/{batch_id}/lines",
    response={200: LineList, **FAILURES},
    operation_id="list_batch_lines",
    summary="The lines of a batch that are wrong or failed",
)
def list_lines(request: ApiRequest, batch_id: str, after: str | None = None) -> LineList:
    """As the manifest has them, each with its reason. Needs READ."""
    access.check_can_view(request)
    queries.batch(request.site, batch_id, consistent=False)
    page = queries.lines(request.site, batch_id, cursor=after)
    shapes = [
        LineShape(
            line=int(one.number),
            key=one.s3_key,
            reason=one.message,
            can_be_tried_again=bool(one.again),
            document_id=one.document_id,
        )
        for one in admission.shown(request, page.rows, lambda line: line.document_id)
    ]
    return LineList(items=shapes, next=page.next)


@router.post(
    "/{batch_id}/retry",
    response={200: BatchShape, 409: Problem, 422: Problem, **FAILURES},
    operation_id="retry_batch",
    summary="Try the failed lines of a batch again",
)
def retry_batch(request: ApiRequest, batch_id: str) -> BatchShape:
    """Of one that an error stopped before its first line, the whole manifest. Needs WRITE."""
    access.check_can_upload(request)
    batch = queries.batch(request.site, batch_id)
    attempt = batches.retry(request.site, batch, by=request.auth.actor)
    orders.read(request.site, batch.id, attempt)
    return _shape(queries.batch(request.site, batch_id))


@router.post(
    "/{batch_id}/cancel",
    response={200: BatchShape, 409: Problem, **FAILURES},
    operation_id="cancel_batch",
    summary="Start no more lines of a batch",
)
def cancel_batch(request: ApiRequest, batch_id: str) -> BatchShape:
    """Runs under way go on to their ends. 409 where it has ended. Needs WRITE."""
    return _done(request, batch_id, batches.cancel)


@router.post(
    "/{batch_id}/continue",
    response={200: BatchShape, 409: Problem, 422: Problem, **FAILURES},
    operation_id="continue_batch",
    summary="Begin the lines that a halted batch never began",
)
def continue_batch(request: ApiRequest, batch_id: str) -> BatchShape:
    """Of one that was cancelled, or stopped over failures, which stop it no more. Needs WRITE."""
    return _done(request, batch_id, batches.go_on)


@router.put(
    "/{batch_id}/slots",
    response={200: BatchShape, 409: Problem, 422: Problem, **FAILURES},
    operation_id="change_batch_slots",
    summary="How many lines of a batch are under way at a time",
)
def change_batch_slots(request: ApiRequest, batch_id: str, wish: SlotsWish) -> BatchShape:
    """Holds at once; the site and the project may have fewer. Needs WRITE."""
    return _done(request, batch_id, functools.partial(batches.change_slots, slots=wish.slots))


def _done(request: ApiRequest, batch_id: str, act: Callable[..., None]) -> BatchShape:
    access.check_can_upload(request)
    act(request.site, queries.batch(request.site, batch_id), by=request.auth.actor)
    orders.look(request.site, batch_id)
    return _shape(queries.batch(request.site, batch_id))


def _shape(batch: Batch) -> BatchShape:
    names = ("attempt", "slots", "total", "published", "waiting", "rejected", "unpacked", "failed")
    return BatchShape(
        id=batch.id,
        name=str(batch.name),
        project_id=batch.project_id,
        status=batch.status,
        message=batch.message,
        under_way=len(batch.at_work),
        wrong=int(batch.bad),
        created_at=batch.created_at,
        updated_at=batch.updated_at,
        **{name: int(getattr(batch, name)) for name in names},
    )

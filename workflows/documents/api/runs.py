"""The API of a document's runs after the first: again from a stage, with other settings; another result; import."""

from typing import Any

from ninja import Field, Router, Schema, Status

from config.errors import Refused
from projects.documents import queries as document_queries
from projects.queues import visibility
from projects.settings.values import ANALYZERS, SUMMARIZERS
from projects.sites import access
from projects.web.api import (
    FAILURES,
    REFUSALS,
    ApiRequest,
    Body,
    with_example,
)
from workflows.documents import reanalysis
from workflows.documents.actions import imports, reruns
from workflows.documents.reanalysis import MOST_LETTERS, AnalysisRequest
from workflows.documents.tasks import order_import
from workflows.publish.tasks import enqueue_follow_up
from workflows.runs import queries, run_settings
from workflows.runs.items import Run
from workflows.runs.views.pages import run_of

router = Router()


class OcrShape(Schema):
    """``status``: requested, successful, skipped or failed. ``engine``: null if no page was read."""

    status: str
    engine: str | None
    run_id: str
    at: str


@router.get(
    "/documents/{document_id}/ocr",
    response={200: OcrShape, **FAILURES},
    operation_id="show_ocr",
    summary="Get the OCR status",
)
def show_ocr(request: ApiRequest, document_id: str) -> OcrShape:
    """Of the latest run with OCR. Requires READ."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    document_queries.get_document(request.site, document_id)
    found = queries.get_ocr(request.site, document_id)
    return OcrShape(status=found.ocrStatus, engine=found.ocrEngine, run_id=found.jobId, at=found.inserteddate)


class StageWish(Body):
    """``step``: a stage that the run reached, as listed by ``show_run``."""

    model_config = with_example(step="segment_analyzer")

    step: str


class AnalysisWish(Body):
    """Omitted: as in the earlier run. ``fields``: project, or the ID of a classification. ``threshold``: 0–1.

    ``model``: an ID in the catalogue. ``instruction`` is for models and refused with rules; empty: none.
    """

    model_config = with_example(threshold=0.9)

    instruction: str | None = Field(None, max_length=MOST_LETTERS)
    analyzer: str = Field("", json_schema_extra={"enum": ["", *ANALYZERS]})
    summarizer: str = Field("", json_schema_extra={"enum": ["", *SUMMARIZERS]})
    model: str = ""
    fields: str = ""
    threshold: float | None = Field(None, ge=0, le=1)


class BegunShape(Schema):
    """``run_id``: the new run, or the given run if it continues."""

    document_id: str
    run_id: str


@router.post(
    "/documents/{document_id}/runs/{run_id}/again",
    response={201: BegunShape, **REFUSALS},
    operation_id="run_again",
    summary="Re-run from a stage",
)
def run_again(request: ApiRequest, document_id: str, run_id: str, wish: StageWish) -> Any:
    """Earlier stages are kept. A published or decided result stays; a new run starts. Requires READ and WRITE.

    A run of another system restarts from `segment_prep`; its document is imported first.
    """
    access.check_can_upload(request)
    board, foreign = run_of(request, document_id, run_id)
    run = Run(request.site, str(board.project_id), document_id, run_id)
    if foreign is not None:
        imports.open_run(run, wish.step, by=request.auth.actor)
    went = reruns.run_again(run, wish.step, by=request.auth.actor)
    return Status(201, BegunShape(document_id=document_id, run_id=went.workflow_id))


@router.post(
    "/projects/{project_id}/documents/import",
    response={202: None, **FAILURES},
    operation_id="import_documents",
    summary="Import documents of another system",
)
def import_documents(request: ApiRequest, project_id: str) -> Status[None]:
    """Turns documents that a seed-000 system has finished into full documents. Requires READ and WRITE."""
    access.project_to_view(request, project_id)
    access.check_can_upload(request)
    order_import(request.site, project_id, by=request.auth.actor)
    return Status(202, None)


@router.post(
    "/documents/{document_id}/runs/{run_id}/analysis",
    response={201: BegunShape, **REFUSALS},
    operation_id="analyse_again",
    summary="Re-run analysis with other options",
)
def analyse_again(request: ApiRequest, document_id: str, run_id: str, wish: AnalysisWish) -> Any:
    """OCR is not repeated; the new run does not replace the existing result. Requires READ and WRITE.

    A reviewed result stays active until the new run is reviewed or its result is selected.
    """
    access.check_can_upload(request)
    run = _run(request, document_id, run_id)
    before = run_settings.from_json(queries.document_workflow(run.site, document_id, run_id).settings)
    pinned = reanalysis.merge_wish(run.site, run.project_id, before, AnalysisRequest(**wish.dict()))
    went = reruns.analyse_again(run, pinned, by=request.auth.actor)
    return Status(201, BegunShape(document_id=document_id, run_id=went.workflow_id))


@router.post(
    "/documents/{document_id}/runs/{run_id}/choose",
    response={200: BegunShape, **REFUSALS},
    operation_id="choose_result",
    summary="Use a published result",
)
def choose_result(request: ApiRequest, document_id: str, run_id: str) -> BegunShape:
    """Does not publish again. Requires READ and WRITE; replacing a reviewed result also requires REVIEW."""
    access.check_can_upload(request)
    run = _run(request, document_id, run_id)
    if reruns.choose_result(run, by=request.auth.actor, reviews=access.can_review(request)):
        enqueue_follow_up(run)
    return BegunShape(document_id=document_id, run_id=run_id)


def _run(request: ApiRequest, document_id: str, run_id: str) -> Run:
    """Raises: NotFound; Refused for a run of an earlier system."""
    board, earlier = run_of(request, document_id, run_id)
    if earlier is not None:
        raise Refused("Another system made this run. Nothing was changed; re-run it from segment_prep.")
    return Run(request.site, str(board.project_id), document_id, run_id)

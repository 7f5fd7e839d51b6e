"""The API of documents that have run: delete, run again from a stage, analyse otherwise, let a result count."""

from typing import Any

from ninja import Field, Router, Schema, Status

from config.errors import Refused
from projects.queues import admission
from projects.settings.values import ANALYZERS, SUMMARIZERS
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest, Body, Problem
from workflows.documents import reanalysis
from workflows.documents.actions import removals, reruns
from workflows.documents.reanalysis import MOST_LETTERS, AnalysisRequest
from workflows.publish.tasks import enqueue_follow_up
from workflows.runs import queries, run_settings
from workflows.runs.items import Run
from workflows.runs.views.pages import run_of

router = Router(tags=["documents"])
_REFUSALS: Any = {409: Problem, 422: Problem, **FAILURES}


@router.delete(
    "/documents/{document_id}",
    response={204: None, 409: Problem, 422: Problem, **FAILURES},
    operation_id="delete_document",
    summary="Delete a document",
)
def delete_document(request: ApiRequest, document_id: str) -> Status[None]:
    """Remove it from all lists; users can restore or purge it. 422 while a run is in progress. Requires DELETE."""
    access.check_can_delete(request)
    admission.check_document(request, document_id)
    removals.delete_document(request.site, document_id, by=request.auth.actor)
    return Status(204, None)


class StageWish(Body):
    """``step``: name of a stage that the run reached, as listed by ``show_run``."""

    step: str


class AnalysisWish(Body):
    """Left out: as the run before had it. ``fields``: project, or the id of a classification. ``threshold``: 0–1.

    ``model``: an id in the catalogue. ``instruction`` is for models; with rules it is refused. Empty: without the one
    of the run before.
    """

    instruction: str | None = Field(None, max_length=MOST_LETTERS)
    analyzer: str = Field("", json_schema_extra={"enum": ["", *ANALYZERS]})
    summarizer: str = Field("", json_schema_extra={"enum": ["", *SUMMARIZERS]})
    model: str = ""
    fields: str = ""
    threshold: float | None = Field(None, ge=0, le=1)


class BegunShape(Schema):
    """``run_id``: the new run, or the given run if that one continues."""

    document_id: str
    run_id: str


@router.post(
    "/documents/{document_id}/runs/{run_id}/again",
    response={201: BegunShape, **_REFUSALS},
    operation_id="run_again",
    summary="Re-run from a stage",
)
def run_again(request: ApiRequest, document_id: str, run_id: str, wish: StageWish) -> Any:
    """Earlier stages are kept. A published or decided result stays; a new run starts. Requires READ and WRITE."""
    access.check_can_upload(request)
    went = reruns.run_again(_run(request, document_id, run_id), wish.step, by=request.auth.actor)
    return Status(201, BegunShape(document_id=document_id, run_id=went.workflow_id))


@router.post(
    "/documents/{document_id}/runs/{run_id}/analysis",
    response={201: BegunShape, **_REFUSALS},
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
    response={200: BegunShape, **_REFUSALS},
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
    """Raises: NotFound; Refused, of a run that an earlier system drives."""
    board, earlier = run_of(request, document_id, run_id)
    if earlier is not None:
        raise Refused("This run belongs to an earlier system. Nothing was changed; re-run it there.")
    return Run(request.site, str(board.project_id), document_id, run_id)

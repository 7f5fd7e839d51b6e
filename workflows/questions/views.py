"""Views that ask, repeat and delete questions about a page, and poll for answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from config.errors import Conflict, NotFound, Refused
from projects.audit.events import actor_of
from projects.sites import access
from projects.web.http import DeskRequest, read_number, redirect_after_post, render_answer, wants_fragment
from workflows.questions import actions as question_actions
from workflows.questions import queries, tasks
from workflows.questions.queries import QuestionRef
from workflows.runs import run_files
from workflows.runs.items import QuestionStatus, Run
from workflows.runs.queries import document_of
from workflows.runs.views.pages import read_json, run_of
from workflows.stages.usage import LOCAL
from workflows.storage import files

_MARGIN = 24  # page units around a crop


@dataclass(frozen=True)
class QuestionEntry:
    """A question as the page shows it; ``crop``: the viewBox around its answer's passage, or empty."""

    number: int
    generation: int
    question: str
    answer: str
    waits: bool
    error: str
    passage: str
    crop: str
    confidence: float | None
    source: str  # the model that answered; empty for a quotation
    by: str
    at: str


def list_asked(run: Run, segment: Mapping[str, Any], index: int) -> Sequence[QuestionEntry]:
    """List the questions of a page that are not deleted, oldest first."""
    return [_asked_entry(one, segment) for one in queries.of_page(run, index) if one.status != QuestionStatus.DELETED]


def _asked_entry(one: Any, segment: Mapping[str, Any]) -> QuestionEntry:
    found = one.found.as_dict() if one.found is not None else {}
    return QuestionEntry(
        number=int(one.qa_index),
        generation=int(one.generation),
        question=str(one.analysis_query),
        answer=str(one.content or ""),
        waits=one.status == QuestionStatus.ASKED,
        error=str(one.error or ""),
        passage=str(found.get("passage") or ""),
        crop=_crop(found.get("box"), segment),
        confidence=found.get("confidence"),
        source="" if one.source in (None, LOCAL) else str(one.source),
        by=str(one.asked_by or ""),
        at=str(one.answered_at or one.asked_at),
    )


def _crop(box: Sequence[float] | None, segment: Mapping[str, Any]) -> str:
    width, height = float(segment.get("width") or 0), float(segment.get("height") or 0)
    if not box or not width or not height:
        return ""
    x, y = float(box[0]) * width - _MARGIN, float(box[1]) * height - _MARGIN
    across, down = (float(box[2]) - float(box[0])) * width, (float(box[3]) - float(box[1])) * height
    return f"{x:.1f} {y:.1f} {across + 2 * _MARGIN:.1f} {down + 2 * _MARGIN:.1f}"


@require_safe
def show_questions(request: DeskRequest, document_id: str, workflow_id: str, index: int) -> HttpResponse:
    access.check_can_view(request)
    run = run_to_ask(request, document_id, workflow_id)
    return render_answer(
        request,
        "workflows/questions/questions.html",
        "workflows/questions/_questions.html",
        {**_context(run, index), "keeps": True},
    )


@require_POST
def ask_question(request: DeskRequest, document_id: str, workflow_id: str, index: int) -> HttpResponse:
    access.check_can_upload(request)
    run = run_to_ask(request, document_id, workflow_id)
    read_segment(run, index)
    text = request.POST.get("question", "")
    try:
        ref = question_actions.ask_question(run, index, text, by=actor_of(request.user))
    except Refused as error:
        context = {**_context(run, index), "typed": text, "error": str(error)}
        return render_answer(
            request, "workflows/questions/questions.html", "workflows/questions/_questions.html", context, status=422
        )
    tasks.order_answer(ref, 1)
    return _after(request, run, index)


@require_POST
def ask_question_again(
    request: DeskRequest, document_id: str, workflow_id: str, index: int, number: int
) -> HttpResponse:
    access.check_can_upload(request)
    run = run_to_ask(request, document_id, workflow_id)
    ref, shown = QuestionRef(run, index, number), read_number(request.POST.get("generation"), otherwise=-1)
    if shown < 0:
        raise Refused(gettext("Not asked: the form is incomplete. Reload the page."))
    try:
        generation = question_actions.ask_again(ref, generation=shown, by=actor_of(request.user))
    except Conflict as error:
        queries.get_question(ref)
        raise Conflict(gettext("This question was asked again or deleted. Reload the page.")) from error
    tasks.order_answer(ref, generation)
    return _after(request, run, index, keeps=True)


@require_POST
def delete_question(request: DeskRequest, document_id: str, workflow_id: str, index: int, number: int) -> HttpResponse:
    access.check_can_upload(request)
    run = run_to_ask(request, document_id, workflow_id)
    question_actions.delete_question(QuestionRef(run, index, number), by=actor_of(request.user))
    return _after(request, run, index, keeps=True)


def run_to_ask(request: DeskRequest, document_id: str, workflow_id: str) -> Run:
    """Raises: NotFound; Refused for a run of an earlier system, which stores questions differently."""
    board, earlier = run_of(request, document_id, workflow_id)
    if earlier is not None:
        raise Refused(gettext("Another system processed this page. Upload the file to a project to ask about it here."))
    return Run(request.site, str(board.project_id), document_id, workflow_id)


def _after(request: DeskRequest, run: Run, index: int, *, keeps: bool = False) -> HttpResponse:
    """``keeps``: keep what is typed as the next question."""
    if wants_fragment(request):
        context = {**_context(run, index), "keeps": keeps}
        return render_answer(
            request, "workflows/questions/questions.html", "workflows/questions/_questions.html", context
        )
    return redirect_after_post(
        request, reverse("workflows:show-questions", args=[run.document_id, run.workflow_id, index])
    )


def _context(run: Run, index: int) -> dict[str, Any]:
    """Raises: NotFound if the run has no such page."""
    segment = read_segment(run, index)
    asked = list_asked(run, segment, index)
    return {
        "run": run,
        "index": index,
        "asked": asked,
        "moving": any(one.waits for one in asked),
        "page_width": segment.get("width"),
        "page_height": segment.get("height"),
    }


def read_segment(run: Run, index: int) -> Mapping[str, Any]:
    """Raises: NotFound, also if it has not been read yet."""
    segment = read_json(run_files.files_of(run, document_of(run)), files.segment(index))
    if not segment:
        raise NotFound(gettext("Page not found, or not processed yet."))
    return segment

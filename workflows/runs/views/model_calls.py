"""What models were asked in a run and what they answered: for admins, one question a page."""

import json
from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from config.errors import NotFound
from projects.models.prices import describe_cost
from projects.prompts.purposes import PURPOSES
from projects.prompts.queries import PromptRef
from projects.settings.values import BY_MODEL
from projects.sites import access
from projects.web.http import DeskRequest, read_number, render_answer
from workflows.providers.language_models import model_calls
from workflows.questions import queries as question_queries
from workflows.questions.queries import QuestionRef
from workflows.runs import pinned_prompts, prices, queries, run_settings
from workflows.runs.run import QuestionStatus, Run
from workflows.runs.views.segments import run_of
from workflows.stages.usage import Usage

_ANSWER = "answer"
# What a model is asked about, each by itself; a document has one type, so there is nothing to choose.
_UNITS = {"extract": "Page", "summarize": "Part", _ANSWER: "Page"}


@require_safe
def show_model_calls(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    """``?purpose=``; ``?page=`` or part, and ``?question=`` about the page, both 1-based."""
    access.check_can_configure(request)
    board, _ = run_of(request, document_id, workflow_id)
    run = Run(request.site, str(board.project_id), document_id, workflow_id)
    settings = run_settings.from_json(queries.document_workflow(run.site, document_id, workflow_id).settings)
    if not run_settings.asks_models(settings):
        raise NotFound("No model was asked in this run.")
    purpose = request.GET.get("purpose") or ("extract" if settings.analyzer == BY_MODEL else "summarize")
    if purpose not in PURPOSES:
        raise NotFound("There is no such prompt.")
    unit = _UNITS.get(purpose, "")
    number = (read_number(request.GET.get("page")) or 1) if unit else 1
    question = (read_number(request.GET.get("question")) or 1) if purpose == _ANSWER else 0
    book = pinned_prompts.load_prompts(run.site, settings.prompts_sha256)
    calls = [_describe_call(one) for one in _load_calls(run, purpose, number - 1, question)]
    # The type that was found is in the calls; before any, the one that the run was given.
    scope = str(calls[0].get("scope", "")) if calls else settings.classification_id
    pinned = book.find(purpose, scope)
    context = {
        "board": board,
        "purpose": PURPOSES[purpose],
        "pinned": pinned,
        "pinned_slug": PromptRef(run.site, run.project_id, purpose, pinned.scope).slug,
        "purposes": [(one, book[name]) for name, one in PURPOSES.items()],
        "unit": unit,
        "number": number,
        "question": question,
        "calls": calls,
    }
    return render_answer(request, "workflows/runs/model_calls.html", None, context)


def _load_calls(run: Run, purpose: str, index: int, question: int) -> list[dict[str, Any]]:
    """None of a question that was deleted: its words are gone from every page."""
    if question and not _is_asked(QuestionRef(run, index, question)):
        return []
    return model_calls.load_calls(run, purpose, index, question)


def _is_asked(ref: QuestionRef) -> bool:
    try:
        return bool(question_queries.get_question(ref).status != QuestionStatus.DELETED)
    except NotFound:
        return False


def _describe_call(call: dict[str, Any]) -> dict[str, Any]:
    given = call["answer"] or ""  # nothing, if the call brought none
    words = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, indent=2)
    used = Usage(**call["usage"])
    return {**call, "words": words, "seconds": used.ms / 1000, "cost": describe_cost(prices.cost(used))}

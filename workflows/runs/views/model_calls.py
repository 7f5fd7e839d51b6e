"""What models were asked in a run and what they answered: for admins, one question a page."""

import json
from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from config.errors import NotFound
from projects.prompts.purposes import PURPOSES
from projects.queues import admission
from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from workflows.providers import model_calls
from workflows.runs import pinned_prompts, queries, run_settings
from workflows.runs.run import Run
from workflows.runs.views.segments import run_of


@require_safe
def show_model_calls(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    """``?purpose=`` and ``?page=``, 1-based."""
    access.check_can_configure(request)
    admission.check_document(request, document_id)
    board, _ = run_of(request, document_id, workflow_id)
    run = Run(request.site, str(board.project_id), document_id, workflow_id)
    settings = run_settings.from_json(queries.document_workflow(run.site, document_id, workflow_id).settings)
    if not run_settings.asks_models(settings):
        raise NotFound("No model was asked in this run.")
    purpose = request.GET.get("purpose") or "extract"
    if purpose not in PURPOSES:
        raise NotFound("There is no such prompt.")
    number = _page_number(request.GET.get("page"))
    book = pinned_prompts.load_prompts(run.site, settings.prompts_sha256)
    context = {
        "board": board,
        "purpose": PURPOSES[purpose],
        "pinned": book[purpose],
        "purposes": [(one, book[name]) for name, one in PURPOSES.items()],
        "number": number,
        "calls": [_describe_call(one) for one in model_calls.load_calls(run, purpose, number - 1)],
    }
    return render_answer(request, "workflows/runs/model_calls.html", None, context)


def _page_number(text: str | None) -> int:
    return int(text) if text and text.isdigit() and 0 < int(text[:6]) < 100_000 else 1


def _describe_call(call: dict[str, Any]) -> dict[str, Any]:
    given = call["answer"]
    words = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, indent=2)
    return {**call, "words": words, "seconds": call["usage"]["ms"] / 1000}

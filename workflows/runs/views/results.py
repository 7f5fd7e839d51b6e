"""The results of a run: its fields and tables, and for admins its model calls."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from config.errors import NotFound
from config.phrase import Phrase
from projects.audit.events import actor_of
from projects.documents.actions.activity import record_reveal
from projects.models.cost_words import describe_cost
from projects.personal.masking import mask_fields
from projects.personal.queries import get_personal_fields
from projects.prompts.prompt import PURPOSES
from projects.prompts.queries import PromptRef
from projects.schemas.labels.reading import Labels, get_labels
from projects.settings.columns import Column, read_columns
from projects.settings.values import BY_MODEL
from projects.sites import access
from projects.web.http import DeskRequest, read_number, render_answer
from projects.web.spreadsheets import WORKBOOK, csv_line, write_workbook
from workflows.providers.language_models import model_calls
from workflows.questions import queries as question_queries
from workflows.questions.queries import QuestionRef
from workflows.runs import pinned_prompts, prices, queries, run_settings
from workflows.runs.items import Execution, Outcome, QuestionStatus, Run, WorkflowSteps
from workflows.runs.seed_000 import Link
from workflows.runs.views.pages import run_of, summary_page
from workflows.stages import results
from workflows.stages.assessment.answers import Answer, describe_nothing
from workflows.stages.tables.changes import list_cells
from workflows.stages.usage import Usage
from workflows.storage import files
from workflows.storage.objects import DocumentFiles


@require_safe
def show_result(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    board, link = run_of(request, document_id, workflow_id)
    if link is not None:
        return summary_page(request, board, link)
    published = board.outcome == Outcome.PUBLISHED
    context = _load_result(request, board) | {
        "board": board,
        "published": published,
        "kept": published and queries.run_kept_instead(board),
    }
    return render_answer(request, "workflows/runs/result.html", "workflows/runs/_result.html", context)


@require_POST
def show_personal(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    """Show the fields with personal values, in this response only; the access is recorded first."""
    access.check_can_see_personal(request)
    board, link = run_of(request, document_id, workflow_id)
    if link is not None:
        raise NotFound(gettext("This run has no fields."))
    context = _load_result(request, board, shown=True)
    names = get_personal_fields(request.site, str(board.project_id)).names
    labels = [str(one["label"]) for one in context["fields"] or () if one["name"] in names]
    if labels:
        record_reveal(request.site, document_id, labels, by=actor_of(request.user))
    published = board.outcome == Outcome.PUBLISHED
    context |= {
        "board": board,
        "document_id": document_id,
        "workflow_id": workflow_id,
        "published": published,
        "kept": published and queries.run_kept_instead(board),
    }
    return render_answer(request, "workflows/runs/result.html", "workflows/runs/_fields.html", context)


@require_safe
def export_table(request: DeskRequest, document_id: str, workflow_id: str, field: str) -> HttpResponse:
    """Export the rows of a table field as CSV. Raises: NotAllowed, NotFound."""
    board, link = run_of(request, document_id, workflow_id)
    table = _load_table(request, board, link, field)
    lines = [[cell["column"] for cell in table["rows"][0]], *_list_cells(table)]
    response = HttpResponse("".join(csv_line(*line) for line in lines), content_type="text/csv")
    response["Content-Disposition"] = f'attachment; filename="{field}-{workflow_id}.csv"'
    return response


@require_safe
def export_workbook(request: DeskRequest, document_id: str, workflow_id: str, field: str) -> HttpResponse:
    """Export the rows as Excel with typed cells. Raises: NotAllowed, NotFound."""
    board, link = run_of(request, document_id, workflow_id)
    table = _load_table(request, board, link, field)
    labels = get_labels(request.site)
    own = read_columns(table["columns"])
    known = {one.name: replace(one, label=labels.name_column(field, one.name, one.label)) for one in own}
    names = [str(cell["column"]) for cell in table["rows"][0]]
    columns = [known.get(name) or Column(name, name) for name in names]
    body = write_workbook(str(table.get("title") or table["label"]), columns, _list_cells(table))
    response = HttpResponse(body, content_type=WORKBOOK)
    response["Content-Disposition"] = f'attachment; filename="{field}-{workflow_id}.xlsx"'
    return response


def _load_table(request: DeskRequest, board: WorkflowSteps, link: Link | None, name: str) -> Mapping[str, Any]:
    """Access to a personal table is recorded. Raises: NotAllowed, NotFound."""
    is_personal = name in get_personal_fields(request.site, str(board.project_id)).names
    if is_personal:
        access.check_can_see_personal(request)
    fields = () if link is not None else _load_result(request, board, shown=True)["fields"] or ()
    found: Mapping[str, Any] = next((one for one in fields if one["name"] == name), {})
    if not found.get("rows"):
        raise NotFound(gettext("This run has no such table."))
    if is_personal:
        record_reveal(request.site, str(board.document_id), [str(found["label"])], by=actor_of(request.user))
    return found


def _list_cells(table: Mapping[str, Any]) -> list[list[str]]:
    return [[cell["value"] or "" for cell in row] for row in table["rows"]]


def _name_column(cell: Mapping[str, Any]) -> str:
    return str(cell["column"]).replace("_", " ").capitalize()


def _load_result(request: DeskRequest, board: WorkflowSteps, *, shown: bool = False) -> dict[str, Any]:
    ids = str(board.project_id), str(board.document_id), str(board.workflow_id)
    published = board.outcome == Outcome.PUBLISHED
    execution = None if published else queries.execution(Run(request.site, *ids))
    return load_result(request, *ids, published=published, execution=execution, shown=shown)


def load_result(
    request: DeskRequest,
    project_id: str,
    document_id: str,
    workflow_id: str,
    *,
    published: bool,
    execution: Execution | None,
    shown: bool = False,
) -> dict[str, Any]:
    """Return what was published, else what was found with the corrections of the approvals so far.

    ``fields`` with their changes, None if nothing was read yet. ``execution``: of the run, unless it is published; one
    call more if it was decided. Personal values are masked unless they are ``shown``; ``may_show``: this person may
    request them.
    """
    run = Run(request.site, project_id, document_id, workflow_id)
    name = files.output(workflow_id) if published else files.result(workflow_id)
    found = _read_artifact(DocumentFiles(request.site, project_id, document_id), name)
    if found is not None and not published and execution is not None and execution.decision_id:
        found = _apply_decision(run, found, execution)
    names = frozenset() if shown else get_personal_fields(request.site, project_id).names
    fields = None if found is None else mask_fields(with_changes(found), names)
    labels = get_labels(request.site)
    kind: Mapping[str, Any] = (found or {}).get("classification") or {}
    type_id = str(kind.get("id") or "")
    if labels and fields is not None:
        fields = [_in_language(one, labels, type_id) for one in fields]
    return {
        "fields": fields and [_tell_tables(one) for one in fields],
        "may_show": access.can_see_personal(request) and any(one["value"] for one in fields or () if "masked" in one),
        "classification": {**kind, "name": labels.name_type(type_id, str(kind["name"]))} if kind else None,
        "type": (found or {}).get("type"),
        "written_in": (found or {}).get("language", ""),
    }


def with_changes(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the fields, each with people's changes, oldest first, who confirmed it, and whether it is unchecked."""
    decision = found.get("decision") or {}
    reviewer = str((decision.get("reviewer") or {}).get("name", ""))
    changes, unseen = decision.get("changes", ()), decision.get("unseen", ())
    return [
        {
            **one,
            "changes": [
                {**each, "nothing": describe_nothing(each.get("answer"))} for each in changes if each["field"] == name
            ],
            "confirmed_by": reviewer if one.get("answer") == Answer.CONFIRMED else "",
            "unseen": name in unseen,
            "nothing": describe_nothing(one.get("answer"))
            if "answer" in one or one.get("source") == "reviewer"
            else Phrase("not found"),
            "headings": [_name_column(cell) for cell in (one.get("rows") or [()])[0]],
        }
        for one in found["fields"]
        for name in [one["name"]]
    ]


def _tell_tables(field: Mapping[str, Any]) -> dict[str, Any]:
    """Add ``cells`` to the changes of a table, which may be masked already: what changed in it."""
    named, label = field.get("headings", ()), field.get("title") or field["label"]
    told = [
        {**one, "cells": list_cells({"what": label, "before": one["before"], "after": one["after"]}, named)}
        for one in field["changes"]
    ]
    return {**field, "changes": told}


def _apply_decision(run: Run, found: Mapping[str, Any], execution: Execution) -> Mapping[str, Any]:
    """Return the result as the next step sees it."""
    sha256 = str(execution.decision_sha256)
    name = files.decision(run.workflow_id, str(execution.decision_id), sha256)
    try:
        decision = json.loads(DocumentFiles(run.site, run.project_id, run.document_id).read_pinned(name, sha256))
    except NotFound:  # purged
        return found
    merged = results.merge_corrections(
        found, decision["corrections"], decision=decision, answers=decision.get("answers")
    )
    before = {one["name"]: one for one in found["fields"]}
    fields = [{**before.get(one["name"], {}), **one} for one in merged["fields"]]
    return {**found, **merged, "fields": fields}


def _in_language(one: Mapping[str, Any], labels: Labels, classification_id: str) -> dict[str, Any]:
    """Add ``title`` and ``shown``: field label and value in the viewer's language, beside the stored ones."""
    name, cells = str(one["name"]), (one.get("rows") or [()])[0]
    found = {**one, "title": labels.name_field(name, str(one["label"]), classification_id)}
    if cells:
        found["headings"] = [labels.name_column(name, str(cell["column"]), _name_column(cell)) for cell in cells]
    elif one.get("value") and "masked" not in one:
        found["shown"] = labels.name_value(name, str(one["value"]), "", classification_id)
    return found


def _read_artifact(documents: DocumentFiles, name: str) -> Mapping[str, Any] | None:
    """Return None if nothing was read yet."""
    try:
        stored: Mapping[str, Any] = json.loads(documents.read(name))
    except NotFound:
        return None
    return stored


_ANSWER = "answer"
# The unit of requests; a document has one type, so there is nothing to choose.
_UNITS = {"extract": Phrase("Page"), "summarize": Phrase("Part"), _ANSWER: Phrase("Page")}


@require_safe
def show_model_calls(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    """``?purpose=``; ``?page=`` or part, and ``?question=`` about the page, both 1-based."""
    access.check_can_configure(request)
    board, _ = run_of(request, document_id, workflow_id)
    run = Run(request.site, str(board.project_id), document_id, workflow_id)
    settings = run_settings.from_json(queries.document_workflow(run.site, document_id, workflow_id).settings)
    if not run_settings.asks_models(settings):
        raise NotFound(gettext("No model was asked in this run."))
    purpose = request.GET.get("purpose") or ("extract" if settings.analyzer == BY_MODEL else "summarize")
    if purpose not in PURPOSES:
        raise NotFound(gettext("There is no such prompt."))
    unit = _UNITS.get(purpose, "")
    number = (read_number(request.GET.get("page")) or 1) if unit else 1
    question = (read_number(request.GET.get("question")) or 1) if purpose == _ANSWER else 0
    book = pinned_prompts.load_prompts(run.site, settings.prompts_sha256)
    calls = [_describe_call(one) for one in _load_calls(run, purpose, number - 1, question)]
    # The calls have the type that was found; before any, use the one that the run was given.
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
    """Return nothing for a deleted question, whose text must not be shown."""
    if question and not _is_asked(QuestionRef(run, index, question)):
        return []
    return model_calls.load_calls(run, purpose, index, question)


def _is_asked(ref: QuestionRef) -> bool:
    try:
        return bool(question_queries.get_question(ref).status != QuestionStatus.DELETED)
    except NotFound:
        return False


def _describe_call(call: dict[str, Any]) -> dict[str, Any]:
    given = call["answer"] or ""  # empty, if the call returned none
    words = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, indent=2)
    used = Usage(**call["usage"])
    return {**call, "words": words, "seconds": used.ms / 1000, "cost": describe_cost(prices.cost(used))}

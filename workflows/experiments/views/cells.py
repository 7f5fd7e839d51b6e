"""The answers of an experiment: all of them, the documents on which two variants differ, one beside its page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from config import table
from config.errors import NotFound
from projects.queues import admission
from projects.sites import access
from projects.web.http import DeskRequest, read_number, render_answer
from workflows.experiments import answering, queries, results
from workflows.experiments.items import ExperimentCell
from workflows.experiments.queries import ExperimentRef
from workflows.experiments.results import CaseResult
from workflows.experiments.views.experiments import HALF_LABELS
from workflows.runs.items import ProjectDocument
from workflows.stages import results as field_results
from workflows.testsets import queries as testset_queries
from workflows.testsets.cases import Case
from workflows.testsets.uploads import list_labels
from workflows.trials import comparison
from workflows.trials.extract import TrialField

_A_PAGE = 25
_STATUS = {"done": "Answered", "failed": "Failed", "removed": "Document removed"}


@dataclass(frozen=True)
class AnswerRow:
    """``name``: empty if the document was deleted."""

    cell: ExperimentCell
    name: str

    @property
    def document_id(self) -> str:
        return str(self.cell.document_id)

    @property
    def status(self) -> str:
        return _STATUS[str(self.cell.status)]

    @property
    def half(self) -> str:
        return HALF_LABELS[str(self.cell.half)]

    @property
    def seconds(self) -> float:
        return int(self.cell.ms) / 1000


@dataclass(frozen=True)
class DifferenceRow:
    """What each of the two variants got wrong, in words."""

    document_id: str
    name: str
    half: str
    first: str
    second: str


@dataclass(frozen=True)
class ComparedField:
    """A field with what is known of it, and what each variant read; None: it read nothing."""

    name: str
    label: str
    known: str
    is_known: bool
    first: TrialField | None
    second: TrialField | None
    first_is_right: bool
    second_is_right: bool


@require_safe
def list_cells(request: DeskRequest, project_id: str, experiment_id: str) -> HttpResponse:
    """One Query a page, and one BatchGetItem for the names of its documents."""
    project = access.project_to_configure(request, project_id)
    ref = ExperimentRef(request.site, project.id, experiment_id)
    head = queries.get_experiment(ref)
    cursor = request.GET.get("after")
    page = admission.filter_page(
        request, lambda after: queries.list_cells(ref, after), cursor, lambda one: str(one.document_id)
    )
    names = _names(ref, (str(one.document_id) for one in page.rows))
    context = {
        "project": project,
        "head": head,
        "rows": [AnswerRow(one, names.get(str(one.document_id), "")) for one in page.rows],
        "next_cursor": page.next,
        "is_first": not cursor,
        "first_url": request.path,
    }
    return render_answer(request, "workflows/experiments/answers.html", None, context)


@require_safe
def list_differences(request: DeskRequest, project_id: str, experiment_id: str) -> HttpResponse:
    """``?first=`` and ``?second=``: variants; ``?after=``: how many documents come before."""
    project = access.project_to_configure(request, project_id)
    ref = ExperimentRef(request.site, project.id, experiment_id)
    head = queries.get_experiment(ref)
    plan = queries.load_plan(ref, str(head.plan_sha256))
    first, second = _two_variants(request, len(plan.variants))
    found: Sequence[CaseResult] = ()
    if head.results_sha256:
        found = results.list_differences(queries.load_results(ref, str(head.results_sha256)), first, second)
    start = read_number(request.GET.get("after"))
    shown = admission.filter_rows(request, found[start : start + _A_PAGE], lambda one: one.document_id)
    names = _names(ref, (one.document_id for one in shown))
    address = reverse("workflows:list-experiment-differences", args=[project.id, experiment_id])
    labels = list_labels(request.site, project)
    context = {
        "project": project,
        "head": head,
        "variants": plan.variants,
        "first": first,
        "second": second,
        "count": len(found),
        "rows": [_difference(one, names.get(one.document_id, ""), first, second, labels) for one in shown],
        "next_cursor": str(start + _A_PAGE) if len(found) > start + _A_PAGE else None,
        "is_first": not start,
        "first_url": f"{address}?first={first}&second={second}",
        "joiner": "&",
    }
    return render_answer(request, "workflows/experiments/differences.html", None, context)


@require_safe
def compare_document(request: DeskRequest, project_id: str, experiment_id: str, document_id: str) -> HttpResponse:
    """A page of a document beside what two variants read and what is known; ``?page=``: its number, 1-based."""
    project = access.project_to_configure(request, project_id)
    admission.check_document(request, document_id)
    ref = ExperimentRef(request.site, project.id, experiment_id)
    head = queries.get_experiment(ref)
    plan = queries.load_plan(ref, str(head.plan_sha256))
    first, second = _two_variants(request, len(plan.variants))
    cases = testset_queries.load_cases(queries.get_set_ref(ref, plan), plan.testset_sha256)
    case = next((one for one in cases if one.document_id == document_id), None)
    names = _names(ref, [document_id])
    if case is None or document_id not in names:
        raise NotFound("This document is not in the experiment's test set, or was deleted.")
    outcomes = [answering.load_outcome(ref, document_id, one) for one in (first, second)]
    rows = _compare(ref, case, outcomes)
    pages = comparison.list_pages([_narrow(one, rows) for one in (outcomes if first != second else outcomes[:1])])
    context = {
        "project": project,
        "head": head,
        "name": names[document_id],
        "pages": pages,
        "page": comparison.choose_page(pages, request.GET.get("page", "")),
        "page_address": f"{request.path}?first={first}&second={second}&page=",
        "first_name": f"Variant {first}",
        "second_name": f"Variant {second}" if first != second else "",
        "document_id": document_id,
        "variants": plan.variants,
        "first": first,
        "second": second,
        "problems": [
            (number, one.problem) for number, one in zip((first, second), outcomes, strict=True) if one and one.problem
        ],
        "rows": rows,
    }
    return render_answer(request, "workflows/experiments/document.html", None, context)


def _narrow(one: answering.KeptOutcome | None, rows: Sequence[ComparedField]) -> answering.KeptOutcome | None:
    """Without the fields whose answers are not known: no row tells what was read of them."""
    names = {row.name for row in rows}
    return one and replace(one, fields=tuple(field for field in one.fields if field.name in names))


def _two_variants(request: DeskRequest, most: int) -> tuple[int, int]:
    first = min(max(read_number(request.GET.get("first"), otherwise=1), 1), most)
    second = min(max(read_number(request.GET.get("second"), otherwise=2), 1), most)
    return first, second


def _names(ref: ExperimentRef, document_ids: Iterable[str]) -> dict[str, str]:
    """Of those that are there: one BatchGetItem."""
    keys = [
        table.PROJECT_DOCUMENT.key(ref.site, project_id=ref.project_id, document_id=one)
        for one in dict.fromkeys(document_ids)
    ]
    rows = ProjectDocument.load_many(keys)
    return {str(row.document_id): str(row.name or row.document_id) for row in rows if row.hidden is None}


def _difference(one: CaseResult, name: str, first: int, second: int, labels: Mapping[str, str]) -> DifferenceRow:
    described = (_describe(one.mistakes[number], labels) for number in (first, second))
    return DifferenceRow(one.document_id, name, HALF_LABELS[one.half], *described)


def _describe(mistakes: Sequence[str] | None, labels: Mapping[str, str]) -> str:
    if mistakes is None:
        return "No answer"
    return f"Wrong: {', '.join(labels.get(one, one) for one in mistakes)}" if mistakes else "All correct"


def _compare(ref: ExperimentRef, case: Case, outcomes: Sequence[answering.KeptOutcome | None]) -> list[ComparedField]:
    try:
        known = testset_queries.load_answers(ref.site, ref.project_id, case).fields
    except NotFound:
        return []
    rows = []
    for one in known:
        read = [outcome.get(one.name) if outcome else None for outcome in outcomes]
        right = [
            field_results.normalise_value(one.type, field.value if field else None)
            == field_results.normalise_value(one.type, one.value)
            for field in read
        ]
        rows.append(
            ComparedField(one.name, one.label, one.value or "", one.value is not None, read[0], read[1], *right)
        )
    return rows

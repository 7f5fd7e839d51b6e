"""Reading one page with several OCR models: they are chosen, and their readings stand beside the page's image."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from config.errors import NotFound, Refused
from projects.audit.events import actor_of
from projects.models import queries as model_queries
from projects.models.ocr_spec import OcrSpec
from projects.models.ocr_words import describe_ocr
from projects.queues import admission
from projects.settings import choosing
from projects.settings.items import Project
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from workflows.trials import actions, queries, tasks
from workflows.trials.documents import get_project_document
from workflows.trials.forms import ReadingForm
from workflows.trials.items import TrialStatus
from workflows.trials.queries import PageRef, TrialRef
from workflows.trials.reading_page import open_page
from workflows.trials.readings import Comparison, compare_readings

_LOST = f"No result after {queries.LONGEST_SECONDS // 60} minutes: its worker was lost. Read the page again."
_CHOOSE = "workflows/trials/read_page.html"
_SHOW = ("workflows/trials/reading.html", "workflows/trials/_reading.html")


@dataclass(frozen=True)
class Column:
    """What a model read; ``found``: None while it is not there."""

    spec: OcrSpec
    parameters: str
    found: Comparison | None


@dataclass(frozen=True)
class WordBox:
    """In pixels of the page."""

    text: str
    x: float
    y: float
    width: float
    height: float
    differs: bool


@require_safe
def choose_project(request: DeskRequest) -> HttpResponse:
    """Whose documents have the page that OCR models are compared on; nothing to choose if there is one project."""
    access.check_can_configure(request)
    return choosing.choose_project(request, "workflows/trials/choose_project.html", onward="workflows:choose-readers")


@require_safe
def choose_readers(request: DeskRequest, project_id: str) -> HttpResponse:
    """``?document=``, ``?page=`` (1-based): what is offered first. Changes nothing."""
    project = access.project_to_configure(request, project_id)
    return _show_choice(request, project, _reading_form(request, project))


@require_POST
def start_reading(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    form = _reading_form(request, project)
    if not form.is_valid():
        return _show_choice(request, project, form, status=422)
    page = PageRef(form.cleaned_data["document"], form.cleaned_data["page"] - 1)
    admission.check_document(request, page.document_id)
    try:
        open_page(request.site, project.id, page)
    except (Refused, NotFound) as error:
        form.add_error("page", str(error))
        return _show_choice(request, project, form, status=422)
    trial = actions.start_reading(request.site, project.id, page, form.chosen_models(), by=actor_of(request.user))
    tasks.order_trial(trial)
    return redirect_after_post(request, reverse("workflows:show-reading", args=[project.id, trial.trial_id]))


@require_safe
def show_reading(request: DeskRequest, project_id: str, trial_id: str) -> HttpResponse:
    """``?boxes=``: the model whose words are outlined on the page; otherwise the first that has read it."""
    project = access.project_to_configure(request, project_id)
    ref = TrialRef(request.site, project.id, trial_id)
    trial = queries.get_trial(ref)
    if trial.purpose != queries.READ:
        raise NotFound(queries.MISSING)
    page = PageRef(str(trial.document_id), int(trial.page_index))
    admission.check_document(request, page.document_id)
    columns = _columns(ref, page.document_id, trial.readings.as_dict())
    outlined = _choose_outlined(columns, request.GET.get("boxes", ""))
    size = open_page(request.site, project.id, page).size
    is_lost = queries.is_lost(trial)
    context = {
        "project": project,
        "trial": trial,
        "trial_id": trial_id,
        "page": page,
        "number": page.index + 1,
        "size": size,
        "columns": columns,
        "outlined": outlined,
        "boxes": list_boxes(outlined.found, (size.width, size.height)) if outlined and outlined.found else [],
        "waits": not queries.is_settled(trial) and not is_lost,
        "is_queued": trial.status == TrialStatus.ASKED and not is_lost,
        "error": _LOST if is_lost else str(trial.error or "") if trial.status == TrialStatus.FAILED else "",
    }
    return render_answer(request, *_SHOW, context)


def _columns(ref: TrialRef, document_id: str, names: dict[str, str]) -> list[Column]:
    specs = queries.read_models(ref, document_id)
    there = [names.get(spec.id) for spec in specs]
    found = compare_readings([queries.read_reading(ref, document_id, name) if name else None for name in there])
    return [Column(spec, ", ".join(describe_ocr(spec)), one) for spec, one in zip(specs, found, strict=True)]


def _choose_outlined(columns: Sequence[Column], wanted: str) -> Column | None:
    there = [one for one in columns if one.found and one.found.lines]
    asked = (one for one in there if one.spec.id == wanted)
    return next(asked, None) or next(iter(there), None)


def list_boxes(found: Comparison, size: tuple[int, int]) -> list[WordBox]:
    """Of every word, those that differ last: they lie on top."""
    boxes = []
    for word in (word for line in found.lines for word in line.words):
        x0, y0, x1, y1 = (round(edge * size[i % 2], 1) for i, edge in enumerate(word.box))
        boxes.append(WordBox(word.text, x0, y0, round(x1 - x0, 1), round(y1 - y0, 1), word.differs))
    return sorted(boxes, key=lambda one: one.differs)


def _reading_form(request: DeskRequest, project: Project) -> ReadingForm:
    data = request.POST if request.method == "POST" else request.GET
    found = queries.list_samples(request.site, project.id, data.get("find", "")[:100])
    documents = admission.filter_rows(request, found, lambda row: row.document_id)
    offered = {str(one.document_id): str(one.name) for one in documents}
    wanted = data.get("document", "")
    if wanted and wanted not in offered:  # of a page that led here, or one of earlier documents
        admission.check_document(request, wanted)
        offered = {wanted: str(get_project_document(request.site, project.id, wanted).path), **offered}
    models = model_queries.list_ocr_models(request.site)
    usual = project.settings.ocr_model if request.method == "GET" else ""
    return ReadingForm(data, documents=offered, models=models, usual=usual)


def _show_choice(request: DeskRequest, project: Project, form: ReadingForm, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {
        "project": project,
        "form": form,
        "is_posted": request.method == "POST",
        "looked_through": queries.LOOKED_THROUGH,
    }
    return render_answer(request, _CHOOSE, None, context, status=status)

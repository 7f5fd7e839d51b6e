"""Pages of trials: a prompt on a sample document, and a page read by several OCR models."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import CountersignError, NotFound, Refused, Unavailable
from config.phrase import Phrase, Sentence
from projects.audit.events import actor_of
from projects.models import queries as model_queries
from projects.models.choice import choose_model_id
from projects.models.ocr_words import describe_ocr
from projects.models.spec import OcrSpec
from projects.prompts import queries as prompt_queries
from projects.prompts.forms import PromptForm
from projects.prompts.queries import PromptRef
from projects.prompts.views import describe_ref
from projects.queues import visibility
from projects.settings import choosing
from projects.settings.items import Project
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer, wants_fragment
from workflows.intake.content_types import ALSO, EXTENSIONS
from workflows.intake.upload import SizeGuard, guard_files, take, too_large
from workflows.providers.language_models.language_model import CUT_OFF
from workflows.runs.views.state_labels import words_of
from workflows.trials import actions, comparison, queries, tasks
from workflows.trials.documents import get_project_document, load_read_document
from workflows.trials.estimate import Estimate, estimate_trial
from workflows.trials.forms import ReadingForm, TrialForm
from workflows.trials.items import Trial, TrialStatus
from workflows.trials.queries import Answer, Draft, PageRef, TrialRef
from workflows.trials.readings import Comparison, compare_readings
from workflows.trials.trying import open_page

_READINGS_LOST = Sentence(
    "No result after %(longest_seconds)s minutes: its worker was lost. Read the page again."
).fill(longest_seconds=queries.LONGEST_SECONDS // 60)
_READ_PAGE = "workflows/trials/read_page.html"
_SHOW = ("workflows/trials/reading.html", "workflows/trials/_reading.html")


@dataclass(frozen=True)
class Column:
    """The reading of a model; ``found``: None until it exists."""

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
    """Choose the project whose documents OCR models are compared on, unless there is only one."""
    access.check_can_configure(request)
    return choosing.choose_project(request, "workflows/trials/choose_project.html", onward="workflows:choose-readers")


@require_safe
def choose_readers(request: DeskRequest, project_id: str) -> HttpResponse:
    """``?document=``, ``?page=`` (1-based): the defaults. Changes nothing."""
    project = access.project_to_configure(request, project_id)
    return _show_choice(request, project, _reading_form(request, project))


@require_POST
def start_reading(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    form = _reading_form(request, project)
    if not form.is_valid():
        return _show_choice(request, project, form, status=422)
    page = PageRef(form.cleaned_data["document"], form.cleaned_data["page"] - 1)
    visibility.check_document(request, page.document_id)
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
    """``?boxes=``: the model whose words are outlined; by default the first that has read the page."""
    project = access.project_to_configure(request, project_id)
    ref = TrialRef(request.site, project.id, trial_id)
    trial = queries.get_trial(ref)
    if trial.purpose != queries.READ:
        raise NotFound(queries.MISSING)
    page = PageRef(str(trial.document_id), int(trial.page_index))
    visibility.check_document(request, page.document_id)
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
        "error": _READINGS_LOST if is_lost else str(trial.error or "") if trial.status == TrialStatus.FAILED else "",
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
    """Return the box of every word, differing ones last, so that they are on top."""
    boxes = []
    for word in (word for line in found.lines for word in line.words):
        x0, y0, x1, y1 = (round(edge * size[i % 2], 1) for i, edge in enumerate(word.box))
        boxes.append(WordBox(word.text, x0, y0, round(x1 - x0, 1), round(y1 - y0, 1), word.differs))
    return sorted(boxes, key=lambda one: one.differs)


def _reading_form(request: DeskRequest, project: Project) -> ReadingForm:
    data = request.POST if request.method == "POST" else request.GET
    found = queries.list_samples(request.site, project.id, data.get("find", "")[:100])
    documents = visibility.filter_rows(request, found, lambda row: row.document_id)
    offered = {str(one.document_id): str(one.name) for one in documents}
    wanted = data.get("document", "")
    if wanted and wanted not in offered:  # from the page that linked here, or among earlier documents
        visibility.check_document(request, wanted)
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
        "is_processing": not form.has_documents and bool(queries.list_unread(request.site, project.id)),
    }
    return render_answer(request, _READ_PAGE, None, context, status=status)


_LOST = Sentence(
    "No result after %(longest_seconds)s minutes: its worker was lost, or the model is too slow. Try again with "
    "a smaller document or another model."
).fill(longest_seconds=queries.LONGEST_SECONDS // 60)
_TRIAL = ("workflows/trials/trial.html", "workflows/trials/_trial.html")
_CHOOSE = ("workflows/trials/choose.html", "workflows/trials/_desk.html")


@require_http_methods(["GET", "POST"])
def choose_sample(request: DeskRequest, project_id: str, purpose: str) -> HttpResponse:
    """Estimate usage and cost of a trial: POST the draft, GET the newest version. Changes nothing."""
    project = access.project_to_configure(request, project_id)
    ref = _ref(request, project, purpose)
    draft = _draft_form(request, ref)
    draft.is_valid()
    return render_answer(
        request, *_CHOOSE, _build_desk(request, project, ref, draft, _trial_form(request, project, ref))
    )


# As with all uploads, the view checks the CSRF token itself: that reads the body, and the upload handlers must come
# first.
@csrf_exempt
@require_POST
def upload_sample(request: DeskRequest, project_id: str, purpose: str) -> HttpResponse:
    """Upload a file as a document of the project and return to the draft with it selected.

    The document is processed meanwhile.
    """
    project = access.project_to_configure(request, project_id)
    access.check_can_upload(request)
    guard = guard_files(request)
    if guard is None:
        raise Refused(too_large())
    response: HttpResponse = _receive_sample(request, project, _ref(request, project, purpose), guard)
    return response


@csrf_protect
def _receive_sample(request: DeskRequest, project: Project, ref: PromptRef, guard: SizeGuard) -> HttpResponse:
    file = request.FILES.get("files")
    if guard.exceeded or file is None:
        document_id, problem = "", too_large() if guard.exceeded else Phrase("Choose a file to upload.")
    else:
        document_id, problem = _take_sample(request, project, file)
    draft = _draft_form(request, ref)
    draft.is_valid()
    desk = _build_desk(request, project, ref, draft, _trial_form(request, project, ref, uploaded=document_id))
    return render_answer(request, *_CHOOSE, {**desk, "upload_problem": problem}, status=200 if document_id else 422)


def _take_sample(request: DeskRequest, project: Project, file: "UploadedFile[Any]") -> tuple[str, str]:
    """Return the id of the document, empty if it was refused, and a message."""
    try:
        taken = take(request.site, project, file, document_id=str(uuid.uuid4()), by=actor_of(request.user))
    except (Refused, Unavailable) as error:
        return "", str(error)
    if taken.run is None:
        return taken.document_id, gettext("%(name)s is unpacked. Its documents are listed here once they are read.") % {
            "name": taken.name
        }
    return taken.document_id, ""


@require_POST
def start_trial(request: DeskRequest, project_id: str, purpose: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    ref = _ref(request, project, purpose)
    draft, form = _draft_form(request, ref), _trial_form(request, project, ref)
    if not (draft.is_valid() & form.is_valid()):
        return _refuse(request, project, ref, draft, form)
    chosen = form.cleaned_data
    visibility.check_document(request, chosen["document"])
    try:
        load_read_document(ref.site, ref.project_id, chosen["document"], type_id=ref.type_id)
        tried = Draft(draft.prompt(), chosen.get("question", ""))
        trial = actions.start_trial(ref, tried, chosen["document"], chosen["model"], by=actor_of(request.user))
    except (Refused, NotFound) as error:
        form.add_error("document", str(error))
        return _refuse(request, project, ref, draft, form)
    tasks.order_trial(trial)
    if wants_fragment(request):
        return render_answer(request, *_TRIAL, _build_trial(request, project, ref, trial))
    return redirect_after_post(request, reverse("workflows:show-trial", args=[project.id, ref.slug, trial.trial_id]))


@require_safe
def show_trial(request: DeskRequest, project_id: str, purpose: str, trial_id: str) -> HttpResponse:
    """``?page=``: the page to show, 1-based; by default the first with a value."""
    project = access.project_to_configure(request, project_id)
    ref = _ref(request, project, purpose)
    return render_answer(
        request, *_TRIAL, _build_trial(request, project, ref, TrialRef(request.site, project.id, trial_id))
    )


def _ref(request: DeskRequest, project: Project, purpose: str) -> PromptRef:
    return prompt_queries.get_ref(request.site, project.id, purpose)


def _draft_form(request: DeskRequest, ref: PromptRef) -> PromptForm:
    purpose = prompt_queries.get_purpose(ref.purpose)
    if request.method == "POST":
        return PromptForm(purpose, request.POST)
    newest = prompt_queries.find_newest(ref)
    return PromptForm(purpose, {"instructions": newest.instructions, "message": newest.message})


def _trial_form(request: DeskRequest, project: Project, ref: PromptRef, *, uploaded: str = "") -> TrialForm:
    """``uploaded``: the document to select, whatever the request says."""
    data: Mapping[str, Any] = (request.POST if request.method == "POST" else request.GET).dict()
    if uploaded:
        data = {**data, "document": uploaded, "find": ""}
    words = data.get("find", "")[:100]
    found = list(queries.list_samples(ref.site, ref.project_id, words))
    if not (found or words):  # the first documents of a project: the page says that they are on their way
        found = list(queries.list_unread(ref.site, ref.project_id))
    if wanted := data.get("document", ""):
        unread = queries.find_unread(ref.site, ref.project_id, wanted)
        found = [unread, *(one for one in found if one.document_id != wanted)] if unread else found
    documents = visibility.filter_rows(request, found, lambda row: row.document_id)
    usual = choose_model_id(project.settings.models, ref.purpose)
    return TrialForm(ref.purpose, data, documents=documents, models=model_queries.list_models(ref.site), usual=usual)


def _refuse(request: DeskRequest, project: Project, ref: PromptRef, draft: PromptForm, form: TrialForm) -> HttpResponse:
    """For fragments, only the message replaces the result: the inputs stay."""
    context = _build_desk(request, project, ref, draft, form)
    return render_answer(request, _CHOOSE[0], "workflows/trials/_refusal.html", context, status=422)


def _build_desk(
    request: DeskRequest, project: Project, ref: PromptRef, draft: PromptForm, form: TrialForm
) -> dict[str, Any]:
    estimate, problem = _estimate(ref, draft, form)
    chosen = form.cleaned_data.get("document", "")
    unread = queries.find_unread(ref.site, ref.project_id, chosen) if chosen else None
    return {
        "project": project,
        **describe_ref(ref),
        "compared": _name_compared(ref, *prompt_queries.find_in_use(ref)),
        "draft": draft,
        "form": form,
        "estimate": estimate,
        "problem": "" if unread else problem,
        "unread": unread,
        "accept": ",".join(sorted({*EXTENSIONS.values(), *ALSO, ".zip"})),
        "looked_through": queries.LOOKED_THROUGH,
        "is_fragment": wants_fragment(request),
    }


def _estimate(ref: PromptRef, draft: PromptForm, form: TrialForm) -> tuple[Estimate | None, str]:
    """Return None with the reason if no trial is possible."""
    form.is_valid()
    chosen = form.cleaned_data
    if not (chosen.get("document") and chosen.get("model") and draft.is_valid()):
        return None, ""
    try:
        document = load_read_document(ref.site, ref.project_id, chosen["document"], type_id=ref.type_id)
        spec = model_queries.get_model(ref.site, chosen["model"])
    except Unavailable:
        raise
    except CountersignError as error:
        return None, str(error)
    production = prompt_queries.get_version(*prompt_queries.find_in_use(ref)).prompt(ref.purpose)
    return estimate_trial(ref.purpose, (draft.prompt(), production), document, spec), ""


@dataclass(frozen=True)
class Side:
    """``answer``: None until it exists."""

    name: str
    label: str
    answer: Answer | None

    @property
    def is_cut_off(self) -> bool:
        return self.answer is not None and CUT_OFF in self.answer.outcome.problem


def _build_trial(request: DeskRequest, project: Project, ref: PromptRef, which: TrialRef) -> dict[str, Any]:
    """Raises: NotFound, also if the trial is of another prompt, or the person may not see its document."""
    trial = queries.get_trial(which)
    if (trial.purpose, trial.scope) != (ref.purpose, ref.scope):
        raise NotFound(queries.MISSING)
    visibility.check_document(request, trial.document_id)
    draft = queries.read_draft(ref.site, ref.project_id, trial.document_id, which.trial_id, ref.purpose)
    sides = _read_sides(ref, trial)
    answers = [side.answer for side in sides]
    pages = comparison.list_pages(answers)
    is_lost = queries.is_lost(trial)
    name, seconds = _find_model(ref.site, str(trial.model_id))
    return {
        "project": project,
        **describe_ref(ref),
        "trial": trial,
        "trial_id": which.trial_id,
        "model_name": name,
        "model_seconds": seconds,
        "waited": words_of(queries.seconds_since(trial)),
        "longest_minutes": queries.LONGEST_SECONDS // 60,
        "draft": draft,
        "based_on": int(trial.production) if trial.production_scope == ref.scope else 0,
        "waits": not queries.is_settled(trial) and not is_lost,
        "is_queued": trial.status == TrialStatus.ASKED and not is_lost,
        "error": _LOST if is_lost else str(trial.error or "") if trial.status == TrialStatus.FAILED else "",
        "sides": sides,
        "rows": [(row, list(zip(row.found, sides, strict=True))) for row in comparison.compare_fields(answers)],
        "is_same": bool(trial.draft_answer) and trial.draft_answer == trial.production_answer,
        "text_shown": any(answer and answer.outcome.text for answer in answers),
        "pages": pages,
        "page": comparison.choose_page(pages, request.GET.get("page", "")),
        "page_address": f"{reverse('workflows:show-trial', args=[project.id, ref.slug, which.trial_id])}?page=",
        "page_target": "#trial",
        "document_id": str(trial.document_id),
        "first_name": Phrase("Draft"),
        "second_name": Phrase("Production"),
    }


def _read_sides(ref: PromptRef, trial: Trial) -> list[Side]:
    found = []
    compared = replace(ref, scope=str(trial.production_scope))
    production = _name_compared(ref, compared, int(trial.production))
    labels = (("draft", Phrase("Draft"), trial.draft_answer), ("production", production, trial.production_answer))
    for name, label, kept in labels:
        answer = queries.read_answer(ref.site, ref.project_id, trial.document_id, kept) if kept else None
        found.append(Side(name, label, answer))
    return found


def _name_compared(ref: PromptRef, compared: PromptRef, version: int) -> str:
    said = (
        Phrase("Version %(version)s, production") if compared == ref else Phrase("General prompt, version %(version)s")
    )
    return said.fill(version=version)


def _find_model(site: str, model_id: str) -> tuple[str, int]:
    """Return its name, and how many seconds a request may take: 0 if the model is gone."""
    try:
        spec = model_queries.get_model(site, model_id)
    except NotFound:
        return model_id, 0
    return spec.name, spec.seconds or settings.PROVIDER_TIMEOUT_SECONDS

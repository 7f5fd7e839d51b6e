"""Trying a prompt: a sample document and a model are chosen beside the editor, then both answers are compared."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import CountersignError, NotFound, Refused, Unavailable
from projects.audit.events import actor_of
from projects.models import queries as model_queries
from projects.models.choice import choose_model_id
from projects.prompts import queries as prompt_queries
from projects.prompts.forms import PromptForm
from projects.prompts.queries import PromptRef
from projects.prompts.views.prompts import describe_ref
from projects.queues import admission
from projects.settings.items import Project
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer, wants_fragment
from workflows.intake.content_types import ALSO, EXTENSIONS
from workflows.intake.upload import SizeGuard, guard_files, take, too_large
from workflows.trials import actions, comparison, queries, tasks
from workflows.trials.documents import load_read_document
from workflows.trials.estimate import Estimate, estimate_trial
from workflows.trials.forms import TrialForm
from workflows.trials.items import Trial, TrialStatus
from workflows.trials.queries import Answer, Draft, TrialRef

_LOST = (
    f"No result after {queries.LONGEST_SECONDS // 60} minutes: its worker was lost, or the model is too slow. "
    "Try again with a smaller document or another model."
)
_TRIAL = ("workflows/trials/trial.html", "workflows/trials/_trial.html")
_CHOOSE = ("workflows/trials/choose.html", "workflows/trials/_desk.html")


@require_http_methods(["GET", "POST"])
def choose_sample(request: DeskRequest, project_id: str, purpose: str) -> HttpResponse:
    """What a trial of the posted draft would use and cost; of a GET, of the newest version. Changes nothing."""
    project = access.project_to_configure(request, project_id)
    ref = _ref(request, project, purpose)
    draft = _draft_form(request, ref)
    draft.is_valid()
    return render_answer(
        request, *_CHOOSE, _build_desk(request, project, ref, draft, _trial_form(request, project, ref))
    )


# As every upload: the token is checked inside, since that reads the body, which the upload handlers come before.
@csrf_exempt
@require_POST
def upload_sample(request: DeskRequest, project_id: str, purpose: str) -> HttpResponse:
    """Take a file as a document of the project and come back to the draft with it chosen; it is read meanwhile."""
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
        document_id, problem = "", too_large() if guard.exceeded else "Choose a file to upload."
    else:
        document_id, problem = _take_sample(request, project, file)
    draft = _draft_form(request, ref)
    draft.is_valid()
    desk = _build_desk(request, project, ref, draft, _trial_form(request, project, ref, uploaded=document_id))
    return render_answer(request, *_CHOOSE, {**desk, "upload_problem": problem}, status=200 if document_id else 422)


def _take_sample(request: DeskRequest, project: Project, file: "UploadedFile[Any]") -> tuple[str, str]:
    """The id of the document, empty if it was not taken, and what there is to say."""
    try:
        taken = take(request.site, project, file, document_id=str(uuid.uuid4()), by=actor_of(request.user))
    except (Refused, Unavailable) as error:
        return "", str(error)
    if taken.run is None:
        return taken.document_id, f"{taken.name} is unpacked. Its documents are listed here once they are read."
    return taken.document_id, ""


@require_POST
def start_trial(request: DeskRequest, project_id: str, purpose: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    ref = _ref(request, project, purpose)
    draft, form = _draft_form(request, ref), _trial_form(request, project, ref)
    if not (draft.is_valid() & form.is_valid()):
        return _refuse(request, project, ref, draft, form)
    chosen = form.cleaned_data
    admission.check_document(request, chosen["document"])
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
    """``?page=``: the page whose image is shown, 1-based; otherwise the first that a value was found on."""
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
    """``uploaded``: the document that is chosen whatever the request says."""
    data: Mapping[str, Any] = (request.POST if request.method == "POST" else request.GET).dict()
    if uploaded:
        data = {**data, "document": uploaded, "find": ""}
    found = list(queries.list_samples(ref.site, ref.project_id, data.get("find", "")[:100]))
    if wanted := data.get("document", ""):
        unread = queries.find_unread(ref.site, ref.project_id, wanted)
        found = [unread, *found] if unread else found
    documents = admission.filter_rows(request, found, lambda row: row.document_id)
    usual = choose_model_id(project.settings.models, ref.purpose)
    return TrialForm(ref.purpose, data, documents=documents, models=model_queries.list_models(ref.site), usual=usual)


def _refuse(request: DeskRequest, project: Project, ref: PromptRef, draft: PromptForm, form: TrialForm) -> HttpResponse:
    """Of a fragment only the sentence, in the place of the result: what was chosen stays as it is."""
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
    """None with the reason if nothing can be tried so."""
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
    """``answer``: None while it is not there."""

    name: str
    label: str
    answer: Answer | None


def _build_trial(request: DeskRequest, project: Project, ref: PromptRef, which: TrialRef) -> dict[str, Any]:
    """Raises: NotFound, also if the trial is of another prompt, or its document is not this person's to see."""
    trial = queries.get_trial(which)
    if (trial.purpose, trial.scope) != (ref.purpose, ref.scope):
        raise NotFound(queries.MISSING)
    admission.check_document(request, trial.document_id)
    draft = queries.read_draft(ref.site, ref.project_id, trial.document_id, which.trial_id, ref.purpose)
    sides = _read_sides(ref, trial)
    answers = [side.answer for side in sides]
    pages = comparison.list_pages(answers)
    is_lost = queries.is_lost(trial)
    return {
        "project": project,
        **describe_ref(ref),
        "trial": trial,
        "trial_id": which.trial_id,
        "model_name": _name_model(ref.site, str(trial.model_id)),
        "draft": draft,
        "based_on": int(trial.production) if trial.production_scope == ref.scope else 0,
        "waits": not queries.is_settled(trial) and not is_lost,
        "is_queued": trial.status == TrialStatus.ASKED and not is_lost,
        "error": _LOST if is_lost else str(trial.error or "") if trial.status == TrialStatus.FAILED else "",
        "sides": sides,
        "rows": comparison.compare_fields(answers),
        "is_same": bool(trial.draft_answer) and trial.draft_answer == trial.production_answer,
        "text_shown": any(answer and answer.outcome.text for answer in answers),
        "pages": pages,
        "page": comparison.choose_page(pages, request.GET.get("page", "")),
        "page_address": f"{reverse('workflows:show-trial', args=[project.id, ref.slug, which.trial_id])}?page=",
        "page_target": "#trial",
        "document_id": str(trial.document_id),
        "first_name": "Draft",
        "second_name": "Production",
    }


def _read_sides(ref: PromptRef, trial: Trial) -> list[Side]:
    found = []
    compared = replace(ref, scope=str(trial.production_scope))
    production = _name_compared(ref, compared, int(trial.production))
    labels = (("draft", "Draft", trial.draft_answer), ("production", production, trial.production_answer))
    for name, label, kept in labels:
        answer = queries.read_answer(ref.site, ref.project_id, trial.document_id, kept) if kept else None
        found.append(Side(name, label, answer))
    return found


def _name_compared(ref: PromptRef, compared: PromptRef, version: int) -> str:
    return f"Version {version}, production" if compared == ref else f"General prompt, version {version}"


def _name_model(site: str, model_id: str) -> str:
    try:
        return model_queries.get_model(site, model_id).name
    except NotFound:
        return model_id

"""Pages of definitions: the list, one version with its diagram, steps and runs, and the plan of the next version."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Conflict, NotFound, Refused
from config.phrase import Phrase, count_phrase, join_phrases
from config.table import DEFAULT_SITE
from projects.audit.events import actor_of
from projects.queues import queries as queue_queries
from projects.sites import access
from projects.web.http import DeskRequest, page_links, read_number, redirect_after_post, render_answer, version_in
from workflows.definitions import actions, asl, checks, diagram, versions
from workflows.definitions.blueprint import (
    Definition,
    DefinitionStatus,
    StepDefinition,
    tell_label,
)
from workflows.definitions.composition import Plan, read_plan
from workflows.definitions.forms import (
    NewDefinitionForm,
    Offers,
    PlanEditor,
    edit_plan,
    edit_posted_plan,
    edit_rearranged_plan,
)
from workflows.definitions.items import ListedDefinition
from workflows.definitions.states import step_seconds
from workflows.definitions.tasks import enqueue_deployment
from workflows.definitions.versions import Version
from workflows.executions.data import read_typed_input
from workflows.executions.trial import TrialLine, describe_step, try_on_data, try_on_document
from workflows.runs import executions
from workflows.runs.documents_at_steps import list_visible_documents
from workflows.runs.run_settings import find_unknown_fields
from workflows.runs.views.runs import RunRow, list_visible_executions, run_rows
from workflows.runs.views.state_labels import Mark, words_of

MARKS: Mapping[DefinitionStatus | None, Mark] = {
    DefinitionStatus.DRAFT: Mark("info", "pen", Phrase("Draft")),
    DefinitionStatus.ACTIVE: Mark("good", "check", Phrase("Active")),
    DefinitionStatus.ARCHIVED: Mark("", "minus", Phrase("Archived")),
    None: Mark("warn", "alert", Phrase("Not published")),
}


@dataclass(frozen=True)
class VersionRow:
    version: Version

    @property
    def mark(self) -> Mark:
        return MARKS[self.version.status]


@dataclass(frozen=True)
class StepLine:
    """A row of the table of steps: the diagram in words."""

    order: int
    label: str
    type: str
    ways: str
    limit: str
    does: str


@require_safe
def list_definitions(request: DeskRequest) -> HttpResponse:
    access.check_can_configure(request)
    rows = [(one, [VersionRow(each) for each in one.versions]) for one in versions.list_families()]
    context = {"families": rows, "changeable": request.site == DEFAULT_SITE}
    return render_answer(request, "workflows/definitions/list.html", None, context)


@require_safe
def show_definition(request: DeskRequest, definition_id: str) -> HttpResponse:
    access.check_can_configure(request)
    definition = versions.find_definition(definition_id)
    family = versions.get_family(definition.name)
    version = family.version(definition.version)
    cursor = request.GET.get("after")
    runs: list[RunRow] = []
    following = None
    if definition.needs_document:
        page = list_visible_executions(request, definition.name, cursor)
        runs, following = run_rows(request.site, page.rows), page.next
    context = {
        "definition": definition,
        "family": family,
        "row": VersionRow(version),
        "drawing": diagram.draw_definition(definition),
        "steps": [_line(definition, step, addresses=request.site == DEFAULT_SITE) for step in definition.steps],
        "machine": executions.machine_name(definition),
        # It contains account and queue names, which only deployers may see.
        "body": asl.compile_definition(definition) if request.user.is_superuser else "",
        "runs": runs,
        **page_links(request, following, reverse("definitions:show-definition", args=[definition_id])),
        "changeable": request.site == DEFAULT_SITE and version.status is not None,
    }
    return render_answer(request, "workflows/definitions/show.html", None, context)


@require_safe
def list_documents(request: DeskRequest, name: str) -> HttpResponse:
    access.check_can_configure(request)
    cursor = request.GET.get("after")
    rows, following = list_visible_documents(request, name, cursor)
    context = {
        "name": name,
        "rows": rows,
        **page_links(request, following, reverse("definitions:list-documents", args=[name])),
    }
    return render_answer(request, "workflows/definitions/documents.html", None, context)


def _line(definition: Definition, step: StepDefinition, *, addresses: bool) -> StepLine:
    ways = join_phrases(
        diagram.LEADS.fill(outcome=outcome, target=diagram.name_target(to)) if outcome else diagram.name_target(to)
        for outcome, to in diagram.list_outcomes(step)
    )
    seconds = settings.REVIEW_TIMEOUT_SECONDS if step.type == "approval" else step_seconds(definition)
    usual = Phrase("default (%(time)s)").fill(time=words_of(seconds))
    limit = [words_of(step.minutes * 60) if step.minutes else usual]
    if step.retries:
        limit.append(count_phrase("%(count)s more try", "%(count)s more tries", step.retries))
    kind = diagram.LABELS.get(step.type, step.type)
    does = describe_step(step, addresses=addresses)
    return StepLine(step.order, tell_label(step.label), kind, ways, join_phrases(limit), does)


@require_POST
def activate_definition(request: DeskRequest, definition_id: str) -> HttpResponse:
    access.check_can_manage_sites(request)  # definitions are shared by all sites
    definition = versions.find_definition(definition_id)
    shown = read_number(request.POST.get("instead_of"))
    actions.activate_definition(definition.id, instead_of=shown, by=actor_of(request.user))
    sentence = gettext("New runs of %(workflow)s use version %(version)s. Started runs keep theirs.") % {
        "workflow": definition.name,
        "version": definition.version,
    }
    messages.success(request, sentence)
    return redirect_after_post(request, reverse("definitions:show-definition", args=[definition.id]))


@require_POST
def archive_definition(request: DeskRequest, definition_id: str) -> HttpResponse:
    access.check_can_manage_sites(request)
    definition = versions.find_definition(definition_id)
    actions.archive_definition(definition.id, by=actor_of(request.user))
    messages.success(request, gettext("%(id)s is archived. Its runs continue.") % {"id": definition.id})
    return redirect_after_post(request, reverse("definitions:show-definition", args=[definition.id]))


# --- composing ----------------------------------------------------------------
@require_POST
def deploy_definition(request: DeskRequest, definition_id: str) -> HttpResponse:
    access.check_can_manage_sites(request)
    enqueue_deployment(versions.find_definition(definition_id).id)
    messages.success(
        request, gettext("%(definition_id)s is being deployed. Reload in a moment.") % {"definition_id": definition_id}
    )
    return redirect_after_post(request, reverse("definitions:show-definition", args=[definition_id]))


@require_http_methods(["GET", "POST"])
def create_definition(request: DeskRequest) -> HttpResponse:
    access.check_can_manage_sites(request)
    form = NewDefinitionForm(request.POST or None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            plan = Plan(form.cleaned_data["description"], documents=form.cleaned_data["runs_on"] != "data")
            try:
                actions.create_composed(form.cleaned_data["name"], plan, by=actor_of(request.user))
            except Conflict as error:
                form.add_error("name", str(error))
                status = 409
            else:
                return redirect_after_post(request, reverse("definitions:edit-plan", args=[form.cleaned_data["name"]]))
    return render_answer(request, "workflows/definitions/new.html", None, {"form": form}, status=status)


@require_http_methods(["GET", "POST"])
def edit_definition_plan(request: DeskRequest, name: str) -> HttpResponse:
    """Buttons: ``rows`` moves rows, ``order`` saves, tries the plan on a document, or publishes the next version."""
    access.check_can_manage_sites(request)
    listed = versions.get_composed(name)
    saved = read_plan(listed.json)
    offers = Offers(_queue_names(request.site), versions.list_parts(name, documents=saved.documents))
    if request.method == "GET":
        return _plan_page(request, listed, edit_plan(saved, offers), int(listed.revision or 0))
    revision, documents = version_in(request.POST), saved.documents
    if order := request.POST.get("rows"):
        moved = edit_rearranged_plan(request.POST, offers, order=order, documents=documents)
        return _plan_page(request, listed, moved, revision)
    editor = edit_posted_plan(request.POST, offers, documents=documents)
    if not editor.is_valid():
        return _plan_page(request, listed, editor, revision, status=422)
    if request.POST.get("order") == "try":
        return _plan_page(request, listed, editor, revision, plan=editor.plan())
    return _save_plan(request, listed, editor, revision, publishes=request.POST.get("order") == "publish")


def _save_plan(
    request: DeskRequest, listed: ListedDefinition, editor: PlanEditor, revision: int, *, publishes: bool
) -> HttpResponse:
    name, plan, by = listed.documentId, editor.plan(), actor_of(request.user)
    try:
        saved = actions.save_plan(name, plan, revision=revision, by=by)
        if not publishes:
            messages.success(request, gettext("Draft saved. No run uses it before it is published and activated."))
            return redirect_after_post(request, reverse("definitions:edit-plan", args=[name]))
        definition = actions.publish_plan(name, revision=saved, by=by)
    except Conflict as error:
        listed = versions.get_composed(name)
        again = int(listed.revision or 0)
        return _plan_page(request, listed, editor, again, plan=plan, clash=str(error), status=409)
    except Refused as error:  # when publishing, the plan has been saved by now
        now = int(versions.get_composed(name).revision or 0)
        return _plan_page(request, listed, editor, now, plan=plan, problem=str(error), status=422)
    enqueue_deployment(definition.id)
    messages.success(
        request, gettext("%(id)s is published. Activate it for new runs to use it.") % {"id": definition.id}
    )
    if unknown := _tell_unknown_fields(request.site, plan):
        messages.warning(request, unknown)
    return redirect_after_post(request, reverse("definitions:show-definition", args=[definition.id]))


# Results have these beside their fields; conditions read them by the same names.
_OF_RESULTS = frozenset({"document_type", "classification"})


def _tell_unknown_fields(site: str, plan: Plan) -> str:
    """Warn of fields that no document of the site has, as a mistyped name: the conditions are valid, but never met."""
    read = [name for name in plan.fields if name not in _OF_RESULTS]
    unknown = find_unknown_fields(site, read) if plan.documents and read else []  # data may have any entries
    if not unknown:
        return ""
    told = Phrase(
        "No project or document type of this site has these fields: %(names)s. Correct the names, or add the fields to "
        "a project or document type. Until then, approvals with these conditions are always asked for; other steps "
        "with them are skipped."
    )
    return told.fill(names=", ".join(unknown)).translated()


def _queue_names(site: str) -> dict[str, str]:
    """Return queues by name, since ids belong to a site and a definition is shared by all sites."""
    return {one.name: one.name for one in queue_queries.all_queues(site) if not one.is_archived}


def _plan_page(
    request: DeskRequest,
    listed: ListedDefinition,
    editor: PlanEditor,
    revision: int,
    *,
    plan: Plan | None = None,
    clash: str = "",
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    """Render the plan with a diagram of the typed one, or of the saved one while the typed one is invalid."""
    typed = plan or read_plan(listed.json)
    shown = versions.compose(listed.documentId, int(listed.version or 0) + 1, typed)
    document_id = request.POST.get("document", "").strip()
    context = {
        "listed": listed,
        "revision": revision,
        "editor": editor,
        "form": editor.form,
        "clash": clash,
        "problem": problem or " ".join(checks.definition_problems(shown)),
        "warning": _tell_unknown_fields(request.site, typed),
        "definition": shown,
        "drawing": diagram.draw_definition(shown),
        "steps": shown.steps,
        "document": document_id,
        "trial": _try(request, shown, document_id) if document_id and plan else None,
    }
    page, fragment = "workflows/definitions/plan.html", "workflows/definitions/_plan.html"
    return render_answer(request, page, fragment, context, status=status)


def _try(request: DeskRequest, definition: Definition, typed: str) -> list[TrialLine]:
    try:
        if not definition.needs_document:
            return try_on_data(definition, read_typed_input(typed))
        access.check_can_view(request)
        return try_on_document(request, definition, typed)
    except NotFound:
        words = Phrase("Enter the ID of a document that was analyzed.")
        return [TrialLine(Phrase("Document not found"), words, "status warn")]
    except Refused as error:
        return [TrialLine(Phrase("Not tried"), str(error), "status warn")]

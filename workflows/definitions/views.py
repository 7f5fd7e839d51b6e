"""The pages of definitions: what there is, one version with its drawing, steps, runs and state machine."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from config.errors import NotFound
from config.table import DEFAULT_SITE
from projects.audit.events import actor_of
from projects.sites import access
from projects.web.http import DeskRequest, read_number, redirect_after_post, render_answer
from workflows.definitions import actions, asl, diagram, versions
from workflows.definitions.blueprint import DEFINITIONS, Definition, DefinitionStatus
from workflows.definitions.items import DefinitionStep
from workflows.definitions.versions import Version
from workflows.runs import executions
from workflows.runs.views.runs import list_visible_executions, run_rows
from workflows.runs.views.state_labels import Mark, words_of

MARKS: Mapping[DefinitionStatus | None, Mark] = {
    DefinitionStatus.DRAFT: Mark("info", "edit", "Draft"),
    DefinitionStatus.ACTIVE: Mark("good", "check", "Active"),
    DefinitionStatus.ARCHIVED: Mark("", "minus", "Archived"),
    None: Mark("warn", "alert", "Not published"),
}


@dataclass(frozen=True)
class VersionRow:
    version: Version

    @property
    def mark(self) -> Mark:
        return MARKS[self.version.status]


@dataclass(frozen=True)
class StepLine:
    """A row of the table of steps, which says in words what the drawing shows."""

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
    return render_answer(request, "workflows/definitions/list.html", None, {"families": rows})


@require_safe
def show_definition(request: DeskRequest, definition_id: str) -> HttpResponse:
    access.check_can_configure(request)
    definition = _find_known_definition(definition_id)
    family = versions.get_family(definition.name)
    version = family.version(definition.version)
    cursor = request.GET.get("after")
    page = list_visible_executions(request, definition.name, cursor)
    context = {
        "definition": definition,
        "family": family,
        "row": VersionRow(version),
        "drawing": diagram.draw_definition(definition),
        "steps": _lines(definition, version),
        "machine": executions.machine_name(definition),
        "body": asl.compile_definition(definition),
        "runs": run_rows(request.site, page.rows),
        "next_cursor": page.next,
        "is_first": not cursor,
        "first_url": reverse("definitions:show-definition", args=[definition_id]),
        "changeable": request.site == DEFAULT_SITE and version.status is not None,
    }
    return render_answer(request, "workflows/definitions/show.html", None, context)


def _find_known_definition(definition_id: str) -> Definition:
    """Raises: NotFound."""
    found = DEFINITIONS.get(definition_id)
    if found is None:
        raise NotFound("Workflow definition version not found.")
    return found


def _lines(definition: Definition, version: Version) -> list[StepLine]:
    """As it was published; of what is not, as the code has it."""
    if version.status is None:
        return [_line(definition, actions.step_row(definition, step)) for step in definition.steps]
    return [_line(definition, row) for row in versions.get_published_version(definition.id)[1]]


def _line(definition: Definition, row: DefinitionStep) -> StepLine:
    told: dict[str, Any] = row.config.as_dict()
    order = int(row.stepOrder)
    ways = ", ".join(
        f"{outcome} → {diagram.name_target(to)}" if outcome else diagram.name_target(to)
        for outcome, to in diagram.list_outcomes(definition.step(order))
    )
    minutes, retries = int(row.timeoutMin or 0), int(told.get("retries") or 0)
    limit = words_of(minutes * 60) if minutes else f"default ({words_of(settings.STEP_TIMEOUT_SECONDS)})"
    again = f", {retries} more {'try' if retries == 1 else 'tries'}" if retries else ""
    return StepLine(
        order, row.name, diagram.LABELS.get(row.type, row.type), ways, limit + again, _describe_config(told)
    )


def _describe_config(told: Mapping[str, Any]) -> str:
    """What the published config says of a step beside where it leads."""
    cases = [f"{one['outcome']}: {'; '.join(one['when'])}" for one in told.get("cases", ())]
    parameters = ", ".join(f"{name} {value}" for name, value in told.get("parameters", {}).items())
    does = f"{str(told['does']).replace('_', ' ')} {parameters}".strip() if told.get("does") else ""
    asks = str(told.get("asks") or "")
    another = "A different reviewer than before" if told.get("another") else ""
    needs = "Only if a document needs it" if told.get("needs") else ""
    ends = f"The run ends {told['ends']}" if told.get("ends") else ""
    return ". ".join(one for one in (*cases, does, asks, another, needs, ends) if one)


@require_POST
def activate_definition(request: DeskRequest, definition_id: str) -> HttpResponse:
    access.check_can_manage_sites(request)  # a definition is every site's
    definition = _find_known_definition(definition_id)
    shown = read_number(request.POST.get("instead_of"))
    actions.activate_definition(definition.id, instead_of=shown, by=actor_of(request.user))
    sentence = f"New runs of {definition.name} use version {definition.version}. Started runs keep theirs."
    messages.success(request, sentence)
    return redirect_after_post(request, reverse("definitions:show-definition", args=[definition.id]))


@require_POST
def archive_definition(request: DeskRequest, definition_id: str) -> HttpResponse:
    access.check_can_manage_sites(request)
    definition = _find_known_definition(definition_id)
    actions.archive_definition(definition.id, by=actor_of(request.user))
    messages.success(request, f"{definition.id} is archived. Its runs continue.")
    return redirect_after_post(request, reverse("definitions:show-definition", args=[definition.id]))

"""The API of projects: list, get and create them, and change settings with the validation of the settings page."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from ninja import Field, Router, Schema, Status

from config.errors import Refused
from projects.settings import actions as project_actions
from projects.settings import merging
from projects.settings import queries as project_queries
from projects.settings.columns import TABLE
from projects.settings.editor import Editor, edit_settings, list_offered_choices
from projects.settings.field_rows import PREFIX
from projects.settings.items import Project
from projects.settings.values import FIELD_TYPES, FieldSetting, ProjectSettings, date_range
from projects.sites import access
from projects.web.api import (
    FAILURES,
    IF_MATCH,
    OUTDATED,
    REFUSALS,
    ApiRequest,
    Body,
    etag_of,
    read_if_match,
    with_etag,
    with_example,
)
from projects.web.http import problem_response

router = Router(tags=["projects"])
Share = Annotated[float, Field(ge=0, le=1)]
QuorumChoice = Literal["", "2/2", "2/3", "3/3"]


class ProjectShape(Schema):
    """Instants as ISO 8601 in UTC."""

    id: str
    name: str
    created_at: str
    updated_at: str


class ProjectList(Schema):
    items: list[ProjectShape]
    next: str | None


class FieldWish(Body):
    """``threshold``: 0–1, null for the project's. ``date_range``: of dates. ``columns``: of tables, one a line.

    ``personal``: its values are only for those who may see personal data.
    """

    name: str = Field("", max_length=40)
    label: str = Field("", max_length=80)
    type: str = Field("text", json_schema_extra={"enum": list(FIELD_TYPES)})
    required: bool = False
    threshold: Share | None = None
    date_range: str = ""
    description: str = ""
    examples: str = ""
    columns: str = ""
    personal: bool = False


class SettingsShape(Schema):
    """Shares and thresholds are 0–1. An empty text or 0 means the site's default.

    ``models``: purpose → ID in the catalogue. ``most_wrong``: of values that no one reviews; null: default.
    ``fields``: read unless ``document_type`` or ``typing`` says otherwise.
    """

    name: str
    description: str
    language: str
    ocr_model: str
    analyzer: str
    transcriber: str
    summarizer: str
    models: dict[str, str]
    fields: list[FieldWish]
    default_threshold: float
    audit_share: float
    most_wrong: float | None
    unseen_allowed: bool
    lacking_allowed: bool
    reject_reasons: list[str]
    check_share: float
    quorum: QuorumChoice
    review_queue: str
    document_type: str
    typing: str
    slots: int


class ProjectDetail(ProjectShape):
    version: int
    settings: SettingsShape


class SettingsPatch(Body):
    """As ``SettingsShape``; omitted entries stay. ``fields`` and ``reject_reasons`` are replaced as a whole."""

    model_config = with_example(default_threshold=0.85, reject_reasons=["Unreadable", "Wrong recipient"])

    name: str = Field("", max_length=120)
    description: str = Field("", max_length=1000)
    language: str = ""
    ocr_model: str = ""
    analyzer: str = ""
    transcriber: str = ""
    summarizer: str = ""
    models: dict[str, str] = Field(default_factory=dict)
    fields: list[FieldWish] = Field(default_factory=list)
    default_threshold: Share = 0.0
    audit_share: Share = 0.0
    most_wrong: Share | None = None
    unseen_allowed: bool = False
    lacking_allowed: bool = False
    reject_reasons: list[str] = Field(default_factory=list)
    check_share: Share = 0.0
    quorum: QuorumChoice = ""
    review_queue: str = ""
    document_type: str = ""
    typing: str = ""
    slots: int = Field(0, ge=0)


class NewProject(SettingsPatch):
    """As ``SettingsPatch``; omitted entries get the defaults of a new project."""

    model_config = with_example(
        name="Invoices", fields=[{"name": "total", "label": "Total", "type": "amount", "required": True}]
    )

    name: str = Field(min_length=1, max_length=120)


@router.get("", response={200: ProjectList, **FAILURES}, operation_id="list_projects", summary="List projects")
def list_projects(request: ApiRequest, after: str | None = None) -> ProjectList:
    """Sorted by last update, newest first. Requires READ."""
    access.check_can_view(request)
    rows, following = project_queries.list_projects(request.site, after)
    shapes = [
        ProjectShape(id=row.project_id, name=row.name, created_at=row.created_at, updated_at=row.updated_at)
        for row in rows
    ]
    return ProjectList(items=shapes, next=following)


@router.post(
    "",
    response={201: ProjectDetail, **REFUSALS},
    operation_id="create_project",
    summary="Create a project",
)
def create_project(request: ApiRequest, wish: NewProject) -> Any:
    """Validated like the settings page. Requires ADMIN."""
    access.check_can_configure(request)
    blank = ProjectSettings(name="")
    editor = _edit(request, wish, blank)
    if not editor.is_valid():
        return _list_problems(editor)
    project_id = project_actions.new_project_id()
    project = project_actions.create_project(
        request.site, editor.settings(), by=request.auth.actor, project_id=project_id
    )
    return Status(201, _shape(request, project))


@router.get(
    "/{project_id}",
    response={200: ProjectDetail, **FAILURES},
    operation_id="show_project",
    summary="Get a project and its settings",
)
def show_project(request: ApiRequest, project_id: str) -> ProjectDetail:
    """Prompts have endpoints of their own. Returns an ETag. Requires READ."""
    return _shape(request, access.project_to_view(request, project_id))


@router.patch(
    "/{project_id}",
    response={200: ProjectDetail, **OUTDATED},
    operation_id="change_project",
    summary="Change a project's settings",
    openapi_extra={"parameters": [IF_MATCH]},
)
def change_project(request: ApiRequest, project_id: str, wish: SettingsPatch) -> Any:
    """Started runs keep their settings. Send the ETag as `If-Match` to detect concurrent changes. Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    read_if_match(request, _etag(project), project.version)
    editor = _edit(request, wish, project.settings)
    if not editor.is_valid():
        return _list_problems(editor)
    # A concurrent change is kept in other places, and a conflict in the same.
    seen = merging.digest_settings(project.settings, project.version)
    changed = project_actions.update_project(
        request.site, project_id, editor.settings(), seen=seen, by=request.auth.actor
    )
    return _shape(request, changed)


def _etag(project: Project) -> str:
    return etag_of(project.id, project.version)


def _shape(request: ApiRequest, project: Project) -> ProjectDetail:
    stored = project.settings
    values = {name: getattr(stored, name) for name in SettingsShape.model_fields if hasattr(stored, name)}
    values |= {
        "models": dict(stored.models),
        "fields": [FieldWish(**{name: getattr(one, name) for name in FieldWish.model_fields}) for one in stored.fields],
        "reject_reasons": stored.reject_reasons.splitlines(),
        "document_type": stored.classification_id,
    }
    shape = ProjectDetail(
        id=project.id,
        name=stored.name,
        created_at=project.created_at,
        updated_at=project.updated_at,
        version=project.version,
        settings=SettingsShape(**values),
    )
    return with_etag(request, shape, _etag(project))


def _edit(request: ApiRequest, wish: SettingsPatch, stored: ProjectSettings) -> Editor:
    sent = wish.dict(exclude_unset=True)
    if "fields" in sent:
        sent["fields"] = tuple(map(_read_field, sent["fields"]))
    if "reject_reasons" in sent:
        sent["reject_reasons"] = "\n".join(sent["reject_reasons"])
    if "document_type" in sent:
        sent["classification_id"] = sent.pop("document_type")
    return edit_settings(replace(stored, **sent), stored, list_offered_choices(request.site, stored))


def _read_field(sent: Mapping[str, Any]) -> FieldSetting:
    """Raises: Refused if a field other than a table has columns."""
    found = dict.fromkeys(("name", "label", "date_range"), "") | {"type": "text"} | dict(sent)
    if found.get("columns") and found["type"] != TABLE:
        raise Refused("Only tables have columns. Remove them or make the field a table.", field="fields.columns")
    found["date_range"] = date_range(found["name"], found["type"], found["date_range"])
    return FieldSetting(**found)


def _list_problems(editor: Editor) -> Any:
    """Return 422 with each setting that the page would mark."""
    wrong = [(_NAMES.get(name, name), str(texts[0])) for name, texts in editor.form.errors.items()]
    for number, row in enumerate(editor.rows.forms):
        wrong += [(f"{PREFIX}.{number}.{name}", str(texts[0])) for name, texts in row.errors.items()]
    wrong += [(PREFIX, str(text)) for text in editor.rows.non_form_errors()]
    errors = [
        {"where": where, "problem": text, "fix": "Change this setting, or leave it out to keep it."}
        for where, text in wrong
    ]
    return problem_response(422, "Some settings are not valid. Nothing was changed. See errors.", errors=errors)


_NAMES = {"classification_id": "document_type"}

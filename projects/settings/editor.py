"""The settings editor of a project: form, rows and messages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings as desk

from config.phrase import Phrase
from projects.models import queries as model_queries
from projects.models.setup import name_with_problem
from projects.queues import queries as queue_queries
from projects.schemas import queries as schema_queries
from projects.schemas.governed import list_governed_fields
from projects.schemas.governing import Governing
from projects.settings.clashes import Line
from projects.settings.field_rows import (
    FieldRow,
    FieldRows,
    add_row_tools,
    parse_posted_rows,
    post_rows,
    rearrange_posted_rows,
    rows_of,
)
from projects.settings.forms import OfferedChoices, ProjectForm, initial_of
from projects.settings.provider_choice import desk_default
from projects.settings.values import (
    AROUND,
    DATE_RANGES,
    DOERS,
    EXTRACT,
    FIELD_TYPES,
    LANGUAGES,
    OCR_SWITCHES,
    SETTING_LABELS,
    TYPINGS,
    ProjectSettings,
)
from projects.sites.people import list_people_and_groups
from projects.sites.permissions import Permission
from projects.web.row_moves import Tool


@dataclass(frozen=True)
class Editor:
    form: ProjectForm
    rows: FieldRows
    seen: str = ""  # what the page was rendered from, signed
    focus: str = ""  # the button or input to focus after a row was moved or added
    clash: tuple[Line, ...] = ()  # concurrent changes of others
    retry: bool = False  # saving again is a deliberate choice
    problems: int = 0

    def is_valid(self) -> bool:
        return all([self.form.is_valid(), self.rows.is_valid()])  # validate both to show all messages at once

    def settings(self) -> ProjectSettings:
        return replace(self.form.settings(), fields=self.rows.settings())

    @property
    def save_words(self) -> str:
        if self.retry:
            return Phrase("Overwrite with my changes")
        return Phrase("Create project") if self.form.is_new else Phrase("Save settings")

    @property
    def table(self) -> list[tuple[FieldRow, tuple[Tool, ...]]]:
        return add_row_tools(self.rows, self.focus)

    def count_messages(self) -> "Editor":
        """Return the editor with the number of messages, for the sentence at the top."""
        count = sum(len(one.errors) for one in (self.form, *self.rows.forms)) + len(self.rows.non_form_errors())
        return replace(self, problems=count)


def editor_of(settings: ProjectSettings, offered: OfferedChoices, seen: str = "") -> Editor:
    form = ProjectForm(initial=initial_of(settings), stored=settings, offered=offered)
    return Editor(form, rows_of(settings.fields), seen)


def editor_after_clash(merged: ProjectSettings, offered: OfferedChoices, seen: str, clash: tuple[Line, ...]) -> Editor:
    """Return what was typed on top of the stored settings, including others' changes elsewhere."""
    return replace(editor_of(merged, offered, seen), clash=clash, retry=True)


def edit_posted_settings(data: Mapping[str, Any], stored: ProjectSettings, offered: OfferedChoices) -> Editor:
    form = ProjectForm(data, stored=stored, offered=offered)
    return Editor(form, parse_posted_rows(data), str(data.get("seen", "")))


def list_offered_choices(site: str, stored: ProjectSettings) -> OfferedChoices:
    """Archived items are omitted, unless already chosen."""
    queues = queue_queries.all_queues(site)
    classifications = schema_queries.all_classifications(site)
    catalogue = model_queries.list_entries(site)
    return OfferedChoices(
        {one.id: one.name for one in queues if not one.is_archived or one.id == stored.review_queue},
        {one.name: one.name for one in list_people_and_groups(site, Permission.REVIEW)[1]},
        {one.id: one.name for one in classifications if not one.archived or one.id == stored.classification_id},
        {one.spec.id: name_with_problem(one.spec) for one in catalogue.language},
        {one.spec.id: name_with_problem(one.spec) for one in catalogue.ocr},
    )


def edit_settings(wanted: ProjectSettings, stored: ProjectSettings, offered: OfferedChoices) -> Editor:
    """Simulate a form with these settings, so that the API and the page share the validation."""
    return edit_posted_settings({**initial_of(wanted), **post_rows(wanted.fields)}, stored, offered)


def edit_rearranged_settings(
    data: Mapping[str, Any], stored: ProjectSettings, offered: OfferedChoices, order: str
) -> Editor:
    """Return the submitted page with its rows moved, neither validated nor saved."""
    typed = {name: data.get(name, "") for name in initial_of(stored)}
    form = ProjectForm(initial=typed, stored=stored, offered=offered)
    rows, focus = rearrange_posted_rows(data, order)
    return Editor(form, rows, str(data.get("seen", "")), focus)


def summarize_settings(
    settings: ProjectSettings, governing: Governing, name_model: Callable[[str], str]
) -> dict[str, Any]:
    """Describe the settings for the project's page; fields as the next run uses them."""
    thresholds = {one.name: one.threshold for one in settings.fields if one.threshold is not None}
    asked = settings.models.get(EXTRACT, desk.MODEL)
    governed = list(list_governed_fields(settings.fields, thresholds, governing))
    return {
        "settings": settings,
        "any_required": any(one.required for one in governed),
        "fields": [
            {
                "label": one.label,
                "type": FIELD_TYPES.get(one.type, one.type),
                "dates": DATE_RANGES.get(one.date_range, "") if one.date_range != AROUND else "",
                "required": one.required,
                "threshold": settings.default_threshold if one.threshold is None else one.threshold,
                "allowed": () if one.type == "boolean" else one.allowed,
            }
            for one in governed
        ],
        "error_limit": desk.MOST_WRONG_PERCENT if settings.most_wrong is None else settings.most_wrong,
        "prompt_unused": bool(settings.document_prompt) and not _asks_models(settings),
        "language": LANGUAGES.get(settings.language, settings.language),
        "ocr_model": name_model(settings.ocr_model),
        "typing": TYPINGS.get(settings.typing, "") if not settings.classification_id else "",
        "doers": [(SETTING_LABELS[name], _name_provider(settings, name)) for name in DOERS],
        "model": name_model(asked) if _asks_models(settings) else "",
        "switches": [label for name, label in OCR_SWITCHES.items() if settings.ocr_options.get(name)],
    }


def _asks_models(settings: ProjectSettings) -> bool:
    """Return True if a model extracts fields, using the project's prompt."""
    return (settings.analyzer or desk_default("analyzer")) != "rules"


def _name_provider(settings: ProjectSettings, name: str) -> str:
    value = getattr(settings, name) or desk_default(name)
    return DOERS[name].get(value, value)

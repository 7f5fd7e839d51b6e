"""The settings page of a project as one thing: its form, its rows, and what the page says above them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from projects.field_rows import FieldRow, FieldRows, Tool, posted_rows, rearranged_rows, rows_of, tabled
from projects.forms import ProjectForm, initial_of
from projects.items.project import Project
from projects.schema import (
    FIELD_TYPES,
    LANGUAGES,
    OCR_MODELS,
    OCR_SWITCHES,
    SETTING_LABELS,
    ProjectSettings,
    differences,
)


@dataclass(frozen=True)
class Clash:
    """Somebody saved first: who and when, and what now differs from what was typed."""

    who: str
    at: str
    differing: tuple[str, ...]


@dataclass(frozen=True)
class Editor:
    form: ProjectForm
    rows: FieldRows
    version: int | None = None  # what the page showed; None for a new project, 0 for an older writer's
    focus: str = ""  # the button or input to look at after a row was moved or added
    clash: Clash | None = None
    problems: int = 0

    def is_valid(self) -> bool:
        return all([self.form.is_valid(), self.rows.is_valid()])  # both, so that every message is shown at once

    def settings(self) -> ProjectSettings:
        return replace(self.form.settings(), fields=self.rows.settings())

    @property
    def save_words(self) -> str:
        if self.clash:
            return "Save mine over it"
        return "Make the project" if self.version is None else "Save settings"

    @property
    def table(self) -> list[tuple[FieldRow, tuple[Tool, ...]]]:
        return tabled(self.rows, self.focus)

    def counted(self) -> "Editor":
        """With the number of messages, for the sentence at the top."""
        count = sum(len(one.errors) for one in (self.form, *self.rows.forms)) + len(self.rows.non_form_errors())
        return replace(self, problems=count)

    def after_clash(self, stored: Project) -> "Editor":
        """As typed, over the version that is stored now: saving again is a decision, not an accident."""
        differing = tuple(SETTING_LABELS[name] for name in differences(stored.settings, self.settings()))
        clash = Clash(stored.updated_by or "Somebody", stored.updated_at, differing)
        return replace(self, version=stored.version, clash=clash)


def editor_of(settings: ProjectSettings, version: int | None = None) -> Editor:
    return Editor(ProjectForm(initial=initial_of(settings), stored=settings), rows_of(settings.fields), version)


def posted_editor(data: Mapping[str, Any], stored: ProjectSettings) -> Editor:
    return Editor(ProjectForm(data, stored=stored), posted_rows(data), version_in(data))


def rearranged_editor(data: Mapping[str, Any], stored: ProjectSettings, order: str) -> Editor:
    """The page as typed with its rows moved: nothing is checked or saved yet."""
    form = ProjectForm(initial={name: data.get(name, "") for name in initial_of(stored)}, stored=stored)
    rows, focus = rearranged_rows(data, order)
    return Editor(form, rows, version_in(data), focus)


def version_in(data: Mapping[str, Any]) -> int | None:
    text = str(data.get("version", ""))
    return int(text) if text.isdigit() and len(text) < 10 else None


def summary(settings: ProjectSettings) -> dict[str, Any]:
    """The settings in the words of the project's page."""
    return {
        "settings": settings,
        "fields": [
            {
                "label": one.label,
                "type": FIELD_TYPES.get(one.type, one.type),
                "required": one.required,
                "threshold": settings.threshold_of(one),
            }
            for one in settings.fields
        ],
        "language": LANGUAGES.get(settings.language, settings.language),
        "ocr_model": OCR_MODELS.get(settings.ocr_model, settings.ocr_model),
        "switches": [label for name, label in OCR_SWITCHES.items() if settings.ocr_options.get(name)],
    }

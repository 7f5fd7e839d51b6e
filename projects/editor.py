"""The settings page of a project as one thing: its form, its rows, and what the page says above them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from projects.field_rows import FieldRows, posted_rows, rearranged_rows, rows_of
from projects.forms import ProjectForm, initial_of
from projects.schema import SETTING_LABELS, ProjectSettings, differences


@dataclass(frozen=True)
class Clash:
    """Somebody saved first: who and when, and what now differs from what was typed."""

    heading: str
    differing: tuple[str, ...]


@dataclass(frozen=True)
class Editor:
    form: ProjectForm
    rows: FieldRows
    version: int = 0  # what the page showed; 0 for a new project
    look_at: int = -1  # the row that was just moved or added, 0-based
    clash: Clash | None = None
    problems: int = field(default=0)

    def is_valid(self) -> bool:
        return all([self.form.is_valid(), self.rows.is_valid()])  # both, so that every message is shown at once

    def settings(self) -> ProjectSettings:
        return replace(self.form.settings(), fields=self.rows.settings())

    def counted(self) -> "Editor":
        """With the number of messages, for the sentence at the top."""
        count = sum(len(one.errors) for one in (self.form, *self.rows.forms)) + len(self.rows.non_form_errors())
        return replace(self, problems=count)

    def after_clash(self, heading: str, stored: ProjectSettings, version: int) -> "Editor":
        """As typed, over the version that is stored now: saving again is a decision, not an accident."""
        differing = tuple(SETTING_LABELS[name] for name in differences(stored, self.settings()))
        return replace(self, version=version, clash=Clash(heading, differing))


def editor_of(settings: ProjectSettings, version: int = 0) -> Editor:
    return Editor(ProjectForm(initial=initial_of(settings), stored=settings), rows_of(settings.fields), version)


def posted_editor(data: Mapping[str, Any], stored: ProjectSettings) -> Editor:
    return Editor(ProjectForm(data, stored=stored), posted_rows(data), version_in(data))


def rearranged_editor(data: Mapping[str, Any], stored: ProjectSettings, order: str) -> Editor:
    """The page as typed with its rows moved: nothing is checked or saved yet."""
    form = ProjectForm(initial={name: data.get(name, "") for name in initial_of(stored)}, stored=stored)
    rows, look_at = rearranged_rows(data, order)
    return Editor(form, rows, version_in(data), look_at)


def version_in(data: Mapping[str, Any]) -> int:
    text = str(data.get("version", "0"))
    return int(text) if text.isdigit() and len(text) < 10 else 0

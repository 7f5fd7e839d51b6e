"""The form of a mapping: its name, and the fields and attributes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from config.phrase import Phrase
from projects.web.row_moves import Tool
from workflows.routing.actions import MappingDraft
from workflows.routing.forms.formsets import RowKind, Rows

MOST_PAIRS = 40
_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TEXT = {"class": "text-input", "autocomplete": "off"}


class MappingForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=80,
        error_messages={
            "required": gettext_lazy("Enter a name. Documents show it."),
            "max_length": gettext_lazy("Use at most 80 characters (currently %(show_value)d)."),
        },
        widget=forms.TextInput(attrs=_TEXT),
    )
    description = forms.CharField(
        label=gettext_lazy("Description"), required=False, max_length=500, widget=forms.TextInput(attrs=_TEXT)
    )
    project_id = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Documents of"),
        error_messages={"invalid_choice": gettext_lazy("Select an option from the list.")},
        widget=forms.Select(attrs={"class": "select"}),
    )
    on = forms.BooleanField(required=False, label=gettext_lazy("Active"))

    def __init__(self, *args: Any, projects: Mapping[str, str], stored: str = "", **kwargs: Any) -> None:
        """``projects``: id → name of those that may be chosen; ``stored`` stays a choice."""
        super().__init__(*args, **kwargs)
        offered = {"": Phrase("All projects"), **projects}
        if stored:
            offered.setdefault(stored, stored)
        choice = self.fields["project_id"]
        if isinstance(choice, forms.ChoiceField):
            choice.choices = list(offered.items())

    def clean_name(self) -> str:
        return " ".join(str(self.cleaned_data["name"]).split())


class PairRow(forms.Form):
    """One field and its attribute; empty rows are ignored."""

    field = forms.CharField(
        required=False, max_length=40, widget=forms.TextInput(attrs=_TEXT | {"class": "text-input code-input"})
    )
    key = forms.ChoiceField(required=False, widget=forms.Select(attrs={"class": "select"}))

    def __init__(self, *args: Any, attributes: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen = str(self.initial.get("key") or "")
        offered = {"": Phrase("Choose"), **attributes} | ({chosen: attributes.get(chosen, chosen)} if chosen else {})
        choice = self.fields["key"]
        if isinstance(choice, forms.ChoiceField):
            choice.choices = list(offered.items())
            choice.error_messages["invalid_choice"] = Phrase("This attribute no longer exists. Choose another.")

    @property
    def blank(self) -> bool:
        return not self.cleaned_data.get("field") and not self.cleaned_data.get("key")

    def clean(self) -> dict[str, Any]:
        typed = self.cleaned_data
        if self.blank:
            return typed
        if not _KEY.fullmatch(typed.get("field", "")):
            self.add_error(
                "field", gettext("Enter the field's name from the project or the schema, such as invoice_number.")
            )
        if not typed.get("key") and "key" in typed:
            self.add_error("key", gettext("Choose an attribute."))
        return typed


@dataclass(frozen=True)
class MappingEditor:
    """The page of a mapping. ``version``: what the page showed; 0 for a new one."""

    form: MappingForm
    rows: Rows
    kind: RowKind
    version: int = 0
    focus: str = ""

    def is_valid(self) -> bool:
        return all([self.form.is_valid(), self.rows.is_valid()])  # validate both to show all messages at once

    @property
    def has_errors(self) -> bool:
        return bool(self.rows.total_error_count())

    def draft(self) -> MappingDraft:
        typed = self.form.cleaned_data
        filled = [row.cleaned_data for row in self.rows.forms if not row.blank]
        pairs = dict.fromkeys((row["field"], row["key"]) for row in filled)
        return MappingDraft(typed["name"], typed["description"], typed["on"], tuple(pairs), typed["project_id"])

    @property
    def table(self) -> list[tuple[forms.Form, tuple[Tool, ...]]]:
        return self.kind.add_row_tools(self.rows, self.focus)


def pair_rows(attributes: Mapping[str, str]) -> RowKind:
    return RowKind("pairs", "field", "field", PairRow, MOST_PAIRS, {"attributes": attributes})


def edit_stored_mapping(
    draft: MappingDraft, kind: RowKind, projects: Mapping[str, str], version: int = 0
) -> MappingEditor:
    names = ("name", "description", "on", "project_id")
    initial = {name: getattr(draft, name) for name in names}
    form = MappingForm(initial=initial, projects=projects, stored=draft.project_id)
    return MappingEditor(form, kind.make_rows(_initial(draft.pairs)), kind, version)


def _initial(pairs: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"field": field, "key": key} for field, key in pairs] or [{}]


def edit_posted_mapping(
    data: Mapping[str, Any], kind: RowKind, projects: Mapping[str, str], *, stored: str, version: int
) -> MappingEditor:
    return MappingEditor(MappingForm(data, projects=projects, stored=stored), kind.parse_rows(data), kind, version)


def edit_rearranged_mapping(
    data: Mapping[str, Any], kind: RowKind, projects: Mapping[str, str], *, stored: str, version: int
) -> MappingEditor:
    """Return the submitted page with its rows moved, neither validated nor saved."""
    typed = {name: data.get(name, "") for name in MappingForm.base_fields}
    rows, focus = kind.rearrange_rows(data, str(data.get("rows", "")))
    return MappingEditor(MappingForm(initial=typed, projects=projects, stored=stored), rows, kind, version, focus)

"""Form rows of a project's fields: editing, reordering, validation."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from django import forms
from django.forms.formsets import BaseFormSet, formset_factory
from django.utils.text import slugify
from django.utils.translation import gettext, gettext_lazy

from config.phrase import Phrase
from projects.settings.columns import ITEM_COLUMNS, TABLE
from projects.settings.forms import ColumnsField, PercentField, percent_of, share_of
from projects.settings.values import (
    AROUND,
    DATE_RANGES,
    FIELD_TYPES,
    LONGEST_DESCRIPTION,
    LONGEST_EXAMPLES,
    MAX_FIELDS,
    FieldSetting,
    date_range,
)
from projects.web import row_moves
from projects.web.row_moves import Tool

PREFIX = "fields"
_KEYS = (
    "label", "name", "type", "required", "threshold", "date_range", "description", "examples", "columns", "personal",
)  # fmt: skip
_TELLING = ("label", "name", "required", "personal", "threshold", "description")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


class FieldRow(forms.Form):
    """One field; its name is derived from the label if none is typed."""

    label = forms.CharField(
        required=False,
        max_length=80,
        error_messages={"max_length": gettext_lazy("Use at most 80 characters (currently %(show_value)d).")},
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )
    name = forms.CharField(
        required=False,
        max_length=40,
        error_messages={"max_length": gettext_lazy("Use at most 40 characters (currently %(show_value)d).")},
        widget=forms.TextInput(
            attrs={
                "class": "text-input code-input",
                "autocomplete": "off",
                "spellcheck": "false",
                "placeholder": gettext_lazy("from the label"),
            }
        ),
    )
    type = forms.ChoiceField(choices=list(FIELD_TYPES.items()), widget=forms.Select(attrs={"class": "select"}))
    date_range = forms.ChoiceField(
        required=False,
        choices=list(DATE_RANGES.items()),
        error_messages={"invalid_choice": gettext_lazy("Select an option from the list.")},
        widget=forms.Select(attrs={"class": "select"}),
    )
    required = forms.BooleanField(required=False)
    personal = forms.BooleanField(required=False)
    threshold = PercentField(
        required=False, label=gettext_lazy("Review threshold, percent, of field"), widget=forms.TextInput
    )

    description = forms.CharField(
        required=False,
        max_length=LONGEST_DESCRIPTION,
        error_messages={
            "max_length": Phrase("Use at most %(longest_description)s characters (currently %%(show_value)d).").fill(
                longest_description=LONGEST_DESCRIPTION
            )
        },
        widget=forms.TextInput(
            attrs={"class": "text-input", "autocomplete": "off", "placeholder": gettext_lazy("description for models")}
        ),
    )
    examples = forms.CharField(
        required=False,
        max_length=LONGEST_EXAMPLES,
        error_messages={
            "max_length": Phrase("Use at most %(longest_examples)s characters (currently %%(show_value)d).").fill(
                longest_examples=LONGEST_EXAMPLES
            )
        },
        widget=forms.TextInput(
            attrs={"class": "text-input", "autocomplete": "off", "placeholder": gettext_lazy("example values")}
        ),
    )

    columns = ColumnsField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["columns"].widget.attrs["placeholder"] = ITEM_COLUMNS

    @property
    def blank(self) -> bool:
        """True if neither name nor label was entered; a row with other input needs a name."""
        return not any(self.cleaned_data.get(key) for key in _TELLING)

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("type") == TABLE and self.cleaned_data.get("columns") == "":
            self.add_error("columns", ColumnsField.NONE)
        return self.cleaned_data

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name and not _NAME.fullmatch(name):
            raise forms.ValidationError(
                gettext("Use lowercase letters, digits and _, starting with a letter, for example invoice_number.")
            )
        return name

    def setting(self, number: int) -> FieldSetting:
        typed = self.cleaned_data
        name = typed["name"] or derive_name(typed["label"]) or f"field_{number}"
        return FieldSetting(
            name=name,
            label=typed["label"] or name.replace("_", " ").capitalize(),
            type=typed["type"],
            required=typed["required"],
            threshold=None if typed["threshold"] is None else share_of(typed["threshold"]),
            date_range=date_range(name, typed["type"], typed["date_range"]),
            description=" ".join(typed["description"].split()),
            examples=" ".join(typed["examples"].split()),
            columns=typed["columns"] if typed["type"] == TABLE else "",
            personal=typed["personal"],
        )


def derive_name(label: str) -> str:
    """``Invoice no.`` → ``invoice_no``; empty for a label without Latin letters."""
    name = slugify(label).replace("-", "_").strip("_")[:40]
    return name if _NAME.fullmatch(name) else ""


class FieldRows(BaseFormSet):  # type: ignore[type-arg]  # generic for the stubs only
    def clean(self) -> None:
        seen: dict[str, str] = {}
        for number, row in enumerate(self.forms, 1):
            if row.errors or row.blank:
                continue
            if not row.cleaned_data["label"] and not row.cleaned_data["name"]:
                row.add_error("label", gettext("Enter a label or remove the row."))
                continue
            one = row.setting(number)
            if one.name in seen:
                place = "name" if row.cleaned_data["name"] else "label"
                row.add_error(
                    place,
                    gettext("“%(seen)s” above already uses the name %(name)s. Choose another.")
                    % {"seen": seen[one.name], "name": one.name},
                )
            seen.setdefault(one.name, one.label)

    def is_valid(self) -> bool:
        # ``clean`` adds errors to rows after Django has counted them.
        return super().is_valid() and not any(row.errors for row in self.forms)

    def settings(self) -> tuple[FieldSetting, ...]:
        """The rows in order, without blank ones."""
        return tuple(row.setting(number) for number, row in enumerate(self.forms, 1) if not row.blank)


_Rows = formset_factory(
    FieldRow, formset=FieldRows, extra=0, max_num=MAX_FIELDS, validate_max=True, absolute_max=MAX_FIELDS + 1
)


def rows_of(fields: Sequence[FieldSetting]) -> FieldRows:
    return _make_field_rows(list(map(_type_row, fields)))


def post_rows(fields: Sequence[FieldSetting]) -> dict[str, Any]:
    """Return the form data of these rows."""
    posted: dict[str, Any] = {f"{PREFIX}-TOTAL_FORMS": len(fields), f"{PREFIX}-INITIAL_FORMS": 0}
    for number, one in enumerate(fields):
        posted |= {f"{PREFIX}-{number}-{name}": value for name, value in _type_row(one).items()}
    return posted


def _type_row(one: FieldSetting) -> dict[str, Any]:
    return {
        "label": one.label,
        "name": one.name,
        "type": one.type,
        "required": one.required,
        "threshold": None if one.threshold is None else percent_of(one.threshold),
        "date_range": one.date_range or AROUND,
        "description": one.description,
        "examples": one.examples,
        "columns": one.columns,
        "personal": one.personal,
    }


def parse_posted_rows(data: Mapping[str, Any]) -> FieldRows:
    words = {
        "too_many_forms": Phrase("A project can have up to %(max_fields)s fields. Remove some, then save again.").fill(
            max_fields=MAX_FIELDS
        )
    }
    return cast(FieldRows, _Rows(data, prefix=PREFIX, error_messages=words))


def rearrange_posted_rows(data: Mapping[str, Any], order: str) -> tuple[FieldRows, str]:
    """Return the typed rows after ``order`` (see ``row_moves``), and the input to focus."""
    rows = [_read_row_input(data, i) for i in range(min(row_moves.count_rows(data, PREFIX), MAX_FIELDS))]
    focus = row_moves.rearrange_rows(
        rows, order, blank={"type": "text", "date_range": AROUND}, most=MAX_FIELDS, first="label"
    )
    return _make_field_rows(rows), focus


def add_row_tools(rows: FieldRows, focus: str) -> list[tuple[FieldRow, tuple[Tool, ...]]]:
    """Return each row with its buttons; ``focus``: a button's value, or ``label-3`` for a row's first input."""
    last = len(rows.forms) - 1
    table: list[tuple[FieldRow, tuple[Tool, ...]]] = []
    for i, row in enumerate(rows.forms):
        row.fields["threshold"].widget.attrs["placeholder"] = gettext("default")
        if focus == f"label-{i}":
            row.fields["label"].widget.attrs["autofocus"] = True
        table.append((row, row_moves.row_tools(i, last, focus, Phrase("field"))))
    return table


def _make_field_rows(rows: list[dict[str, Any]]) -> FieldRows:
    return cast(FieldRows, _Rows(initial=rows, prefix=PREFIX))


def _read_row_input(data: Mapping[str, Any], i: int) -> dict[str, Any]:
    # As typed, unvalidated: moving a row must not show errors.
    row: dict[str, Any] = {key: data.get(f"{PREFIX}-{i}-{key}", "") for key in _KEYS}
    return row | {name: bool(row[name]) for name in ("required", "personal")}

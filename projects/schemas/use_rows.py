"""Form rows of a schema's attributes: editing, reordering, validation."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django import forms
from django.forms.formsets import BaseFormSet, formset_factory
from django.utils.translation import gettext, gettext_lazy

from config.phrase import Phrase
from projects.schemas.governing import ATTRIBUTE_KEY, MAX_USES, AttributeDefinition, AttributeUse
from projects.settings.field_rows import derive_name
from projects.templatetags.desk import within_sentence
from projects.web import row_moves
from projects.web.row_moves import Row, Tool

PREFIX = "uses"
SUGGESTIONS = "attribute-keys"  # the id of the page's suggestions
_KEYS = ("key", "allowed", "default")
_TYPED = {"autocomplete": "off", "spellcheck": "false"}


def lines_of(text: str) -> tuple[str, ...]:
    """Return the lines, unique."""
    return tuple(dict.fromkeys(line for one in text.splitlines() if (line := " ".join(one.split()))))


def _key_of(typed: str) -> str:
    """``Ship date`` → ``ship_date``: people type what the document says; a key stays as it is."""
    typed = typed.strip()
    return typed if ATTRIBUTE_KEY.fullmatch(typed) else derive_name(typed) or typed


def name_in(typed: object) -> str:
    """Return what a row calls its attribute: a key, or the words of a document."""
    return " ".join(str(typed or "").split())


class UseRow(forms.Form):
    """One attribute of a schema."""

    key = forms.CharField(
        required=False,
        max_length=80,
        error_messages={"max_length": gettext_lazy("Use at most 80 characters (currently %(show_value)d).")},
        widget=forms.TextInput(attrs={"class": "text-input code-input", "list": SUGGESTIONS} | _TYPED),
    )
    required = forms.BooleanField(required=False)
    allowed = forms.CharField(
        required=False,
        label=gettext_lazy("Allowed values, one a line, of attribute"),
        max_length=30_000,
        error_messages={"max_length": gettext_lazy("Use at most 30,000 characters (currently %(show_value)d).")},
        widget=forms.Textarea(
            attrs={"class": "text-input", "rows": 2, "placeholder": gettext_lazy("any, or one per line")} | _TYPED
        ),
    )
    default = forms.CharField(
        required=False,
        max_length=200,
        error_messages={"max_length": gettext_lazy("Use at most 200 characters (currently %(show_value)d).")},
        widget=forms.TextInput(attrs={"class": "text-input", "placeholder": gettext_lazy("none")} | _TYPED),
    )

    @property
    def blank(self) -> bool:
        return not any(self.cleaned_data.get(name) for name in _KEYS)

    def clean_key(self) -> str:
        return _key_of(self.cleaned_data["key"])

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.blank and not cleaned.get("key") and "key" not in self.errors:
            self.add_error("key", gettext("Enter an attribute key or remove the row."))
        return cleaned

    def use(self) -> AttributeUse:
        """Return what was typed, without values that are invalid by themselves."""
        typed = self.cleaned_data
        default = " ".join(typed.get("default", "").split())
        return AttributeUse(typed["key"], typed["required"], lines_of(typed.get("allowed", "")), default)


class UseRows(BaseFormSet):  # type: ignore[type-arg]  # generic for the stubs only
    def filled_rows(self) -> list[UseRow]:
        """Return the rows in order, without blank ones and those whose key is invalid by itself."""
        return [row for row in self.forms if row.cleaned_data.get("key")]


_Rows = formset_factory(
    UseRow, formset=UseRows, extra=0, max_num=MAX_USES, validate_max=True, absolute_max=MAX_USES + 1
)


def rows_of(uses: Sequence[AttributeUse]) -> UseRows:
    return make_use_rows(
        [
            {"key": one.key, "required": one.required, "allowed": "\n".join(one.allowed), "default": one.default}
            for one in uses
        ]
    )


def parse_posted_rows(data: Mapping[str, Any]) -> UseRows:
    words = {
        "too_many_forms": Phrase("A schema can have up to %(max_uses)s attributes. Remove some, then save again.").fill(
            max_uses=MAX_USES
        )
    }
    return cast(UseRows, _Rows(data, prefix=PREFIX, error_messages=words))


def rearrange_posted_rows(data: Mapping[str, Any], order: str) -> tuple[UseRows, str]:
    """Return the typed rows after ``order`` (see ``row_moves``), and the input to focus."""
    rows = _read_typed_rows(data)
    focus = row_moves.rearrange_rows(rows, order, blank={}, most=MAX_USES, first="key")
    return make_use_rows(rows), focus


def extend_posted_rows(data: Mapping[str, Any], key: str, asked: str = "") -> list[Row]:
    """Return the typed rows with one of this key: one that names it already, the first without a key, or a new one.

    ``asked``: what a row calls the attribute, if its key was to be another.
    """
    rows = _read_typed_rows(data)
    named = next((one for one in rows if _key_of(one["key"]) == key), None)
    if named is None and asked:
        named = next((one for one in rows if name_in(one["key"]) == asked), None)
    if named is not None:
        named["key"] = key
    else:
        free = next((one for one in rows if not one["key"].strip()), None)
        if free is not None:
            free["key"] = key
        elif len(rows) < MAX_USES:
            rows.append({"key": key})
    return rows


def post_rows(rows: Sequence[Row]) -> dict[str, str]:
    """Return what a browser posts for these rows."""
    posted = {f"{PREFIX}-TOTAL_FORMS": str(len(rows)), f"{PREFIX}-INITIAL_FORMS": "0"}
    for i, row in enumerate(rows):
        posted |= {f"{PREFIX}-{i}-{key}": row.get(key, "") for key in _KEYS}
        if row.get("required"):
            posted[f"{PREFIX}-{i}-required"] = "on"
    return posted


def add_row_tools(
    rows: UseRows, focus: str, known: Mapping[str, AttributeDefinition], missing: Sequence[str]
) -> list[tuple[UseRow, str, tuple[Tool, ...]]]:
    """Return each row with its attribute's label and type, and its buttons; ``missing``: names that have none yet."""
    last = len(rows.forms) - 1
    table: list[tuple[UseRow, str, tuple[Tool, ...]]] = []
    for i, row in enumerate(rows.forms):
        if focus == f"key-{i}":
            row.fields["key"].widget.attrs["autofocus"] = True
        typed = str(row["key"].value() or "")
        definition = known.get(typed)
        words = f"{definition.label}, {within_sentence(definition.kind_label)}" if definition else ""
        if name_in(typed) in missing and not row.errors:
            words = Phrase("New. Create it below.")
        row.fields["allowed"].widget.attrs["rows"] = max(2, min(8, len(lines_of(str(row["allowed"].value() or "")))))
        table.append((row, words, row_moves.row_tools(i, last, focus, Phrase("attribute"))))
    return table


def make_use_rows(rows: list[Row]) -> UseRows:
    return cast(UseRows, _Rows(initial=rows, prefix=PREFIX))


def _read_typed_rows(data: Mapping[str, Any]) -> list[Row]:
    return [_read_row_input(data, i) for i in range(min(row_moves.count_rows(data, PREFIX), MAX_USES))]


def _read_row_input(data: Mapping[str, Any], i: int) -> Row:
    # As typed, unvalidated: moving a row must not show errors.
    row: Row = {key: data.get(f"{PREFIX}-{i}-{key}", "") for key in _KEYS}
    return row | {"required": bool(data.get(f"{PREFIX}-{i}-required"))}

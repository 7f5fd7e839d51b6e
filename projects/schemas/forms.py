"""What people type about an attribute: its key and type once, its label and plausible dates at any time."""

from typing import Any

from django import forms

from projects.schemas.governing import ATTRIBUTE_KEY, KINDS, AttributeDefinition
from projects.settings.columns import ITEM_COLUMNS, TABLE
from projects.settings.forms import ColumnsField
from projects.settings.values import AROUND, DATE_RANGES, date_range

WATERMARK = "watermark"  # the kind of attribute
_LABEL_WORDS = {
    "required": "Enter a label.",
    "max_length": "Use at most 80 characters (currently %(show_value)d).",
}


class LabelForm(forms.Form):
    label = forms.CharField(
        max_length=80,
        error_messages=_LABEL_WORDS,
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )

    def clean_label(self) -> str:
        return " ".join(str(self.cleaned_data["label"]).split())


class DefinitionForm(LabelForm):
    """``kind``: of the attribute; only of a date there is something to say about dates, only of a table columns."""

    date_range = forms.ChoiceField(
        required=False,
        label="Plausible dates",
        help_text="Dates outside this range send the document to review.",
        choices=list(DATE_RANGES.items()),
        error_messages={"invalid_choice": "Select an option from the list."},
        widget=forms.Select(attrs={"class": "select"}),
    )

    columns = ColumnsField(
        help_text="One per line: label, type (text, number, amount, percent, date), required, sums to a field's name.",
    )

    watermark = forms.CharField(
        required=False,
        max_length=60,
        label="Watermark text",
        help_text="Written across the pages of shared and public documents that have this attribute.",
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )

    personal = forms.BooleanField(
        required=False,
        label="Personal data",
        help_text="Hidden from people without the permission to see personal data.",
    )

    def clean_watermark(self) -> str:
        text = " ".join(str(self.cleaned_data["watermark"]).split())
        if not text.isascii():  # the font that Pillow brings has no others
            raise forms.ValidationError("Use letters from A to Z without accents, digits and punctuation.")
        return text

    def __init__(self, *args: Any, kind: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, of in (("date_range", "date"), ("columns", TABLE), ("watermark", WATERMARK)):
            if kind and kind != of:
                del self.fields[name]
        if kind == TABLE:
            self.fields["columns"].required = True
        if kind == WATERMARK:
            self.fields["watermark"].required = True


class AttributeForm(DefinitionForm):
    key = forms.CharField(
        max_length=40,
        help_text="Lowercase letters, digits and _, for example cost_centre. Cannot be changed later.",
        error_messages={
            "required": "Enter a key, for example cost_centre.",
            "max_length": "Use at most 40 characters (currently %(show_value)d).",
        },
        widget=forms.TextInput(attrs={"class": "text-input code-input", "autocomplete": "off", "spellcheck": "false"}),
    )
    kind = forms.ChoiceField(
        label="Type",
        help_text="Cannot be changed later.",
        choices=[(name, kind.label) for name, kind in KINDS.items()],
        error_messages={"invalid_choice": "Select an option from the list."},
        widget=forms.Select(attrs={"class": "select"}),
    )
    field_order = ("label", "key", "kind", "date_range", "columns", "watermark", "personal")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["date_range"].initial = AROUND
        self.fields["columns"].initial = ITEM_COLUMNS

    def clean_key(self) -> str:
        key: str = self.cleaned_data["key"]
        if not ATTRIBUTE_KEY.fullmatch(key):
            raise forms.ValidationError(
                "Use lowercase letters, digits and _, starting with a letter, for example cost_centre."
            )
        return key

    def definition(self) -> AttributeDefinition:
        typed: dict[str, Any] = self.cleaned_data
        plausible = date_range(typed["key"], typed["kind"], typed["date_range"])
        columns = typed["columns"] if typed["kind"] == TABLE else ""
        return AttributeDefinition(
            typed["key"], typed["label"], typed["kind"], date_range=plausible, columns=columns,
            personal=typed["personal"], watermark=typed["watermark"] if typed["kind"] == WATERMARK else "",
        )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("kind") == TABLE and self.cleaned_data.get("columns") == "":
            self.add_error("columns", ColumnsField.NONE)
        if self.cleaned_data.get("kind") == WATERMARK and not self.cleaned_data.get("watermark"):
            self.add_error("watermark", "Enter the text of the watermark, such as Confidential.")
        return self.cleaned_data

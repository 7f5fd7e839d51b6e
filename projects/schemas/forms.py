"""Forms of attribute definitions; key and type are set once."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django import forms
from django.utils.translation import gettext, gettext_lazy

from config.phrase import Phrase
from projects.entities.items import EntityType
from projects.schemas.governing import ATTRIBUTE_KEY, ENTITY, KINDS, PUBLICATION, AttributeDefinition
from projects.settings.columns import ANY_COLUMNS, TABLE
from projects.settings.field_rows import derive_name
from projects.settings.forms import ColumnsField
from projects.settings.values import AROUND, DATE_RANGES, date_range

WATERMARK = "watermark"  # the kind of attribute
_LABEL_WORDS = {
    "required": Phrase("Enter a label."),
    "max_length": Phrase("Use at most 80 characters (currently %(show_value)d)."),
}


class LabelForm(forms.Form):
    label = forms.CharField(
        label=gettext_lazy("Label"),
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
        label=gettext_lazy("Plausible dates"),
        help_text=gettext_lazy("Dates outside this range send the document to review."),
        choices=list(DATE_RANGES.items()),
        error_messages={"invalid_choice": gettext_lazy("Select an option from the list.")},
        widget=forms.Select(attrs={"class": "select"}),
    )

    columns = ColumnsField(
        label=gettext_lazy("Columns"),
        help_text=gettext_lazy(
            "One per line: label, type (text, number, amount, percent, date), required, sums to a field's name."
        ),
    )

    watermark = forms.CharField(
        required=False,
        max_length=60,
        label=gettext_lazy("Watermark text"),
        help_text=gettext_lazy("Written across the pages of shared and public documents that have this attribute."),
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )

    personal = forms.BooleanField(
        required=False,
        label=gettext_lazy("Personal data"),
        help_text=gettext_lazy("Hidden from people without the permission to see personal data."),
    )

    def clean_watermark(self) -> str:
        text = " ".join(str(self.cleaned_data["watermark"]).split())
        if not text.isascii():  # the font that Pillow brings has no others
            raise forms.ValidationError(gettext("Use letters from A to Z without accents, digits and punctuation."))
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
        required=False,
        label=gettext_lazy("Key"),
        max_length=40,
        help_text=gettext_lazy("Lowercase letters, digits and _; from the label if empty. Cannot be changed later."),
        error_messages={
            "max_length": gettext_lazy("Use at most 40 characters (currently %(show_value)d)."),
        },
        widget=forms.TextInput(attrs={"class": "text-input code-input", "autocomplete": "off", "spellcheck": "false"}),
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("Type"),
        help_text=gettext_lazy("Cannot be changed later."),
        choices=[(name, kind.label) for name, kind in KINDS.items() if name != PUBLICATION],
        error_messages={"invalid_choice": gettext_lazy("Select an option from the list.")},
        widget=forms.Select(attrs={"class": "select"}),
    )
    field_order = ("label", "key", "kind", "entity_type", "date_range", "columns", "watermark", "personal")

    entity_type = forms.ChoiceField(
        required=False,
        label=gettext_lazy("List of entries"),
        help_text=gettext_lazy("Where the values come from. Cannot be changed later."),
        error_messages={"invalid_choice": gettext_lazy("Select an option from the list.")},
        widget=forms.Select(attrs={"class": "select"}),
    )

    def __init__(self, *args: Any, entity_types: Sequence[EntityType] = (), **kwargs: Any) -> None:
        """``entity_types``: of the site; without any, no attribute can refer to entities."""
        super().__init__(*args, **kwargs)
        lists, kinds = (
            cast("forms.ChoiceField", self.fields["entity_type"]),
            cast("forms.ChoiceField", self.fields["kind"]),
        )
        lists.choices = [("", "–"), *((one.type_id, str(one.name)) for one in entity_types)]
        if not entity_types:
            del self.fields["entity_type"]
            kinds.choices = [(name, kind.label) for name, kind in KINDS.items() if name not in {PUBLICATION, ENTITY}]
        self.fields["date_range"].initial = AROUND
        self.fields["columns"].initial = ANY_COLUMNS

    def clean_key(self) -> str:
        key: str = self.cleaned_data["key"] or derive_name(self.cleaned_data.get("label", ""))
        if not key:
            raise forms.ValidationError(gettext("Enter a key, for example cost_centre."))
        if not ATTRIBUTE_KEY.fullmatch(key):
            raise forms.ValidationError(
                gettext("Use lowercase letters, digits and _, starting with a letter, for example cost_centre.")
            )
        return key

    def definition(self) -> AttributeDefinition:
        typed: dict[str, Any] = self.cleaned_data
        plausible = date_range(typed["key"], typed["kind"], typed.get("date_range", ""))
        columns = typed["columns"] if typed["kind"] == TABLE else ""
        return AttributeDefinition(
            typed["key"], typed["label"], typed["kind"], date_range=plausible, columns=columns,
            personal=typed["personal"], watermark=typed["watermark"] if typed["kind"] == WATERMARK else "",
            entity_type=typed["entity_type"] if typed["kind"] == ENTITY else "",
        )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("kind") == TABLE and self.cleaned_data.get("columns") == "":
            self.add_error("columns", ColumnsField.NONE)
        if self.cleaned_data.get("kind") == WATERMARK and not self.cleaned_data.get("watermark"):
            self.add_error("watermark", gettext("Enter the text of the watermark, such as Confidential."))
        if self.cleaned_data.get("kind") == ENTITY and not self.cleaned_data.get("entity_type"):
            self.add_error("entity_type", gettext("Select the list that the values come from."))
        return self.cleaned_data


class ShortAttributeForm(AttributeForm):
    """Beside the schema that needs it: the kinds of which a label says enough, and tables."""

    prefix = "new"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("date_range", "watermark"):
            del self.fields[name]
        kinds = cast("forms.ChoiceField", self.fields["kind"])
        longer = {WATERMARK, ENTITY, PUBLICATION}
        kinds.choices = [(name, kind.label) for name, kind in KINDS.items() if name not in longer]
        for name in ("label", "key"):
            self.fields[name].widget.attrs["data-press-on-enter"] = "create-attribute"

    def focus_first_empty(self) -> None:
        name = next((one for one in ("label", "key") if not self.initial.get(one)), "kind")
        self.fields[name].widget.attrs["autofocus"] = True


def typed_attribute(data: Mapping[str, Any]) -> ShortAttributeForm:
    """Return the form as typed, unvalidated."""
    prefix = f"{ShortAttributeForm.prefix}-"
    names = ("label", "key", "kind", "columns", "personal")
    return ShortAttributeForm(initial={one: data[prefix + one] for one in names if prefix + one in data})

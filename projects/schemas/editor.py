"""The schema editor: name, attributes, composite keys and messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from config.phrase import Phrase
from config.table import InvalidKey
from projects.schemas import checks
from projects.schemas import queries as schema_queries
from projects.schemas.checks import Definitions
from projects.schemas.forms import ShortAttributeForm, typed_attribute
from projects.schemas.governing import MAX_COMPOSITE_KEYS, AttributeDefinition, Schema
from projects.schemas.use_rows import (
    UseRow,
    UseRows,
    add_row_tools,
    extend_posted_rows,
    lines_of,
    parse_posted_rows,
    rearrange_posted_rows,
    rows_of,
)
from projects.web.http import version_in
from projects.web.row_moves import Tool

_MISSING = Phrase("No attribute has the key “%(key)s”. Create it below, or choose another.")
OFFERED = "new-offered"
_NOT_CREATED = Phrase("This attribute is not created yet. Press “Create and add”, or clear the label.")


class SchemaForm(forms.Form):
    """A schema's settings besides attributes; ``named``: a classification has a name, the site's schema none."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=120,
        error_messages={
            "required": gettext_lazy("Enter a document type name."),
            "max_length": gettext_lazy("Use at most 120 characters (currently %(show_value)d)."),
        },
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )
    composite_keys = forms.CharField(
        label=gettext_lazy("Composite keys"),
        required=False,
        max_length=4_000,
        help_text=(
            Phrase(
                "Needed to filter documents by several attributes at once. One per line: category, currency. "
                "Maximum %(max_composite_keys)s."
            ).fill(max_composite_keys=MAX_COMPOSITE_KEYS)
        ),
        error_messages={"max_length": gettext_lazy("Use at most 4,000 characters (currently %(show_value)d).")},
        widget=forms.Textarea(attrs={"class": "text-input code-input", "rows": 3, "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, named: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not named:
            del self.fields["name"]

    def composites(self) -> tuple[tuple[str, ...], ...]:
        lines = lines_of(self.cleaned_data.get("composite_keys", ""))
        return tuple(tuple(key for part in line.split(",") if (key := part.strip())) for line in lines)


@dataclass(frozen=True)
class SchemaEditor:
    """``name``: of a schema without a name input; ``known``: the attributes that the page suggests."""

    form: SchemaForm
    rows: UseRows
    name: str = ""
    version: int = 0  # what the page showed
    focus: str = ""  # the button or input to focus after a row was moved or added
    clash: str = ""  # who saved first
    refusal: str = ""  # why the write was refused
    problems: int = 0
    known: Mapping[str, AttributeDefinition] = field(default_factory=dict)
    new: ShortAttributeForm = field(default_factory=ShortAttributeForm)
    offered: str = ""  # label that the page put into the new attribute's form; it may be left there
    made: str = ""  # label of the attribute just created here

    def schema(self) -> Schema:
        """Return what was typed, without what is invalid by itself."""
        uses = tuple(row.use() for row in self.rows.filled_rows())
        return Schema(self.form.cleaned_data.get("name", self.name), uses, self.form.composites())

    def is_valid(self, site: str) -> bool:
        """Also validate against the attribute definitions, with an error at each input, all at once.

        An attribute that was typed and not created would be lost, so it is an error too.
        """
        if self.new.is_bound:
            self.new.add_error("label", _NOT_CREATED)
        self.form.is_valid()
        if not self.rows.is_valid() and self.rows.non_form_errors():
            return False  # too many rows, or none that can be told apart
        schema = self.schema()
        definitions = self._definitions(site, schema)
        # before errors are added: an error removes the value, and the row would look blank
        rows = self.rows.filled_rows()
        for problem in checks.schema_problems(checks.normalise_schema(schema, definitions), definitions):
            if problem.part == "composite":
                line = ", ".join(schema.composite_keys[problem.place])
                self.form.add_error("composite_keys", f"“{line}”: {problem.text}")
            elif problem.part == "key" and schema.uses[problem.place].key not in definitions:
                rows[problem.place].add_error("key", _MISSING.fill(key=schema.uses[problem.place].key))
            else:
                rows[problem.place].add_error(problem.part, problem.text)
        return not self.form.errors and not self.new.errors and not any(row.errors for row in self.rows.forms)

    def _definitions(self, site: str, schema: Schema) -> Definitions:
        try:
            return schema_queries.definitions_of(site, schema.keys)
        except InvalidKey:  # an invalid key cannot exist
            return {}

    @property
    def table(self) -> list[tuple[UseRow, str, tuple[Tool, ...]]]:
        return add_row_tools(self.rows, self.focus, self.known)

    @property
    def save_words(self) -> str:
        return Phrase("Overwrite with my changes") if self.clash else Phrase("Save")

    def count_messages(self) -> "SchemaEditor":
        """Return the editor with the number of messages, for the sentence at the top."""
        count = sum(len(one.errors) for one in (self.form, self.new, *self.rows.forms)) + len(
            self.rows.non_form_errors()
        )
        return replace(self, problems=count)

    def offer_attributes(self, site: str) -> "SchemaEditor":
        """Return the editor with the suggested attributes, and the first that is missing ready to create; one Query."""
        known = {one.key: one for one in schema_queries.attribute_definitions(site)}
        new = self._new_attribute(known)
        return replace(self, known=known, new=new, offered=self.offered if new is self.new else new.initial["label"])

    def _new_attribute(self, known: Mapping[str, AttributeDefinition]) -> ShortAttributeForm:
        if self.new.is_bound or self.new.initial.get("label"):
            return self.new
        refused = [row for row in self.rows.forms if row.is_bound and "key" in row.errors]
        typed = next((str(row["key"].value()).strip() for row in refused if row["key"].value()), "")
        # A key that exists was refused for another reason.
        return self.new if not typed or typed in known else ShortAttributeForm(initial={"label": typed})


def editor_of(schema: Schema, *, named: bool, version: int = 0) -> SchemaEditor:
    composite = "\n".join(", ".join(keys) for keys in schema.composite_keys)
    form = SchemaForm(initial={"name": schema.name, "composite_keys": composite}, named=named)
    return SchemaEditor(form, rows_of(schema.uses), schema.name, version)


def edit_posted_schema(data: Mapping[str, Any], *, named: bool, name: str = "") -> SchemaEditor:
    form, new, offered = SchemaForm(data, named=named), typed_attribute(data), data.get(OFFERED, "")
    if str(new.initial.get("label", "")).strip() not in ("", offered):
        new = ShortAttributeForm(data)
    return SchemaEditor(form, parse_posted_rows(data), name, version_in(data), new=new, offered=offered)


def edit_rearranged_schema(data: Mapping[str, Any], order: str, *, named: bool, name: str = "") -> SchemaEditor:
    """Return the editor with rearranged rows; nothing is validated or saved."""
    rows, focus = rearrange_posted_rows(data, order)
    form, new = _typed_form(data, named=named), typed_attribute(data)
    return SchemaEditor(form, rows, name, version_in(data), focus, new=new, offered=data.get(OFFERED, ""))


def edit_extended_schema(
    data: Mapping[str, Any], made: AttributeDefinition, *, named: bool, name: str = ""
) -> SchemaEditor:
    """Return the editor as typed, with a row of the attribute just created, and a blank form for another."""
    rows, form, new = extend_posted_rows(data, made.key), _typed_form(data, named=named), ShortAttributeForm()
    new.fields["label"].widget.attrs["autofocus"] = True
    return SchemaEditor(form, rows, name, version_in(data), new=new, made=made.label)


def _typed_form(data: Mapping[str, Any], *, named: bool) -> SchemaForm:
    return SchemaForm(initial={key: data.get(key, "") for key in ("name", "composite_keys")}, named=named)

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
from projects.schemas.governing import ATTRIBUTE_KEY, MAX_COMPOSITE_KEYS, AttributeDefinition, Schema
from projects.schemas.use_rows import (
    UseRow,
    UseRows,
    add_row_tools,
    extend_posted_rows,
    lines_of,
    make_use_rows,
    name_in,
    parse_posted_rows,
    post_rows,
    rearrange_posted_rows,
    rows_of,
)
from projects.web.http import version_in
from projects.web.row_moves import Tool

OFFERED = "new-offered"
MISSING = "new-missing"  # the names without an attribute when the page was last to be saved, one a line
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
                "Let documents be filtered by several attributes at once. One set of keys per line, for example: "
                "category, currency. Maximum %(max_composite_keys)s."
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
    missing: tuple[str, ...] = ()  # names in the rows that no attribute has; once created, the schema is saved
    known: Mapping[str, AttributeDefinition] = field(default_factory=dict)
    new: ShortAttributeForm = field(default_factory=ShortAttributeForm)
    offered: str = ""  # label that the page put into the new attribute's form; it may be left there
    made: str = ""  # label of the attribute just created here

    def schema(self) -> Schema:
        """Return what was typed, without what is invalid by itself."""
        uses = tuple(row.use() for row in self.rows.filled_rows())
        return Schema(self.form.cleaned_data.get("name", self.name), uses, self.form.composites())

    def check(self, site: str) -> "SchemaEditor":
        """Return the editor validated, also against the attribute definitions: an error at each input, all at once.

        An attribute that was typed and not created would be lost, so it is an error too. A name that no attribute has
        yet is none: it is the next step.
        """
        missing = self._find_problems(site)
        forms = (self.form, self.new, *self.rows.forms)
        problems = sum(len(one.errors) for one in forms) + len(self.rows.non_form_errors())
        return replace(self, problems=problems, missing=missing)

    @property
    def is_valid(self) -> bool:
        return not self.problems and not self.missing

    def _find_problems(self, site: str) -> tuple[str, ...]:
        if self.new.is_bound:
            self.new.add_error("label", _NOT_CREATED)
        self.form.is_valid()
        if not self.rows.is_valid() and self.rows.non_form_errors():
            return ()  # too many rows, or none that can be told apart
        schema = self.schema()
        definitions = self._definitions(site, schema)
        # before errors are added: an error removes the value, and the row would look blank
        rows = self.rows.filled_rows()
        missing: dict[str, str] = {}
        for problem in checks.schema_problems(checks.normalise_schema(schema, definitions), definitions):
            if problem.part == "composite":
                line = schema.composite_keys[problem.place]
                if not missing.keys() & set(line):  # judged once they exist
                    self.form.add_error("composite_keys", f"“{', '.join(line)}”: {problem.text}")
            elif problem.part == "key" and (key := schema.uses[problem.place].key) not in {*definitions, *missing}:
                missing[key] = name_in(rows[problem.place]["key"].value())
            else:
                rows[problem.place].add_error(problem.part, problem.text)
        return tuple(missing.values())

    def _definitions(self, site: str, schema: Schema) -> Definitions:
        try:
            return schema_queries.definitions_of(site, schema.keys)
        except InvalidKey:  # an invalid key cannot exist
            return schema_queries.definitions_of(site, filter(ATTRIBUTE_KEY.fullmatch, schema.keys))

    @property
    def table(self) -> list[tuple[UseRow, str, tuple[Tool, ...]]]:
        return add_row_tools(self.rows, self.focus, self.known, self.missing)

    @property
    def save_words(self) -> str:
        return Phrase("Overwrite with my changes") if self.clash else Phrase("Save")

    @property
    def missing_names(self) -> str:
        return "\n".join(self.missing)

    @property
    def is_new_open(self) -> bool:
        """Return whether the form of a new attribute is open; a site without attributes begins with it."""
        return bool(self.new.errors or self.new.initial.get("label") or self.made or self.missing or not self.known)

    @property
    def offers_all(self) -> bool:
        """Return whether every attribute of the site is suggested, so that the page can tell which name is new."""
        return len(self.known) < schema_queries.MAX_OFFERED

    def offer_attributes(self, site: str) -> "SchemaEditor":
        """Return the editor with the suggested attributes, and the first that is missing ready to create; one Query."""
        known = {one.key: one for one in schema_queries.attribute_definitions(site)}
        new = self._new_attribute()
        if self.missing and not self.problems and not self.focus and not new.is_bound:
            new.focus_first_empty()
        offered = self.offered if new is self.new else str(new.initial["label"])
        return replace(self, known=known, new=new, offered=offered)

    def _new_attribute(self) -> ShortAttributeForm:
        label, following = name_in(self.new.initial.get("label")), next(iter(self.missing), "")
        stays = label == following or label not in ("", self.offered) or label in (self.missing or self._names())
        if self.new.is_bound or stays:
            return self.new
        kept = {} if label else self.new.initial  # of another name, or typed before this one was offered
        return ShortAttributeForm(initial={**kept, "label": following})

    def _names(self) -> tuple[str, ...]:
        return tuple(name_in(row["key"].value()) for row in self.rows.forms)


def editor_of(schema: Schema, *, named: bool, version: int = 0) -> SchemaEditor:
    composite = "\n".join(", ".join(keys) for keys in schema.composite_keys)
    form = SchemaForm(initial={"name": schema.name, "composite_keys": composite}, named=named)
    return SchemaEditor(form, rows_of(schema.uses), schema.name, version)


def edit_posted_schema(data: Mapping[str, Any], *, named: bool, name: str = "") -> SchemaEditor:
    form, new, offered = SchemaForm(data, named=named), typed_attribute(data), name_in(data.get(OFFERED))
    if name_in(new.initial.get("label")) not in ("", offered):
        new = ShortAttributeForm(data)
    return SchemaEditor(form, parse_posted_rows(data), name, version_in(data), new=new, offered=offered)


def edit_rearranged_schema(data: Mapping[str, Any], order: str, *, named: bool, name: str = "") -> SchemaEditor:
    """Return the editor with rearranged rows; nothing is validated or saved."""
    rows, focus = rearrange_posted_rows(data, order)
    form, new, offered = _typed_form(data, named=named), typed_attribute(data), name_in(data.get(OFFERED))
    editor = SchemaEditor(form, rows, name, version_in(data), focus, new=new, offered=offered)
    names = editor._names()
    return replace(editor, missing=tuple(one for one in names_to_create(data) if one in names))


def names_to_create(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names that kept the page from being saved; empty if it was not to be saved."""
    return tuple(name for line in str(data.get(MISSING, "")).split("\n") if (name := name_in(line)))


def edit_extended_schema(
    data: Mapping[str, Any], made: AttributeDefinition, *, named: bool, name: str = ""
) -> SchemaEditor:
    """Return the editor as typed, with a row of the attribute just created, and a blank form for another."""
    rows = make_use_rows(extend_posted_rows(data, made.key, _asked(data, made)))
    form, new = _typed_form(data, named=named), ShortAttributeForm()
    new.focus_first_empty()
    return SchemaEditor(form, rows, name, version_in(data), new=new, made=made.label)


def post_extended_schema(data: Mapping[str, Any], made: AttributeDefinition) -> dict[str, Any]:
    """Return what a browser posts to save what was typed with a row of the attribute just created."""
    rows = extend_posted_rows(data, made.key, _asked(data, made))
    beside = {key: one for key, one in data.items() if key != "rows" and not key.startswith(("new-", "uses-"))}
    return beside | post_rows(rows)


def _asked(data: Mapping[str, Any], made: AttributeDefinition) -> str:
    # Under another label it may be another attribute, and the row's name would be lost.
    offered = name_in(data.get(OFFERED))
    return offered if made.label == offered else ""


def _typed_form(data: Mapping[str, Any], *, named: bool) -> SchemaForm:
    return SchemaForm(initial={key: data.get(key, "") for key in ("name", "composite_keys")}, named=named)

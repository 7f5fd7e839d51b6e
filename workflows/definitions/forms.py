"""What someone types to compose a definition: its name, its plan, and a row for each thing that a run does."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms

from projects.web.row_moves import Tool
from workflows.definitions import composition
from workflows.definitions.blueprint import ABOUT_DOCUMENTS
from workflows.definitions.composition import APPROVAL, KINDS, MOST_APPROVERS, MOST_BLOCKS, Block, Plan
from workflows.routing.forms.formsets import RowKind, Rows
from workflows.routing.forms.rules import ActionRow, parse_recipients, to_comparable
from workflows.rules.routing import WORDS, Condition, Operator, Source, is_comparable
from workflows.runs.events import FAILED, PROCESSED
from workflows.runs.items import ActionType

_TEXT = {"class": "text-input", "autocomplete": "off"}
_SELECT = {"class": "select"}
_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")  # of an entry of the data
_WRONG_KEY = {
    _KEY: "Enter the field's name from the project, such as invoice_number.",
    _PATH: "Enter the entry's name in the data, such as contract.salary.",
}
_EVENT = re.compile(r"[a-z][a-z0-9_.-]{0,59}")
_COMPARISONS = (Operator.GT, Operator.GE, Operator.LT, Operator.LE)
_OPERATORS = [(one.value, words) for one, words in WORDS.items() if one != Operator.CONTAINS]
_CHECKED_BY: Mapping[str, ActionType] = {"mail": ActionType.NOTIFY, "webhook": ActionType.WEBHOOK}


class NewDefinitionForm(forms.Form):
    name = forms.CharField(
        max_length=composition.LONGEST_NAME,
        help_text="Lowercase letters, digits and hyphens, such as invoice-approval. It cannot be changed.",
        error_messages={"required": "Enter a name."},
        widget=forms.TextInput(attrs=_TEXT),
    )
    description = forms.CharField(
        max_length=200,
        required=False,
        help_text="Rules and runs show it.",
        widget=forms.TextInput(attrs=_TEXT),
    )

    runs_on = forms.ChoiceField(
        choices=[("documents", "Documents"), ("data", "Data, without a document")],
        required=False,
        help_text="Data is any JSON, such as an order. It cannot be changed.",
        widget=forms.Select(attrs=_SELECT),
    )

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if not composition.NAME.fullmatch(name):
            raise forms.ValidationError("Use lowercase letters, digits and single hyphens, starting with a letter.")
        return name


class PlanForm(forms.Form):
    description = forms.CharField(max_length=200, required=False, widget=forms.TextInput(attrs=_TEXT))
    graph = forms.BooleanField(required=False, label="Build the knowledge graph")
    summary = forms.BooleanField(required=False, label="Summarize the document")
    tell_rejected = forms.BooleanField(required=False, label="Email the sender when the document is rejected")


def _key_field() -> forms.CharField:
    return forms.CharField(required=False, max_length=40, widget=forms.TextInput(attrs=_TEXT))


def _operator_field() -> forms.ChoiceField:
    return forms.ChoiceField(
        required=False, choices=_OPERATORS, initial=Operator.GT.value, widget=forms.Select(attrs=_SELECT)
    )


def _number_field(most: int) -> forms.IntegerField:
    told = dict.fromkeys(("invalid", "min_value", "max_value"), f"Enter a whole number from 1 to {most:,}.")
    widget = forms.TextInput(attrs=_TEXT | {"inputmode": "numeric"})
    return forms.IntegerField(required=False, min_value=1, max_value=most, error_messages=told, widget=widget)


class BlockRow(forms.Form):
    """One block; a row whose first choice was left open is none."""

    kind = forms.ChoiceField(
        required=False, choices=[("", "Choose"), *KINDS.items()], widget=forms.Select(attrs=_SELECT)
    )
    label = forms.CharField(required=False, max_length=60, widget=forms.TextInput(attrs=_TEXT))
    key_1, operator_1, value_1 = _key_field(), _operator_field(), _key_field()
    key_2, operator_2, value_2 = _key_field(), _operator_field(), _key_field()
    approvers = _number_field(MOST_APPROVERS)
    queue = forms.ChoiceField(required=False, widget=forms.Select(attrs=_SELECT))
    hours = _number_field(24 * 90)
    target = forms.CharField(required=False, max_length=1000, widget=forms.TextInput(attrs=_TEXT))
    value = forms.CharField(required=False, max_length=200, widget=forms.TextInput(attrs=_TEXT))

    def __init__(self, *args: Any, queues: Mapping[str, str], documents: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._keys = _KEY if documents else _PATH
        if not documents and isinstance(kinds := self.fields["kind"], forms.ChoiceField):
            offered_kinds = {one: words for one, words in KINDS.items() if one not in ABOUT_DOCUMENTS}
            kinds.choices = [("", "Choose"), *offered_kinds.items()]
        chosen = str(self.initial.get("queue") or "")
        own = "The document's queue" if documents else "The site's queue"
        offered = {"": own, **queues} | ({chosen: chosen} if chosen else {})
        choice = self.fields["queue"]
        if isinstance(choice, forms.ChoiceField):
            choice.choices = list(offered.items())

    @property
    def blank(self) -> bool:
        return not self.cleaned_data.get("kind")

    def clean(self) -> dict[str, Any]:
        typed = self.cleaned_data
        if self.blank:
            return typed
        if not typed.get("label"):
            self.add_error("label", "Enter a name. Runs and reviews show it.")
        for i in range(1, composition.MOST_CONDITIONS + 1):
            self._check_condition(i)
        self._check_target()
        return typed

    def _check_condition(self, i: int) -> None:
        typed = self.cleaned_data
        key, value, operator = typed.get(f"key_{i}"), typed.get(f"value_{i}"), typed.get(f"operator_{i}")
        if not key:
            if value:
                self.add_error(f"key_{i}", "Enter the field's name.")
            return
        if not self._keys.fullmatch(key):
            self.add_error(f"key_{i}", _WRONG_KEY[self._keys])
        if operator == Operator.EXISTS:
            if typed.get("kind") == APPROVAL:
                words = "A field that was not found always asks for approval. Use another operator."
                self.add_error(f"operator_{i}", words)
        elif not value:
            self.add_error(f"value_{i}", "Enter a value.")
        elif operator in _COMPARISONS and to_comparable(value) is None:
            self.add_error(f"value_{i}", "Enter a number such as 1000.50, or a date such as 2024-03-31.")

    def _check_target(self) -> None:
        typed = self.cleaned_data
        kind, target = typed["kind"], typed.get("target", "")
        if kind in _CHECKED_BY:
            typed_as_action = ActionRow({"type": _CHECKED_BY[kind], "target": target}, queues={})
            for error in typed_as_action.errors.get("target", ()):
                self.add_error("target", str(error))
        elif kind == "event" and (not _EVENT.fullmatch(target) or target in (PROCESSED, FAILED)):
            self.add_error("target", "Enter an event type of your own, such as invoice.approved.")
        elif kind in ("tag", "attribute"):
            if not _KEY.fullmatch(target):
                self.add_error("target", "Enter a key of lowercase letters, digits and underscores.")
            if not typed.get("value"):
                self.add_error("value", "Enter a value.")

    def block(self) -> Block:
        typed = self.cleaned_data
        kind, target = typed["kind"], typed["target"]
        parameters = {
            "mail": {"to": ", ".join(parse_recipients(target))},
            "webhook": {"url": target},
            "event": {"type": target},
            "tag": {"key": target, "value": typed["value"]},
            "attribute": {"key": target, "value": typed["value"]},
        }
        asks = kind == APPROVAL
        return Block(
            kind,
            typed["label"],
            tuple(self._condition(i) for i in range(1, composition.MOST_CONDITIONS + 1) if typed[f"key_{i}"]),
            approvers=(typed["approvers"] or 1) if asks else 1,
            queue=typed["queue"] if asks else "",
            hours=(typed["hours"] or 0) if asks else 0,
            parameters=parameters.get(kind, {}),
        )

    def _condition(self, i: int) -> Condition:
        typed = self.cleaned_data
        operator, value = Operator(typed[f"operator_{i}"]), typed[f"value_{i}"]
        if operator in _COMPARISONS or is_comparable(to_comparable(value) or ""):
            value = to_comparable(value) or value
        return Condition(Source.FIELD, operator, "" if operator == Operator.EXISTS else value, typed[f"key_{i}"])


def _initial(block: Block) -> dict[str, Any]:
    parameters = block.parameters
    target = next((parameters[name] for name in ("to", "url", "type", "key") if name in parameters), "")
    conditions = {
        f"{name}_{i}": value
        for i, one in enumerate(block.conditions, 1)
        for name, value in (("key", one.key), ("operator", one.operator.value), ("value", one.value))
    }
    return conditions | {
        "kind": block.kind,
        "label": block.label,
        "approvers": block.approvers,
        "queue": block.queue,
        "hours": block.hours or None,
        "target": target,
        "value": parameters.get("value", ""),
    }


@dataclass(frozen=True)
class PlanEditor:
    """The page of a plan as one thing. ``focus``: the button or input to look at after a row was moved or added."""

    form: PlanForm
    blocks: Rows
    kind: RowKind
    focus: str = ""
    documents: bool = True

    def is_valid(self) -> bool:
        valid = [self.form.is_valid(), self.blocks.is_valid()]  # all messages at once
        return all(valid)

    @property
    def has_errors(self) -> bool:
        return bool(self.blocks.total_error_count())

    def plan(self) -> Plan:
        blocks = tuple(row.block() for row in self.blocks.forms if not row.blank)
        return Plan(blocks=blocks, documents=self.documents, **self.form.cleaned_data)

    @property
    def block_table(self) -> list[tuple[forms.Form, tuple[Tool, ...]]]:
        return self.kind.add_row_tools(self.blocks, self.focus)


def _rows_of(queues: Mapping[str, str], *, documents: bool) -> RowKind:
    return RowKind("blocks", "step", "kind", BlockRow, MOST_BLOCKS, {"queues": queues, "documents": documents})


def edit_plan(plan: Plan, queues: Mapping[str, str]) -> PlanEditor:
    kind = _rows_of(queues, documents=plan.documents)
    names = ("description", "graph", "summary", "tell_rejected")
    form = PlanForm(initial={name: getattr(plan, name) for name in names})
    rows = kind.make_rows([_initial(one) for one in plan.blocks] or [{}])
    return PlanEditor(form, rows, kind, documents=plan.documents)


def edit_posted_plan(data: Mapping[str, Any], queues: Mapping[str, str], *, documents: bool = True) -> PlanEditor:
    """``documents``: as the plan was created."""
    kind = _rows_of(queues, documents=documents)
    return PlanEditor(PlanForm(data), kind.parse_rows(data), kind, documents=documents)


def edit_rearranged_plan(
    data: Mapping[str, Any], queues: Mapping[str, str], *, order: str, documents: bool = True
) -> PlanEditor:
    """The page as typed with its rows moved: nothing is checked or saved yet."""
    kind = _rows_of(queues, documents=documents)
    rows, focus = kind.rearrange_rows(data, order)
    form = PlanForm(initial={name: data.get(name, "") for name in PlanForm.base_fields})
    return PlanEditor(form, rows, kind, focus, documents=documents)

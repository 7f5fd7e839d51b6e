"""Forms to compose a definition: its name, its plan, and a row for each block."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from config.phrase import Figure, Phrase, Sentence
from projects.web.row_moves import Tool
from workflows.definitions import composition
from workflows.definitions.blueprint import ABOUT_DOCUMENTS
from workflows.definitions.composition import (
    APPROVAL,
    KINDS,
    MAY_ASK,
    MOST_APPROVERS,
    MOST_BLOCKS,
    MOST_CORRECTED,
    PART,
    WAIT,
    Block,
    Plan,
)
from workflows.definitions.rules import WORDS, Condition, Operator, Source, is_comparable
from workflows.routing.forms.formsets import RowKind, Rows
from workflows.routing.forms.rules import ActionRow, parse_recipients, to_comparable
from workflows.runs.events import FAILED, PROCESSED
from workflows.runs.items import ActionType

_TEXT = {"class": "text-input", "autocomplete": "off"}
_SELECT = {"class": "select"}
_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")  # path of an entry of the data
_WRONG_KEY = {
    _KEY: Phrase("Enter the field's name from the project, such as invoice_number."),
    _PATH: Phrase("Enter the entry's name in the data, such as contract.salary."),
}
_EVENT = re.compile(r"[a-z][a-z0-9_.-]{0,59}")
_COMPARISONS = (Operator.GT, Operator.GE, Operator.LT, Operator.LE)
_OPERATORS = [(one.value, words) for one, words in WORDS.items() if one != Operator.CONTAINS]
_CHECKED_BY: Mapping[str, ActionType] = {"mail": ActionType.NOTIFY, "webhook": ActionType.WEBHOOK}


class NewDefinitionForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=composition.LONGEST_NAME,
        help_text=gettext_lazy(
            "Lowercase letters, digits and hyphens, such as invoice-approval. It cannot be changed."
        ),
        error_messages={"required": gettext_lazy("Enter a name.")},
        widget=forms.TextInput(attrs=_TEXT),
    )
    description = forms.CharField(
        label=gettext_lazy("Description"),
        max_length=200,
        required=False,
        help_text=gettext_lazy("Rules and runs show it."),
        widget=forms.TextInput(attrs=_TEXT),
    )

    runs_on = forms.ChoiceField(
        label=gettext_lazy("Runs on"),
        choices=[("documents", gettext_lazy("Documents")), ("data", gettext_lazy("Data, without a document"))],
        required=False,
        help_text=gettext_lazy("Data is any JSON, such as an order. It cannot be changed."),
        widget=forms.Select(attrs=_SELECT),
    )

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if not composition.NAME.fullmatch(name):
            raise forms.ValidationError(
                gettext("Use lowercase letters, digits and single hyphens, starting with a letter.")
            )
        return name


class PlanForm(forms.Form):
    description = forms.CharField(
        label=gettext_lazy("Description"), max_length=200, required=False, widget=forms.TextInput(attrs=_TEXT)
    )
    graph = forms.BooleanField(required=False, label=gettext_lazy("Build the knowledge graph"))
    summary = forms.BooleanField(required=False, label=gettext_lazy("Summarize the document"))
    tell_rejected = forms.BooleanField(
        required=False, label=gettext_lazy("Email the sender when the document is rejected")
    )


def _key_field() -> forms.CharField:
    return forms.CharField(required=False, max_length=40, widget=forms.TextInput(attrs=_TEXT))


def _operator_field() -> forms.ChoiceField:
    return forms.ChoiceField(
        required=False, choices=_OPERATORS, initial=Operator.GT.value, widget=forms.Select(attrs=_SELECT)
    )


def _number_field(most: int) -> forms.IntegerField:
    told = dict.fromkeys(
        ("invalid", "min_value", "max_value"),
        Sentence("Enter a whole number from 1 to %(most)s.").fill(most=Figure(f"{most:,}")),
    )
    widget = forms.TextInput(attrs=_TEXT | {"inputmode": "numeric"})
    return forms.IntegerField(required=False, min_value=1, max_value=most, error_messages=told, widget=widget)


@dataclass(frozen=True)
class Offers:
    """The choices of a block. ``queues``: name → label; ``parts``: id of another workflow's version → label."""

    queues: Mapping[str, str]
    parts: Mapping[str, str]


class BlockRow(forms.Form):
    """One block; a row with an empty first choice is ignored."""

    kind = forms.ChoiceField(
        required=False, choices=[("", gettext_lazy("Choose")), *KINDS.items()], widget=forms.Select(attrs=_SELECT)
    )
    label = forms.CharField(required=False, max_length=60, widget=forms.TextInput(attrs=_TEXT))
    key_1, operator_1, value_1 = _key_field(), _operator_field(), _key_field()
    key_2, operator_2, value_2 = _key_field(), _operator_field(), _key_field()
    approvers = _number_field(MOST_APPROVERS)
    queue = forms.ChoiceField(required=False, widget=forms.Select(attrs=_SELECT))
    hours = _number_field(24 * 90)
    corrects = forms.CharField(required=False, max_length=430, widget=forms.TextInput(attrs=_TEXT))
    target = forms.CharField(required=False, max_length=1000, widget=forms.TextInput(attrs=_TEXT))
    value = forms.CharField(required=False, max_length=200, widget=forms.TextInput(attrs=_TEXT))
    wait_hours = _number_field(24 * 365)
    wait_field = _key_field()
    part = forms.ChoiceField(required=False, widget=forms.Select(attrs=_SELECT))

    def __init__(self, *args: Any, offers: Offers, documents: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._keys = _KEY if documents else _PATH
        if not documents and isinstance(kinds := self.fields["kind"], forms.ChoiceField):
            offered_kinds = {one: words for one, words in KINDS.items() if one not in ABOUT_DOCUMENTS}
            kinds.choices = [("", Phrase("Choose")), *offered_kinds.items()]
        own = Phrase("The document's queue") if documents else Phrase("The site's queue")
        self._offer("queue", own, offers.queues)
        self._offer("part", Phrase("Choose"), offers.parts)

    def _offer(self, name: str, blank: str, offered: Mapping[str, str]) -> None:
        """Also offer the earlier choice if it no longer exists."""
        chosen = str(self.initial.get(name) or "")
        choice = self.fields[name]
        if isinstance(choice, forms.ChoiceField):
            choice.choices = list(({"": blank, **({chosen: chosen} if chosen else {})} | dict(offered)).items())

    @property
    def blank(self) -> bool:
        return not self.cleaned_data.get("kind")

    def clean(self) -> dict[str, Any]:
        typed = self.cleaned_data
        if self.blank:
            return typed
        if not typed.get("label"):
            self.add_error("label", gettext("Enter a name. Runs and reviews show it."))
        for i in range(1, composition.MOST_CONDITIONS + 1):
            self._check_condition(i)
        self._check_target()
        return typed

    def _check_condition(self, i: int) -> None:
        typed = self.cleaned_data
        key, value, operator = typed.get(f"key_{i}"), typed.get(f"value_{i}"), typed.get(f"operator_{i}")
        if not key:
            if value:
                self.add_error(f"key_{i}", gettext("Enter the field's name."))
            return
        if not self._keys.fullmatch(key):
            self.add_error(f"key_{i}", _WRONG_KEY[self._keys])
        if operator == Operator.EXISTS:
            if typed.get("kind") in MAY_ASK:
                words = gettext("A field that was not found always asks for approval. Use another operator.")
                self.add_error(f"operator_{i}", words)
        elif not value:
            self.add_error(f"value_{i}", gettext("Enter a value."))
        elif operator in _COMPARISONS and to_comparable(value) is None:
            self.add_error(f"value_{i}", gettext("Enter a number such as 1000.50, or a date such as 2024-03-31."))

    def _check_target(self) -> None:
        typed = self.cleaned_data
        kind, target = typed["kind"], typed.get("target", "")
        if kind == APPROVAL:
            self._check_corrected()
        elif kind == WAIT:
            self._check_wait()
        elif kind == PART and not typed.get("part") and "part" not in self.errors:
            self.add_error("part", gettext("Choose a published workflow version."))
        elif kind in _CHECKED_BY:
            typed_as_action = ActionRow({"type": _CHECKED_BY[kind], "target": target}, queues={})
            for error in typed_as_action.errors.get("target", ()):
                self.add_error("target", str(error))
        elif kind == "event" and (not _EVENT.fullmatch(target) or target in (PROCESSED, FAILED)):
            self.add_error("target", gettext("Enter an event type of your own, such as invoice.approved."))
        elif kind in ("tag", "attribute"):
            if not _KEY.fullmatch(target):
                self.add_error("target", gettext("Enter a key of lowercase letters, digits and underscores."))
            if not typed.get("value"):
                self.add_error("value", gettext("Enter a value."))

    def _check_corrected(self) -> None:
        paths = self._corrected()
        if paths and self._keys is not _PATH:
            self.add_error(
                "corrects", gettext("Approvers of a document may correct all of its fields. Leave this empty.")
            )
        elif not all(_PATH.fullmatch(one) for one in paths):
            self.add_error("corrects", _WRONG_KEY[_PATH])
        elif len(paths) > MOST_CORRECTED:
            self.add_error(
                "corrects", gettext("Enter at most %(most_corrected)s entries.") % {"most_corrected": MOST_CORRECTED}
            )

    def _corrected(self) -> tuple[str, ...]:
        typed = str(self.cleaned_data.get("corrects") or "")
        return tuple(dict.fromkeys(one.strip() for one in typed.split(",") if one.strip()))

    def _check_wait(self) -> None:
        typed = self.cleaned_data
        if "wait_hours" in self.errors:
            return
        if bool(typed.get("wait_hours")) == bool(typed.get("wait_field")):
            self.add_error("wait_hours", gettext("Enter the hours to wait, or the date field to wait for."))
        elif typed["wait_field"] and not self._keys.fullmatch(typed["wait_field"]):
            self.add_error("wait_field", _WRONG_KEY[self._keys])

    def block(self) -> Block:
        typed = self.cleaned_data
        kind, target = typed["kind"], typed["target"]
        parameters = {
            "mail": {"to": ", ".join(parse_recipients(target))},
            "webhook": {"url": target},
            "event": {"type": target},
            "tag": {"key": target, "value": typed["value"]},
            "attribute": {"key": target, "value": typed["value"]},
            PART: {"definition": typed["part"]},
            WAIT: {"field": typed["wait_field"]} if typed["wait_field"] else {"hours": str(typed["wait_hours"])},
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
            corrects=self._corrected() if asks else (),
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
        "corrects": ", ".join(block.corrects),
        "target": target,
        "part": parameters.get("definition", ""),
        "wait_hours": parameters.get("hours"),
        "wait_field": parameters.get("field", ""),
        "value": parameters.get("value", ""),
    }


@dataclass(frozen=True)
class PlanEditor:
    """The page of a plan. ``focus``: the button or input to focus after a row was moved or added."""

    form: PlanForm
    blocks: Rows
    kind: RowKind
    focus: str = ""
    documents: bool = True

    def is_valid(self) -> bool:
        valid = [self.form.is_valid(), self.blocks.is_valid()]  # validate both to show all messages at once
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


def _rows_of(offers: Offers, *, documents: bool) -> RowKind:
    return RowKind("blocks", "step", "kind", BlockRow, MOST_BLOCKS, {"offers": offers, "documents": documents})


def edit_plan(plan: Plan, offers: Offers) -> PlanEditor:
    kind = _rows_of(offers, documents=plan.documents)
    names = ("description", "graph", "summary", "tell_rejected")
    form = PlanForm(initial={name: getattr(plan, name) for name in names})
    rows = kind.make_rows([_initial(one) for one in plan.blocks] or [{}])
    return PlanEditor(form, rows, kind, documents=plan.documents)


def edit_posted_plan(data: Mapping[str, Any], offers: Offers, *, documents: bool = True) -> PlanEditor:
    """``documents``: whether the plan runs on documents, as it was created."""
    kind = _rows_of(offers, documents=documents)
    return PlanEditor(PlanForm(data), kind.parse_rows(data), kind, documents=documents)


def edit_rearranged_plan(data: Mapping[str, Any], offers: Offers, *, order: str, documents: bool = True) -> PlanEditor:
    """Return the submitted page with its rows moved, neither validated nor saved."""
    kind = _rows_of(offers, documents=documents)
    rows, focus = kind.rearrange_rows(data, order)
    form = PlanForm(initial={name: data.get(name, "") for name in PlanForm.base_fields})
    return PlanEditor(form, rows, kind, focus, documents=documents)

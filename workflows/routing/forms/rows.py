"""The rows of a rule: its conditions and what is done with the document; typed, checked, read."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.core.validators import validate_email

from workflows.routing.actions.rules import RuleDraft
from workflows.routing.forms.formsets import RowKind
from workflows.rules import routing
from workflows.rules.routing import NAMES, WORDS, Act, Condition, Operator, Source
from workflows.runs.run import ACTION_WORDS, ActionType
from workflows.stages import values

MOST_CONDITIONS, MOST_ACTIONS, MOST_RECIPIENTS = 10, 10, 10
_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
_OPERATORS = {
    Source.CONTENT_TYPE: (Operator.EQ, Operator.CONTAINS),
    Source.TEXT: (Operator.CONTAINS, Operator.EXISTS),
    Source.BARCODE: (Operator.EQ, Operator.CONTAINS, Operator.EXISTS),
    Source.FIELD: tuple(Operator),
    Source.ATTRIBUTE: tuple(Operator),
}
_COMPARISONS = (Operator.GT, Operator.GE, Operator.LT, Operator.LE)
_TEXT = {"class": "text-input", "autocomplete": "off"}
_SELECT = {"class": "select"}


class ConditionRow(forms.Form):
    """One condition; a row whose first choice was left open is none."""

    source = forms.ChoiceField(
        required=False,
        choices=[("", "Choose"), *((source.value, name) for source, name in NAMES.items())],
        widget=forms.Select(attrs=_SELECT),
    )
    key = forms.CharField(
        required=False, max_length=40, widget=forms.TextInput(attrs=_TEXT | {"class": "text-input code-input"})
    )
    operator = forms.ChoiceField(
        choices=[(operator.value, words) for operator, words in WORDS.items()],
        initial=Operator.CONTAINS.value,
        widget=forms.Select(attrs=_SELECT),
    )
    value = forms.CharField(required=False, max_length=500, widget=forms.TextInput(attrs=_TEXT))

    @property
    def blank(self) -> bool:
        return not self.cleaned_data.get("source")

    def clean(self) -> dict[str, Any]:
        typed = self.cleaned_data
        if self.blank or "operator" not in typed:
            return typed
        source, operator = Source(typed["source"]), Operator(typed["operator"])
        key, value = typed.get("key", ""), typed.get("value", "")
        if source in (Source.FIELD, Source.ATTRIBUTE) and not _KEY.fullmatch(key):
            self.add_error("key", "Enter its name from the project or the schema, such as invoice_number.")
        if operator not in _OPERATORS[source]:
            self.add_error("operator", f"This operator does not apply to {NAMES[source].lower()}.")
        elif operator != Operator.EXISTS and not value:
            self.add_error("value", "Enter a value.")
        elif operator in _COMPARISONS and to_comparable(value) is None:
            self.add_error("value", "Enter a number such as 1000.50, or a date such as 2024-03-31.")
        return typed

    def condition(self) -> Condition:
        typed = self.cleaned_data
        source, operator = Source(typed["source"]), Operator(typed["operator"])
        value = to_comparable(typed["value"]) or "" if operator in _COMPARISONS else typed["value"]
        keyed = source in (Source.FIELD, Source.ATTRIBUTE)
        return Condition(source, operator, "" if operator == Operator.EXISTS else value, typed["key"] if keyed else "")


def to_comparable(text: str) -> str | None:
    """As fields are stored, however it was typed; None for what is neither a number nor a day."""
    for stored in (text, values.number(text), values.amount(text), values.date(text)):
        if stored and routing.is_comparable(stored):
            return stored
    return None


class ActionRow(forms.Form):
    """One thing to do; a row whose first choice was left open is none."""

    type = forms.ChoiceField(
        required=False, choices=[("", "Choose"), *ACTION_WORDS.items()], widget=forms.Select(attrs=_SELECT)
    )
    queue = forms.ChoiceField(required=False, widget=forms.Select(attrs=_SELECT))
    target = forms.CharField(required=False, max_length=1000, widget=forms.TextInput(attrs=_TEXT))

    def __init__(self, *args: Any, queues: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen = str(self.initial.get("queue") or "")
        offered = {"": "No queue", **queues} | ({chosen: queues.get(chosen, chosen)} if chosen else {})
        choice = self.fields["queue"]
        if isinstance(choice, forms.ChoiceField):
            choice.choices = list(offered.items())

    @property
    def blank(self) -> bool:
        return not self.cleaned_data.get("type")

    def clean(self) -> dict[str, Any]:
        typed = self.cleaned_data
        match typed.get("type"):
            case ActionType.QUEUE if not typed.get("queue"):
                self.add_error("queue", "Choose a queue.")
            case ActionType.NOTIFY:
                self._check_recipients(typed.get("target", ""))
            case ActionType.WEBHOOK:
                self._check_url(typed.get("target", ""))
        return typed

    def _check_recipients(self, text: str) -> None:
        addresses = parse_recipients(text)
        if not addresses or len(addresses) > MOST_RECIPIENTS:
            self.add_error("target", f"Enter one to {MOST_RECIPIENTS} addresses, separated by commas.")
        for address in addresses:
            try:
                validate_email(address)
            except forms.ValidationError:
                self.add_error("target", f"“{address[:60]}” is not an email address.")

    def _check_url(self, text: str) -> None:
        try:
            parts = urlsplit(text)
            schemes = {"https", "http"} if settings.WEBHOOK_PRIVATE_ADDRESSES else {"https"}
            good = parts.scheme in schemes and bool(parts.hostname) and not parts.username and parts.port != 0
        except ValueError:
            good = False
        if not good or not text.isprintable() or " " in text:
            self.add_error("target", "Enter a URL that starts with https:// and contains no password.")

    def act(self) -> Act:
        typed = self.cleaned_data
        match typed["type"]:
            case ActionType.QUEUE:
                return Act(typed["type"], {"queue": typed["queue"]})
            case ActionType.NOTIFY:
                return Act(typed["type"], {"to": ", ".join(parse_recipients(typed["target"]))})
            case ActionType.WEBHOOK:
                return Act(typed["type"], {"url": typed["target"]})
        return Act(typed["type"])


def parse_recipients(text: str) -> list[str]:
    return [one for one in re.split(r"[\s,;]+", text) if one]


def condition_rows() -> RowKind:
    return RowKind("conditions", "condition", "source", ConditionRow, MOST_CONDITIONS, {})


def action_rows(queues: Mapping[str, str]) -> RowKind:
    return RowKind("actions", "action", "type", ActionRow, MOST_ACTIONS, {"queues": queues})


def initial_conditions(draft: RuleDraft) -> list[dict[str, Any]]:
    return [
        {"source": one.source.value, "key": one.key, "operator": one.operator.value, "value": one.value}
        for one in draft.conditions
    ]


def initial_actions(draft: RuleDraft) -> list[dict[str, Any]]:
    rows = []
    for act in draft.effect.actions:
        target = act.parameters.get("to") or act.parameters.get("url") or ""
        rows.append({"type": act.type, "queue": act.parameters.get("queue", ""), "target": target})
    return rows

"""Forms of rulesets and rules, and their conversion to drafts and back."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.conf import settings
from django.core.validators import validate_email
from django.utils.translation import gettext, gettext_lazy

from config.errors import Refused
from config.internet import check_receiver
from config.phrase import Phrase
from projects.settings.forms import PercentField, percent_of, share_of
from projects.settings.values import LANGUAGES
from projects.templatetags.desk import within_sentence
from projects.web.row_moves import Tool
from workflows.definitions import rules, versions
from workflows.definitions.blueprint import SHIPPED
from workflows.definitions.rules import KNOWN, NAMES, NO_EFFECT, WORDS, Act, Condition, Effect, Operator, Source, When
from workflows.routing.actions import RuleDraft, RulesetDraft
from workflows.routing.forms.formsets import RowKind, Rows
from workflows.routing.items import Ruleset, StoredRule
from workflows.runs.items import ACTION_WORDS, ActionType
from workflows.stages import values

MOST_CONDITIONS, MOST_ACTIONS, MOST_RECIPIENTS = 10, 10, 10
_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
_OPERATORS = {
    Source.CONTENT_TYPE: (Operator.EQ, Operator.NE, Operator.CONTAINS),
    Source.TEXT: (Operator.CONTAINS, Operator.EXISTS),
    Source.BARCODE: (Operator.EQ, Operator.CONTAINS, Operator.EXISTS),
    Source.FIELD: tuple(Operator),
    Source.ATTRIBUTE: tuple(Operator),
}
_COMPARISONS = (Operator.GT, Operator.GE, Operator.LT, Operator.LE)
_TEXT = {"class": "text-input", "autocomplete": "off"}
_SELECT = {"class": "select"}


class ConditionRow(forms.Form):
    """One condition; a row with an empty first choice is ignored."""

    source = forms.ChoiceField(
        required=False,
        choices=[("", gettext_lazy("Choose")), *((source.value, name) for source, name in NAMES.items())],
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
            self.add_error("key", gettext("Enter its name from the project or the schema, such as invoice_number."))
        if operator not in _OPERATORS[source]:
            self.add_error(
                "operator",
                gettext("This operator does not apply to %(names)s.") % {"names": within_sentence(NAMES[source])},
            )
        elif operator != Operator.EXISTS and not value:
            self.add_error("value", gettext("Enter a value."))
        elif operator in _COMPARISONS and to_comparable(value) is None:
            self.add_error("value", gettext("Enter a number such as 1000.50, or a date such as 2024-03-31."))
        return typed

    def condition(self) -> Condition:
        typed = self.cleaned_data
        source, operator = Source(typed["source"]), Operator(typed["operator"])
        value = to_comparable(typed["value"]) or "" if operator in _COMPARISONS else typed["value"]
        keyed = source in (Source.FIELD, Source.ATTRIBUTE)
        return Condition(source, operator, "" if operator == Operator.EXISTS else value, typed["key"] if keyed else "")


def to_comparable(text: str) -> str | None:
    """Convert typed text to the stored form of fields; None if it is neither a number nor a date."""
    for stored in (text, values.number(text), values.amount(text), values.date(text)):
        if stored and rules.is_comparable(stored):
            return stored
    return None


class ActionRow(forms.Form):
    """One action; a row with an empty first choice is ignored."""

    type = forms.ChoiceField(
        required=False,
        choices=[("", gettext_lazy("Choose")), *ACTION_WORDS.items()],
        widget=forms.Select(attrs=_SELECT),
    )
    queue = forms.ChoiceField(required=False, widget=forms.Select(attrs=_SELECT))
    target = forms.CharField(required=False, max_length=1000, widget=forms.TextInput(attrs=_TEXT))

    def __init__(self, *args: Any, queues: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen = str(self.initial.get("queue") or "")
        offered = {"": Phrase("No queue"), **queues} | ({chosen: queues.get(chosen, chosen)} if chosen else {})
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
                self.add_error("queue", gettext("Choose a queue."))
            case ActionType.NOTIFY:
                self._check_recipients(typed.get("target", ""))
            case ActionType.WEBHOOK:
                self._check_url(typed.get("target", ""))
        return typed

    def _check_recipients(self, text: str) -> None:
        addresses = parse_recipients(text)
        if not addresses or len(addresses) > MOST_RECIPIENTS:
            self.add_error(
                "target",
                gettext("Enter one to %(most_recipients)s addresses, separated by commas.")
                % {"most_recipients": MOST_RECIPIENTS},
            )
        for address in addresses:
            try:
                validate_email(address)
            except forms.ValidationError:
                self.add_error("target", gettext("“%(address)s” is not an email address.") % {"address": address[:60]})

    def _check_url(self, text: str) -> None:
        try:
            check_receiver(text, private=settings.WEBHOOK_PRIVATE_ADDRESSES)
        except Refused as error:
            self.add_error("target", str(error))

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


WHEN_WORDS = {
    When.UPLOAD.value: Phrase("On upload: only the file type is known"),
    When.ANALYSIS.value: Phrase("After the analysis, before review"),
}


@dataclass(frozen=True)
class Choices:
    """What the site's rules can choose from: id → name."""

    queues: Mapping[str, str] = field(default_factory=dict)
    classifications: Mapping[str, str] = field(default_factory=dict)


class OrderForm(forms.Form):
    """The inputs that rulesets and rules share."""

    description = forms.CharField(
        label=gettext_lazy("Description"),
        max_length=200,
        error_messages={
            "required": gettext_lazy("Enter a description. Runs show it."),
            "max_length": gettext_lazy("Use at most 200 characters (currently %(show_value)d)."),
        },
        widget=forms.TextInput(attrs=_TEXT),
    )
    priority = forms.IntegerField(
        label=gettext_lazy("Order"),
        min_value=0,
        max_value=999_999,
        help_text=gettext_lazy("Lower numbers run first."),
        error_messages=dict.fromkeys(
            ("required", "invalid", "min_value", "max_value"), Phrase("Enter a whole number from 0 to 999,999.")
        ),
        widget=forms.TextInput(attrs=_TEXT | {"inputmode": "numeric"}),
    )
    on = forms.BooleanField(required=False, label=gettext_lazy("Active"))

    def clean_description(self) -> str:
        return " ".join(str(self.cleaned_data["description"]).split())


class RulesetForm(OrderForm):
    def draft(self) -> RulesetDraft:
        typed = self.cleaned_data
        return RulesetDraft(typed["description"], typed["priority"], typed["on"])


class RuleForm(OrderForm):
    when = forms.ChoiceField(
        label=gettext_lazy("Runs"),
        choices=list(WHEN_WORDS.items()),
        widget=forms.Select(attrs=_SELECT),
        initial=When.ANALYSIS.value,
    )
    queue = forms.ChoiceField(required=False, label=gettext_lazy("Review queue"), widget=forms.Select(attrs=_SELECT))
    definition = forms.ChoiceField(
        required=False, label=gettext_lazy("Workflow definition"), widget=forms.Select(attrs=_SELECT)
    )
    classification = forms.ChoiceField(
        required=False, label=gettext_lazy("Document type"), widget=forms.Select(attrs=_SELECT)
    )
    language = forms.ChoiceField(required=False, label=gettext_lazy("Language"), widget=forms.Select(attrs=_SELECT))
    threshold = PercentField(required=False, label=gettext_lazy("Review threshold (%)"), widget=forms.TextInput)

    def __init__(self, *args: Any, choices: Choices, stored: Effect = NO_EFFECT, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        without = versions.list_without_documents()
        composed = {name: words for name, words in versions.list_descriptions().items() if name not in without}
        families = {one.name: one.description for one in SHIPPED.values()} | composed
        titles = {name: f"{name}: {Phrase(words)}" if words else name for name, words in families.items()}
        self._offer("queue", choices.queues, stored.queue)
        self._offer("definition", titles, stored.definition)
        self._offer("classification", choices.classifications, stored.classification)
        self._offer("language", LANGUAGES, stored.language)

    def _offer(self, name: str, known: Mapping[str, str], stored: str) -> None:
        """Keep the current choice, even if it is archived or gone."""
        offered = {"": Phrase("Project default"), **known}
        if stored:
            offered.setdefault(stored, Phrase("%(stored)s, no longer available").fill(stored=stored))
        choice = self.fields[name]
        if isinstance(choice, forms.ChoiceField):
            choice.choices = list(offered.items())
            choice.error_messages["invalid_choice"] = Phrase("Select an option from the list.")

    def clean(self) -> dict[str, Any]:
        typed = self.cleaned_data
        if typed.get("when") == When.ANALYSIS:
            for name in ("definition", "classification", "language"):
                if typed.get(name):
                    self.add_error(
                        name,
                        gettext(
                            "Not available after the analysis. Use the project default, or run the rule on upload."
                        ),
                    )
            if typed.get("threshold") is not None:
                self.add_error(
                    "threshold", gettext("Not available after the analysis. Leave it empty, or run the rule on upload.")
                )
        return typed

    def effect(self, acts: tuple[Act, ...]) -> Effect:
        typed = self.cleaned_data
        threshold = typed["threshold"]
        return Effect(
            definition=typed["definition"],
            classification=typed["classification"],
            language=typed["language"],
            threshold=None if threshold is None else share_of(threshold),
            queue=typed["queue"],
            actions=acts,
        )


def initial_rule(draft: RuleDraft) -> dict[str, Any]:
    effect = draft.effect
    return {
        "description": draft.description,
        "priority": draft.priority,
        "on": draft.on,
        "when": draft.when.value,
        "queue": effect.queue,
        "definition": effect.definition,
        "classification": effect.classification,
        "language": effect.language,
        "threshold": None if effect.threshold is None else percent_of(effect.threshold),
    }


@dataclass(frozen=True)
class RuleEditor:
    """The page of a rule: its form and its rows. ``version``: what the page showed; 0 for a new rule."""

    form: RuleForm
    conditions: Rows
    actions: Rows
    kinds: tuple[RowKind, RowKind]
    version: int = 0
    focus: str = ""  # the button or input to focus after a row was moved or added

    def is_valid(self) -> bool:
        # validate all to show all messages at once
        valid = [self.form.is_valid(), self.conditions.is_valid(), self.actions.is_valid()]
        return all(valid) and self._is_known()

    @property
    def has_errors(self) -> bool:
        return bool(self.conditions.total_error_count() or self.actions.total_error_count())

    def _is_known(self) -> bool:
        when = When(self.form.cleaned_data["when"])
        unknown = [row for row in self._non_blank(self.conditions) if row.condition().source not in KNOWN[when]]
        for row in unknown:
            row.add_error("source", gettext("Before the analysis only the file type is known."))
        return not unknown

    @staticmethod
    def _non_blank(rows: Rows) -> list[Any]:
        return [row for row in rows.forms if not row.blank]

    def draft(self) -> RuleDraft:
        typed = self.form.cleaned_data
        conditions: tuple[Condition, ...] = tuple(row.condition() for row in self._non_blank(self.conditions))
        acts = tuple(row.act() for row in self._non_blank(self.actions))
        return RuleDraft(
            typed["description"],
            typed["priority"],
            typed["on"],
            When(typed["when"]),
            conditions,
            self.form.effect(acts),
        )

    @property
    def condition_table(self) -> list[tuple[forms.Form, tuple[Tool, ...]]]:
        return self.kinds[0].add_row_tools(self.conditions, self.focus)

    @property
    def action_table(self) -> list[tuple[forms.Form, tuple[Tool, ...]]]:
        return self.kinds[1].add_row_tools(self.actions, self.focus)


def _row_kinds(choices: Choices) -> tuple[RowKind, RowKind]:
    return condition_rows(), action_rows(choices.queues)


def new_editor(choices: Choices, priority: int) -> RuleEditor:
    """``priority``: after the existing rules."""
    conditions, actions = kinds = _row_kinds(choices)
    form = RuleForm(initial={"priority": priority, "on": True}, choices=choices)
    return RuleEditor(form, conditions.make_rows([{}]), actions.make_rows([]), kinds)


def edit_stored_rule(stored: StoredRule, draft: RuleDraft, choices: Choices) -> RuleEditor:
    conditions, actions = kinds = _row_kinds(choices)
    form = RuleForm(initial=initial_rule(draft), choices=choices, stored=draft.effect)
    rows = conditions.make_rows(initial_conditions(draft)), actions.make_rows(initial_actions(draft))
    return RuleEditor(form, *rows, kinds, int(stored.version))


def edit_posted_rule(data: Mapping[str, Any], choices: Choices, stored: Effect, version: int) -> RuleEditor:
    conditions, actions = kinds = _row_kinds(choices)
    form = RuleForm(data, choices=choices, stored=stored)
    return RuleEditor(form, conditions.parse_rows(data), actions.parse_rows(data), kinds, version)


def edit_rearranged_rule(
    data: Mapping[str, Any], choices: Choices, stored: Effect, version: int, *, order: str
) -> RuleEditor:
    """Return the submitted page with its rows moved, neither validated nor saved."""
    conditions, actions = kinds = _row_kinds(choices)
    typed = {name: data.get(name, "") for name in RuleForm.base_fields}
    form = RuleForm(initial=typed, choices=choices, stored=stored)
    (where, at), (then, after) = conditions.rearrange_rows(data, order), actions.rearrange_rows(data, order)
    return RuleEditor(form, where, then, kinds, version, at or after)


def ruleset_form(ruleset: Ruleset) -> RulesetForm:
    values = {"description": ruleset.description, "priority": int(ruleset.priority), "on": ruleset.is_on}
    return RulesetForm(initial=values)

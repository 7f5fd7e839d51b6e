"""What an admin says about an experiment: what it compares, and what it may cost."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms

from projects.models.spec import ModelSpec
from projects.prompts.items import PromptHead, PromptVersion
from projects.prompts.prompt import GENERAL
from workflows.experiments.actions import Draft
from workflows.experiments.results import describe_models
from workflows.testsets.items import StoredTestSet

_TEXT = {"class": "text-input", "autocomplete": "off"}
_NARROW = {"class": "text-input narrow-input", "autocomplete": "off"}
_NUMBERS = re.compile(r"\s*[,;\s]\s*")


class ExperimentForm(forms.Form):
    name = forms.CharField(
        label="Name", max_length=100, widget=forms.TextInput(attrs=_TEXT),
        error_messages={"required": "Give the experiment a name."},
    )  # fmt: skip
    testset = forms.ChoiceField(
        label="Test set", widget=forms.Select(attrs={"class": "select"}),
        error_messages={"required": "Choose a test set."},
    )  # fmt: skip
    type = forms.CharField(required=False, max_length=100, widget=forms.HiddenInput)
    prompts = forms.MultipleChoiceField(
        label="Extraction prompts", widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one prompt version."},
    )  # fmt: skip
    models = forms.MultipleChoiceField(
        label="Models", widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one model."},
    )  # fmt: skip
    temperatures = forms.CharField(
        label="Temperatures", required=False, max_length=60, widget=forms.TextInput(attrs=_NARROW),
        help_text="Such as 0 and 0.5. Blank: as each model has it.",
    )  # fmt: skip
    thresholds = forms.CharField(
        label="Review thresholds, %", max_length=60, widget=forms.TextInput(attrs=_NARROW),
        help_text="Such as 80 and 90. More of them cost no further answers.",
    )  # fmt: skip
    limit = forms.DecimalField(
        label="Cost limit, USD", min_value=Decimal("0.01"), max_value=Decimal(10_000), decimal_places=2, initial=5,
        help_text="It stops there. What is being answered then still counts.",
        widget=forms.NumberInput(attrs={**_NARROW, "step": "0.01"}),
    )  # fmt: skip

    def __init__(
        self,
        testsets: Sequence[StoredTestSet],
        versions: Sequence[PromptVersion],
        head: PromptHead,
        models: Sequence[ModelSpec],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._models = {one.id: one for one in models}
        self._set_choices(
            "testset",
            [(one.testset_id, f"{one.name} · {one.documents} documents") for one in testsets if one.documents],
        )
        numbers = [(str(int(one.version)), _label_version(one, head)) for one in versions]
        if head.scope != GENERAL:
            numbers.append(("0", f"General prompt{'' if head.production else ', in production'}"))
        self._set_choices("prompts", numbers)
        self._set_choices("models", [(one.id, describe_models(one, self._models.get(one.takeover))) for one in models])

    def _set_choices(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        field: Any = self.fields[name]
        field.choices = choices

    def clean_temperatures(self) -> tuple[float, ...]:
        return self._clean_numbers("temperatures", 0, 2, "Enter temperatures from 0 to 2, separated by commas.")

    def clean_thresholds(self) -> tuple[float, ...]:
        shares = self._clean_numbers("thresholds", 0, 100, "Enter thresholds from 0 to 100, separated by commas.")
        return tuple(one / 100 for one in shares)

    def _clean_numbers(self, name: str, lowest: float, highest: float, sentence: str) -> tuple[float, ...]:
        try:
            numbers = [float(one) for one in _NUMBERS.split(self.cleaned_data[name].strip()) if one]
        except ValueError as error:
            raise forms.ValidationError(sentence) from error
        if not all(lowest <= one <= highest for one in numbers):
            raise forms.ValidationError(sentence)
        return tuple(dict.fromkeys(numbers))

    def draft(self) -> Draft:
        typed = self.cleaned_data
        return Draft(
            typed["name"],
            typed["testset"],
            tuple(sorted(int(one) for one in typed["prompts"])),
            tuple(self._models[one] for one in typed["models"]),
            typed["temperatures"],
            typed["thresholds"],
            typed["limit"],
            typed["type"],
        )


def _label_version(one: PromptVersion, head: PromptHead) -> str:
    number = int(one.version)
    label = f"Version {number}"
    if number == int(head.production):
        label += ", in production"
    elif number == int(head.candidate):
        label += ", candidate"
    return f"{label} · {one.note}" if one.note else label


class ResumeForm(forms.Form):
    limit = forms.DecimalField(
        label="Cost limit, USD", min_value=Decimal("0.01"), max_value=Decimal(10_000), decimal_places=2,
        widget=forms.NumberInput(attrs={**_NARROW, "step": "0.01"}),
    )  # fmt: skip


class PromotionForm(forms.Form):
    """``expected``: the version that the page showed in production; ``candidate``: as the candidate."""

    variant = forms.IntegerField(min_value=1, max_value=999)
    expected = forms.IntegerField(min_value=0, max_value=999_999)
    candidate = forms.IntegerField(min_value=0, max_value=999_999)
    label = forms.ChoiceField(choices=[("production", "Production"), ("candidate", "Candidate")])
    percent = forms.IntegerField(min_value=1, max_value=100, required=False)
    reason = forms.CharField(
        max_length=200, error_messages={"required": "Give a short reason. It is kept in the audit log."}
    )
    despite = forms.CharField(max_length=200, required=False)

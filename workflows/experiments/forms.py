"""Forms of experiments: what to compare, and the cost limit."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from config.phrase import Phrase, count_phrase
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
        label=gettext_lazy("Name"), max_length=100, widget=forms.TextInput(attrs=_TEXT),
        error_messages={"required": gettext_lazy("Give the experiment a name.")},
    )  # fmt: skip
    testset = forms.ChoiceField(
        label=gettext_lazy("Test set"), widget=forms.Select(attrs={"class": "select"}),
        error_messages={"required": gettext_lazy("Choose a test set.")},
    )  # fmt: skip
    type = forms.CharField(required=False, max_length=100, widget=forms.HiddenInput)
    prompts = forms.MultipleChoiceField(
        label=gettext_lazy("Extraction prompts"), widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one prompt version.")},
    )  # fmt: skip
    models = forms.MultipleChoiceField(
        label=gettext_lazy("Models"), widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one model.")},
    )  # fmt: skip
    temperatures = forms.CharField(
        label=gettext_lazy("Temperatures"), required=False, max_length=60, widget=forms.TextInput(attrs=_NARROW),
        help_text=gettext_lazy("Such as 0 and 0.5. Blank: each model’s own."),
    )  # fmt: skip
    thresholds = forms.CharField(
        label=gettext_lazy("Review thresholds, %"), max_length=60, widget=forms.TextInput(attrs=_NARROW),
        help_text=gettext_lazy("Such as 80 and 90. More thresholds cost no more requests."),
    )  # fmt: skip
    limit = forms.DecimalField(
        label=gettext_lazy("Cost limit, USD"), min_value=Decimal("0.01"), max_value=Decimal(10_000),
        decimal_places=2, initial=5,
        help_text=gettext_lazy("The experiment stops there. Requests in progress still count."),
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
            [
                (
                    one.testset_id,
                    count_phrase(
                        "%(name)s · %(count)s document",
                        "%(name)s · %(count)s documents",
                        int(one.documents),
                        name=one.name,
                    ),
                )
                for one in testsets
                if one.documents
            ],
        )
        numbers = [(str(int(one.version)), _label_version(one, head)) for one in versions]
        if head.scope != GENERAL:
            numbers.append(
                ("0", Phrase("General prompt") if head.production else Phrase("General prompt, in production"))
            )
        self._set_choices("prompts", numbers)
        self._set_choices("models", [(one.id, describe_models(one, self._models.get(one.takeover))) for one in models])

    def _set_choices(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        field: Any = self.fields[name]
        field.choices = choices

    def clean_temperatures(self) -> tuple[float, ...]:
        return self._clean_numbers("temperatures", 0, 2, Phrase("Enter temperatures from 0 to 2, separated by commas."))

    def clean_thresholds(self) -> tuple[float, ...]:
        shares = self._clean_numbers(
            "thresholds", 0, 100, Phrase("Enter thresholds from 0 to 100, separated by commas.")
        )
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
    said = Phrase("Version %(number)s")
    if number == int(head.production):
        said = Phrase("Version %(number)s, in production")
    elif number == int(head.candidate):
        said = Phrase("Version %(number)s, candidate")
    label = said.fill(number=number)
    return Phrase("%(version)s · %(note)s").fill(version=label, note=Phrase(one.note)) if one.note else label


class ResumeForm(forms.Form):
    limit = forms.DecimalField(
        label=gettext_lazy("Cost limit, USD"), min_value=Decimal("0.01"), max_value=Decimal(10_000), decimal_places=2,
        widget=forms.NumberInput(attrs={**_NARROW, "step": "0.01"}),
    )  # fmt: skip


class PromotionForm(forms.Form):
    """``expected``: the production version that the page showed; ``candidate``: the candidate that it showed."""

    variant = forms.IntegerField(min_value=1, max_value=999)
    expected = forms.IntegerField(min_value=0, max_value=999_999)
    candidate = forms.IntegerField(min_value=0, max_value=999_999)
    label = forms.ChoiceField(
        choices=[("production", gettext_lazy("Production")), ("candidate", gettext_lazy("Candidate"))]
    )
    percent = forms.IntegerField(min_value=1, max_value=100, required=False)
    reason = forms.CharField(
        max_length=200, error_messages={"required": gettext_lazy("Give a short reason. It is kept in the audit log.")}
    )
    despite = forms.CharField(max_length=200, required=False)

"""Forms of re-runs: the stage to re-run from, or other settings for the analysis."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from config.errors import Refused
from config.phrase import Phrase
from projects.settings.values import ANALYZERS, SUMMARIZERS
from workflows.definitions.blueprint import StepDefinition, tell_label
from workflows.documents.reanalysis import MOST_LETTERS, PROJECT, SAME, AnalysisRequest
from workflows.stages.base import RunSettings

_SELECT = forms.Select(attrs={"class": "select"})
_BEFORE = Phrase("Unchanged: %(choice)s")


class StageForm(forms.Form):
    step = forms.ChoiceField(
        label=gettext_lazy("From"),
        help_text=gettext_lazy("Re-runs this step and all later ones. From the analysis on, OCR is not repeated."),
        widget=_SELECT,
        error_messages={
            "required": gettext_lazy("Select a stage."),
            "invalid_choice": gettext_lazy("Select a stage that this run reached."),
        },
    )

    def __init__(self, offered: Sequence[StepDefinition], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _offer(self, "step", {one.name: tell_label(one.label) for one in offered})


class AnalysisForm(forms.Form):
    """``before``: the settings of the run; ``classifications`` and ``models``: id → name, as many as a list shows."""

    fields_of = forms.ChoiceField(
        required=False, label=gettext_lazy("Fields"), widget=_SELECT,
        help_text=gettext_lazy("Another list also brings its thresholds and required fields."),
    )  # fmt: skip
    threshold = forms.IntegerField(
        required=False, min_value=0, max_value=100, label=gettext_lazy("Review threshold (%)"),
        help_text=gettext_lazy("For fields without their own threshold."),
        widget=forms.NumberInput(attrs={"class": "text-input narrow-input", "inputmode": "numeric"}),
    )  # fmt: skip
    analyzer = forms.ChoiceField(required=False, label=gettext_lazy("Field extraction"), widget=_SELECT)
    summarizer = forms.ChoiceField(required=False, label=gettext_lazy("Summary"), widget=_SELECT)
    model = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Model"),
        widget=_SELECT,
        help_text=gettext_lazy("Applies if a language model is used."),
    )
    instruction = forms.CharField(
        required=False, max_length=MOST_LETTERS, label=gettext_lazy("Prompt for this document"), strip=True,
        widget=forms.Textarea(attrs={"class": "text-input", "rows": 3}),
        help_text=gettext_lazy("Sent to language models; built-in rules ignore it."),
    )  # fmt: skip

    def __init__(
        self,
        before: RunSettings,
        classifications: Mapping[str, str],
        models: Mapping[str, str],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        _offer(self, "model", {"": Phrase("Same as this run, or the project’s"), **models})
        lists = {SAME: Phrase("Same as this run"), PROJECT: Phrase("Current project settings")}
        _offer(self, "fields_of", lists | {key: f"Document type {name}" for key, name in classifications.items()})
        _offer(self, "analyzer", _name_inherited_choice(ANALYZERS, before.analyzer))
        _offer(self, "summarizer", _name_inherited_choice(SUMMARIZERS, before.summarizer))
        self.fields["instruction"].initial = before.instruction
        self.fields["threshold"].widget.attrs["placeholder"] = f"{before.default_threshold * 100:g}"

    def wish(self) -> AnalysisRequest:
        """Return the request. Raises: Refused with the first error."""
        if not self.is_valid():
            raise Refused(str(next(iter(self.errors.values()))[0]))
        typed = self.cleaned_data
        share = typed["threshold"]
        return AnalysisRequest(
            instruction=typed["instruction"],
            analyzer=typed["analyzer"],
            summarizer=typed["summarizer"],
            model=typed["model"],
            fields=typed["fields_of"],
            threshold=None if share is None else share / 100,
        )


def _name_inherited_choice(choices: Mapping[str, str], before: str) -> dict[str, str]:
    return {"": _BEFORE.fill(choice=choices.get(before, before)), **{k: v for k, v in choices.items() if k != before}}


def _offer(form: forms.Form, name: str, choices: Mapping[str, str]) -> None:
    field = form.fields[name]
    if isinstance(field, forms.ChoiceField):
        field.choices = list(choices.items())

"""What somebody chooses about an ended run: the stage that is run again, or how it is analysed otherwise."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from config.errors import Refused
from projects.settings.values import ANALYZERS, SUMMARIZERS
from workflows.definitions.blueprint import StepDefinition
from workflows.documents.reanalysis import MODELS, MOST_LETTERS, PROJECT, SAME, AnalysisRequest
from workflows.stages.base import RunSettings

_SELECT = forms.Select(attrs={"class": "select"})
_BEFORE = "As before: {}"


class StageForm(forms.Form):
    step = forms.ChoiceField(
        label="From",
        help_text="It and what comes behind it are done again. An analysis begins with its segments, without OCR.",
        widget=_SELECT,
        error_messages={"required": "Choose a stage.", "invalid_choice": "Choose a stage that this run came to."},
    )

    def __init__(self, offered: Sequence[StepDefinition], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _offer(self, "step", {one.name: one.label for one in offered})


class AnalysisForm(forms.Form):
    """``before``: the settings of the run; ``classifications``: id → name, as many as a list shows."""

    fields_of = forms.ChoiceField(
        required=False, label="Fields", widget=_SELECT,
        help_text="With another list, its thresholds and required fields hold as well.",
    )  # fmt: skip
    threshold = forms.IntegerField(
        required=False, min_value=0, max_value=100, label="A person is asked below, in percent",
        help_text="For fields that have no threshold of their own.",
        widget=forms.NumberInput(attrs={"class": "text-input narrow-input", "inputmode": "numeric"}),
    )  # fmt: skip
    analyzer = forms.ChoiceField(required=False, label="Who finds the fields", widget=_SELECT)
    summarizer = forms.ChoiceField(required=False, label="Who writes the summary", widget=_SELECT)
    model = forms.ChoiceField(
        required=False, label="Which model", widget=_SELECT, choices=list(MODELS.items()),
        help_text="Where models on Amazon Bedrock do the work.",
    )  # fmt: skip
    instruction = forms.CharField(
        required=False, max_length=MOST_LETTERS, label="Instruction for this document", strip=True,
        widget=forms.Textarea(attrs={"class": "text-input", "rows": 3}),
        help_text="Models on Amazon Bedrock are told this. Rules on this machine follow no instruction.",
    )  # fmt: skip

    def __init__(self, before: RunSettings, classifications: Mapping[str, str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        lists = {SAME: "As in this run", PROJECT: "As the project says now"}
        _offer(self, "fields_of", lists | {key: f"Classification {name}" for key, name in classifications.items()})
        _offer(self, "analyzer", _name_inherited_choice(ANALYZERS, before.analyzer))
        _offer(self, "summarizer", _name_inherited_choice(SUMMARIZERS, before.summarizer))
        self.fields["instruction"].initial = before.instruction
        self.fields["threshold"].widget.attrs["placeholder"] = f"{before.default_threshold * 100:g}"

    def wish(self) -> AnalysisRequest:
        """Raises: Refused, with the first fault."""
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
    return {"": _BEFORE.format(choices.get(before, before)), **{k: v for k, v in choices.items() if k != before}}


def _offer(form: forms.Form, name: str, choices: Mapping[str, str]) -> None:
    field = form.fields[name]
    if isinstance(field, forms.ChoiceField):
        field.choices = list(choices.items())

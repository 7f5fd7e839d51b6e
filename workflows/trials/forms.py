"""What an admin chooses for a trial: a document, a model, and a question where one is asked."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django import forms

from projects.models.prices import describe_cost
from projects.models.setup import SetupProblem, find_setup_problem, surely_reads_here
from projects.models.spec import ModelSpec, OcrSpec
from workflows.runs import prices
from workflows.runs.items import ProjectDocument
from workflows.stages.usage import Usage
from workflows.trials.actions import LONGEST_QUESTION


class SampleForm(forms.Form):
    """``find``: words of the name of a document."""

    find = forms.CharField(
        label="Find a document",
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"class": "text-input", "type": "search", "autocomplete": "off"}),
    )
    document = forms.ChoiceField(
        label="Sample document",
        error_messages={"required": "Choose a document.", "invalid_choice": "Choose a document from the list."},
        widget=forms.Select(attrs={"class": "select"}),
    )


class TrialForm(SampleForm):
    model = forms.ChoiceField(
        label="Model",
        error_messages={"required": "Choose a model.", "invalid_choice": "Choose a model from the list."},
        widget=forms.Select(attrs={"class": "select"}),
    )
    question = forms.CharField(
        label="Question about the first page",
        max_length=LONGEST_QUESTION,
        error_messages={"required": "Enter a question to ask about the first page."},
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )

    def __init__(
        self,
        purpose: str,
        data: Mapping[str, Any],
        *,
        documents: Sequence[ProjectDocument],
        models: Sequence[ModelSpec],
        usual: str,
    ) -> None:
        """What is not in ``data``, or not in its list any more, is the first of the list; of models first ``usual``."""
        choices = {
            "document": [(str(one.document_id), str(one.name)) for one in documents],
            "model": [(one.id, one.name) for one in models],
        }
        chosen = {name: data.get(name) for name in ("find", "question")}
        for name, offered in choices.items():
            ids = [one for one, _ in offered]
            wanted = (data.get(name), usual if name == "model" else None, *ids)
            chosen[name] = next((one for one in wanted if one in ids), "")
        super().__init__(chosen, auto_id="id_trial_%s")
        for name, offered in choices.items():
            field = self.fields[name]
            if isinstance(field, forms.ChoiceField):
                field.choices = offered
        if purpose != "answer":
            del self.fields["question"]


LEAST_READERS, MOST_READERS = 2, 4
_HOW_MANY = f"Select {LEAST_READERS} to {MOST_READERS} models."


class ModelBoxes(forms.CheckboxSelectMultiple):
    """``unready``: the models that cannot be chosen, since they are not set up."""

    unready: Collection[str] = ()

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **kwargs)
        option["attrs"]["disabled"] = value in self.unready
        return option


class ReadingForm(SampleForm):
    """Which page of which document, and which OCR models read it."""

    page = forms.IntegerField(
        label="Page",
        min_value=1,
        max_value=99_999,
        widget=forms.TextInput(
            attrs={"class": "text-input narrow-input", "inputmode": "numeric", "autocomplete": "off"}
        ),
        error_messages=dict.fromkeys(("required", "invalid", "min_value", "max_value"), "Enter a page number."),
    )
    models = forms.MultipleChoiceField(
        label="OCR models",
        widget=ModelBoxes,
        help_text=f"{LEAST_READERS} to {MOST_READERS}, each with its price for a page. A page is charged once.",
        error_messages={"required": _HOW_MANY, "invalid_choice": "Select models from the list."},
    )

    def __init__(self, data: Any, *, documents: Mapping[str, str], models: Sequence[OcrSpec], usual: str) -> None:
        """``data``: a QueryDict. What is not in it is the first of the list; of models ``usual`` and another.

        ``usual``: empty to take none that is not chosen. The other is one that costs nothing and is there for sure.
        """
        problems = {one.id: problem for one in models if (problem := find_setup_problem(one))}
        offered = [one.id for one in models if one.id not in problems]
        sure = [one.id for one in models if surely_reads_here(one)]
        guess = list(dict.fromkeys(one for one in (usual, *sure) if one in offered))[:LEAST_READERS] if usual else []
        chosen = {
            "find": data.get("find"),
            "document": data.get("document") or next(iter(documents), ""),
            "page": data.get("page") or "1",
            "models": data.getlist("models") or guess,
        }
        # what is only offered is not judged: one model alone is no mistake yet
        super().__init__(None if usual else chosen, initial=chosen, auto_id="id_read_%s")
        self._models = {one.id: one for one in models}
        for name, choices in (
            ("document", list(documents.items())),
            ("models", [(one.id, _describe(one, problems.get(one.id))) for one in models]),
        ):
            field = self.fields[name]
            if isinstance(field, forms.ChoiceField):
                field.choices = choices
        boxes = self.fields["models"].widget
        if isinstance(boxes, ModelBoxes):
            boxes.unready = problems

    def clean_models(self) -> list[str]:
        chosen: list[str] = self.cleaned_data["models"]
        if not LEAST_READERS <= len(chosen) <= MOST_READERS:
            raise forms.ValidationError(_HOW_MANY)
        return chosen

    def chosen_models(self) -> list[OcrSpec]:
        return [self._models[one] for one in self.cleaned_data["models"]]


def _describe(spec: OcrSpec, problem: SetupProblem | None) -> str:
    return f"{spec.name} · {problem.label.lower() if problem else _price(spec)}"


def _price(spec: OcrSpec) -> str:
    micros = prices.cost(Usage(spec.service, spec.model, pages=1, calls=1, micros=spec.price(1)))
    return describe_cost(micros)

"""Forms of trials: a document, a model, and a question if needed."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy

from config.phrase import Phrase
from projects.models.cost_words import describe_cost
from projects.models.setup import SetupProblem, find_setup_problem, name_with_problem, surely_reads_here
from projects.models.spec import ModelSpec, OcrSpec
from workflows.runs import prices
from workflows.runs.items import ProjectDocument
from workflows.stages.usage import Usage
from workflows.trials.actions import LONGEST_QUESTION


class SampleForm(forms.Form):
    """``find``: words of a document's name."""

    find = forms.CharField(
        label=gettext_lazy("Find a document"),
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"class": "text-input", "type": "search", "autocomplete": "off"}),
    )
    document = forms.ChoiceField(
        label=gettext_lazy("Sample document"),
        error_messages={
            "required": gettext_lazy("Choose a document."),
            "invalid_choice": gettext_lazy("Choose a document from the list."),
        },
        widget=forms.Select(attrs={"class": "select"}),
    )


class ReadyModels(forms.Select):
    """``unready``: models that cannot be chosen, since they are not set up."""

    unready: Collection[str] = ()

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **kwargs)
        if value in self.unready:
            option["attrs"]["disabled"] = True
        return option


class TrialForm(SampleForm):
    """``problems``: by model that is not set up here; ``is_ready``: whether any is. ``remedies``: each once.

    ``endpoints``: those that are set up, whether or not a model of the catalogue is asked there.
    """

    ENDPOINT_EXAMPLE = "local=http://127.0.0.1:11434/v1"

    model = forms.ChoiceField(
        label=gettext_lazy("Model"),
        error_messages={
            "required": gettext_lazy("Choose a model."),
            "invalid_choice": gettext_lazy("Choose a model from the list."),
        },
        widget=ReadyModels(attrs={"class": "select"}),
    )
    question = forms.CharField(
        label=gettext_lazy("Question about the first page"),
        max_length=LONGEST_QUESTION,
        error_messages={"required": gettext_lazy("Enter a question to ask about the first page.")},
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
        """Missing or outdated values in ``data`` default to the first of the list; models to ``usual``.

        A model that is not set up is listed with the reason, and never chosen.
        """
        self.endpoints = ", ".join(settings.MODEL_ENDPOINTS)
        self.problems = [(one, problem) for one in models if (problem := find_setup_problem(one))]
        unready = {one.id for one, _ in self.problems}
        self.is_ready = len(unready) < len(models)
        self.remedies = list(dict.fromkeys(problem.remedy for _, problem in self.problems))
        choices = {
            "document": [(str(one.document_id), str(one.name)) for one in documents],
            "model": [(one.id, name_with_problem(one)) for one in models],
        }
        chosen = {name: data.get(name) for name in ("find", "question")}
        for name, offered in choices.items():
            ids = [one for one, _ in offered if name != "model" or one not in unready]
            wanted = (data.get(name), usual if name == "model" else None, *ids)
            chosen[name] = next((one for one in wanted if one in ids), "")
        super().__init__(chosen, auto_id="id_trial_%s")
        for name, offered in choices.items():
            field = self.fields[name]
            if isinstance(field, forms.ChoiceField):
                field.choices = offered
        select = self.fields["model"].widget
        if isinstance(select, ReadyModels):
            select.unready = unready
        if purpose != "answer":
            del self.fields["question"]


LEAST_READERS, MOST_READERS = 2, 4
_HOW_MANY = Phrase("Select %(least_readers)s to %(most_readers)s models.").fill(
    least_readers=LEAST_READERS, most_readers=MOST_READERS
)


class ModelBoxes(forms.CheckboxSelectMultiple):
    """``unready``: models that cannot be chosen, since they are not set up."""

    unready: Collection[str] = ()

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **kwargs)
        option["attrs"]["disabled"] = value in self.unready
        return option


class ReadingForm(SampleForm):
    """The document, page and OCR models of a reading."""

    page = forms.IntegerField(
        label=gettext_lazy("Page"),
        min_value=1,
        max_value=99_999,
        widget=forms.TextInput(
            attrs={"class": "text-input narrow-input", "inputmode": "numeric", "autocomplete": "off"}
        ),
        error_messages=dict.fromkeys(("required", "invalid", "min_value", "max_value"), Phrase("Enter a page number.")),
    )
    models = forms.MultipleChoiceField(
        label=gettext_lazy("OCR models"),
        widget=ModelBoxes,
        help_text=Phrase(
            "%(least_readers)s to %(most_readers)s, each with its price for a page. A page is charged once."
        ).fill(least_readers=LEAST_READERS, most_readers=MOST_READERS),
        error_messages={"required": _HOW_MANY, "invalid_choice": gettext_lazy("Select models from the list.")},
    )

    def __init__(self, data: Any, *, documents: Mapping[str, str], models: Sequence[OcrSpec], usual: str) -> None:
        """``data``: a QueryDict. Missing values default to the first of the list; models to ``usual`` and one more.

        ``usual``: empty for no default models. The other one is free of charge and always available.
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
        # defaults are not validated: a single model is not an error yet
        super().__init__(None if usual else chosen, initial=chosen, auto_id="id_read_%s")
        self.has_documents = bool(documents)
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
    if problem:
        return name_with_problem(spec)
    return Phrase("%(model)s · %(state)s").fill(model=spec.name, state=_price(spec))


def _price(spec: OcrSpec) -> str:
    micros = prices.cost(Usage(spec.service, spec.model, pages=1, calls=1, micros=spec.price(1)))
    return describe_cost(micros)

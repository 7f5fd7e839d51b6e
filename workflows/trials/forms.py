"""What an admin chooses for a trial: a document, a model, and a question where one is asked."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from projects.models.spec import ModelSpec
from workflows.runs.items.documents import ProjectDocument
from workflows.trials.actions import LONGEST_QUESTION


class TrialForm(forms.Form):
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

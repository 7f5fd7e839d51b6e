"""Forms of test sets: the name and the source of documents."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from config.phrase import Phrase
from projects.schemas.queries import ClassificationRow
from projects.settings.forms import PercentField
from workflows.testsets.actions import DEFAULT_MOST
from workflows.testsets.cases import MOST_CASES

_TEXT = {"class": "text-input", "autocomplete": "off"}


class SourceForm(forms.Form):
    """Reviewed documents, or a file with answers if one is selected."""

    most = forms.IntegerField(
        label=gettext_lazy("Last reviewed documents"),
        min_value=1,
        max_value=MOST_CASES,
        initial=DEFAULT_MOST,
        help_text=gettext_lazy("Corrections count as the correct answers."),
        widget=forms.NumberInput(attrs={"class": "text-input narrow-input", "inputmode": "numeric"}),
    )
    classification_id = forms.ChoiceField(
        label=gettext_lazy("Document type"), required=False, widget=forms.Select(attrs={"class": "select"})
    )
    file = forms.FileField(
        label=gettext_lazy("Or upload answers"),
        required=False,
        help_text=gettext_lazy("CSV or JSON lines: document ID or file name, then fields. Blank: not in the document."),
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.jsonl,.json,text/csv"}),
    )

    def __init__(self, types: Sequence[ClassificationRow], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choice: Any = self.fields["classification_id"]
        choice.choices = [("", Phrase("Any")), *((one.id, one.name) for one in types)]


class SeedingForm(forms.Form):
    percent = PercentField(
        label=gettext_lazy("Share of reviews, in %"),
        help_text=gettext_lazy("Adds documents of this set to the review queue, unmarked. They are never published."),
        widget=forms.NumberInput(attrs={"class": "text-input narrow-input", "inputmode": "decimal", "step": "0.1"}),
    )


class NewSetForm(SourceForm):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=100,
        widget=forms.TextInput(attrs=_TEXT),
        error_messages={"required": gettext_lazy("Give the test set a name.")},
    )
    field_order = ("name", "most", "classification_id", "file")

"""Forms of batches."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext, gettext_lazy

from workflows.batches.reading import DEFAULT_PERCENT, DEFAULT_SLOTS, BatchRequest

_TEXT = {"class": "text-input", "autocomplete": "off"}
_SLOTS = forms.NumberInput(attrs={"class": "text-input narrow-input", "inputmode": "numeric"})


class SlotsForm(forms.Form):
    slots = forms.IntegerField(
        min_value=1,
        max_value=settings.BATCH_MOST_SLOTS,
        initial=DEFAULT_SLOTS,
        label=gettext_lazy("Concurrency limit"),
        help_text=gettext_lazy("Documents processed in parallel; other batches of the site may reduce it."),
        widget=_SLOTS,
    )


class BatchForm(SlotsForm):
    """The manifest is uploaded with the form or is an object in the bucket."""

    batch_id = forms.RegexField(r"^[0-9A-Z]{26}$", widget=forms.HiddenInput)
    manifest = forms.FileField(required=False, label=gettext_lazy("Manifest"), widget=forms.ClearableFileInput())
    key = forms.CharField(
        required=False, max_length=1024, label=gettext_lazy("Or key in the bucket"),
        widget=forms.TextInput(attrs={**_TEXT, "class": "text-input code-input", "autocapitalize": "none"}),
    )  # fmt: skip
    name = forms.CharField(
        required=False, max_length=200, label=gettext_lazy("Name"), widget=forms.TextInput(attrs=_TEXT),
        help_text=gettext_lazy("Default: the name of the manifest."),
    )  # fmt: skip
    percent = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=DEFAULT_PERCENT,
        label=gettext_lazy("Failure tolerance (%)"),
        help_text=gettext_lazy("The batch stops once more of its lines have failed."),
        widget=_SLOTS,
    )
    field_order = ("batch_id", "manifest", "key", "name", "slots", "percent")

    def clean(self) -> dict[str, Any]:
        typed: dict[str, Any] = super().clean() or {}
        if bool(typed.get("manifest")) == bool(typed.get("key")) and not self.errors:
            self.add_error("manifest", gettext("Choose a file or enter a key in the bucket, not both."))
        return typed

    def wish(self) -> BatchRequest:
        typed = self.cleaned_data
        return BatchRequest(typed["batch_id"], typed["name"], typed["key"], typed["slots"], typed["percent"])

"""Whose a folder of the bucket is, as an admin of the main site types it."""

import re
from collections.abc import Mapping
from typing import Any

from django import forms

_FOLDER = re.compile(r"[A-Za-z0-9!_.*'() -]{1,100}")  # what S3 advises for keys, without the slash


class TenantForm(forms.Form):
    """A folder and the project that reads its files; the site was chosen before, since it says which projects."""

    name = forms.CharField(
        max_length=100,
        label="Folder",
        help_text="The key part after the date: raw/2026/11/21/acme/bill.pdf is in acme.",
        error_messages={"required": "Enter a folder, such as acme."},
        widget=forms.TextInput(
            attrs={"class": "text-input code-input", "autocomplete": "off", "autocapitalize": "none"}
        ),
    )
    project_id = forms.ChoiceField(
        label="Project",
        help_text="Its settings process the files.",
        error_messages={"required": "Choose a project.", "invalid_choice": "Select an option from the list."},
        widget=forms.Select(attrs={"class": "select"}),
    )

    def __init__(self, *args: Any, projects: Mapping[str, str], **kwargs: Any) -> None:
        """``projects``: id → name."""
        super().__init__(*args, **kwargs)
        choice = self.fields["project_id"]
        if isinstance(choice, forms.ChoiceField):
            choice.choices = list(projects.items())

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if not _FOLDER.fullmatch(name):
            raise forms.ValidationError("Letters, digits, spaces and - _ . ! * ' ( ) only, and no slash.")
        return name

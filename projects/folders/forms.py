"""What someone types about a folder: its name, and the groups that it lets in."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib.auth.models import Group

from config.errors import Refused
from config.table import DEFAULT_SITE
from projects.folders.queries import LONGEST_NAME, tidy_name
from projects.sites import queries as site_queries


class FolderForm(forms.Form):
    """``stored``: groups that stay a choice though there is none of that name any more; ``governs``: may change them.

    Only the main site, where groups are made, is told of those that work on other sites.
    """

    name = forms.CharField(
        max_length=LONGEST_NAME,
        label="Name",
        error_messages={"required": "Enter a folder name."},
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )
    groups = forms.MultipleChoiceField(
        required=False,
        label="Groups",
        help_text="Only these groups can open this folder and what is in it. If none is selected, everyone can.",
        error_messages={"invalid_choice": "Group “%(value)s” no longer exists. Select from the list."},
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, site: str, *args: Any, stored: Sequence[str] = (), governs: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not governs:
            del self.fields["groups"]
            return
        made = Group.objects.values_list("name", flat=True)
        here = made if site == DEFAULT_SITE else site_queries.group_names(site)
        choice = self.fields["groups"]
        if isinstance(choice, forms.MultipleChoiceField):
            choice.choices = [(name, name) for name in sorted({*here, *stored}, key=str.casefold)]

    def clean_name(self) -> str:
        try:
            return tidy_name(str(self.cleaned_data["name"]))
        except Refused as error:
            raise forms.ValidationError(str(error)) from error

"""Forms of folders: name and admitted groups."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib.auth.models import Group
from django.utils.translation import gettext_lazy

from config.errors import Refused
from config.table import DEFAULT_SITE
from projects.folders.queries import LONGEST_NAME, tidy_name
from projects.sites import queries as site_queries


def list_groups(site: str, *, stored: Sequence[str] = ()) -> list[str]:
    """Return groups to choose from. ``stored``: groups that stay a choice although they no longer exist.

    Only the main site, where groups are created, sees groups of other sites.
    """
    made = Group.objects.values_list("name", flat=True)
    here = made if site == DEFAULT_SITE else site_queries.group_names(site)
    return sorted({*here, *stored}, key=str.casefold)


class FolderForm(forms.Form):
    """``stored``: as in ``list_groups``; ``governs``: the person may change groups."""

    name = forms.CharField(
        max_length=LONGEST_NAME,
        label=gettext_lazy("Name"),
        error_messages={"required": gettext_lazy("Enter a folder name.")},
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )
    groups = forms.MultipleChoiceField(
        required=False,
        label=gettext_lazy("Groups"),
        help_text=gettext_lazy(
            "Only these groups can open this folder and what is in it. If none is selected, everyone can."
        ),
        error_messages={"invalid_choice": gettext_lazy("Group “%(value)s” no longer exists. Select from the list.")},
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, site: str, *args: Any, stored: Sequence[str] = (), governs: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not governs:
            del self.fields["groups"]
            return
        choice = self.fields["groups"]
        if isinstance(choice, forms.MultipleChoiceField):
            choice.choices = [(name, name) for name in list_groups(site, stored=stored)]

    def clean_name(self) -> str:
        try:
            return tidy_name(str(self.cleaned_data["name"]))
        except Refused as error:
            raise forms.ValidationError(str(error)) from error

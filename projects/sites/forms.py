"""What an admin types about a site."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings

from config.errors import Refused
from projects.settings.forms import SlotsField
from projects.sites.actions.api_keys import NAME_LENGTH, OFFERED
from projects.sites.actions.sites import TITLE_LENGTH, check_id
from projects.sites.permissions import ADMINS, WORDS, Permission, known


class SiteTitleForm(forms.Form):
    """A title alone, for a site that is there."""

    title = forms.CharField(
        max_length=TITLE_LENGTH,
        error_messages={
            "required": "Give the site a title. People choose it by this in the bar at the top.",
            "max_length": "A title has up to 120 characters; this one has %(show_value)d.",
        },
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )


class SiteSlotsForm(forms.Form):
    """How much of a site may be under way at a time."""

    slots = SlotsField(
        label="Slots",
        help_text="Slices of large documents under way at a time, and runs of batches; its projects share them.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["slots"].widget.attrs["placeholder"] = str(settings.SITE_SLOTS)


class SiteForm(SiteTitleForm):
    """A new site: its id can never be changed, since every record and file of it lies under the id."""

    site_id = forms.CharField(
        label="Id",
        help_text="Small letters, digits and hyphens, such as acme. It is part of every address and cannot be changed.",
        error_messages={"required": "Give the site an id, such as acme."},
        widget=forms.TextInput(
            attrs={
                "class": "text-input code-input",
                "autocomplete": "off",
                "autocapitalize": "none",
                "spellcheck": "false",
            }
        ),
    )
    group = forms.CharField(
        max_length=150,
        required=False,
        label="Group that runs it",
        initial=ADMINS,
        help_text="Gets every permission there, and gives others theirs. Without one, only superusers can enter.",
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )
    field_order = ("title", "site_id", "group")

    def clean_site_id(self) -> str:
        site_id: str = self.cleaned_data["site_id"]
        try:
            check_id(site_id)
        except Refused as error:
            raise forms.ValidationError(str(error)) from error
        return site_id


def version_in(data: Mapping[str, Any]) -> int:
    """The version that the page showed; a form that lost it was based on nothing we know, and loses."""
    text = str(data.get("version", ""))
    return int(text) if text.isdecimal() and len(text) < 10 else -1


class KeyForm(forms.Form):
    """A new API key: what it is for, and what it may do."""

    name = forms.CharField(
        max_length=NAME_LENGTH,
        label="What it is for",
        error_messages={
            "required": "Say what the key is for, such as the program that will hold it.",
            "max_length": "A name has up to 80 characters; this one has %(show_value)d.",
        },
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )
    may = forms.MultipleChoiceField(
        choices=[(one.value, WORDS[one]) for one in OFFERED],
        initial=[Permission.READ.value],
        label="It may",
        error_messages={"required": "Tick at least one.", "invalid_choice": "Tick what is in the list."},
        widget=forms.CheckboxSelectMultiple,
    )

    def permissions(self) -> frozenset[Permission]:
        return known(self.cleaned_data["may"])

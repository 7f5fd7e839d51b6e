"""Forms of sites."""

from typing import Any, cast

from django import forms
from django.conf import settings
from django.utils.html import format_html
from django.utils.translation import gettext_lazy

from config.errors import Refused
from projects.settings.forms import SlotsField
from projects.sites.actions import TITLE_LENGTH, check_id
from projects.sites.api_keys import HELD_TO_GIVE, NAME_LENGTH, OFFERED, OFFERED_TO_PEOPLE
from projects.sites.permissions import ADMINS, NAMES, Permission, known_permissions
from projects.sites.separation import SEPARATIONS


class SiteTitleForm(forms.Form):
    """The title of an existing site."""

    title = forms.CharField(
        label=gettext_lazy("Title"),
        max_length=TITLE_LENGTH,
        error_messages={
            "required": gettext_lazy("Enter a site title. It appears in the site switcher."),
            "max_length": gettext_lazy("Use at most 120 characters (currently %(show_value)d)."),
        },
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )


class SiteSlotsForm(forms.Form):
    """The concurrency limit of a site."""

    slots = SlotsField(
        label=gettext_lazy("Concurrency limit"),
        help_text=gettext_lazy("Maximum parallel work for this site, shared by its projects."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["slots"].widget.attrs["placeholder"] = str(settings.SITE_SLOTS)


class SecondPersonForm(forms.Form):
    """Whether a single person may put a prompt into production."""

    second_person = forms.BooleanField(
        required=False,
        label=gettext_lazy("Require a second person to put a prompt into production"),
        widget=forms.CheckboxInput,
    )


class SeparationForm(forms.Form):
    """The form of reviews in which people may not decide on their own work."""

    separation = forms.ChoiceField(
        choices=[(one.value, label) for one, label in SEPARATIONS.items()],
        label=gettext_lazy("Applies to"),
        help_text=gettext_lazy(
            "Who uploaded a document, or decided on it earlier in the same run, cannot decide its review."
        ),
        widget=forms.Select(attrs={"class": "select"}),
        error_messages={
            "required": gettext_lazy("Select an option."),
            "invalid_choice": gettext_lazy("Select an option from the list."),
        },
    )


class SiteForm(SiteTitleForm):
    """A new site. Its id cannot be changed, since every row and file is stored under it."""

    site_id = forms.CharField(
        label="ID",
        help_text=gettext_lazy("Lowercase letters, digits and hyphens. Part of every URL; cannot be changed later."),
        error_messages={"required": gettext_lazy("Enter an ID, for example acme.")},
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
        label=gettext_lazy("Admin group"),
        initial=ADMINS,
        help_text=gettext_lazy("Gets all permissions on the site. If empty, only superusers have access."),
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


class KeyForm(forms.Form):
    """A new API key: name and permissions; some can only be given by their holders."""

    name = forms.CharField(
        max_length=NAME_LENGTH,
        label=gettext_lazy("Name"),
        error_messages={
            "required": gettext_lazy("Enter a name, for example the program that uses the key."),
            "max_length": gettext_lazy("Use at most 80 characters (currently %(show_value)d)."),
        },
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )
    may = forms.MultipleChoiceField(
        initial=[Permission.READ.value],
        label=gettext_lazy("Permissions"),
        error_messages={
            "required": gettext_lazy("Select at least one."),
            "invalid_choice": gettext_lazy("Select from the list."),
        },
        widget=forms.CheckboxSelectMultiple,
    )

    days = forms.ChoiceField(
        choices=[
            ("30", gettext_lazy("In 30 days")),
            ("90", gettext_lazy("In 90 days")),
            ("365", gettext_lazy("In a year")),
            ("", gettext_lazy("Never")),
        ],
        initial="365",
        required=False,
        label=gettext_lazy("Expires"),
        widget=forms.Select(attrs={"class": "select"}),
        error_messages={"invalid_choice": gettext_lazy("Select from the list.")},
    )

    def __init__(self, held: frozenset[Permission], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        may = cast(forms.MultipleChoiceField, self.fields["may"])
        # The short names are those of the list of keys.
        may.choices = [
            (one, format_html('{}<br><small class="quiet-text">{}</small>', NAMES[Permission(one)].translated(), words))
            for one, words in self._list_permissions(held)
        ]

    def _list_permissions(self, held: frozenset[Permission]) -> list[tuple[str, str]]:
        return [(one.value, words) for one, words in OFFERED.items() if one not in HELD_TO_GIVE or one in held]

    def permissions(self) -> frozenset[Permission]:
        return known_permissions(self.cleaned_data["may"])

    @property
    def expiry_days(self) -> int:
        return int(self.cleaned_data["days"] or 0)


class TokenForm(KeyForm):
    """A personal token with some of its owner's permissions."""

    def _list_permissions(self, held: frozenset[Permission]) -> list[tuple[str, str]]:
        return [(one.value, words) for one, words in OFFERED_TO_PEOPLE.items() if one in held]

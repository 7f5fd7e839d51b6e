"""Form of a queue: name and admitted groups."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib.auth.models import Group
from django.utils.translation import gettext_lazy

from config.table import DEFAULT_SITE
from projects.queues.items import Queue
from projects.sites import queries as site_queries


class QueueForm(forms.Form):
    """``stored``: groups that stay a choice although they no longer exist or have no role here.

    Only the main site, where groups are created, sees groups of other sites.
    """

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=80,
        error_messages={
            "required": gettext_lazy("Enter a queue name."),
            "max_length": gettext_lazy("Use at most 80 characters (currently %(show_value)d)."),
        },
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )
    groups = forms.MultipleChoiceField(
        required=False,
        label=gettext_lazy("Groups"),
        help_text=gettext_lazy("Only these groups can see this queue. If none is selected, all reviewers can."),
        error_messages={"invalid_choice": gettext_lazy("Group “%(value)s” no longer exists. Select from the list.")},
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, site: str, *args: Any, stored: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        made = Group.objects.values_list("name", flat=True)
        here = made if site == DEFAULT_SITE else site_queries.group_names(site)
        names = sorted({*here, *stored}, key=str.casefold)
        choice = self.fields["groups"]
        if isinstance(choice, forms.MultipleChoiceField):
            choice.choices = [(name, name) for name in names]

    def clean_name(self) -> str:
        return " ".join(str(self.cleaned_data["name"]).split())


def form_of(site: str, queue: Queue) -> QueueForm:
    groups = list(queue.groups or ())
    return QueueForm(site, initial={"name": queue.name, "groups": groups}, stored=groups)

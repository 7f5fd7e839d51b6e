"""Forms of intake: assigning a bucket folder, and fetching a web page."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.utils.translation import gettext, gettext_lazy

from config.errors import StageFailed
from workflows.stages import web_fetch
from workflows.stages.webcrawler import MOST_PAGES

_NAME_LENGTH = 200  # characters of the name of a web page's document
_FOLDER = re.compile(r"[A-Za-z0-9!_.*'() -]{1,100}")  # characters that S3 recommends for keys, without the slash


class TenantForm(forms.Form):
    """A folder and the project that takes its files; the site was chosen before, as it determines the projects."""

    name = forms.CharField(
        max_length=100,
        label=gettext_lazy("Folder"),
        help_text=gettext_lazy("The key part after the date: raw/2026/11/21/acme/bill.pdf is in acme."),
        error_messages={"required": gettext_lazy("Enter a folder, such as acme.")},
        widget=forms.TextInput(
            attrs={"class": "text-input code-input", "autocomplete": "off", "autocapitalize": "none"}
        ),
    )
    project_id = forms.ChoiceField(
        label=gettext_lazy("Project"),
        help_text=gettext_lazy("Its settings process the files."),
        error_messages={
            "required": gettext_lazy("Choose a project."),
            "invalid_choice": gettext_lazy("Select an option from the list."),
        },
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
            raise forms.ValidationError(gettext("Letters, digits, spaces and - _ . ! * ' ( ) only, and no slash."))
        return name


class WebPageForm(forms.Form):
    """A web page to fetch. The result is a file of type ``formats.WEB_REQUEST``, which the web crawler reads."""

    url = forms.CharField(
        max_length=2000,
        label=gettext_lazy("Address"),
        error_messages={"required": gettext_lazy("Enter an address, such as https://example.com/prices.")},
        widget=forms.URLInput(
            attrs={
                "class": "text-input",
                "autocomplete": "off",
                "placeholder": gettext_lazy("https://example.com/prices"),
            }
        ),
    )
    pages = forms.IntegerField(
        min_value=1,
        max_value=MOST_PAGES,
        initial=1,
        label=gettext_lazy("Pages"),
        help_text=gettext_lazy("More than one: pages of the same server that this one links to are fetched too."),
        widget=forms.NumberInput(attrs={"class": "text-input narrow-input", "inputmode": "numeric"}),
    )
    instruction = forms.CharField(
        max_length=500,
        required=False,
        label=gettext_lazy("What to look for"),
        help_text=gettext_lazy("Models read it with the page."),
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )
    folder = forms.CharField(
        max_length=1000,
        required=False,
        label=gettext_lazy("Folder"),
        help_text=gettext_lazy("Missing folders are created."),
        widget=forms.TextInput(
            attrs={
                "class": "text-input",
                "list": "folder-paths",
                "placeholder": gettext_lazy("Prices/2026"),
                "autocomplete": "off",
            }
        ),
    )

    def clean_url(self) -> str:
        try:
            return web_fetch.clean_address(self.cleaned_data["url"])
        except StageFailed as error:
            raise forms.ValidationError(str(error)) from error

    @property
    def file_name(self) -> str:
        """Return the name of the document: server and path."""
        parts = urlsplit(self.cleaned_data["url"])
        return f"{parts.hostname}{parts.path}".strip("/").replace("/", " ")[:_NAME_LENGTH] + ".webreq"

    @property
    def request(self) -> bytes:
        typed = self.cleaned_data
        asked = {"url": typed["url"], "instruction": typed["instruction"], "pages": typed["pages"]}
        return json.dumps(asked, ensure_ascii=False).encode()

"""What people type on pages of intake: whose a folder of the bucket is, and which web page is fetched."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django import forms

from config.errors import StageFailed
from workflows.stages import web_fetch
from workflows.stages.webcrawler import MOST_PAGES

_NAME_LENGTH = 200  # of a web page's document, in characters
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


class WebPageForm(forms.Form):
    """A page to fetch; what is written is the file of type ``formats.WEB_REQUEST`` that the web crawler reads."""

    url = forms.CharField(
        max_length=2000,
        label="Address",
        error_messages={"required": "Enter an address, such as https://example.com/prices."},
        widget=forms.URLInput(
            attrs={"class": "text-input", "autocomplete": "off", "placeholder": "https://example.com/prices"}
        ),
    )
    pages = forms.IntegerField(
        min_value=1,
        max_value=MOST_PAGES,
        initial=1,
        label="Pages",
        help_text="More than one: pages of the same server that this one links to are fetched too.",
        widget=forms.NumberInput(attrs={"class": "text-input narrow-input", "inputmode": "numeric"}),
    )
    instruction = forms.CharField(
        max_length=500,
        required=False,
        label="What to look for",
        help_text="Models read it with the page.",
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )
    folder = forms.CharField(
        max_length=1000,
        required=False,
        label="Folder",
        help_text="Missing folders are created.",
        widget=forms.TextInput(
            attrs={
                "class": "text-input",
                "list": "folder-paths",
                "placeholder": "Prices/2026",
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
        """Of the document: the server and the path, as people would name the page."""
        parts = urlsplit(self.cleaned_data["url"])
        return f"{parts.hostname}{parts.path}".strip("/").replace("/", " ")[:_NAME_LENGTH] + ".webreq"

    @property
    def request(self) -> bytes:
        typed = self.cleaned_data
        asked = {"url": typed["url"], "instruction": typed["instruction"], "pages": typed["pages"]}
        return json.dumps(asked, ensure_ascii=False).encode()

"""Forms of access policies: text and trial."""

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from config.errors import Refused
from config.phrase import Phrase
from projects.personal import access as personal_access
from projects.policies import queries
from projects.policies.actions import LONGEST_NOTE
from projects.policies.decision import OUTSIDER, PERSON, PROGRAM, Case, Subject
from projects.policies.language import KNOWN, LONGEST
from projects.queues import visibility
from projects.schemas.governing import KINDS
from projects.schemas.queries import definitions_of
from projects.sites.permissions import WORDS

_KINDS = ((PERSON, Phrase("A person")), (PROGRAM, Phrase("An API key")), (OUTSIDER, Phrase("Anyone with a link")))
_BOX = {"class": "text-input", "autocomplete": "off"}
_CODE = {"class": "text-input code-input", "spellcheck": "false", "autocapitalize": "off"}
_TYPED = frozenset({"attributes", "tags", "id"})
_DATA_TYPES: Mapping[str, Callable[[str], Any]] = {
    "NUMBER": float,
    "BOOLEAN": lambda text: text.lower() in {"true", "yes", "1"},
}


class PolicyForm(forms.Form):
    policy = forms.CharField(
        label=gettext_lazy("Policy in Rego"),
        strip=False,
        max_length=LONGEST,
        error_messages={"required": gettext_lazy("Enter a policy, or begin with an example.")},
        widget=forms.Textarea(attrs={**_CODE, "rows": 18}),
    )
    note = forms.CharField(
        label=gettext_lazy("Note"),
        required=False,
        max_length=LONGEST_NOTE,
        help_text=gettext_lazy("What this version changes, for the list of versions."),
        widget=forms.TextInput(attrs=_BOX),
    )
    newest = forms.IntegerField(widget=forms.HiddenInput, min_value=0)


class TrialForm(forms.Form):
    """``document_id``: a document of the site; otherwise the typed facts are used."""

    kind = forms.ChoiceField(
        label=gettext_lazy("Who"), choices=_KINDS, widget=forms.Select(attrs={"class": "text-input"})
    )
    username = forms.CharField(
        label=gettext_lazy("User name"), required=False, max_length=150, widget=forms.TextInput(attrs=_BOX)
    )
    groups = forms.CharField(
        label=gettext_lazy("Groups"),
        required=False,
        max_length=1000,
        help_text=gettext_lazy("Separated by commas."),
        widget=forms.TextInput(attrs=_BOX),
    )
    action = forms.ChoiceField(
        choices=[(one.value, f"{one.value}: {words}") for one, words in WORDS.items()],
        widget=forms.Select(attrs={"class": "text-input"}),
    )
    at = forms.DateTimeField(
        label=gettext_lazy("Time (UTC)"),
        required=False,
        help_text=gettext_lazy("Empty for now."),
        widget=forms.DateTimeInput(attrs={"class": "text-input", "type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
    )
    document_id = forms.CharField(
        label=gettext_lazy("Document ID"),
        required=False,
        max_length=100,
        help_text=gettext_lazy("Of an existing document. Empty to describe one below."),
        widget=forms.TextInput(attrs=_BOX),
    )
    facts = forms.CharField(
        label=gettext_lazy("Description"),
        required=False,
        max_length=4000,
        help_text=gettext_lazy("One per line, as project: Contracts."),
        widget=forms.Textarea(attrs={**_CODE, "rows": 3}),
    )
    attributes = forms.CharField(
        label=gettext_lazy("Attributes"),
        required=False,
        max_length=4000,
        help_text=gettext_lazy("One value per line, as department: legal."),
        widget=forms.Textarea(attrs={**_CODE, "rows": 3}),
    )
    tags = forms.CharField(
        label=gettext_lazy("Tags"),
        required=False,
        max_length=4000,
        help_text=gettext_lazy("One value per line, as customer: Juniper Mill."),
        widget=forms.Textarea(attrs={**_CODE, "rows": 2}),
    )

    def clean_facts(self) -> str:
        text = str(self.cleaned_data["facts"])
        known = [one for one in KNOWN["document"] if one not in _TYPED]
        for name, _ in _pairs(text):
            if name not in known:
                raise forms.ValidationError(
                    gettext("“%(name)s” does not exist. Use one of: %(known)s.")
                    % {"name": name, "known": ", ".join(known)}
                )
        return text

    @property
    def moment(self) -> dt.datetime | None:
        at: dt.datetime | None = self.cleaned_data["at"]
        return at.replace(tzinfo=dt.UTC) if at else None

    def case(self, request: HttpRequest) -> Case:
        """Raises: Refused, if a value is not of its attribute's type; as ``describe_document``."""
        typed, site = self.cleaned_data, str(request.site)
        groups = [one.strip() for one in typed["groups"].split(",") if one.strip()]
        subject = Subject("", typed["username"], groups, typed["kind"])
        if typed["document_id"]:
            return Case(subject, typed["action"], describe_document(request, typed["document_id"].strip()))
        document: dict[str, Any] = dict(_pairs(typed["facts"]))
        document |= {"id": "example", "attributes": _read_attributes(site, typed["attributes"])}
        document["tags"] = _gather(_pairs(typed["tags"]))
        return Case(subject, typed["action"], document)


def describe_document(request: HttpRequest, document_id: str) -> Mapping[str, Any]:
    """Describe a document for a trial, including documents that the policy hides.

    Raises:
        Refused: there is none, or its queue or folder does not let the person in.
        NotAllowed: it may have personal values, which a policy's reasons could repeat, and the person may see none.

    """
    found = queries.describe_documents(str(request.site), [document_id]).get(document_id)
    if found is None or "name" not in found or visibility.find_closed_documents(request, [document_id]):
        raise Refused(gettext("There is no document with this ID. Copy it from the address of the document’s page."))
    personal_access.check_can_see(request, document_id=document_id)
    return found


def _pairs(text: str) -> list[tuple[str, str]]:
    lines = [line.partition(":") for line in text.splitlines() if line.strip()]
    return [(name.strip(), value.strip()) for name, _, value in lines]


def _gather(pairs: list[tuple[str, Any]]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found


def _read_attributes(site: str, text: str) -> dict[str, list[Any]]:
    """Read them in stored form: numbers as numbers. Raises: Refused."""
    pairs = _pairs(text)
    known = definitions_of(site, sorted({name for name, _ in pairs})) if pairs else {}
    found: list[tuple[str, Any]] = []
    for name, value in pairs:
        kind = KINDS.get(known[name].kind) if name in known else None
        convert = _DATA_TYPES.get(kind.data_type) if kind else None
        try:
            found.append((name, convert(value) if convert else value))
        except ValueError as error:
            raise Refused(
                gettext("“%(value)s” is not a number, which %(name)s requires.") % {"value": value, "name": name}
            ) from error
    return _gather(found)

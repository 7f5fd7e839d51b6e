"""Forms of prompts: text, note, labels, import."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from config.errors import Refused
from config.phrase import Phrase
from projects.prompts.prompt import LONGEST, Prompt, Purpose, clean_text, find_problems
from projects.prompts.prompt_file import LONGEST_FILE, LONGEST_NOTE, decode_file
from projects.prompts.queries import MOST_VERSIONS
from projects.web.http import read_number


def _make_text_input(rows: int) -> forms.Textarea:
    """The browser stops at the length that the check names; the form has no limit of its own beside it."""
    attrs = {"class": "text-input prompt-input", "rows": rows, "spellcheck": "true", "maxlength": LONGEST}
    return forms.Textarea(attrs=attrs)


class PromptForm(forms.Form):
    instructions = forms.CharField(
        label=gettext_lazy("Instructions"),
        help_text=gettext_lazy("Sent as the system prompt."),
        strip=False,
        widget=_make_text_input(14),
        error_messages={"required": gettext_lazy("Tell the model what to do.")},
    )
    message = forms.CharField(
        label=gettext_lazy("Message"),
        help_text=gettext_lazy("Sent with each page or document."),
        strip=False,
        widget=_make_text_input(6),
        error_messages={"required": gettext_lazy("Add the placeholder for the text to work on.")},
    )
    note = forms.CharField(
        label=gettext_lazy("Note"),
        help_text=gettext_lazy("What changed and why. Shown in the version history."),
        required=False,
        max_length=LONGEST_NOTE,
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )

    def __init__(self, purpose: Purpose, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.purpose = purpose

    def clean_instructions(self) -> str:
        return self._clean_part("instructions")

    def clean_message(self) -> str:
        return self._clean_part("message")

    def _clean_part(self, part: str) -> str:
        text = clean_text(str(self.cleaned_data[part]))
        if problems := find_problems(self.purpose, part, text):
            raise forms.ValidationError(" ".join(problems))
        return text

    def prompt(self) -> Prompt:
        return Prompt(self.purpose.name, self.cleaned_data["instructions"], self.cleaned_data["message"])


_LOST = Phrase("The form is incomplete. Reload the page, then try again.")


class LabelForm(forms.Form):
    """``expected``: the version that the page showed under the label, 0 if there was none."""

    expected = forms.IntegerField(
        min_value=0,
        max_value=MOST_VERSIONS,
        widget=forms.HiddenInput,
        error_messages=dict.fromkeys(("required", "invalid", "min_value", "max_value"), _LOST),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=LONGEST_NOTE,
        error_messages={"required": gettext_lazy("Give a short reason. It is kept in the audit log.")},
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )


class CandidateForm(LabelForm):
    percent = forms.IntegerField(
        label=gettext_lazy("Share of runs, %"),
        min_value=0,
        max_value=100,
        error_messages=dict.fromkeys(
            ("required", "invalid", "min_value", "max_value"), Phrase("Choose a share from 0 to 100 %.")
        ),
        widget=forms.NumberInput(attrs={"class": "text-input", "min": "0", "max": "100"}),
    )


class DeclineForm(forms.Form):
    """Why a proposal ends without effect. ``proposal``: the one that the page showed."""

    proposal = forms.CharField(max_length=40, widget=forms.HiddenInput, error_messages={"required": _LOST})
    reason = forms.CharField(
        label=gettext_lazy("Reason for declining"),
        max_length=LONGEST_NOTE,
        error_messages={"required": gettext_lazy("Give a short reason. It is kept in the audit log.")},
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )


class ImportForm(forms.Form):
    """A file of prompts, or its text."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        required=False,
        help_text=gettext_lazy("YAML as exported here."),
        widget=forms.FileInput(attrs={"accept": ".yaml,.yml,application/yaml"}),
    )
    text = forms.CharField(
        label=gettext_lazy("Or its text"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"class": "text-input prompt-input", "rows": 10, "spellcheck": "false"}),
    )

    def read_text(self) -> str:
        """Raises: Refused."""
        self.is_valid()  # nothing of it is required
        file = self.cleaned_data.get("file")
        text = decode_file(file.read(LONGEST_FILE + 1)) if file else str(self.cleaned_data.get("text", ""))
        if not text.strip():
            raise Refused(gettext("Choose a file or paste its text."))
        return text.replace("\r\n", "\n")


def read_base_version(data: Mapping[str, Any]) -> int:
    """The version that the editor was opened with; 0 if the form lost it."""
    return read_number(str(data.get("based_on", "")))

"""What an admin types about a project, checked, and turned into ``ProjectSettings`` and back."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings as desk

from projects.settings.provider_choice import desk_default
from projects.settings.values import (
    DEFAULT_OCR_MODEL,
    DOERS,
    LANGUAGES,
    MOST_SLOTS,
    OCR_MODELS,
    OCR_SWITCHES,
    TYPINGS,
    ProjectSettings,
)

PROMPT_MAX = 16_000  # characters; DESIGN section 3 keeps larger texts out of the table


OPEN_QUEUE = "Review, open to every reviewer"
OWN_FIELDS = "None: the fields of this project"
FOUND = ":"  # before a key of TYPINGS, where a classification's id could stand: no id begins so


@dataclass(frozen=True)
class Offered:
    """What a site lets its projects choose from: id → name."""

    queues: Mapping[str, str] = field(default_factory=dict)
    classifications: Mapping[str, str] = field(default_factory=dict)


def percent_of(share: float) -> Decimal:
    """0.855 → 85.5, without the float's tail."""
    return Decimal(str(round(share * 100, 1))).normalize() + Decimal(0)


def share_of(percent: Decimal) -> float:
    return float(percent / 100)


class PercentField(forms.DecimalField):
    """Typed in percent with at most one decimal place, 0 to 100."""

    def __init__(self, **kwargs: Any) -> None:
        words = {
            "invalid": "Write a number from 0 to 100, such as 80.",
            "required": "Write a number from 0 to 100, such as 80.",
            "min_value": "0 %% is the lowest.",
            "max_value": "100 %% is the highest.",
            "max_decimal_places": "One decimal place is enough.",
            "max_digits": "Write a number from 0 to 100, such as 80.",
        }
        super().__init__(min_value=0, max_value=100, decimal_places=1, max_digits=4, error_messages=words, **kwargs)

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:  # noqa: ARG002 - Django calls it so
        # Not a number input: that one loses what it cannot read, and the message would point at nothing.
        return {"inputmode": "decimal", "class": "text-input percent-input", "autocomplete": "off"}


class SlotsField(forms.IntegerField):
    """How much may be under way at a time; empty, which is 0 here: as many as the desk gives."""

    def __init__(self, **kwargs: Any) -> None:
        words = f"Write a number from 1 to {MOST_SLOTS:,}, or nothing."
        super().__init__(
            required=False,
            min_value=1,
            max_value=MOST_SLOTS,
            widget=forms.TextInput,
            error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), words),
            **kwargs,
        )

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:  # noqa: ARG002 - Django calls it so
        # Not a number input: that one loses what it cannot read, and the message would point at nothing.
        return {"inputmode": "numeric", "class": "text-input percent-input", "autocomplete": "off"}

    def clean(self, value: Any) -> int:
        return super().clean(value) or 0


class ProjectForm(forms.Form):
    """The settings of a project that are one value each; its fields have rows of their own."""

    name = forms.CharField(
        max_length=120,
        error_messages={
            "required": "Give the project a name. People find it by this in lists.",
            "max_length": "A name has up to 120 characters; this one has %(show_value)d.",
        },
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )
    description = forms.CharField(
        required=False,
        max_length=1000,
        error_messages={"max_length": "A description has up to 1,000 characters; this one has %(show_value)d."},
        widget=forms.Textarea(attrs={"class": "text-input", "rows": 2}),
    )
    language = forms.ChoiceField(
        help_text="Of most of its documents. A run says so where the OCR model does not know its letters.",
        widget=forms.Select(attrs={"class": "select"}),
    )
    document_prompt = forms.CharField(
        required=False,
        max_length=PROMPT_MAX,
        strip=False,
        help_text="What a model should know about these documents. Runs keep the text they started with.",
        error_messages={"max_length": "A prompt has up to 16,000 characters; this one has %(show_value)d."},
        widget=forms.Textarea(attrs={"class": "text-input prompt-input", "rows": 6, "spellcheck": "true"}),
    )
    ocr_model = forms.ChoiceField(
        label="OCR model",
        help_text="PP-OCR reads Latin, Chinese and Japanese letters. The page of a run says which model really read.",
        widget=forms.Select(attrs={"class": "select"}),
    )
    analyzer = forms.ChoiceField(
        required=False,
        label="Fields are found by",
        help_text="Models get the prompt, each page's picture and its text; a stronger one takes over where unsure.",
        widget=forms.Select(attrs={"class": "select"}),
    )
    transcriber = forms.ChoiceField(
        required=False,
        label="Recordings are written down by",
        widget=forms.Select(attrs={"class": "select"}),
    )
    summarizer = forms.ChoiceField(
        required=False,
        label="Documents are summarised by",
        widget=forms.Select(attrs={"class": "select"}),
    )
    use_bda = forms.BooleanField(required=False, label="Also read documents with Bedrock Data Automation")
    default_threshold = PercentField(
        label="Ask a person below, in %",
        widget=forms.TextInput,
        help_text="A field that is less sure than this sends its document to the review queue.",
    )

    audit_share = PercentField(
        required=False,
        label="Audit sample, in %",
        widget=forms.TextInput,
        help_text="So many of the documents that nobody has to look at are reviewed all the same, at random.",
    )

    unseen_allowed = forms.BooleanField(
        required=False,
        label="Allow approval with unchecked fields",
        help_text="Reviewers are asked once more. The decision and the audit name the fields.",
    )

    review_queue = forms.ChoiceField(
        required=False,
        label="Reviews wait in",
        help_text="A queue may be for certain groups only. A run keeps the queue it started with.",
        widget=forms.Select(attrs={"class": "select"}),
    )

    classification_id = forms.ChoiceField(
        label="Classification",
        required=False,
        help_text="Its attributes are read instead of the fields below; only their share to ask below counts then. "
        "Where a type is found on each document, the fields below are read of those that fit none.",
        widget=forms.Select(attrs={"class": "select"}),
    )

    slots = SlotsField(
        help_text="Slices of its large documents under way at a time, and runs of its batches. Holds at once.",
    )

    def __init__(self, *args: Any, stored: ProjectSettings, offered: Offered, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stored = stored
        _offer(self.fields["review_queue"], {"": OPEN_QUEUE, **offered.queues}, stored.review_queue)
        self.fields["slots"].widget.attrs["placeholder"] = str(desk.PROJECT_SLOTS)
        found = {f"{FOUND}{one}": words for one, words in TYPINGS.items()}
        classifications = {"": OWN_FIELDS, **found, **offered.classifications}
        _offer(self.fields["classification_id"], classifications, _classification(stored))
        _offer(self.fields["language"], LANGUAGES, stored.language)
        _offer(self.fields["ocr_model"], OCR_MODELS, stored.ocr_model)
        for name, choices in DOERS.items():
            desks = f"The desk's choice: {choices.get(desk_default(name), desk_default(name))}"
            _offer(self.fields[name], {"": desks, **choices}, getattr(stored, name))
        for name, label in OCR_SWITCHES.items():
            self.fields[name] = forms.BooleanField(required=False, label=label)
        self.switches = [self[name] for name in OCR_SWITCHES]
        self.desk_analyzer = desk_default("analyzer")

    def _chosen(self) -> tuple[str, str]:
        """One list offers both: a classification's id, or a word for how one is found."""
        word: str = self.cleaned_data["classification_id"]
        if word.startswith(FOUND):
            return "", word.removeprefix(FOUND)
        return word, ""

    @property
    def is_new(self) -> bool:
        return not self._stored.name

    def clean_document_prompt(self) -> str:
        text: str = self.cleaned_data["document_prompt"]
        return text.replace("\r\n", "\n").strip("\n")

    def settings(self) -> ProjectSettings:
        """The stored settings with what was typed laid over them; fields stay as they were."""
        typed = self.cleaned_data
        # Options that this page does not show belong to other writers of the table and stay.
        classification_id, typing = self._chosen()
        options = dict(self._stored.ocr_options)
        options |= {name: typed[name] for name in OCR_SWITCHES if typed[name] or name in options}
        return replace(
            self._stored,
            name=typed["name"],
            description=typed["description"].replace("\r\n", "\n"),
            language=typed["language"],
            document_prompt=typed["document_prompt"],
            ocr_model=typed["ocr_model"],
            ocr_options=options,
            default_threshold=share_of(typed["default_threshold"]),
            audit_share=share_of(typed["audit_share"] or Decimal(0)),
            unseen_allowed=typed["unseen_allowed"],
            review_queue=typed["review_queue"],
            slots=typed["slots"],
            classification_id=classification_id,
            typing=typing,
            **{name: typed[name] for name in (*DOERS, "use_bda")},
        )


def _classification(settings: ProjectSettings) -> str:
    """As the list has it."""
    if settings.typing and not settings.classification_id:
        return f"{FOUND}{settings.typing}"
    return settings.classification_id


def _offer(choice: forms.Field, known: Mapping[str, str], stored: str) -> None:
    # A value of an older writer stays a choice: opening a page must not change what it does not show.
    choices = list(known.items())
    if stored not in known:
        choices.append((stored, f"{stored}, set elsewhere"))
    if isinstance(choice, forms.ChoiceField):
        choice.choices = choices
        choice.error_messages["invalid_choice"] = "Choose one of the list."


_AS_STORED = (
    "name",
    "description",
    "language",
    "document_prompt",
    "review_queue",
    "analyzer",
    "transcriber",
    "summarizer",
    "use_bda",
    "unseen_allowed",
)


def initial_of(settings: ProjectSettings) -> dict[str, Any]:
    values = {name: getattr(settings, name) for name in _AS_STORED}
    values["ocr_model"] = settings.ocr_model or DEFAULT_OCR_MODEL
    values["classification_id"] = _classification(settings)
    values["default_threshold"] = percent_of(settings.default_threshold)
    values["slots"] = settings.slots or ""
    values["audit_share"] = percent_of(settings.audit_share)
    return values | {name: bool(settings.ocr_options.get(name)) for name in OCR_SWITCHES}

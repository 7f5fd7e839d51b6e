"""Form of a project, converted to and from ``ProjectSettings``."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings as desk
from django.utils.translation import gettext, gettext_lazy

from config.errors import Refused
from config.phrase import Figure, Phrase
from projects.settings.columns import LONGEST_COLUMNS, read_columns, write_columns
from projects.settings.provider_choice import desk_default
from projects.settings.values import (
    DEFAULT_OCR_MODEL,
    DOERS,
    EXTRACT,
    LANGUAGES,
    LONGEST_REJECT_REASON,
    MODEL_USES,
    MOST_REJECT_REASONS,
    MOST_SLOTS,
    MOST_WRONG_CHOICES,
    OCR_MODELS,
    OCR_SWITCHES,
    QUORUMS,
    TYPINGS,
    ProjectSettings,
)

PROMPT_MAX = 16_000  # characters; larger texts do not belong in the table


OPEN_QUEUE = Phrase("Review (open to all reviewers)")
OWN_FIELDS = Phrase("None (use this project’s fields)")
_DEFAULT = Phrase("Default: %(choice)s")
_MODEL = "model_"  # prefix of a key of MODEL_USES, in input names
FOUND = ":"  # prefix of a key of TYPINGS in place of a classification's id, which never begins like this


@dataclass(frozen=True)
class OfferedChoices:
    """Choices of the site's projects: id → name."""

    queues: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)  # of reviewers
    classifications: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    ocr_models: Mapping[str, str] = field(default_factory=lambda: OCR_MODELS)


def percent_of(share: float) -> Decimal:
    """0.855 → 85.5, without floating-point errors."""
    return Decimal(str(round(share * 100, 1))).normalize() + Decimal(0)


def share_of(percent: Decimal) -> float:
    return float(percent / 100)


class PercentField(forms.DecimalField):
    """In percent with at most one decimal place, 0 to 100."""

    def __init__(self, **kwargs: Any) -> None:
        words = {
            "invalid": Phrase("Enter a number from 0 to 100, for example 80."),
            "required": Phrase("Enter a number from 0 to 100, for example 80."),
            "min_value": Phrase("The minimum is 0 %%."),
            "max_value": Phrase("The maximum is 100 %%."),
            "max_decimal_places": Phrase("Use at most one decimal place."),
            "max_digits": Phrase("Enter a number from 0 to 100, for example 80."),
        }
        super().__init__(min_value=0, max_value=100, decimal_places=1, max_digits=4, error_messages=words, **kwargs)

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:  # noqa: ARG002 - Django calls it so
        # Not a number input: browsers drop invalid text, so the message would refer to nothing.
        return {"inputmode": "decimal", "class": "text-input percent-input", "autocomplete": "off"}


class ColumnsField(forms.CharField):
    """The columns of a table, one a line; empty if there are none. Pages show it for tables, which need it."""

    is_conditional = True  # not called optional

    NONE = Phrase("Enter the table's columns, one per line.")

    def __init__(self, **more: Any) -> None:
        super().__init__(
            required=False,
            max_length=LONGEST_COLUMNS,
            error_messages={
                "required": self.NONE,
                "max_length": gettext("Use at most %(longest_columns)s characters (currently %%(show_value)d).")
                % {"longest_columns": LONGEST_COLUMNS},
            },
            widget=forms.Textarea(attrs={"class": "text-input", "rows": "4", "autocomplete": "off"}),
            **more,
        )

    def clean(self, value: Any) -> str:
        text: str = super().clean(value)
        try:
            return write_columns(read_columns(text)) if text else ""
        except Refused as error:
            raise forms.ValidationError(str(error)) from error


class SlotsField(forms.IntegerField):
    """A concurrency limit; empty, which is 0 here, means the default."""

    def __init__(self, **kwargs: Any) -> None:
        words = Phrase("Enter a number from 1 to %(most_slots)s, or leave empty for the default.").fill(
            most_slots=Figure(f"{MOST_SLOTS:,}")
        )
        super().__init__(
            required=False,
            min_value=1,
            max_value=MOST_SLOTS,
            widget=forms.TextInput,
            error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), words),
            **kwargs,
        )

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:  # noqa: ARG002 - Django calls it so
        # Not a number input: browsers drop invalid text, so the message would refer to nothing.
        return {"inputmode": "numeric", "class": "text-input percent-input", "autocomplete": "off"}

    def clean(self, value: Any) -> int:
        return super().clean(value) or 0


class ProjectForm(forms.Form):
    """The single-value settings of a project; its fields have rows of their own."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=120,
        error_messages={
            "required": gettext_lazy("Enter a project name."),
            "max_length": gettext_lazy("Use at most 120 characters (currently %(show_value)d)."),
        },
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off"}),
    )
    description = forms.CharField(
        label=gettext_lazy("Description"),
        required=False,
        max_length=1000,
        error_messages={"max_length": gettext_lazy("Use at most 1,000 characters (currently %(show_value)d).")},
        widget=forms.Textarea(attrs={"class": "text-input", "rows": 2}),
    )
    language = forms.ChoiceField(
        label=gettext_lazy("Language"),
        help_text=gettext_lazy("Main document language. Runs warn if the OCR model does not support it."),
        widget=forms.Select(attrs={"class": "select"}),
    )
    document_prompt = forms.CharField(
        required=False,
        label=gettext_lazy("Prompt"),
        max_length=PROMPT_MAX,
        strip=False,
        help_text=gettext_lazy("Instructions for models. Runs already started keep their prompt."),
        error_messages={"max_length": gettext_lazy("Use at most 16,000 characters (currently %(show_value)d).")},
        widget=forms.Textarea(attrs={"class": "text-input prompt-input", "rows": 6, "spellcheck": "true"}),
    )
    ocr_model = forms.ChoiceField(
        label=gettext_lazy("OCR model"),
        help_text=gettext_lazy("PP-OCR supports Latin, Chinese and Japanese scripts. More models: Settings, Models."),
        widget=forms.Select(attrs={"class": "select"}),
    )
    analyzer = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Field extraction"),
        help_text=gettext_lazy("Models receive the prompt, page text and, if they can read them, page images."),
        widget=forms.Select(attrs={"class": "select"}),
    )
    transcriber = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Transcription"),
        widget=forms.Select(attrs={"class": "select"}),
    )
    summarizer = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Summary"),
        widget=forms.Select(attrs={"class": "select"}),
    )
    use_bda = forms.BooleanField(required=False, label=gettext_lazy("Use Bedrock Data Automation"))
    default_threshold = PercentField(
        label=gettext_lazy("Review threshold (%)"),
        widget=forms.TextInput,
        help_text=gettext_lazy("Documents with a field below this confidence go to review."),
    )

    audit_share = PercentField(
        required=False,
        label=gettext_lazy("Audit sample (%)"),
        widget=forms.TextInput,
        help_text=gettext_lazy("Randomly send this share of auto-approved documents to review."),
    )

    most_wrong = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Error limit"),
        help_text=gettext_lazy(
            "Most wrong values among those not reviewed. Until reviews prove it, only verified values pass."
        ),
        choices=MOST_WRONG_CHOICES,
        widget=forms.Select(attrs={"class": "select"}),
    )

    unseen_allowed = forms.BooleanField(
        required=False,
        label=gettext_lazy("Allow approval with unchecked fields"),
        help_text=gettext_lazy("Reviewers must confirm. The decision and audit log list the unchecked fields."),
    )

    lacking_allowed = forms.BooleanField(
        required=False,
        label=gettext_lazy("Allow approval without a required field"),
        help_text=gettext_lazy("If a reviewer answers that it is blank, not on paper or illegible."),
    )

    reject_reasons = forms.CharField(
        required=False,
        label=gettext_lazy("Rejection reasons"),
        help_text=gettext_lazy(
            "One per line. Reviewers select one or describe another. Runs already started keep their list."
        ),
        widget=forms.Textarea(attrs={"class": "text-input", "rows": 4}),
    )

    check_share = PercentField(
        required=False,
        label=gettext_lazy("Second reviews (%)"),
        widget=forms.TextInput,
        help_text=gettext_lazy("Share reviewed again by another person: 10 % of 200 reviews a day is 20 more."),
    )

    quorum = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Blind agreement"),
        help_text=gettext_lazy("Reviewers do not see each other's answers. If too few agree, another person decides."),
        choices=QUORUMS.items,
        widget=forms.Select(attrs={"class": "select"}),
    )

    review_queue = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Review queue"),
        help_text=gettext_lazy("Queues can be limited to groups. Runs already started keep their queue."),
        widget=forms.Select(attrs={"class": "select"}),
    )

    escalation_group = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Escalation group"),
        help_text=gettext_lazy("Its members can take over what a reviewer escalates."),
        widget=forms.Select(attrs={"class": "select"}),
    )

    classification_id = forms.ChoiceField(
        label=gettext_lazy("Document type"),
        required=False,
        help_text=gettext_lazy("Its attributes replace the fields below; only their review thresholds still apply."),
        widget=forms.Select(attrs={"class": "select"}),
    )

    slots = SlotsField(
        label=gettext_lazy("Concurrency limit"),
        help_text=gettext_lazy("Maximum parallel work for this project. Takes effect immediately."),
    )

    def __init__(self, *args: Any, stored: ProjectSettings, offered: OfferedChoices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stored = stored
        _offer(self.fields["review_queue"], {"": OPEN_QUEUE, **offered.queues}, stored.review_queue)
        _offer(self.fields["escalation_group"], {"": Phrase("None"), **offered.groups}, stored.escalation_group)
        self.fields["slots"].widget.attrs["placeholder"] = str(desk.PROJECT_SLOTS)
        found = {f"{FOUND}{one}": words for one, words in TYPINGS.items()}
        classifications = {"": OWN_FIELDS, **found, **offered.classifications}
        _offer(self.fields["classification_id"], classifications, _classification(stored))
        _offer(self.fields["language"], LANGUAGES, stored.language)
        _offer(self.fields["ocr_model"], offered.ocr_models, stored.ocr_model)
        for name, choices in DOERS.items():
            default = desk_default(name)
            label = choices.get(default, default)
            words = _DEFAULT.fill(choice=choices.get(default, default))
            _offer(self.fields[name], {"": words, **choices}, getattr(stored, name))
        for use, label in MODEL_USES.items():
            self.fields[f"{_MODEL}{use}"] = choice = forms.ChoiceField(
                required=False, label=label, widget=forms.Select(attrs={"class": "select"})
            )
            default = offered.models.get(desk.MODEL, desk.MODEL)
            words = _DEFAULT.fill(choice=default) if use == EXTRACT else Phrase("Same as for fields")
            _offer(choice, {"": words, **offered.models}, stored.models.get(use, ""))
        self.fields[f"{_MODEL}{EXTRACT}"].help_text = Phrase("Applies if a language model is selected.")
        self.model, *self.other_models = [self[f"{_MODEL}{use}"] for use in MODEL_USES]
        for name, label in OCR_SWITCHES.items():
            self.fields[name] = forms.BooleanField(required=False, label=label)
        self.switches = [self[name] for name in OCR_SWITCHES]
        self.desk_analyzer = desk_default("analyzer")

    def clean_reject_reasons(self) -> str:
        lines = (" ".join(one.split()) for one in str(self.cleaned_data["reject_reasons"]).splitlines())
        found = list(dict.fromkeys(one for one in lines if one))
        if len(found) > MOST_REJECT_REASONS:
            raise forms.ValidationError(
                gettext("Use at most %(most_reject_reasons)s reasons.") % {"most_reject_reasons": MOST_REJECT_REASONS}
            )
        if any(len(one) > LONGEST_REJECT_REASON for one in found):
            raise forms.ValidationError(
                gettext("Use at most %(longest_reject_reason)s characters for a reason.")
                % {"longest_reject_reason": LONGEST_REJECT_REASON}
            )
        return "\n".join(found)

    def _read_classification_choice(self) -> tuple[str, str]:
        """One select offers both classifications by id and ways to determine the type."""
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
        """Apply the typed values to the stored settings; fields stay unchanged."""
        typed = self.cleaned_data
        # Options that this page does not show belong to other systems and stay.
        classification_id, typing = self._read_classification_choice()
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
            most_wrong=float(typed["most_wrong"]) if typed["most_wrong"] else None,
            unseen_allowed=typed["unseen_allowed"],
            lacking_allowed=typed["lacking_allowed"],
            reject_reasons=typed["reject_reasons"],
            check_share=share_of(typed["check_share"] or Decimal(0)),
            quorum=typed["quorum"],
            escalation_group=typed["escalation_group"],
            review_queue=typed["review_queue"],
            slots=typed["slots"],
            classification_id=classification_id,
            typing=typing,
            models={use: typed[f"{_MODEL}{use}"] for use in MODEL_USES if typed[f"{_MODEL}{use}"]},
            **{name: typed[name] for name in (*DOERS, "use_bda")},
        )


def _classification(settings: ProjectSettings) -> str:
    """Return the value of the select."""
    if settings.typing and not settings.classification_id:
        return f"{FOUND}{settings.typing}"
    return settings.classification_id


def _offer(choice: forms.Field, known: Mapping[str, str], stored: str) -> None:
    # Values of older versions stay available: opening a page must not change what it does not show.
    choices = list(known.items())
    if stored not in known:
        choices.append((stored, Phrase("%(choice)s (set via API)").fill(choice=stored)))
    if isinstance(choice, forms.ChoiceField):
        choice.choices = choices
        choice.error_messages["invalid_choice"] = Phrase("Select an option from the list.")


_AS_STORED = (
    "name",
    "description",
    "language",
    "document_prompt",
    "reject_reasons",
    "quorum",
    "escalation_group",
    "review_queue",
    "analyzer",
    "transcriber",
    "summarizer",
    "use_bda",
    "unseen_allowed",
    "lacking_allowed",
)


def initial_of(settings: ProjectSettings) -> dict[str, Any]:
    values = {name: getattr(settings, name) for name in _AS_STORED}
    values["ocr_model"] = settings.ocr_model or DEFAULT_OCR_MODEL
    values["classification_id"] = _classification(settings)
    values["default_threshold"] = percent_of(settings.default_threshold)
    values["slots"] = settings.slots or ""
    values["audit_share"] = percent_of(settings.audit_share)
    values["check_share"] = percent_of(settings.check_share)
    values["most_wrong"] = "" if settings.most_wrong is None else f"{settings.most_wrong:g}"
    values |= {f"{_MODEL}{use}": settings.models.get(use, "") for use in MODEL_USES}
    return values | {name: bool(settings.ocr_options.get(name)) for name in OCR_SWITCHES}

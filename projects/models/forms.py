"""Form of a language model, converted to and from its spec."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext, gettext_lazy

from config.phrase import Figure, Phrase
from projects.models.builtin import EMBEDDED_MODEL
from projects.models.spec import BEDROCK, EMBEDDED, MODEL_PROVIDERS, OPENAI, ModelSpec
from projects.settings.forms import PercentField, percent_of, share_of

MOST_SECONDS = 90  # below what a step's message is hidden for
_TEXT = {"class": "text-input", "autocomplete": "off"}
_NUMBER = {"class": "text-input narrow-input", "inputmode": "decimal", "autocomplete": "off"}


def _number(label: str, least: int, most: int, help_text: str = "") -> forms.IntegerField:
    words = Phrase("Enter a whole number from %(least)s to %(most)s.").fill(
        least=Figure(f"{least:,}"), most=Figure(f"{most:,}")
    )
    return forms.IntegerField(
        label=label, min_value=least, max_value=most, help_text=help_text, widget=forms.TextInput(attrs=_NUMBER),
        error_messages=dict.fromkeys(("required", "invalid", "min_value", "max_value"), words),
    )  # fmt: skip


def price_field(label: str) -> forms.DecimalField:
    words = Phrase("Enter an amount such as 0.06, or leave empty.")
    return forms.DecimalField(
        label=label, required=False, min_value=0, max_digits=10, decimal_places=4,
        widget=forms.TextInput(attrs=_NUMBER),
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_digits", "max_decimal_places", "max_whole_digits"), words
        ),
    )  # fmt: skip


class IdField(forms.SlugField):
    """Of a new model."""

    def __init__(self) -> None:
        super().__init__(
            label="ID",
            max_length=40,
            help_text=Phrase("In addresses and the API; cannot be changed later."),
            widget=forms.TextInput(attrs=_TEXT),
            error_messages={
                "required": gettext("Enter an ID."),
                "invalid": gettext("Use lowercase letters, digits and hyphens."),
            },
        )


class NameField(forms.CharField):
    """Of a model, for people."""

    def __init__(self) -> None:
        super().__init__(
            label=gettext_lazy("Name"),
            max_length=80,
            widget=forms.TextInput(attrs=_TEXT),
            error_messages={"required": gettext("Enter a name.")},
        )


class ModelForm(forms.Form):
    """``stored``: the model that is edited, None for a new one. ``others``: what may take over."""

    id = IdField()
    name = NameField()
    provider = forms.ChoiceField(
        label=gettext_lazy("Provider"),
        choices=list(MODEL_PROVIDERS.items()),
        widget=forms.Select(attrs={"class": "select"}),
    )
    endpoint = forms.ChoiceField(
        label=gettext_lazy("Endpoint"),
        required=False,
        help_text=gettext_lazy("Set up by the operator of this installation."),
        widget=forms.Select(attrs={"class": "select"}),
        error_messages={"invalid_choice": gettext_lazy("Select an endpoint from the list.")},
    )
    model = forms.CharField(
        required=False,
        label=gettext_lazy("Model ID"),
        max_length=200,
        help_text=gettext_lazy("The provider’s name for it, such as eu.amazon.nova-lite-v1:0."),
        widget=forms.TextInput(attrs=_TEXT),
    )
    images = forms.BooleanField(required=False, label=gettext_lazy("Images"))
    json_schema = forms.BooleanField(required=False, label=gettext_lazy("JSON schema"))
    tools = forms.BooleanField(required=False, label=gettext_lazy("Tools"))
    context = _number(Phrase("Context (tokens)"), 512, 10_000_000, Phrase("Longer texts are cut to fit."))
    most_tokens = _number(Phrase("Longest answer (tokens)"), 50, 100_000)
    temperature = forms.DecimalField(label=gettext_lazy("Temperature"),
        min_value=0, max_value=2, max_digits=3, decimal_places=2,
        help_text=gettext_lazy("0 gives the most repeatable answers."),
        widget=forms.TextInput(attrs=_NUMBER),
        error_messages=dict.fromkeys(
            ("required", "invalid", "min_value", "max_value", "max_digits", "max_decimal_places"),
            Phrase("Enter a number from 0 to 2."),
        ),
    )  # fmt: skip
    seconds = _number(Phrase("Timeout (seconds)"), 1, MOST_SECONDS)
    retries = _number(Phrase("Retries"), 0, 5, Phrase("After errors that may pass, such as throttling."))
    at_a_time = _number(Phrase("Requests at a time"), 1, 100, Phrase("Per machine that runs workers."))
    price_in = price_field(Phrase("Input price (USD per million tokens)"))
    price_out = price_field(Phrase("Output price (USD per million tokens)"))
    takeover = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Stronger model"),
        help_text=gettext_lazy("Used if this model is not confident enough."),
        widget=forms.Select(attrs={"class": "select"}),
        error_messages={"invalid_choice": gettext_lazy("Select a model from the list.")},
    )
    takeover_below = PercentField(label=gettext_lazy("Ask it below (%)"), widget=forms.TextInput)

    def __init__(self, others: Sequence[ModelSpec], *args: Any, stored: ModelSpec | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stored = stored
        if stored:
            del self.fields["id"]
        names = dict.fromkeys([*settings.MODEL_ENDPOINTS, *([stored.endpoint] if stored and stored.endpoint else [])])
        offer(self.fields["endpoint"], [("", Phrase("None")), *((one, one) for one in names)])
        allowed = [one for one in others if stored is None or one.id != stored.id]
        offer(self.fields["takeover"], [("", Phrase("None")), *((one.id, one.name) for one in allowed)])
        self.abilities = [self[name] for name in ("images", "json_schema", "tools")]

    def clean_id(self) -> str:
        return str(self.cleaned_data["id"]).lower()

    def clean_name(self) -> str:
        return " ".join(str(self.cleaned_data["name"]).split())

    def clean(self) -> dict[str, Any]:
        typed = super().clean() or {}
        provider = typed.get("provider")
        if provider == OPENAI and not typed.get("endpoint") and "endpoint" not in self.errors:
            self.add_error("endpoint", _NO_ENDPOINT if not settings.MODEL_ENDPOINTS else gettext("Select an endpoint."))
        if provider in {OPENAI, BEDROCK} and not typed.get("model"):
            self.add_error("model", gettext("Enter the model ID."))
        return typed

    def spec(self) -> ModelSpec:
        typed = dict(self.cleaned_data)
        if typed["provider"] != OPENAI:
            typed["endpoint"] = ""
        if typed["provider"] == EMBEDDED:
            typed["model"] = EMBEDDED_MODEL.model
            typed["context"] = min(typed["context"], EMBEDDED_MODEL.context)
        return ModelSpec(
            **{
                **typed,
                "id": self.stored.id if self.stored else typed["id"],
                "temperature": float(typed["temperature"]),
                "takeover_below": share_of(typed["takeover_below"]),
                "price_in": plain_price(typed["price_in"]),
                "price_out": plain_price(typed["price_out"]),
            }
        )


_NO_ENDPOINT = Phrase("No endpoint is set up. Ask the operator to add one to COUNTERSIGN_MODEL_ENDPOINTS.")


def plain_price(price: Decimal | None) -> Decimal:
    """Return the price without trailing zeros: 0.0600 is 0.06."""
    return Decimal(f"{(price or Decimal(0)).normalize():f}")


def offer(choice: forms.Field, choices: Sequence[tuple[str, str]]) -> None:
    if isinstance(choice, forms.ChoiceField):
        choice.choices = choices


def initial_of(spec: ModelSpec) -> dict[str, Any]:
    prices = {name: getattr(spec, name) or "" for name in ("price_in", "price_out")}
    temperature = Decimal(str(spec.temperature)).normalize() + Decimal(0)
    return {**vars(spec), **prices, "temperature": temperature, "takeover_below": percent_of(spec.takeover_below)}


NEW_MODEL = ModelSpec("", "", OPENAI, "", json_schema=True)

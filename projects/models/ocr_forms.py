"""Form of an OCR model with its engine's parameters, converted to and from its spec."""

from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext, gettext_lazy

from config.phrase import Phrase
from projects.models.forms import IdField, NameField, offer, plain_price, price_field
from projects.models.spec import (
    AUTO,
    FEATURES,
    LAYOUTS,
    LEAST_DPI,
    MOST_DPI,
    NOT_OF_PP_OCR,
    OCR_PROVIDERS,
    ORIENTATIONS,
    PAGE,
    PARAMETERS,
    PP_OCR,
    TESSERACT,
    OcrSpec,
    parse_pages,
)
from projects.settings.forms import PercentField, percent_of, share_of
from projects.settings.values import LANGUAGES

_SELECT = {"class": "select"}
_SHORT = {"class": "text-input narrow-input", "autocomplete": "off"}
_DPI = Phrase("Enter a whole number from %(least_dpi)s to %(most_dpi)s.").fill(least_dpi=LEAST_DPI, most_dpi=MOST_DPI)
_CHOOSE = {"invalid_choice": Phrase("Select an option from the list.")}
_WITH_ORIENTATION = (AUTO, "sparse")


class OcrForm(forms.Form):
    """``start``: what a new one is a copy of, or the model that is edited, whose engine it keeps."""

    is_ocr = True

    id = IdField()
    name = NameField()
    endpoint = forms.ChoiceField(
        label=gettext_lazy("Endpoint"),
        required=False,
        help_text=gettext_lazy("Set up by the operator of this installation."),
        widget=forms.Select(attrs=_SELECT),
        error_messages={"invalid_choice": gettext_lazy("Select an endpoint from the list.")},
    )
    orientation = forms.ChoiceField(
        label=gettext_lazy("Orientation"), required=False, widget=forms.Select(attrs=_SELECT), error_messages=_CHOOSE
    )
    layout = forms.ChoiceField(
        label=gettext_lazy("Layout"),
        choices=list(LAYOUTS.items()),
        help_text=gettext_lazy("Layout of the page. Automatic detects columns and blocks."),
        widget=forms.Select(attrs=_SELECT),
        error_messages=_CHOOSE,
    )
    dpi = forms.IntegerField(
        label=gettext_lazy("Resolution (dpi)"),
        min_value=LEAST_DPI,
        max_value=MOST_DPI,
        help_text=gettext_lazy("Of rendered PDF pages; images keep theirs. More reads finer print and takes longer."),
        widget=forms.TextInput(attrs={**_SHORT, "inputmode": "numeric"}),
        error_messages=dict.fromkeys(("required", "invalid", "min_value", "max_value"), _DPI),
    )
    pages = forms.CharField(
        required=False,
        max_length=100,
        label=gettext_lazy("Page range"),
        help_text=gettext_lazy("For example 1-3, 7, 9-. Other pages without a text layer are not read."),
        widget=forms.TextInput(attrs=_SHORT),
        error_messages={"max_length": gettext_lazy("Use at most 100 characters.")},
    )
    least_score = PercentField(
        label=gettext_lazy("Minimum line confidence (%)"),
        help_text=gettext_lazy("Lines below it are left out."),
        widget=forms.TextInput,
    )
    price_page = price_field(Phrase("Price (USD per page)"))
    languages = forms.MultipleChoiceField(
        label=gettext_lazy("Languages"),
        required=False,
        choices=list(LANGUAGES.items()),
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("If none is selected, the project’s language."),
        error_messages=_CHOOSE,
    )
    features = forms.MultipleChoiceField(
        label=gettext_lazy("Analyses"),
        choices=list(FEATURES.items()),
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("AWS charges for each separately."),
        error_messages={**_CHOOSE, "required": gettext_lazy("Select at least one. Layout costs least.")},
    )

    def __init__(self, start: OcrSpec, *args: Any, stored: OcrSpec | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.start, self.stored = start, stored
        wanted = {*PARAMETERS[start.provider], "name", *([] if stored else ["id"])}
        for name in [one for one in self.fields if one not in wanted]:
            del self.fields[name]
        if "endpoint" in wanted:
            names = dict.fromkeys([*settings.OCR_ENDPOINTS, *([start.endpoint] if start.endpoint else [])])
            offer(self.fields["endpoint"], [("", Phrase("Default")), *((one, one) for one in names)])
        if start.provider == PP_OCR:
            offer(self.fields["languages"], [one for one in LANGUAGES.items() if one[0] not in NOT_OF_PP_OCR])
        if "orientation" in wanted:
            offer(self.fields["orientation"], list(ORIENTATIONS[start.provider].items()))
        shown = [name for name in self.fields if name not in {"id", "name", "languages", "features"}]
        self.parameters = [self[name] for name in shown]
        self.lists = [self[name] for name in ("languages", "features") if name in self.fields]

    @property
    def provider(self) -> str:
        return self.start.provider

    @property
    def engine(self) -> str:
        return OCR_PROVIDERS[self.start.provider]

    def clean_pages(self) -> str:
        text = str(self.cleaned_data["pages"])
        try:
            list(parse_pages(text))
        except ValueError as error:
            raise forms.ValidationError(gettext("Enter page numbers such as 1-3, 7, 9-, or leave empty.")) from error
        return text

    def clean(self) -> dict[str, Any]:
        typed = super().clean() or {}
        turns = self.provider == TESSERACT and typed.get("orientation") == PAGE
        if turns and typed.get("layout") not in _WITH_ORIENTATION:
            self.add_error(
                "layout", gettext("Tesseract detects page orientation only with automatic or scattered text.")
            )
        return typed

    def spec(self) -> OcrSpec:
        typed = dict(self.cleaned_data)
        made: dict[str, Any] = {name: typed[name] for name in self.fields if name in PARAMETERS[self.provider]}
        for name in ("languages", "features"):
            if name in made:
                made[name] = tuple(made[name])
        if "price_page" in made:
            made["price_page"] = plain_price(typed["price_page"])
        made["least_score"] = share_of(typed["least_score"])
        model_id = self.stored.id if self.stored else str(typed["id"]).lower()
        return OcrSpec(id=model_id, name=" ".join(str(typed["name"]).split()), provider=self.provider, **made)


def initial_of(spec: OcrSpec) -> dict[str, Any]:
    price: Decimal | str = spec.price_page or ""
    return {**vars(spec), "least_score": percent_of(spec.least_score), "price_page": price}

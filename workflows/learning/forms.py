"""Forms of the threshold simulator: thresholds, and how long a review takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from projects.settings.forms import PercentField, percent_of, share_of
from projects.settings.values import FieldSetting, ProjectSettings

SECONDS = 90  # default duration of a review: an assumption
_OWN, _SLIDE, _WAS = "field-", "slide-", "was-"


def _make_slider() -> forms.NumberInput:
    return forms.NumberInput(attrs={"type": "range", "min": "0", "max": "100", "step": "1"})


@dataclass(frozen=True)
class ThresholdRow:
    """A field's own threshold: the number, the slider, and the value that the page showed."""

    number: forms.BoundField
    slide: forms.BoundField
    was: forms.BoundField

    @property
    def controls(self) -> tuple[forms.BoundField, forms.BoundField]:
        return self.slide, self.number


class ThresholdForm(forms.Form):
    """A slider and its number are one value; the one that differs from ``was`` was moved last.

    A field without a number follows the default until its slider is moved.
    """

    threshold = PercentField(label=gettext_lazy("Review threshold, %"), widget=forms.TextInput)
    slide = forms.IntegerField(
        label=gettext_lazy("Review threshold"),
        required=False,
        min_value=0,
        max_value=100,
        widget=_make_slider(),
    )
    was = forms.CharField(required=False, max_length=6, widget=forms.HiddenInput)
    seconds = forms.IntegerField(
        label=gettext_lazy("Seconds per review"),
        help_text=gettext_lazy("An assumption; set what your reviewers take."),
        min_value=1,
        max_value=36_000,
        error_messages={"required": gettext_lazy("Enter the seconds that a review takes.")},
        widget=forms.NumberInput(attrs={"class": "text-input", "min": "1", "max": "36000"}),
    )

    def __init__(self, data: Mapping[str, Any], stored: ProjectSettings) -> None:
        """Without ``threshold`` in ``data`` it shows what is ``stored``."""
        filled = _fill_in(data, stored)
        super().__init__(filled, auto_id="id_%s")
        self.own: Sequence[FieldSetting] = stored.fields
        for one in stored.fields:
            self.fields[_OWN + one.name] = PercentField(
                required=False,
                label=gettext("Threshold of %(label)s, %%") % {"label": one.label},
                widget=forms.TextInput,
            )
            self.fields[_OWN + one.name].widget.attrs["placeholder"] = gettext("default")
            self.fields[_SLIDE + one.name] = forms.IntegerField(
                label=gettext("Threshold of %(label)s") % {"label": one.label},
                required=False,
                min_value=0,
                max_value=100,
                widget=_make_slider(),
            )
            self.fields[_WAS + one.name] = forms.CharField(required=False, max_length=6, widget=forms.HiddenInput)

    def default(self) -> float:
        return share_of(self.cleaned_data["threshold"])

    def thresholds(self) -> dict[str, float]:
        """Return the thresholds of fields that have their own."""
        typed = {one.name: self.cleaned_data.get(_OWN + one.name) for one in self.own}
        return {name: share_of(percent) for name, percent in typed.items() if percent is not None}

    def rows(self) -> dict[str, ThresholdRow]:
        """Return the rows by field name."""
        return {one.name: ThresholdRow(*(self[kind + one.name] for kind in (_OWN, _SLIDE, _WAS))) for one in self.own}

    def simulated(self) -> list[forms.BoundField]:
        """Return the inputs to save: all but the sliders, whose values the numbers have."""
        sliding = ("slide", "was", _SLIDE, _WAS)
        return [one for one in self if not one.name.startswith(sliding)]


def _fill_in(data: Mapping[str, Any], stored: ProjectSettings) -> dict[str, Any]:
    names = [one.name for one in stored.fields]
    if "threshold" not in data:
        now = str(percent_of(stored.default_threshold))
        own = {one.name: str(percent_of(one.threshold)) for one in stored.fields if one.threshold is not None}
        return {"seconds": str(SECONDS), **_show(now, {name: own.get(name, "") for name in names})}
    typed = {name: str(data.get(name, "")) for name in data}
    was = typed.get("was", "")
    default = _choose(typed["threshold"], typed.get("slide", ""), was, _whole(was))
    chosen = {}
    for name in names:
        before = typed.get(_WAS + name, "")
        number, slide = typed.get(_OWN + name, ""), typed.get(_SLIDE + name, "")
        chosen[name] = _choose(number, slide, before, _whole(before or was))
    return {**typed, **_show(default, chosen)}


def _show(default: str, own: Mapping[str, str]) -> dict[str, str]:
    shown = {"threshold": default, "was": default, "slide": _whole(default)}
    for name, number in own.items():
        shown |= {_OWN + name: number, _WAS + name: number, _SLIDE + name: _whole(number or default)}
    return shown


def _choose(number: str, slide: str, was: str, stood: str) -> str:
    """``stood``: the earlier position of the slider."""
    is_moved = slide.isdecimal() and len(slide) < 4 and slide != stood and number == was
    return slide if is_moved else number


def _whole(percent: str) -> str:
    """Return the percentage as the slider shows it."""
    try:
        return str(round(float(percent)))
    except (ValueError, OverflowError):
        return "0"

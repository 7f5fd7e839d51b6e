"""What an admin tries on a project's own history: thresholds, and how long a review takes."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from projects.settings.forms import PercentField, percent_of, share_of
from projects.settings.values import FieldSetting, ProjectSettings

SECONDS = 90  # of a review, if no one says otherwise: an assumption
_OWN = "field-"


class ThresholdForm(forms.Form):
    """``slide`` and ``threshold`` are one value; the one that differs from ``was`` was moved last."""

    threshold = PercentField(label="Review threshold, %", widget=forms.TextInput)
    slide = forms.IntegerField(
        label="Review threshold",
        required=False,
        min_value=0,
        max_value=100,
        widget=forms.NumberInput(attrs={"type": "range", "min": "0", "max": "100", "step": "1"}),
    )
    was = forms.CharField(required=False, max_length=6, widget=forms.HiddenInput)
    seconds = forms.IntegerField(
        label="Seconds per review",
        help_text="An assumption; set what your reviewers take.",
        min_value=1,
        max_value=36_000,
        error_messages={"required": "Enter the seconds that a review takes."},
        widget=forms.NumberInput(attrs={"class": "text-input", "min": "1", "max": "36000"}),
    )

    def __init__(self, data: Mapping[str, Any], stored: ProjectSettings) -> None:
        """Without ``threshold`` in ``data`` it shows what is ``stored``."""
        filled = _fill_in(data, stored)
        super().__init__(filled, auto_id="id_%s")
        self.own: Sequence[FieldSetting] = stored.fields
        for one in stored.fields:
            self.fields[_OWN + one.name] = PercentField(
                required=False, label=f"Threshold of {one.label}, %", widget=forms.TextInput
            )
            self.fields[_OWN + one.name].widget.attrs["placeholder"] = "default"

    def default(self) -> float:
        return share_of(self.cleaned_data["threshold"])

    def thresholds(self) -> dict[str, float]:
        """Of the fields that have one of their own."""
        typed = {one.name: self.cleaned_data.get(_OWN + one.name) for one in self.own}
        return {name: share_of(percent) for name, percent in typed.items() if percent is not None}

    def rows(self) -> dict[str, forms.BoundField]:
        """By the field's name."""
        return {one.name: self[_OWN + one.name] for one in self.own}


def _fill_in(data: Mapping[str, Any], stored: ProjectSettings) -> dict[str, Any]:
    if "threshold" not in data:
        now = str(percent_of(stored.default_threshold))
        own = {_OWN + one.name: str(percent_of(one.threshold)) for one in stored.fields if one.threshold is not None}
        return {"threshold": now, "was": now, "slide": str(round(float(now))), "seconds": str(SECONDS), **own}
    typed = {name: str(data.get(name, "")) for name in data}
    slide, was = typed.get("slide", ""), typed.get("was", "")
    moved = slide.isdecimal() and len(slide) < 4 and _whole(was) != slide and typed["threshold"] == was
    chosen = slide if moved else typed["threshold"]
    return {**typed, "threshold": chosen, "was": chosen, "slide": _whole(chosen)}


def _whole(percent: str) -> str:
    """As the slider shows it."""
    try:
        return str(round(float(percent)))
    except (ValueError, OverflowError):
        return "0"

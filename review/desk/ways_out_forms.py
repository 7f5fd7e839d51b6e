"""Forms to skip, postpone or assign a review."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from config import clock
from config.phrase import Phrase
from projects.sites.people import SitePerson
from projects.web.time_zone import current_zone, find_zone

LONGEST_REASON = 200
# Value → words and seconds.
TIMES = {
    "1h": (Phrase("In 1 hour"), 3600),
    "4h": (Phrase("In 4 hours"), 4 * 3600),
    "1d": (Phrase("In 1 day"), 86_400),
    "3d": (Phrase("In 3 days"), 3 * 86_400),
}
AT = "at"


class SkipForm(forms.Form):
    """The reason for skipping."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=LONGEST_REASON,
        error_messages={
            "required": gettext_lazy("Enter a reason for the next reviewer."),
            "max_length": Phrase("Use at most %(longest_reason)s characters.").fill(longest_reason=LONGEST_REASON),
        },
        widget=forms.TextInput(attrs={"class": "text-input", "autocomplete": "off", "autofocus": True}),
        help_text=gettext_lazy("It goes back to the queue and is not opened for you next."),
    )


class _WallTimeField(forms.DateTimeField):
    """A date and time as typed; the form knows its zone, in which it may be ambiguous or left out once a year."""

    def to_python(self, value: Any) -> dt.datetime | None:
        with timezone.override(dt.UTC):
            return super().to_python(value)


class PostponeForm(forms.Form):
    """``deadline``: stored instant before which it must return.

    ``at`` is read in ``zone``, which the page names: the person may have another one by the time it is sent.
    """

    back = forms.ChoiceField(
        label=gettext_lazy("Back in the queue"),
        error_messages={"required": gettext_lazy("Select when it comes back.")},
        widget=forms.RadioSelect,
    )
    at = _WallTimeField(
        label=gettext_lazy("Date and time"),
        required=False,
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
        error_messages={"invalid": gettext_lazy("Enter a date and a time.")},
        widget=forms.DateTimeInput(attrs={"class": "text-input", "type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    zone = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, deadline: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.deadline, self.deadline_text = clock.parse(deadline), deadline
        left = (self.deadline - clock.now()).total_seconds()
        choices = [(value, words) for value, (words, seconds) in TIMES.items() if seconds < left]
        self.fields["back"].choices = [*choices, (AT, Phrase("At a date and time"))]  # type: ignore[attr-defined]
        self.initial.setdefault("back", choices[0][0] if choices else AT)
        self.initial["zone"] = str(current_zone())

    @property
    def time_zone(self) -> dt.tzinfo:
        return find_zone(str(self["zone"].value() or "")) or current_zone()

    def clean(self) -> dict[str, Any]:
        typed: dict[str, Any] = super().clean() or {}
        back = typed.get("back")
        if back in TIMES:
            typed["back_at"] = clock.in_seconds(TIMES[back][1])
        elif back == AT and "at" in typed:
            if typed["at"] is None:
                self.add_error("at", gettext("Enter a date and a time."))
                return typed
            typed["back_at"] = typed["at"].replace(tzinfo=self.time_zone).astimezone(dt.UTC)
        if (at := typed.get("back_at")) and not clock.now() < at < self.deadline:
            self.add_error("at" if back == AT else None, gettext("Choose a time after now and before the due date."))
        return typed


class AssignForm(forms.Form):
    """``people``: possible assignees; ``user_id``: the current person, labelled as such."""

    person = forms.ChoiceField(
        label=gettext_lazy("Assignee"),
        error_messages={
            "required": gettext_lazy("Select a person."),
            "invalid_choice": gettext_lazy("This person cannot review here. Select from the list."),
        },
        widget=forms.Select(attrs={"class": "select", "autofocus": True}),
        help_text=gettext_lazy("Only this person can claim it until it is reassigned."),
    )

    def __init__(self, people: Sequence[SitePerson], user_id: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.people = {one.id: one for one in people}
        me = Phrase("%(name)s (you)")
        choices = [(one.id, me.fill(name=one.name) if one.id == user_id else one.name) for one in people]
        self.fields["person"].choices = [("", Phrase("Select a person")), *choices]  # type: ignore[attr-defined]

    @property
    def chosen(self) -> SitePerson:
        return self.people[str(self.cleaned_data["person"])]

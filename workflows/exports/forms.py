"""Forms of exports: format, range, columns, tables; and for schedules, when and where to."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from projects.settings.columns import Column
from workflows.exports.actions import EVERY
from workflows.exports.choice import CSV, FLAT, FORMATS, TABLE_WAYS, Choice, days_to_instants

_SELECT = forms.Select(attrs={"class": "select"})
_DAY = forms.DateInput(attrs={"class": "text-input", "type": "date"}, format="%Y-%m-%d")


class ExportForm(forms.Form):
    """``columns``: all that the project offers; ``may_see``: whether personal values may be requested."""

    form = forms.ChoiceField(label=gettext_lazy("Format"), choices=list(FORMATS.items()), initial=CSV, widget=_SELECT)
    tables = forms.ChoiceField(
        label=gettext_lazy("Tables"), choices=list(TABLE_WAYS.items()), initial=FLAT, widget=_SELECT
    )
    since = forms.DateField(label=gettext_lazy("Published from"), required=False, widget=_DAY)
    until = forms.DateField(label=gettext_lazy("Published to"), required=False, widget=_DAY)
    columns = forms.MultipleChoiceField(
        label=gettext_lazy("Columns"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Select at least one column.")},
    )
    personal = forms.BooleanField(
        label=gettext_lazy("With personal data"),
        required=False,
        help_text=gettext_lazy("Otherwise its values are hidden. Recorded in the audit log."),
    )

    def __init__(self, offered: Sequence[Column], *args: Any, may_see: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        columns: Any = self.fields["columns"]
        columns.choices = [(one.name, one.label) for one in offered]
        columns.initial = [one.name for one in offered]
        self._offered = len(offered)
        if not may_see:
            del self.fields["personal"]

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        first, last = found.get("since"), found.get("until")
        if isinstance(first, dt.date) and isinstance(last, dt.date) and first > last:
            self.add_error("until", gettext("Enter a day on or after the first day."))
        return found

    @property
    def choice(self) -> Choice:
        """All columns are stored as an empty list, so that fields added later are exported too."""
        found = self.cleaned_data
        since, until = days_to_instants(found["since"], found["until"])
        columns = tuple(found["columns"]) if len(found["columns"]) < self._offered else ()
        return Choice(found["form"], found["tables"], columns, since, until, bool(found.get("personal")))


class ScheduleForm(forms.Form):
    every = forms.ChoiceField(
        label=gettext_lazy("Repeat"), choices=list(EVERY.items()), initial="month", widget=_SELECT
    )
    folder = forms.CharField(
        label=gettext_lazy("Prefix"),
        max_length=100,
        help_text=gettext_lazy("Below exports/ and the project's ID in this desk's bucket; a folder for each day."),
        widget=forms.TextInput(
            attrs={"class": "text-input", "autocomplete": "off", "placeholder": gettext_lazy("finance/monthly")}
        ),
        error_messages={"required": gettext_lazy("Enter a prefix, such as finance/monthly.")},
    )

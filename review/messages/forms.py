"""What a person types to ask about a review, to answer, or to comment."""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from config import clock
from projects.sites.people import SiteGroup, SitePerson
from review.decide.opening import escalates_at
from review.decide.questions import MOST_ASKED
from review.desk.ways_out_forms import TIMES

LONGEST_TEXT = 1000
MOST_MENTIONED = 10
_TOO_LONG = f"Use at most {LONGEST_TEXT:,} characters."
_WAITS = ("4h", "1d", "3d")
_DUE = "due"
_ULID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")


def _text_field(label: str, required: str, rows: int = 3, help_text: str = "") -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=LONGEST_TEXT,
        error_messages={"required": required, "max_length": _TOO_LONG},
        widget=forms.Textarea(attrs={"class": "text-input", "rows": rows, "maxlength": LONGEST_TEXT}),
        help_text=help_text,
    )


class _MessageForm(forms.Form):
    """A message's id comes with its form, so that a form that is sent twice is one message."""

    message_id = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["message_id"] = clock.new_ulid()

    def clean_message_id(self) -> str:
        told = str(self.cleaned_data["message_id"])
        return told if _ULID.fullmatch(told) else clock.new_ulid()


class AskForm(_MessageForm):
    """``people`` and ``groups``: whom ``user_id`` may ask; ``fields``: name → label; ``deadline``: stored instant."""

    to = forms.ChoiceField(
        label="Ask",
        error_messages={
            "required": "Select a person or a group.",
            "invalid_choice": "They cannot see this document. Select from the list.",
        },
        widget=forms.Select(attrs={"class": "select", "autofocus": True}),
    )
    text = _text_field("Question", "Enter a question.")
    about = forms.ChoiceField(label="About", required=False, widget=forms.Select(attrs={"class": "select"}))
    wait = forms.ChoiceField(
        label="Wait for an answer",
        error_messages={"required": "Select how long to wait.", "invalid_choice": "Select how long to wait."},
        widget=forms.Select(attrs={"class": "select"}),
        help_text="The review stays yours. It returns to My work with the answer, or at that time without one.",
    )

    def __init__(
        self,
        people: Sequence[SitePerson],
        groups: Sequence[SiteGroup],
        fields: Mapping[str, str],
        user_id: str,
        deadline: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.deadline, self.labels = clock.parse(deadline), fields
        self.asked = {f"person:{one.id}": (one.name, {one.id}) for one in people if one.id != user_id}
        persons = [(value, name) for value, (name, _) in self.asked.items()]
        members = {one.name: {who.id for who in one.members} - {user_id} for one in groups}
        fitting = {name: ids for name, ids in members.items() if 0 < len(ids) <= MOST_ASKED}
        self.asked |= {f"group:{name}": (name, ids) for name, ids in fitting.items()}
        listed = [(f"group:{name}", f"{name} ({len(ids)})") for name, ids in fitting.items()]
        self._offer("to", [("", "Select a person or a group"), ("People", persons), ("Groups", listed)])
        self._offer("about", [("", "The whole document"), *fields.items()])
        left = (self.deadline - clock.now()).total_seconds()
        times = [(value, TIMES[value][0].replace("In ", "For ")) for value in _WAITS if TIMES[value][1] < left]
        self._offer("wait", [*times, (_DUE, "Until it is almost due")])
        self.initial.setdefault("wait", "1d" if "1d" in dict(times) else _DUE)

    def _offer(self, name: str, choices: Sequence[Any]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    @property
    def until(self) -> dt.datetime:
        wait = str(self.cleaned_data["wait"])
        return escalates_at(self.deadline, since=clock.now()) if wait == _DUE else clock.in_seconds(TIMES[wait][1])

    @property
    def chosen(self) -> tuple[str, set[str]]:
        """The name of the person or group, and the ids of who may answer."""
        return self.asked[str(self.cleaned_data["to"])]

    @property
    def about_label(self) -> str:
        return self.labels.get(str(self.cleaned_data["about"]), "")


class EscalateForm(_MessageForm):
    """``group``: whose members take it over; None if the project names none that may. ``deadline``: stored instant."""

    text = _text_field("Reason", "Enter why it needs another person.")

    def __init__(self, group: SiteGroup | None, user_id: str, deadline: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.deadline = clock.parse(deadline)
        self.group_name = group.name if group else ""
        self.members = {one.id for one in group.members} - {user_id} if group else set()

    @property
    def is_blocked(self) -> bool:
        return not 0 < len(self.members) <= MOST_ASKED

    def clean(self) -> dict[str, Any]:
        if self.is_blocked:
            raise forms.ValidationError("This project has no escalation group that may review this document.")
        return super().clean() or {}

    @property
    def until(self) -> dt.datetime:
        """Until it is almost due; then it is its reviewer's again."""
        return escalates_at(self.deadline, since=clock.now())


class AnswerForm(forms.Form):
    answer = _text_field("Your answer", "Enter an answer.")


class CommentForm(_MessageForm):
    """``people``: who may be mentioned, all but the one who comments."""

    text = _text_field("Comment", "Enter a comment.")
    mention = forms.MultipleChoiceField(
        label="Mention",
        required=False,
        error_messages={"invalid_choice": "They cannot see this document. Select from the list."},
        widget=forms.SelectMultiple(attrs={"class": "select mention", "size": 5}),
        help_text="They are told by email, unless they opted out. Ctrl+click selects several.",
    )

    def __init__(self, people: Sequence[SitePerson], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.people = {one.id: one for one in people}
        self.fields["mention"].choices = [(one.id, one.name) for one in people]  # type: ignore[attr-defined]

    def clean_mention(self) -> list[SitePerson]:
        chosen = [self.people[one] for one in self.cleaned_data["mention"]]
        if len(chosen) > MOST_MENTIONED:
            raise forms.ValidationError(f"Mention at most {MOST_MENTIONED} people.")
        return chosen

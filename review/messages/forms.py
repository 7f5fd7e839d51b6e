"""Forms to ask, answer, escalate and comment."""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from config import clock
from config.phrase import Figure, Phrase
from projects.sites.people import SiteGroup, SitePerson
from review.decide.opening import escalates_at
from review.decide.questions import MOST_ASKED
from review.desk.ways_out_forms import TIMES

LONGEST_TEXT = 1000
MOST_MENTIONED = 10
_TOO_LONG = Phrase("Use at most %(longest_text)s characters.").fill(longest_text=Figure(f"{LONGEST_TEXT:,}"))
_WAITS = {"4h": Phrase("For 4 hours"), "1d": Phrase("For 1 day"), "3d": Phrase("For 3 days")}
_DUE = "due"
_ULID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")


def _text_field(label: str, required: str) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=LONGEST_TEXT,
        error_messages={"required": required, "max_length": _TOO_LONG},
        widget=forms.Textarea(attrs={"class": "text-input", "rows": 3, "maxlength": LONGEST_TEXT}),
    )


class _MessageForm(forms.Form):
    """The form carries the message's id, so that a form sent twice is one message."""

    message_id = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["message_id"] = clock.new_ulid()

    def clean_message_id(self) -> str:
        told = str(self.cleaned_data["message_id"])
        return told if _ULID.fullmatch(told) else clock.new_ulid()


class AskForm(_MessageForm):
    """``people``, ``groups``: whom ``user_id`` may ask; ``fields``: name → label; ``deadline``: stored instant."""

    to = forms.ChoiceField(
        label=gettext_lazy("Ask"),
        error_messages={
            "required": gettext_lazy("Select a person or a group."),
            "invalid_choice": gettext_lazy("They cannot see this document. Select from the list."),
        },
        widget=forms.Select(attrs={"class": "select", "autofocus": True}),
    )
    text = _text_field(Phrase("Question"), Phrase("Enter a question."))
    about = forms.ChoiceField(
        label=gettext_lazy("About"), required=False, widget=forms.Select(attrs={"class": "select"})
    )
    wait = forms.ChoiceField(
        label=gettext_lazy("Wait for an answer"),
        error_messages={
            "required": gettext_lazy("Select how long to wait."),
            "invalid_choice": gettext_lazy("Select how long to wait."),
        },
        widget=forms.Select(attrs={"class": "select"}),
        help_text=gettext_lazy(
            "The review stays yours. It returns to My work with the answer, or at that time without one."
        ),
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
        self._offer(
            "to", [("", Phrase("Select a person or a group")), (Phrase("People"), persons), (Phrase("Groups"), listed)]
        )
        self._offer("about", [("", Phrase("The whole document")), *fields.items()])
        left = (self.deadline - clock.now()).total_seconds()
        times = [(value, words) for value, words in _WAITS.items() if TIMES[value][1] < left]
        self._offer("wait", [*times, (_DUE, Phrase("Until it is almost due"))])
        self.initial.setdefault("wait", "1d" if "1d" in dict(times) else _DUE)

    def _offer(self, name: str, choices: Sequence[Any]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    @property
    def until(self) -> dt.datetime:
        wait = str(self.cleaned_data["wait"])
        return escalates_at(self.deadline, since=clock.now()) if wait == _DUE else clock.in_seconds(TIMES[wait][1])

    @property
    def chosen(self) -> tuple[str, set[str]]:
        """The chosen person's or group's name, and the ids of those who may answer."""
        return self.asked[str(self.cleaned_data["to"])]

    @property
    def about_label(self) -> str:
        return self.labels.get(str(self.cleaned_data["about"]), "")


class EscalateForm(_MessageForm):
    """``group``: escalation group; None if the project has none that may decide. ``deadline``: stored instant."""

    text = _text_field(Phrase("Reason"), Phrase("Enter why it needs another person."))

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
            raise forms.ValidationError(gettext("This project has no escalation group that may review this document."))
        return super().clean() or {}

    @property
    def until(self) -> dt.datetime:
        """Shortly before the deadline; then the review returns to its reviewer."""
        return escalates_at(self.deadline, since=clock.now())


class AnswerForm(forms.Form):
    answer = _text_field(Phrase("Your answer"), Phrase("Enter an answer."))


class CommentForm(_MessageForm):
    """``people``: those who can be mentioned, without the author."""

    text = _text_field(Phrase("Comment"), Phrase("Enter a comment."))
    mention = forms.MultipleChoiceField(
        label=gettext_lazy("Mention"),
        required=False,
        error_messages={"invalid_choice": gettext_lazy("They cannot see this document. Select from the list.")},
        widget=forms.SelectMultiple(attrs={"class": "select mention", "size": 5}),
        help_text=gettext_lazy("They get an email unless they opted out. Ctrl+click selects several."),
    )

    def __init__(self, people: Sequence[SitePerson], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.people = {one.id: one for one in people}
        self.fields["mention"].choices = [(one.id, one.name) for one in people]  # type: ignore[attr-defined]

    def clean_mention(self) -> list[SitePerson]:
        chosen = [self.people[one] for one in self.cleaned_data["mention"]]
        if len(chosen) > MOST_MENTIONED:
            raise forms.ValidationError(
                gettext("Mention at most %(most_mentioned)s people.") % {"most_mentioned": MOST_MENTIONED}
            )
        return chosen

"""What a person chooses to be told by mail."""

from django import forms

from review.notifications.items import Kind

_WORDS = {
    Kind.ASSIGNED: "A review is assigned to me",
    Kind.ASKED: "I am asked a question",
    Kind.ANSWERED: "My question is answered",
    Kind.MENTIONED: "I am mentioned in a comment",
    Kind.DEADLINE: "A review of mine is almost due",
    Kind.DIGEST: "Once a day: how many reviews wait (06:00 UTC)",
}


class NotificationForm(forms.Form):
    kinds = forms.MultipleChoiceField(
        label="Email me when",
        required=False,
        choices=[(str(kind), words) for kind, words in _WORDS.items()],
        error_messages={"invalid_choice": "Select from the list."},
        widget=forms.CheckboxSelectMultiple,
    )

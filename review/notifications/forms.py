"""What a person chooses to be told by mail, and an admin to have a chat tool told."""

from django import forms
from django.conf import settings

from config.errors import Refused
from config.internet import check_receiver
from review.notifications.items import CHAT_KINDS, WEB_KINDS, Kind

_WORDS = {
    Kind.ASSIGNED: "A review is assigned to me",
    Kind.ASKED: "I am asked a question",
    Kind.ANSWERED: "My question is answered",
    Kind.MENTIONED: "I am mentioned in a comment",
    Kind.DEADLINE: "A review of mine is almost due",
    Kind.EXPORT: "An export of mine is ready",
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
    web = forms.MultipleChoiceField(
        label="Notify me here when",
        required=False,
        choices=[(str(kind), _WORDS[kind]) for kind in WEB_KINDS],
        error_messages={"invalid_choice": "Select from the list."},
        widget=forms.CheckboxSelectMultiple,
    )


_CHAT_WORDS = {
    Kind.ASSIGNED: "A review is assigned",
    Kind.ASKED: "A question is asked",
    Kind.ANSWERED: "A question is answered",
    Kind.MENTIONED: "People are mentioned in a comment",
    Kind.DEADLINE: "A review is almost due",
}


class ChatForm(forms.Form):
    """The address is checked as any webhook's: now, and again at each message."""

    url = forms.CharField(
        label="Webhook URL",
        required=False,
        max_length=500,
        widget=forms.URLInput(attrs={"class": "text-input", "autocomplete": "off"}),
        help_text="Incoming webhook of Slack, Mattermost or Teams. Empty: no messages.",
    )
    kinds = forms.MultipleChoiceField(
        label="Post when",
        required=False,
        choices=[(str(kind), _CHAT_WORDS[kind]) for kind in CHAT_KINDS],
        error_messages={"invalid_choice": "Select from the list."},
        widget=forms.CheckboxSelectMultiple,
    )

    def clean_url(self) -> str:
        text = str(self.cleaned_data["url"])
        if text:
            try:
                check_receiver(text, private=settings.WEBHOOK_PRIVATE_ADDRESSES)
            except Refused as error:
                raise forms.ValidationError(str(error)) from error
        return text

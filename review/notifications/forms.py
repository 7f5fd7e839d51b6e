"""What a person chooses to be told by mail, and an admin to have a chat tool told."""

from urllib.parse import urlsplit

from django import forms
from django.conf import settings

from review.notifications.items import CHAT_KINDS, Kind

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


_CHAT_WORDS = {
    Kind.ASSIGNED: "A review is assigned",
    Kind.ASKED: "A question is asked",
    Kind.ANSWERED: "A question is answered",
    Kind.MENTIONED: "People are mentioned in a comment",
    Kind.DEADLINE: "A review is almost due",
}


class ChatForm(forms.Form):
    """An address that is private or local is refused when a message is sent, as any webhook's."""

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
        try:
            parts = urlsplit(text)
            schemes = {"https", "http"} if settings.WEBHOOK_PRIVATE_ADDRESSES else {"https"}
            good = parts.scheme in schemes and bool(parts.hostname) and not parts.username and parts.port != 0
        except ValueError:
            good = False
        if text and (not good or not text.isprintable() or " " in text):
            raise forms.ValidationError("Enter a URL that starts with https:// and contains no password.")
        return text

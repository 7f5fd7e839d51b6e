"""Forms of notification preferences, and of the site's chat webhook."""

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy

from config.errors import Refused
from config.internet import check_receiver
from config.phrase import Phrase
from review.notifications.items import CHAT_KINDS, WEB_KINDS, Kind

_WORDS = {
    Kind.ASSIGNED: Phrase("A review is assigned to me"),
    Kind.ASKED: Phrase("I am asked a question"),
    Kind.ANSWERED: Phrase("My question is answered"),
    Kind.MENTIONED: Phrase("I am mentioned in a comment"),
    Kind.DEADLINE: Phrase("A review assigned to me is almost due"),
    Kind.EXPORT: Phrase("My export is ready"),
    Kind.ACCESS: Phrase("Access to a site that I manage is requested"),
    Kind.ADMITTED: Phrase("I am given access"),
    Kind.PAUSED: Phrase("A calibration on a site that I manage is paused"),
    Kind.DIGEST: Phrase("Once a day: how many reviews wait (06:00 UTC)"),
}


class NotificationForm(forms.Form):
    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("Email me when"),
        required=False,
        choices=[(str(kind), words) for kind, words in _WORDS.items()],
        error_messages={"invalid_choice": gettext_lazy("Select from the list.")},
        widget=forms.CheckboxSelectMultiple,
    )
    web = forms.MultipleChoiceField(
        label=gettext_lazy("Notify me here when"),
        required=False,
        choices=[(str(kind), _WORDS[kind]) for kind in WEB_KINDS],
        error_messages={"invalid_choice": gettext_lazy("Select from the list.")},
        widget=forms.CheckboxSelectMultiple,
    )


_CHAT_WORDS = {
    Kind.ASSIGNED: Phrase("A review is assigned"),
    Kind.ASKED: Phrase("A question is asked"),
    Kind.ANSWERED: Phrase("A question is answered"),
    Kind.MENTIONED: Phrase("People are mentioned in a comment"),
    Kind.DEADLINE: Phrase("A review is almost due"),
}


class ChatForm(forms.Form):
    """The URL is checked like any webhook's: now, and again for each message."""

    url = forms.CharField(
        label=gettext_lazy("Webhook URL"),
        required=False,
        max_length=500,
        widget=forms.URLInput(attrs={"class": "text-input", "autocomplete": "off"}),
        help_text=gettext_lazy("Incoming webhook of Slack, Mattermost or Teams. Empty: no messages."),
    )
    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("Post when"),
        required=False,
        choices=[(str(kind), _CHAT_WORDS[kind]) for kind in CHAT_KINDS],
        error_messages={"invalid_choice": gettext_lazy("Select from the list.")},
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

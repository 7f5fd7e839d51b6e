"""Language, time zone and undo window of a person, stored with the account and copied into each session at sign-in."""

from collections.abc import Iterator
from contextlib import contextmanager

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods
from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import NotFound
from config.table import DEFAULT_SITE
from config.transaction import Update, transact
from projects.accounts.items import AccountSettings
from projects.web import language, time_zone
from projects.web.http import DeskRequest, redirect_after_post, render_answer

UNDO_SESSION_KEY = "undo_seconds"


class PreferencesForm(forms.Form):
    language = forms.ChoiceField(
        label=gettext_lazy("Language"),
        required=False,
        choices=lambda: [("", _("Automatic (browser)")), *settings.LANGUAGES],
        widget=forms.Select(attrs={"class": "select"}),
        error_messages={"invalid_choice": gettext_lazy("Select a language from the list.")},
    )
    time_zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"),
        required=False,
        choices=lambda: [
            ("", _("Automatic (browser)")),
            ("UTC", "UTC"),
            *((one, one) for one in time_zone.list_zones()),
        ],
        help_text=gettext_lazy("Times, and where a day begins: due today, decided today, filters by day."),
        widget=forms.Select(attrs={"class": "select"}),
        error_messages={"invalid_choice": gettext_lazy("Select a time zone from the list.")},
    )


@require_http_methods(["GET", "POST"])
def choose_preferences(request: DeskRequest) -> HttpResponse:
    """Save one's own preferences; other sessions use them from their next sign-in."""
    chosen = {"language": language.chosen_language(request), "time_zone": time_zone.chosen_zone(request)}
    form = PreferencesForm(request.POST if request.method == "POST" else None, initial=chosen)
    if form.is_valid():
        code, zone = form.cleaned_data["language"], form.cleaned_data["time_zone"]
        save_preferences(str(request.user.pk), code, zone)
        request.session[language.SESSION_KEY] = code
        request.session[time_zone.SESSION_KEY] = zone
        with translation.override(code or translation.get_language_from_request(request)):
            messages.success(request, _("Preferences saved."))
        return redirect_after_post(request, reverse("choose-preferences"))
    status = 422 if form.is_bound else 200
    return render_answer(request, "projects/accounts/preferences.html", None, {"form": form}, status=status)


def save_preferences(user_id: str, code: str, zone: str) -> None:
    """Save language and time zone; empty means the browser's."""
    chosen = ((AccountSettings.language, code), (AccountSettings.time_zone, zone))
    _save(user_id, *(attribute.set(value) if value else attribute.remove() for attribute, value in chosen))


def save_undo_window(user_id: str, seconds: int) -> None:
    _save(user_id, AccountSettings.undo_seconds.set(seconds))


def _save(user_id: str, *actions: Action) -> None:
    """Change what is named; the person's other choices stay."""
    changed = [*actions, AccountSettings.updated_at.set(clock.iso(clock.now()))]
    transact([Update(table.ACCOUNT_SETTINGS.key(DEFAULT_SITE, user_id=user_id), changed, of=AccountSettings)])


def find_preferences(user_id: str) -> tuple[str, str]:
    """Return language and time zone; empty if never chosen."""
    found = _find(user_id)
    return (found.language or "", found.time_zone or "") if found else ("", "")


def find_undo_window(user_id: str) -> int | None:
    """Return the person's undo window in seconds; None if never chosen."""
    found = _find(user_id)
    return int(found.undo_seconds) if found and found.undo_seconds else None


def _find(user_id: str) -> AccountSettings | None:
    try:
        return AccountSettings.load(table.ACCOUNT_SETTINGS.key(DEFAULT_SITE, user_id=user_id), consistent=False)
    except NotFound:
        return None


def remember_preferences(request: HttpRequest, user_id: str) -> None:
    """Copy preferences into a new session."""
    found = _find(user_id)
    if found and found.language:
        request.session[language.SESSION_KEY] = found.language
    if found and found.time_zone:
        request.session[time_zone.SESSION_KEY] = found.time_zone
    if found and found.undo_seconds:
        request.session[UNDO_SESSION_KEY] = int(found.undo_seconds)


@contextmanager
def speak_to(user_id: str, otherwise: str | None = None) -> Iterator[None]:
    """Write to this person in the language and time zone that they chose.

    Else in the language ``otherwise``, or the deployment's; times in UTC, since a worker does not know the browser's.
    """
    chosen, zone = find_preferences(user_id)
    language_code = chosen or otherwise or settings.MAIL_LANGUAGE
    with translation.override(language_code), timezone.override(time_zone.find_zone(zone) or "UTC"):
        yield

"""The time zone that a person chose: kept with the account, and in each session from its sign-in on."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from config import clock, table
from config.errors import NotFound
from config.table import DEFAULT_SITE
from config.transaction import Put, transact
from projects.accounts.items import AccountSettings
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from projects.web.time_zone import SESSION_KEY, chosen_zone, list_zones


class TimeZoneForm(forms.Form):
    time_zone = forms.ChoiceField(
        label="Time zone",
        required=False,
        choices=lambda: [("", "Automatic (browser)"), ("UTC", "UTC"), *((one, one) for one in list_zones())],
        help_text="Times, and where a day begins: due today, decided today, filters by day.",
        widget=forms.Select(attrs={"class": "select"}),
        error_messages={"invalid_choice": "Select a time zone from the list."},
    )


@require_http_methods(["GET", "POST"])
def choose_time_zone(request: DeskRequest) -> HttpResponse:
    """Of one's own account; other sessions take it up when they sign in again."""
    form = TimeZoneForm(request.POST if request.method == "POST" else None, initial={"time_zone": chosen_zone(request)})
    if form.is_valid():
        name = form.cleaned_data["time_zone"]
        key = table.ACCOUNT_SETTINGS.key(DEFAULT_SITE, user_id=str(request.user.pk))
        row = AccountSettings(*key, time_zone=name or None, updated_at=clock.iso(clock.now()))
        transact([Put(row, overwrite=True)])
        request.session[SESSION_KEY] = name
        messages.success(request, "Time zone saved.")
        return redirect_after_post(request, reverse("choose-time-zone"))
    status = 422 if form.is_bound else 200
    return render_answer(request, "projects/accounts/time_zone.html", None, {"form": form}, status=status)


def remember_time_zone(request: HttpRequest, user_id: str) -> None:
    """In the session that has just begun."""
    try:
        found = AccountSettings.load(table.ACCOUNT_SETTINGS.key(DEFAULT_SITE, user_id=user_id), consistent=False)
    except NotFound:
        return
    if found.time_zone:
        request.session[SESSION_KEY] = found.time_zone

"""Pages of a site's people: invite, assign groups, deactivate. For site admins; no superuser needed."""

import logging
from smtplib import SMTPException
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import send_mail
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import get_language, gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from config.errors import Conflict, Refused
from config.table import DEFAULT_SITE
from projects.accounts import access_requests, people
from projects.accounts.mail_folder import describe_mail_folder
from projects.accounts.preferences import speak_to
from projects.audit.events import actor_of
from projects.sites import access
from projects.web.http import DeskRequest, page_links, redirect_after_post, render_answer
from projects.web.links import page_url

log = logging.getLogger(__name__)


class GroupsForm(forms.Form):
    groups = forms.MultipleChoiceField(
        label=gettext_lazy("Groups"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Select at least one group. Groups define what a person can do.")},
    )

    def __init__(self, may: list[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["groups"].choices = [(one, one) for one in may]  # type: ignore[attr-defined]


class InvitationForm(GroupsForm):
    email = forms.EmailField(
        label=gettext_lazy("Email"),
        max_length=150,
        widget=forms.EmailInput(attrs={"class": "text-input", "autocomplete": "off"}),
        error_messages={
            "required": gettext_lazy("Enter an email address."),
            "invalid": gettext_lazy("Enter an address such as ana@example.org."),
        },
    )
    first_name = forms.CharField(
        label=gettext_lazy("First name"),
        max_length=150,
        widget=forms.TextInput(attrs={"class": "text-input"}),
        error_messages={"required": gettext_lazy("Enter a first name. Reviews and the audit log show it.")},
    )
    last_name = forms.CharField(
        required=False,
        label=gettext_lazy("Last name"),
        max_length=150,
        widget=forms.TextInput(attrs={"class": "text-input"}),
    )
    field_order = ("email", "first_name", "last_name", "groups")


@require_http_methods(["GET", "POST"])
def list_people(request: DeskRequest) -> HttpResponse:
    access.check_can_configure(request)
    groups = people.site_groups(request.site)
    may = people.groups_to_give(request, groups)
    form = InvitationForm(may, request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                user = people.invite(request.site, **form.cleaned_data, by=actor_of(request.user))
            except Conflict as error:
                form.add_error("email", str(error))
                status = 409
            else:
                _send(request, user)
                return redirect_after_post(request, reverse("settings:list-people"))
    rows, cursor = people.list_people(groups, request.GET.get("after", ""))
    context = {
        "rows": rows,
        "form": form,
        "offers_groups": bool(may),
        "may_give": may,
        "administration": request.site == DEFAULT_SITE and request.user.is_staff,
        "requests": access_requests.list_requests(request.site),
        **page_links(request, cursor, reverse("settings:list-people")),
    }
    return render_answer(request, "projects/accounts/people.html", None, context, status=status)


@require_http_methods(["GET", "POST"])
def edit_person(request: DeskRequest, user_id: int) -> HttpResponse:
    access.check_can_configure(request)
    user, person = people.get_person(request.site, user_id)
    may = people.groups_to_give(request, people.site_groups(request.site))
    if request.method == "POST":
        people.check_can_change(request, user)
        words = _carry_out(request, user, person, may)
        messages.success(request, words)
        return redirect_after_post(request, reverse("settings:list-people"))
    refusal = deactivation = ""
    try:
        people.check_can_change(request, user)
        people.check_can_deactivate(request, user)
    except Refused as error:
        deactivation = str(error)
    try:
        people.check_can_change(request, user)
    except Refused as error:
        refusal = str(error)
    context = {
        "person": person,
        "form": GroupsForm(may, initial={"groups": person.groups}),
        "fixed": [one for one in person.groups if one not in may],
        "refusal": refusal,
        "deactivation": deactivation,
        "is_active": person.state != people.DEACTIVATED,
        "is_invited": person.state == people.INVITED,
    }
    return render_answer(request, "projects/accounts/person.html", None, context)


def _carry_out(request: DeskRequest, user: User, person: people.Person, may: list[str]) -> str:
    """Perform the button's action and return a message. Raises: Conflict, Refused."""
    order, by = request.POST.get("order", ""), actor_of(request.user)
    if order == "groups":
        shown, chosen = request.POST.getlist("shown"), request.POST.getlist("groups")
        people.set_groups(request.site, user, shown=shown, chosen=chosen, may=may, by=by)
        return gettext("Groups of %(name)s saved. They take effect immediately.") % {"name": person.name}
    if order in {"deactivate", "reactivate"}:
        people.check_can_deactivate(request, user)
        people.set_active(request.site, user, active=order == "reactivate", by=by)
        said = (
            gettext("%(name)s reactivated.")
            if order == "reactivate"
            else gettext("%(name)s deactivated and signed out.")
        )
        return said % {"name": person.name}
    if order == "invite" and person.state == people.INVITED:
        _send(request, user)
        return gettext("%(name)s can use either link once.") % {"name": person.name}
    raise Refused(gettext("Choose what to do with this account."))


def _send(request: DeskRequest, user: User) -> None:
    uid, token = urlsafe_base64_encode(force_bytes(user.pk)), default_token_generator.make_token(user)
    # Of the main site: a site's own address asks to sign in first.
    url = page_url(DEFAULT_SITE, "set-password", uid, token)
    told = {"url": url, "by": request.user.get_full_name() or request.user.get_username()}
    with speak_to(str(user.pk), otherwise=get_language()):
        subject = gettext("Your Countersign account")
        text = render_to_string("projects/accounts/mails/invitation.txt", {**told, "username": user.get_username()})
    try:
        send_mail(subject, text, None, [user.email])
    except (SMTPException, OSError) as error:
        log.warning("invitation not sent", extra={"error": type(error).__name__})
        messages.error(
            request, gettext("The account was created, but its invitation was not sent. Open it and send it again.")
        )
    else:
        sentence = gettext("Invitation sent. Its link works once, within three days.")
        messages.success(request, f"{sentence} {describe_mail_folder()}".rstrip())

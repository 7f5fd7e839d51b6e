"""Views to request access, and for admins to answer on the page of people."""

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from config.errors import NotFound, Refused
from projects.accounts import access_requests, people
from projects.accounts.access_requests import NOTE_LENGTH
from projects.accounts.people_views import GroupsForm
from projects.audit.events import actor_of
from projects.sites import access
from projects.sites.permissions import WORDS, Permission
from projects.web.http import DeskRequest, redirect_after_post, render_answer


class AccessForm(forms.Form):
    wanted = forms.ChoiceField(
        label=gettext_lazy("What you need to do"),
        choices=[(one.value, words) for one, words in WORDS.items()],
        widget=forms.Select(attrs={"class": "select"}),
        error_messages={"invalid_choice": gettext_lazy("Select from the list.")},
    )
    note = forms.CharField(
        label=gettext_lazy("Message to the admins"),
        required=False,
        max_length=NOTE_LENGTH,
        widget=forms.Textarea(attrs={"class": "text-input", "rows": 3}),
        help_text=gettext_lazy("Who you are, and what you will work on."),
        error_messages={"max_length": gettext_lazy("Use at most 300 characters (currently %(show_value)d).")},
    )


@require_http_methods(["GET", "POST"])
def ask_for_access(request: DeskRequest) -> HttpResponse:
    """Ask for access as the signed-in person, on a site they belong to, or the main one."""
    held = access.permissions_of(request)
    form = AccessForm(
        request.POST if request.method == "POST" else None,
        initial={"wanted": request.GET.get("wanted", Permission.READ)},
    )
    if form.is_valid():
        wanted = Permission(form.cleaned_data["wanted"])
        if wanted in held:
            form.add_error("wanted", gettext("You already have this permission."))
        else:
            who = actor_of(request.user)
            access_requests.ask(request.site, request.user, wanted, form.cleaned_data["note"], by=who)
            messages.success(request, gettext("Request sent to the site’s admins."))
            return redirect_after_post(request, reverse("ask-for-access"))
    context = {"form": form, "asked": access_requests.find_request(request.site, str(request.user.pk))}
    status = 422 if form.is_bound else 200
    return render_answer(request, "projects/accounts/ask_for_access.html", None, context, status=status)


@require_POST
def answer_access(request: DeskRequest, user_id: int) -> HttpResponse:
    """Give the person groups of this admin's, or decline."""
    access.check_can_configure(request)
    asked = access_requests.find_request(request.site, str(user_id))
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if asked is None or user is None:
        raise NotFound(gettext("This request is no longer open. Another admin may have handled it."))
    people.check_can_change(request, user)
    by, name = actor_of(request.user), user.get_full_name() or user.get_username()
    if request.POST.get("order") == "decline":
        access_requests.decline(request.site, user, by=by)
        messages.success(request, gettext("Request from %(name)s declined.") % {"name": name})
        return redirect_after_post(request, reverse("settings:list-people"))
    may = people.groups_to_give(request, people.site_groups(request.site))
    form = GroupsForm(may, request.POST)
    if not form.is_valid():
        raise Refused(gettext("Select at least one group. Groups define what a person can do."))
    held = set(user.groups.values_list("name", flat=True)) & set(may)
    chosen = held | set(form.cleaned_data["groups"])
    people.set_groups(request.site, user, shown=held, chosen=chosen, may=may, by=by)
    access_requests.close(request.site, user, by=by)
    messages.success(request, gettext("%(name)s has access. It takes effect immediately.") % {"name": name})
    return redirect_after_post(request, reverse("settings:list-people"))

"""Pages of one's own account: sessions, and password reset."""

from typing import Any

from allauth.mfa.base.views import AuthenticateView
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import PasswordResetForm, SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordResetConfirmView, PasswordResetView
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_POST, require_safe

from config.errors import NotFound, TooManyTries
from config.phrase import Phrase
from projects.accounts.mail_folder import describe_mail_folder
from projects.accounts.preferences import speak_to
from projects.audit.events import actor_of
from projects.sites import sign_in
from projects.sites.sign_in import RESET, Attempt
from projects.web.http import DeskRequest, redirect_after_post, render_answer

_BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)


class CodeView(AuthenticateView):  # type: ignore[misc]  # ships no types
    """The second step of signing in."""

    def form_invalid(self, form: Any) -> HttpResponse:
        return sign_in.refuse(super().form_invalid(form), form, 422)


@require_safe
def list_sessions(request: DeskRequest) -> HttpResponse:
    rows = sorted(UserSession.objects.purge_and_list(request.user), key=lambda one: one.created_at, reverse=True)
    sessions = [(one, browser_of(one.user_agent)) for one in rows]
    return render_answer(request, "projects/accounts/sessions.html", None, {"sessions": sessions})


def browser_of(user_agent: str) -> str:
    """Return the browser's name; Chromium's relatives name each other, so the rarer name is checked first.

    >>> browser_of("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36")
    'Chrome on Linux'
    >>> browser_of("curl/8")
    'Unknown browser'
    """
    browser = next((words for mark, words in _BROWSERS if mark in user_agent), Phrase("Unknown browser"))
    system = next((words for mark, words in _SYSTEMS if mark in user_agent), "")
    return gettext("%(browser)s on %(system)s") % {"browser": browser, "system": system} if system else browser


@require_POST
def end_sessions(request: DeskRequest) -> HttpResponse:
    """End one of the person's sessions, or all others; idempotent."""
    mine = UserSession.objects.filter(user=request.user).exclude(session_key=request.session.session_key)
    chosen = request.POST.get("session", "")
    if chosen and not chosen.isdecimal():
        raise NotFound(gettext("Session not found."))
    ended = list(mine.filter(pk=chosen) if chosen else mine)
    for one in ended:
        one.end()
    if ended:
        sign_in.record_factor(request.user, "sessions ended", by=actor_of(request.user))
    messages.success(request, gettext("Signed out there.") if chosen else gettext("Signed out on all other devices."))
    return redirect_after_post(request, reverse("list-sessions"))


class ResetForm(PasswordResetForm):
    wait = 0
    network = ""

    def send_mail(self, *args: Any, **kwargs: Any) -> None:
        """Send it in the account's language; else in the language of the request."""
        user = kwargs["context"]["user"] if "context" in kwargs else args[2]["user"]
        with speak_to(str(user.pk), otherwise=get_language()):
            super().send_mail(*args, **kwargs)

    def clean_email(self) -> str:
        address: str = self.cleaned_data["email"]
        try:
            sign_in.take_request(Attempt(RESET, address, self.network))
        except TooManyTries as error:
            self.wait = error.seconds
            self.add_error(None, str(error))
        return address


@method_decorator(login_not_required, name="dispatch")
class ResetView(PasswordResetView):
    """The response is the same whether or not the account exists."""

    form_class = ResetForm
    template_name = "projects/accounts/reset.html"
    email_template_name = "projects/accounts/mails/reset.txt"
    subject_template_name = "projects/accounts/mails/reset_subject.txt"
    success_url = reverse_lazy("login")

    def get_form(self, form_class: Any = None) -> Any:
        form = super().get_form(form_class)
        assert isinstance(form, ResetForm)  # noqa: S101 - what this view makes
        form.network = sign_in.client_network(self.request)
        return form

    def form_valid(self, form: Any) -> HttpResponse:
        sentence = gettext("If an account has this address, a link to set a new password is on its way. It works once.")
        messages.success(self.request, f"{sentence} {describe_mail_folder()}".rstrip())
        return super().form_valid(form)

    def form_invalid(self, form: Any) -> HttpResponse:
        return sign_in.refuse(super().form_invalid(form), form, 422)


class NewPasswordForm(SetPasswordForm):  # type: ignore[type-arg]  # generic in the stubs only
    error_messages = {"password_mismatch": Phrase("The new passwords do not match.")}  # noqa: RUF012 - as Django declares it

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["new_password2"].label = Phrase("Repeat new password")


@method_decorator(login_not_required, name="dispatch")
class SetPasswordView(PasswordResetConfirmView):
    """Ends every session, since each contains a hash of the password; second factors are still required."""

    form_class = NewPasswordForm
    template_name = "projects/accounts/new_password.html"
    success_url = reverse_lazy("login")

    def get_user(self, uidb64: str) -> User | None:
        user = super().get_user(uidb64)
        return user if isinstance(user, User) and user.is_active else None

    def form_valid(self, form: Any) -> HttpResponse:
        with transaction.atomic():  # recorded, or not done
            response = super().form_valid(form)
            sign_in.record_new_password(form.user)
        messages.success(self.request, gettext("Password set. Sign in with the new password."))
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        response = super().form_invalid(form)
        response.status_code = 422
        return response


@login_not_required
@require_safe
def leave_provider(request: HttpRequest) -> HttpResponse:
    """Handle sign-ins that were cancelled or failed at the provider."""
    messages.info(request, gettext("Sign-in was cancelled."))
    return HttpResponseRedirect(resolve_url("login"))

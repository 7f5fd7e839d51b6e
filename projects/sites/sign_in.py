"""Signing in and out, changing one's password and choosing a site, in the desk's own words."""

import ipaddress
from typing import Any

from allauth.account.utils import perform_login
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView
from django.core.exceptions import ValidationError
from django.db import transaction
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_safe

from config.errors import NotAllowed, TooManyTries, Unavailable
from config.table import DEFAULT_SITE
from projects.sites import access
from projects.sites.actions import sign_ins
from projects.sites.actions.sign_ins import PASSWORD, SIGN_IN, Attempt
from projects.web.http import DeskRequest, render_answer


def client_address(request: HttpRequest) -> str:
    """The address that a request comes from; what stands further left was written by whoever sent the request."""
    hops = [one.strip() for one in request.headers.get("X-Forwarded-For", "").split(",") if one.strip()]
    trusted = settings.TRUSTED_PROXIES
    return hops[-trusted] if 0 < trusted <= len(hops) else str(request.META.get("REMOTE_ADDR", ""))


def client_network(request: HttpRequest) -> str:
    """Where a request comes from: an IPv4 address, or the /64 that one household or server has of IPv6."""
    told = client_address(request)
    try:
        address = ipaddress.ip_address(told)
    except ValueError:
        return told
    return str(ipaddress.ip_network((address, 64), strict=False)) if address.version == 6 else str(address)


def first_page(request: HttpRequest) -> str:
    """Where someone begins: a site that they can open, or the choice among several."""
    try:
        places = access.places_of(request)
    except Unavailable:  # the page says so itself
        return access.home(DEFAULT_SITE)
    here = str(request.site)
    ids = [one.site_id for one in places]
    if here in ids or not ids:
        return access.home(here if here in ids else DEFAULT_SITE)
    if DEFAULT_SITE in ids or len(ids) == 1:
        return access.home(ids[0])
    return reverse("choose-site")


class _Throttled(Form):
    """A form with a password in it: a try is taken before the password is looked at."""

    wait: int = 0  # seconds, where it was tried too often
    number: int = 0

    def take_try(self, attempt: Attempt) -> None:
        """Raises: ValidationError, with the time to wait."""
        try:
            self.number = sign_ins.take_try(attempt)
        except TooManyTries as error:
            self.wait = error.seconds
            raise ValidationError(str(error), code="throttled") from error


class SignInForm(_Throttled, AuthenticationForm):
    # The same sentence whichever was wrong: which names exist is no one's to find out here.
    error_messages = {  # noqa: RUF012 - as Django declares it
        "invalid_login": "Incorrect username or password. Both are case-sensitive.",
        "inactive": "Incorrect username or password. Both are case-sensitive.",
    }

    @property
    def attempt(self) -> Attempt:
        return Attempt(SIGN_IN, str(self.cleaned_data["username"]), client_network(self.request))  # type: ignore[arg-type]

    def clean(self) -> dict[str, Any]:
        if "username" not in self.cleaned_data or "password" not in self.cleaned_data:
            return self.cleaned_data
        self.take_try(self.attempt)
        try:
            return super().clean()
        except ValidationError:
            sign_ins.record_failure(self.attempt, self.number)
            raise


class SignInView(LoginView):
    """Leads to the page that was asked for, else to a site that the person can open."""

    redirect_authenticated_user = True
    authentication_form = SignInForm

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """The next step: a second factor if there is one, else the page. The last step records it."""
        answer: HttpResponse = perform_login(self.request, form.get_user(), redirect_url=self.page_asked_for() or None)
        return answer

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        return refuse(super().form_invalid(form), form, 200)

    def page_asked_for(self) -> str:
        asked = self.get_redirect_url()
        return "" if asked == access.home(DEFAULT_SITE) else asked

    def get_success_url(self) -> str:
        return self.page_asked_for() or first_page(self.request)

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        return super().get_context_data(**more) | {"provider": settings.OIDC_NAME if settings.OIDC_URL else ""}


def refuse(response: HttpResponse, form: Form, status: int) -> HttpResponse:
    response.status_code = status
    if wait := getattr(form, "wait", 0):
        response.status_code = 429
        response["Retry-After"] = str(wait)
    return response


@method_decorator(login_not_required, name="dispatch")  # which the method below hides
class AdminSignInView(SignInView):
    """Of Django's own admin: the same form with the same limits; superusers and staff only go on."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        user = request.user
        if user.is_authenticated and not (user.is_active and user.is_staff):
            raise NotAllowed("Only staff accounts can manage users and roles. Sign in with one or ask an admin.")
        return super().dispatch(request, *args, **kwargs)

    def page_asked_for(self) -> str:
        return self.get_redirect_url() or reverse("admin:index")


class SignOutView(LogoutView):
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if isinstance(request.user, User):
            sign_ins.record_sign_out(request.user)
        response = super().post(request, *args, **kwargs)
        # Not "storage" too: it would take what this browser keeps on purpose, as changed keys. What was typed goes by
        # the page's own script (app.js).
        response["Clear-Site-Data"] = '"cache"'
        return response


class ChangePasswordForm(_Throttled, PasswordChangeForm):
    error_messages = {  # noqa: RUF012 - as Django declares it
        **PasswordChangeForm.error_messages,
        "password_incorrect": "Your current password is incorrect.",
        "password_mismatch": "The new passwords do not match.",
    }
    network = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["old_password"].label = "Current password"
        self.fields["new_password2"].label = "Repeat new password"

    @property
    def attempt(self) -> Attempt:
        return Attempt(PASSWORD, self.user.get_username(), self.network)

    def clean_old_password(self) -> str:
        self.take_try(self.attempt)
        try:
            typed = super().clean_old_password()
        except ValidationError:
            sign_ins.record_failure(self.attempt, self.number)
            raise
        sign_ins.give_back(self.attempt)  # whatever is wrong with the new one, it may be typed again
        return typed


class ChangePasswordView(PasswordChangeView):
    """One's own password. Django ends every other session with it, since each carries a hash of the password."""

    form_class = ChangePasswordForm
    template_name = "registration/password.html"

    def get_form(self, form_class: Any = None) -> Any:
        form = super().get_form(form_class)
        assert isinstance(form, ChangePasswordForm)  # noqa: S101 - what this view makes
        form.network = client_network(self.request)
        return form

    def form_valid(self, form: Any) -> HttpResponse:
        with transaction.atomic():  # recorded, or not done
            response = super().form_valid(form)
            sign_ins.record_new_password(form.user)
            UserSession.objects.create_from_request(self.request)  # it goes on under another key
        messages.success(self.request, "Password changed. You have been signed out on all other devices.")
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        return refuse(super().form_invalid(form), form, 422)

    def get_success_url(self) -> str:
        return access.way_out(self.request).url or reverse("choose-site")


@require_safe
def choose_site(request: DeskRequest) -> HttpResponse:
    """The sites of someone who may open several, or the sentence that there is none yet."""
    places = [(one, access.home(one.site_id)) for one in access.places_of(request)]
    return render_answer(request, "registration/sites.html", None, {"places": places})

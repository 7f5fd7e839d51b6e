"""Sign-in, sign-out, password change and choice of site, with rate limits and audit."""

import datetime as dt
import ipaddress
import logging
import math
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from allauth.account.utils import perform_login
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.models import Group, User
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView
from django.core.exceptions import ValidationError
from django.db import transaction
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from config import clock
from config.errors import Conflict, CountersignError, NotAllowed, NotFound, TooManyTries, Unavailable
from config.phrase import Phrase
from config.table import DEFAULT_SITE, SIGN_IN_TRIES, Key
from config.transaction import Change, Delete, Put, transact
from projects.audit.events import Actor, actor_of, entity_event
from projects.sites import access
from projects.sites.items import SignInTries
from projects.web.http import DeskRequest, render_answer

log = logging.getLogger(__name__)
SIGN_IN, PASSWORD, CODE, RESET = (
    Phrase("sign-in"),
    Phrase("password change"),
    Phrase("second factor"),
    Phrase("password reset"),
)
ACCOUNT = "account"  # the record type in the audit log
UNKNOWN = "unknown"  # the record of unknown names: what was typed may be a password
STRANGER = Actor(UNKNOWN, Phrase("Unknown"))  # a name that was typed does not say who typed it
_KNOWN_DAYS = 90
_CODE_SECONDS = 600  # longer than any code is valid


class Limit(NamedTuple):
    tries: int
    seconds: int


PAIR = Limit(5, 5 * 60)
ADDRESS = Limit(50, 15 * 60)
ANYWHERE = Limit(30, 60 * 60)  # attempts of one account
RECORDED = Limit(200, 60 * 60)  # audited failures, so that guessing cannot flood the audit log


@dataclass(frozen=True)
class Attempt:
    """``what``: sign-in or password change. ``name``: as typed; ``address``: network of the client."""

    what: str
    name: str
    address: str

    @property
    def _name(self) -> str:
        return unicodedata.normalize("NFKC", self.name).casefold()

    def key(self, kind: str) -> Key:
        parts = {"ADDRESS": ["", self.address], "ANYWHERE": [self._name, ""], "RECORDED": ["", ""]}
        counted = "\n".join([self.what, *parts.get(kind, [self._name, self.address])])
        digest = salted_hmac("projects.sign_ins", counted, algorithm="sha256").hexdigest()
        return SIGN_IN_TRIES.key(DEFAULT_SITE, digest=digest, kind=kind)


def take_try(attempt: Attempt) -> int:
    """Take one attempt and return its number, from 1; call it before checking the password.

    Raises:
        TooManyTries: with the minutes to wait.
        Unavailable: the table does not answer, so nobody is signed in.

    """
    limits = {"ANYWHERE": ANYWHERE, "ADDRESS": ADDRESS}
    keys = {kind: attempt.key(kind) for kind in (*limits, "KNOWN")}
    rows = {row.key: row for row in SignInTries.load_many(list(keys.values()))}
    now = clock.now()
    if keys["KNOWN"] not in rows:
        for kind, limit in limits.items():
            row = rows.get(keys[kind])
            if row is not None and int(row.tries) >= limit.tries and _seconds_left(row, now) > 0:
                raise _too_many(_seconds_left(row, now))
    return _count_try(attempt.key("PAIR"), PAIR)


def _count_try(key: Key, limit: Limit) -> int:
    """Count one more attempt, restarting after the window. Raises: TooManyTries."""
    for _ in range(3):
        now = clock.now()
        goes_on = (SignInTries.ends_at > clock.iso(now)) & (SignInTries.tries < limit.tries)
        with suppress(Conflict):
            return int(SignInTries.change(key, [SignInTries.tries.add(1)], goes_on).tries)
        ends = now + dt.timedelta(seconds=limit.seconds)
        anew = [
            SignInTries.tries.set(1),
            SignInTries.ends_at.set(clock.iso(ends)),
            SignInTries.TimeToLive.set(int(ends.timestamp()) + 60),
        ]
        over = SignInTries.PK.does_not_exist() | (SignInTries.ends_at <= clock.iso(now))
        with suppress(Conflict):
            SignInTries.change(key, anew, over)
            return 1
        with suppress(NotFound):  # a successful sign-in deleted it meanwhile
            row = SignInTries.load(key)
            if int(row.tries) >= limit.tries and _seconds_left(row, now) > 0:
                raise _too_many(_seconds_left(row, now))
    raise _too_many(1)


def _seconds_left(row: SignInTries, now: dt.datetime) -> float:
    return (clock.parse(str(row.ends_at)) - now).total_seconds()


def _too_many(seconds: float) -> TooManyTries:
    minutes = max(math.ceil(seconds / 60), 1)
    return TooManyTries(
        gettext("Too many attempts. Try again in %(minutes)s min.") % {"minutes": minutes}, seconds=math.ceil(seconds)
    )


def record_failure(attempt: Attempt, number: int) -> None:
    """Record a wrong password. ``number``: from ``take_try``. The audit has the first and last attempt."""
    reached = [number == PAIR.tries]
    for kind, limit in (("ADDRESS", ADDRESS), ("ANYWHERE", ANYWHERE)):
        with suppress(TooManyTries):
            reached.append(_count_try(attempt.key(kind), limit) == limit.tries)
    if number > 1 and not any(reached):
        return
    user = User.objects.filter(username=attempt.name).first()
    told = f"{attempt.what} throttled" if any(reached) else f"{attempt.what} failed"
    try:
        _count_try(attempt.key("RECORDED"), RECORDED)
    except TooManyTries:
        log.warning("failed sign-ins are not recorded for a while: too many")
        return
    account_id, payload = (str(user.pk), _user_name(user)) if user else (UNKNOWN, {})
    by = actor_of(user) if user and attempt.what == PASSWORD else STRANGER  # only who is signed in changes a password
    transact([], entity_event(DEFAULT_SITE, ACCOUNT, account_id, told, by=by, payload=payload))


def count_guess(attempt: Attempt) -> None:
    """Count a wrong secret that belongs to no account, by address and name."""
    limits = {"ADDRESS": ADDRESS} | ({"ANYWHERE": ANYWHERE} if attempt.name else {})
    for kind, limit in limits.items():
        with suppress(TooManyTries):
            _count_try(attempt.key(kind), limit)


def give_back(attempt: Attempt) -> None:
    """Forget earlier attempts after a correct password."""
    transact([Delete(attempt.key("PAIR"))])


def take_request(attempt: Attempt) -> None:
    """Count a request with a constant response, such as a password reset. Raises: TooManyTries."""
    for kind, limit in (("PAIR", PAIR), ("ADDRESS", ADDRESS), ("ANYWHERE", ANYWHERE)):
        _count_try(attempt.key(kind), limit)


def spend_code(user: User, code: str) -> None:
    """Use up an authenticator code, across processes. Raises: Conflict if it was used before."""
    key = Attempt(CODE, f"{user.pk}\n{code}", "").key("SPENT")
    transact([Put(SignInTries(*key, TimeToLive=int(clock.in_seconds(_CODE_SECONDS).timestamp())))])


def record_sign_in(attempt: Attempt, user: User) -> None:
    """Record a sign-in: forget attempts, and remember the address for the account."""
    gone_at = int(clock.in_seconds(_KNOWN_DAYS * 86_400).timestamp())
    known = SignInTries(*attempt.key("KNOWN"), TimeToLive=gone_at)
    changes: list[Change] = [Delete(attempt.key("PAIR")), Put(known, overwrite=True)]
    transact(changes, _event(user, "signed in", by=actor_of(user)))


def record_factor(user: User, told: str, *, by: Actor) -> None:
    """Record a change of second factors, passkeys, recovery codes or sessions."""
    transact([], _event(user, told, by=by))


def record_new_password(user: User) -> None:
    transact([], _event(user, "password changed", by=actor_of(user)))


def record_sign_out(user: User) -> None:
    """Record a sign-out; a table that does not answer is ignored."""
    try:
        transact([], _event(user, "signed out", by=actor_of(user)))
    except CountersignError as error:
        log.warning("sign-out not recorded", extra={"error": type(error).__name__})


def record_account(user: User, told: str, *, by: Actor, changes: Mapping[str, Any], site: str = DEFAULT_SITE) -> None:
    """Record a change to an account in the site's audit; ``changes`` must not contain passwords."""
    event = entity_event(site, ACCOUNT, str(user.pk), told, by=by, payload={**_user_name(user), **changes})
    transact([], event)


def record_group(group: Group, told: str, *, by: Actor, changes: Mapping[str, Any]) -> None:
    """Record a change to a group."""
    transact(
        [], entity_event(DEFAULT_SITE, "group", str(group.pk), told, by=by, payload={"account": group.name, **changes})
    )


def _event(user: User, told: str, *, by: Actor) -> Any:
    return entity_event(DEFAULT_SITE, ACCOUNT, str(user.pk), told, by=by, payload=_user_name(user))


def _user_name(user: User) -> dict[str, str]:
    return {"account": user.get_username()}


def client_address(request: HttpRequest) -> str:
    """Return the client's address; entries further left in the header can be forged."""
    hops = [one.strip() for one in request.headers.get("X-Forwarded-For", "").split(",") if one.strip()]
    trusted = settings.TRUSTED_PROXIES
    return hops[-trusted] if 0 < trusted <= len(hops) else str(request.META.get("REMOTE_ADDR", ""))


def client_network(request: HttpRequest) -> str:
    """Return the client's network: an IPv4 address, or an IPv6 /64."""
    told = client_address(request)
    try:
        address = ipaddress.ip_address(told)
    except ValueError:
        return told
    return str(ipaddress.ip_network((address, 64), strict=False)) if address.version == 6 else str(address)


def first_page(request: HttpRequest) -> str:
    """Return the start page: a site that the person can open, or the choice of sites."""
    try:
        places = access.places_of(request)
    except Unavailable:  # the page shows the error itself
        return access.home(DEFAULT_SITE)
    here = str(request.site)
    ids = [one.site_id for one in places]
    if here in ids or not ids:
        return access.home(here if here in ids else DEFAULT_SITE)
    if DEFAULT_SITE in ids or len(ids) == 1:
        return access.home(ids[0])
    return reverse("choose-site")


class _Throttled(Form):
    """A form with a password: an attempt is taken before the password is checked."""

    wait: int = 0  # seconds to wait after too many attempts
    number: int = 0

    def take_try(self, attempt: Attempt) -> None:
        """Raises: ValidationError, with the time to wait."""
        try:
            self.number = take_try(attempt)
        except TooManyTries as error:
            self.wait = error.seconds
            raise ValidationError(str(error), code="throttled") from error


class SignInForm(_Throttled, AuthenticationForm):
    # The same message whichever was wrong, so that it reveals no names.
    error_messages = {  # noqa: RUF012 - as Django declares it
        "invalid_login": Phrase("Incorrect username or password. Both are case-sensitive."),
        "inactive": Phrase("Incorrect username or password. Both are case-sensitive."),
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
            record_failure(self.attempt, self.number)
            raise


class SignInView(LoginView):
    """Redirects to the requested page, or to a site that the person can open."""

    redirect_authenticated_user = True
    authentication_form = SignInForm

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Continue with the second factor, if any, else sign in. The last step is recorded."""
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
    """Sign-in of Django's admin: the same form and limits; only staff may continue."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        user = request.user
        if user.is_authenticated and not (user.is_active and user.is_staff):
            raise NotAllowed(gettext("Only staff accounts can open Administration. Sign in with one or ask an admin."))
        return super().dispatch(request, *args, **kwargs)

    def page_asked_for(self) -> str:
        return self.get_redirect_url() or reverse("admin:index")


@method_decorator(login_not_required, name="dispatch")  # whose session has ended leaves pages behind as well
class SignOutView(LogoutView):
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if isinstance(request.user, User):
            record_sign_out(request.user)
        response = super().post(request, *args, **kwargs)
        # Not "storage" too: it would take what this browser keeps on purpose, as changed keys. What was typed goes by
        # the page's own script (app.js).
        response["Clear-Site-Data"] = '"cache"'
        return response


class ChangePasswordForm(_Throttled, PasswordChangeForm):
    error_messages = {  # noqa: RUF012 - as Django declares it
        **PasswordChangeForm.error_messages,
        "password_incorrect": Phrase("Your current password is incorrect."),
        "password_mismatch": Phrase("The new passwords do not match."),
    }
    network = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["old_password"].label = Phrase("Current password")
        self.fields["new_password2"].label = Phrase("Repeat new password")

    @property
    def attempt(self) -> Attempt:
        return Attempt(PASSWORD, self.user.get_username(), self.network)

    def clean_old_password(self) -> str:
        self.take_try(self.attempt)
        try:
            typed = super().clean_old_password()
        except ValidationError:
            record_failure(self.attempt, self.number)
            raise
        give_back(self.attempt)  # the new password may be invalid, and typed again
        return typed


class ChangePasswordView(PasswordChangeView):
    """Change one's own password. Django ends all other sessions, which contain a hash of it."""

    form_class = ChangePasswordForm
    template_name = "registration/password.html"

    def get_form(self, form_class: Any = None) -> Any:
        form = super().get_form(form_class)
        assert isinstance(form, ChangePasswordForm)  # noqa: S101 - what this view makes
        form.network = client_network(self.request)
        return form

    def form_valid(self, form: Any) -> HttpResponse:
        with transaction.atomic():  # atomic with its audit event
            response = super().form_valid(form)
            record_new_password(form.user)
            UserSession.objects.create_from_request(self.request)  # the session continues under a new key
        messages.success(self.request, gettext("Password changed. You have been signed out on all other devices."))
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        return refuse(super().form_invalid(form), form, 422)

    def get_success_url(self) -> str:
        return access.way_out(self.request).url or reverse("choose-site")


@require_safe
def choose_site(request: DeskRequest) -> HttpResponse:
    """List the sites that the person may open, or say that there are none."""
    places = [(one, access.home(one.site_id)) for one in access.places_of(request)]
    return render_answer(request, "registration/sites.html", None, {"places": places})

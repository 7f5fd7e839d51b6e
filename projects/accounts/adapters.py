"""allauth adapters: redirects, audit events and encryption of secrets."""

import base64
import hashlib
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import get_next_redirect_url
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext

from config.errors import Conflict
from config.phrase import Phrase
from config.table import DEFAULT_SITE
from projects.accounts import preferences
from projects.sites import access, sign_in
from projects.sites.sign_in import SIGN_IN, Attempt

DEACTIVATED = Phrase("This account is deactivated. Ask an admin to reactivate it.")
_UNSAID = {"account/messages/logged_in.txt", "account/messages/logged_out.txt"}  # the page says so itself


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # ships no types
    """Every way of signing in ends in ``login``, so all are recorded; if recording fails, nobody is signed in."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 - allauth's signature
        return False

    def login(self, request: HttpRequest, user: User) -> None:
        """Raises: Unavailable: the table does not answer, so nobody is signed in."""
        sign_in.record_sign_in(Attempt(SIGN_IN, user.get_username(), sign_in.client_network(request)), user)
        super().login(request, user)
        preferences.remember_preferences(request, str(user.pk))

    def post_login(self, request: HttpRequest, user: User, *, redirect_url: str | None, **more: Any) -> HttpResponse:
        """Redirect to the requested page, or to the overview of the main site."""
        asked = redirect_url or get_next_redirect_url(request)
        page = sign_in.first_page(request) if asked in {None, access.home(DEFAULT_SITE)} else asked
        answer: HttpResponse = super().post_login(request, user, redirect_url=page, **more)
        return answer

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        return sign_in.first_page(request)

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:  # noqa: ARG002 - as above
        messages.error(request, DEACTIVATED)
        return HttpResponseRedirect(resolve_url(settings.LOGIN_URL))

    def get_client_ip(self, request: HttpRequest) -> str:
        return sign_in.client_address(request)

    def add_message(
        self, request: HttpRequest, level: int, message_template: str | None = None, *args: Any, **more: Any
    ) -> None:
        if message_template not in _UNSAID:
            super().add_message(request, level, message_template, *args, **more)


class FactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # as above
    """Secrets of second factors are encrypted with ``SECRET_KEY``, so a copy of the database is useless by itself."""

    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Raises: Conflict if ``SECRET_KEY`` has changed."""
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken as error:
            raise Conflict(
                gettext(
                    "This deployment's secret key was changed, so your second factor no longer works. Ask an admin "
                    "to remove it."
                )
            ) from error


def _cipher() -> MultiFernet:
    secrets = [str(settings.SECRET_KEY), *map(str, settings.SECRET_KEY_FALLBACKS)]
    digests = [hashlib.sha256(b"projects.accounts:" + one.encode()).digest() for one in secrets]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(one)) for one in digests])

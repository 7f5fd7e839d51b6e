"""Changes of second factors, as the audit has them: written in the transaction of the change."""

from typing import Any

from allauth.core import context
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User

from projects.audit.events import actor_of
from projects.sites.actions import sign_ins

_WORDS = {
    Authenticator.Type.TOTP: "authenticator app",
    Authenticator.Type.WEBAUTHN: "passkey",
    Authenticator.Type.RECOVERY_CODES: "recovery codes",
}


def record_addition(instance: Authenticator, created: bool, **_: Any) -> None:
    """Raises: Unavailable, and with it the change is taken back."""
    if created:
        _record(instance, "added")


def record_removal(instance: Authenticator, **_: Any) -> None:
    """Raises: Unavailable, and with it the change is taken back."""
    _record(instance, "removed")


def _record(row: Authenticator, told: str) -> None:
    asks = getattr(context.request, "user", None)
    by = actor_of(asks if isinstance(asks, User) else row.user)
    sign_ins.record_factor(row.user, f"{_WORDS[row.type]} {told}", by=by)

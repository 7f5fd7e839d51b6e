"""Changes of second factors, as the audit has them: written in the transaction of the change."""

from typing import Any

from allauth.core import context
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.db import transaction

from projects.audit.events import actor_of
from projects.sites import sign_in

_WORDS = {
    Authenticator.Type.TOTP: "authenticator app",
    Authenticator.Type.WEBAUTHN: "passkey",
    Authenticator.Type.RECOVERY_CODES: "recovery codes",
}


def record_addition(instance: Authenticator, created: bool, raw: bool = False, **_: Any) -> None:
    """``raw``: it is brought back from a backup. Raises: Unavailable, and with it the change is taken back."""
    if created and not raw:
        _record(instance, "added")


def record_removal(instance: Authenticator, **_: Any) -> None:
    """Raises: Unavailable, and with it the change is taken back."""
    _record(instance, "removed")


def reencrypt_secrets() -> int:
    """Encrypt what authenticator apps and recovery codes are made from with the newest ``SECRET_KEY``; how many.

    Raises:
        Conflict: one was encrypted with a key that is neither it nor among its fallbacks; nothing was changed.

    """
    adapter = get_adapter()
    with transaction.atomic():
        rows = Authenticator.objects.select_for_update().exclude(type=Authenticator.Type.WEBAUTHN)  # public keys only
        for row in rows:
            row.data = {name: _reencrypt(adapter, name, value) for name, value in row.data.items()}
            row.save(update_fields=["data"])
    return len(rows)


def _reencrypt(adapter: Any, name: str, value: Any) -> Any:
    if name in {"secret", "seed"}:
        return adapter.encrypt(adapter.decrypt(value))
    return [adapter.encrypt(adapter.decrypt(one)) for one in value] if name == "migrated_codes" else value


def _record(row: Authenticator, told: str) -> None:
    asks = getattr(context.request, "user", None)
    by = actor_of(asks if isinstance(asks, User) else row.user)
    sign_in.record_factor(row.user, f"{_WORDS[row.type]} {told}", by=by)

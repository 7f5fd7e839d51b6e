"""Audit events of second factors, written in the transaction of the change."""

from typing import Any

from allauth.core import context
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.db import transaction

from config.phrase import Phrase
from projects.audit.events import actor_of
from projects.sites import sign_in

_WORDS = {
    Authenticator.Type.TOTP: Phrase("authenticator app"),
    Authenticator.Type.WEBAUTHN: "passkey",
    Authenticator.Type.RECOVERY_CODES: Phrase("recovery codes"),
}


def record_addition(instance: Authenticator, created: bool, raw: bool = False, **_: Any) -> None:
    """``raw``: restored from a backup. Raises: Unavailable, which rolls the change back."""
    if created and not raw:
        _record(instance, "added")


def record_removal(instance: Authenticator, **_: Any) -> None:
    """Raises: Unavailable, which rolls the change back."""
    _record(instance, "removed")


def reencrypt_secrets() -> int:
    """Re-encrypt the secrets of authenticator apps and recovery codes with the newest ``SECRET_KEY``; return how many.

    Raises:
        Conflict: a secret was encrypted with an unknown key; nothing was changed.

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

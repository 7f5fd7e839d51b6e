"""Reading environment variables, with errors that say what is missing; for settings and constants only."""

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

# Every variable that was read, with its default: docs/settings.md is held to it. None: it has to be set.
READ: dict[str, str | None] = {}
OIDC_PROVIDER = "sso"  # in the provider's address of ours, /oidc/sso/login/callback/
_GROUPS_EXAMPLE = '{"desk-reviewers": "reviewers"}'
_EXAMPLE = '{"SWEEP_SECONDS": 2}'


def env(name: str, default: str) -> str:
    READ.setdefault(name, default)
    return os.environ.get(name) or default


ENVIRONMENT = env("COUNTERSIGN_ENV", "laptop")
if ENVIRONMENT not in {"laptop", "aws"}:
    raise ImproperlyConfigured(f"COUNTERSIGN_ENV is {ENVIRONMENT!r}: use 'laptop' or 'aws'.")
ON_LAPTOP = ENVIRONMENT == "laptop"


def required_variable(name: str, what: str) -> str:
    """Raises: ImproperlyConfigured, saying what the variable is for."""
    READ.setdefault(name, None)
    value = os.environ.get(name)
    if not value:
        raise ImproperlyConfigured(
            f"{name} is not set: {what} Set it in the environment, or unset COUNTERSIGN_ENV to run on the embedded AWS."
        )
    return value


def number_variable(name: str, default: int) -> int:
    """Raises: ImproperlyConfigured unless the variable is a positive integer."""
    text = env(name, str(default))
    if not text.isdigit() or int(text) < 1:
        raise ImproperlyConfigured(
            f"{name} is {text!r}: use a positive integer, or unset it for the default ({default})."
        )
    return int(text)


def overrides(name: str, known: Mapping[str, object]) -> dict[str, object]:
    """Return overrides of constants from a JSON object.

    Raises: ImproperlyConfigured if it is not an object, or a name is unknown, or a value has another type.
    """
    text = env(name, "") or "{}"
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is not valid JSON: use {_EXAMPLE}, or unset it.") from error
    if not isinstance(found, dict):
        raise ImproperlyConfigured(f"{name} is not a JSON object: use {_EXAMPLE}, or unset it.")
    for one, value in found.items():
        if not one.isupper() or one not in known or type(value) is not type(known[one]):
            raise ImproperlyConfigured(f"{name} has {one}={value!r}: see config/constants.py for names and types.")
    return found


def own_secret(folder: Path) -> str:
    """Return a secret generated on this machine and kept in its state folder, so that sessions survive a restart."""
    path = folder / "secret-key"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        # Linked when it is whole: two processes that start at once must agree on one key, and never read half of it.
        with tempfile.NamedTemporaryFile("w", dir=folder, prefix="secret-key-") as file:
            file.write(os.urandom(32).hex())
            file.flush()
            with contextlib.suppress(FileExistsError):
                os.link(file.name, path)
    return path.read_text()


def source_variable(name: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """Parse site → (bucket, prefix) pairs from ``default=s3://scans/out/ acme=s3://acme-scans/``.

    Raises: ImproperlyConfigured for an invalid entry. A prefix must end in a slash, else it would match its siblings.
    """
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for entry in env(name, "").split():
        match = re.fullmatch(r"([a-z0-9-]+)=s3://([a-z0-9.-]+)/((?:[^/]+/)*)", entry)
        if match is None:
            raise ImproperlyConfigured(f"{name} has {entry!r}: use site=s3://bucket/prefix/, separated by spaces.")
        found[match[1]] = (*found.get(match[1], ()), (match[2], match[3]))
    return found


class ModelEndpoint(NamedTuple):
    """Base URL of a model server, and its API key; empty if it needs none."""

    url: str
    key: str = ""


def endpoint_variable(name: str, keys: str) -> dict[str, ModelEndpoint]:
    """Parse name → endpoint from ``local=http://127.0.0.1:11434/v1``; API keys come from the variables ``keys<NAME>``.

    Raises: ImproperlyConfigured for an invalid entry, or one that would send documents unencrypted over a network.
    """
    found: dict[str, ModelEndpoint] = {}
    for entry in env(name, "").split():
        label, _, url = entry.partition("=")
        parts = urlsplit(url)
        if not re.fullmatch(r"[a-z0-9]{1,20}", label) or parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ImproperlyConfigured(f"{name} has {entry!r}: use name=https://host/v1, separated by spaces.")
        if parts.scheme == "http" and parts.hostname not in {"127.0.0.1", "localhost", "::1"}:
            raise ImproperlyConfigured(f"{name}: {label} must begin with https://, unless it is on this machine.")
        found[label] = ModelEndpoint(url.rstrip("/"), os.environ.get(f"{keys}{label.upper()}", ""))
    return found


def server_variable(name: str) -> str:
    """Return the URL of a server without its trailing slash; empty if unset.

    Raises: ImproperlyConfigured if it is not a URL, or would receive documents unencrypted over a network.
    """
    url = env(name, "")
    parts = urlsplit(url)
    if url and (parts.scheme not in {"http", "https"} or not parts.hostname):
        raise ImproperlyConfigured(f"{name} is {url!r}: use an address as https://host, or unset it.")
    if parts.scheme == "http" and parts.hostname not in {"127.0.0.1", "localhost", "::1"}:
        raise ImproperlyConfigured(f"{name} must begin with https://, unless it is on this machine.")
    return url.rstrip("/")


def oidc_provider(url: str, *, name: str, client_id: str, secret: str, scopes: list[str]) -> dict[str, Any]:
    """Return allauth's settings for the OpenID provider; empty without a URL.

    Raises: ImproperlyConfigured if the client id is missing, or sign-in would be unencrypted over a network.
    """
    if not url:
        return {}
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in {"127.0.0.1", "localhost", "::1"}:
        raise ImproperlyConfigured("COUNTERSIGN_OIDC_URL must begin with https://, unless it is on this machine.")
    if not client_id or not secret:
        raise ImproperlyConfigured(
            "COUNTERSIGN_OIDC_URL needs COUNTERSIGN_OIDC_CLIENT_ID and COUNTERSIGN_OIDC_CLIENT_SECRET beside it."
        )
    app = {"provider_id": OIDC_PROVIDER, "name": name, "client_id": client_id, "secret": secret}
    return {
        "openid_connect": {
            "APPS": [{**app, "settings": {"server_url": url.rstrip("/")}}],
            "SCOPE": scopes,
            "OAUTH_PKCE_ENABLED": True,
        }
    }


def oidc_groups(name: str) -> dict[str, str]:
    """Parse provider group → group here from ``{"desk-reviewers": "reviewers"}``. Raises: ImproperlyConfigured."""
    try:
        found = json.loads(env(name, "{}"))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is not valid JSON: use {_GROUPS_EXAMPLE}, or unset it.") from error
    if not isinstance(found, dict) or not all(isinstance(one, str) and one for one in found.values()):
        raise ImproperlyConfigured(f"{name} maps no groups to groups: use {_GROUPS_EXAMPLE}, or unset it.")
    return found

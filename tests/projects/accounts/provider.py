"""A provider of OpenID Connect in a process of its own, with a registered client; and a browser that passes it."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import requests
from django.test import Client

from config.environment import OIDC_PROVIDER, oidc_provider

CALLBACK = f"http://testserver/oidc/{OIDC_PROVIDER}/login/callback/"


@contextmanager
def running() -> Iterator[str]:
    """Its URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
    with subprocess.Popen(
        [*command, "--require-registration", "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(url)
            yield url
        finally:
            process.terminate()


def _wait_for(url: str) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            requests.get(url, timeout=5)
        except requests.ConnectionError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return


def register(url: str) -> dict[str, Any]:
    """The settings of a client that the provider knows, with its own secret."""
    asked = {"redirect_uris": [CALLBACK], "token_endpoint_auth_method": "client_secret_post"}
    made = requests.post(f"{url}/oauth2/clients", json=asked, timeout=5).json()
    return oidc_provider(
        url,
        name="Acme ID",
        client_id=made["client_id"],
        secret=made["client_secret"],
        scopes=["openid", "profile", "email"],
    )


def know(url: str, sub: str, **claims: Any) -> None:
    headers = {"content-type": "application/json"}
    requests.put(f"{url}/users/{sub}", data=json.dumps(claims), headers=headers, timeout=5).raise_for_status()


def pass_provider(client: Client, sub: str, *, then: str = "", action: str = "") -> Any:
    """Press the button, sign in there as ``sub``, and come back; the answer to coming back."""
    begun = client.get(f"/oidc/{OIDC_PROVIDER}/login/", {"next": then} if then else {})
    there = requests.post(begun["Location"], data={"sub": sub, "action": action}, timeout=5, allow_redirects=False)
    back = urlsplit(there.headers["Location"])
    return client.get(f"{back.path}?{back.query}")

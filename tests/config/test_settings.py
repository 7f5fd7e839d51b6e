"""The settings of a deployment, in a process of their own as there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

NEEDED = {
    "SECRET_KEY": "y-4Jq0_3kV7pWm9sXzB2dLcR8tNfHgUaE5vQiKjOeTwMxSbPuZ",
    "ALLOWED_HOSTS": "desk.example.com",
    "AWS_ACCOUNT_ID": "123456789012",
    "DATABASE_URL": "postgres://desk:word@db.example.com/desk",
}
DEPLOYED = {"COUNTERSIGN_ENV": "aws", **NEEDED}


def django(*arguments, **env):
    usual = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG"}}
    command = [sys.executable, Path(settings.BASE_DIR) / "manage.py", *arguments]
    return subprocess.run(command, env=usual | env, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.wide
def test_a_deployment_passes_djangos_own_check_without_a_warning():
    checked = django("check", "--deploy", "--fail-level", "WARNING", **DEPLOYED)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("name", NEEDED)
def test_a_deployment_does_not_start_without_what_it_needs_and_says_why(name):
    refused = django("check", **{key: value for key, value in DEPLOYED.items() if key != name})
    assert refused.returncode != 0
    assert f"ImproperlyConfigured: {name} is not set: " in refused.stderr


ASKED = """
import json, django
django.setup()
from django.core.management import call_command
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpResponse
from django.test import Client, RequestFactory
call_command("migrate", verbosity=0)
call_command("collectstatic", verbosity=0, interactive=False)
def sign_in(request):
    request.session["user"] = 1
    return HttpResponse()
browser = Client(headers={"host": "desk.example.com", "x-forwarded-proto": "https"})
page = browser.get("/login/")
signed = SessionMiddleware(sign_in)(RequestFactory().get("/"))
clear = Client(headers={"host": "desk.example.com"}).get("/login/")
health = Client(headers={"host": "10.0.0.7"}).get("/healthz")
cookies = {name: dict(one) for name, one in (browser.cookies | signed.cookies).items()}
print(json.dumps({
    "page": dict(page.headers), "cookies": cookies,
    "clear": [clear.status_code, clear.headers["Location"]], "health": health.status_code,
    "stranger": Client(headers={"host": "evil.example", "x-forwarded-proto": "https"}).get("/login/").status_code,
}))
"""


@pytest.mark.wide
def test_a_deployments_cookies_and_headers_are_those_of_a_site_behind_tls(tmp_path):
    """Asked over TLS that ends before us, in the clear, by its health check, and under another's name."""
    usual = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG"}}
    env = DEPLOYED | {"DATABASE_URL": f"sqlite:///{tmp_path}/a.sqlite3", "COUNTERSIGN_STATE_DIR": str(tmp_path)}
    env |= {"DJANGO_SETTINGS_MODULE": "config.settings", "AWS_EC2_METADATA_DISABLED": "true"}
    ran = subprocess.run(
        [sys.executable, "-c", ASKED], cwd=settings.BASE_DIR, env=usual | env, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout.splitlines()[-1])
    assert (found["stranger"], found["health"]) == (400, 200)
    assert found["clear"] == [301, "https://desk.example.com/login/"]
    session, token = found["cookies"]["sessionid"], found["cookies"]["csrftoken"]
    assert (session["secure"], token["secure"]) == (True, True)
    assert session["httponly"]
    assert (session["samesite"], token["samesite"]) == ("Lax", "Lax")
    assert (session["domain"], token["domain"]) == ("", "")
    head = found["page"]
    policy = dict(part.strip().partition(" ")[::2] for part in head["Content-Security-Policy"].split(";"))
    assert (policy["default-src"], policy["frame-ancestors"], policy["base-uri"]) == ("'none'",) * 3
    assert "unsafe" not in head["Content-Security-Policy"]
    assert head["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
    assert head["X-Content-Type-Options"] == "nosniff"
    assert head["X-Frame-Options"] == "DENY"
    assert head["Referrer-Policy"] == "same-origin"
    assert head["Cross-Origin-Opener-Policy"] == "same-origin"
    assert not {"Server", "X-Powered-By"} & set(head)

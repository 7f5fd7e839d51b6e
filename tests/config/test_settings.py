"""The settings of a deployment, in a process of their own as there."""

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


def test_a_deployment_passes_djangos_own_check_without_a_warning():
    checked = django("check", "--deploy", "--fail-level", "WARNING", **DEPLOYED)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("name", NEEDED)
def test_a_deployment_does_not_start_without_what_it_needs_and_says_why(name):
    refused = django("check", **{key: value for key, value in DEPLOYED.items() if key != name})
    assert refused.returncode != 0
    assert f"ImproperlyConfigured: {name} is not set: " in refused.stderr

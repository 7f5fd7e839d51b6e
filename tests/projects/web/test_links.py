"""Addresses that leave the desk: in mails, messages and answers of the API."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import get_script_prefix, set_script_prefix

from projects.web.links import page_url
from tests.config.test_settings import DEPLOYED

READ = "import json; from config import settings; print(json.dumps(settings.PUBLIC_URL))"


def public_url(folder: Path, **env: str) -> str:
    """In a process of its own, as a deployment reads its environment."""
    usual = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG"}}
    usual |= {"COUNTERSIGN_STATE_DIR": str(folder)} | env
    done = subprocess.run(
        [sys.executable, "-c", READ], cwd=settings.BASE_DIR, env=usual, capture_output=True, text=True, check=True
    )
    return str(json.loads(done.stdout))


@pytest.mark.wide
def test_the_public_address_follows_the_port_until_it_is_set(tmp_path: Path) -> None:
    assert public_url(tmp_path) == "http://127.0.0.1:8000"
    assert public_url(tmp_path, COUNTERSIGN_PORT="8123") == "http://127.0.0.1:8123"
    assert public_url(tmp_path, COUNTERSIGN_PORT="8123", COUNTERSIGN_PUBLIC_URL="https://desk.example.org/a/") == (
        "https://desk.example.org/a"
    )


def test_a_deployment_is_reached_by_the_first_host_that_is_one(tmp_path: Path) -> None:
    assert public_url(tmp_path, **DEPLOYED) == "https://desk.example.com"
    assert public_url(tmp_path, **{**DEPLOYED, "ALLOWED_HOSTS": ".example.com,desk.example.org"}) == (
        "https://desk.example.org"
    )
    assert public_url(tmp_path, **{**DEPLOYED, "ALLOWED_HOSTS": "*"}) == ""


@pytest.mark.parametrize(("site", "head"), [("default", ""), ("acme", "/s/acme")])
@pytest.mark.parametrize("serving", ["/", "/s/other/"])
def test_an_address_is_of_its_own_site_whichever_the_thread_serves(
    site: str, head: str, serving: str, settings: pytest.FixtureRequest
) -> None:
    settings.PUBLIC_URL = "https://desk.example.org"  # type: ignore[attr-defined]
    set_script_prefix(serving)
    try:
        found = page_url(site, "workflows:show-run", "d 1", "r")
        assert found == f"https://desk.example.org{head}/workflows/d%201/r/"
        assert get_script_prefix() == serving
    finally:
        set_script_prefix("/")


def test_nobody_else_builds_a_full_address() -> None:
    packages = [Path(settings.BASE_DIR) / name for name in ("projects", "workflows", "review")]
    users = [path.name for package in packages for path in package.rglob("*.py") if "PUBLIC_URL" in path.read_text()]
    assert users == ["links.py"]
    built = re.compile(r"""f["']/s/""")
    texts = {path.name: path.read_text() for package in packages for path in package.rglob("*.py")}
    assert [name for name, text in texts.items() if built.search(text)] == []

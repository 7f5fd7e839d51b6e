"""The page of settings against what the two environments read, in processes of their own."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from django.conf import settings

from tests.config.test_settings import DEPLOYED

PAGE = Path(settings.BASE_DIR) / "docs/settings.md"
READ = "import json; from config import environment, settings; print(json.dumps(environment.READ))"
# They depend on other settings or on the machine, and the page says how.
WORKED_OUT = {
    "AWS_ENDPOINT_URL",
    "COUNTERSIGN_STATE_DIR",
    "COUNTERSIGN_PUBLIC_URL",
    "DATABASE_URL",
}


def read(folder: Path, **env: str) -> dict[str, str | None]:
    usual = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG"}}
    usual |= {"COUNTERSIGN_STATE_DIR": str(folder)} | env
    done = subprocess.run(
        [sys.executable, "-c", READ], cwd=settings.BASE_DIR, env=usual, capture_output=True, text=True, check=True
    )
    found: dict[str, str | None] = json.loads(done.stdout)
    return found


def shown(defaults: dict[str, str | None], name: str) -> str:
    if name not in defaults:
        return "not read"
    default = defaults[name]
    return "needed" if default is None else f"`{default}`" if default else "none"


def test_the_page_names_every_setting_with_its_default_and_no_other(tmp_path: Path) -> None:
    laptop, aws = read(tmp_path), read(tmp_path, **DEPLOYED)
    told = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", PAGE.read_text(), re.MULTILINE))
    assert sorted({*laptop, *aws} - set(told)) == [], "add a row to docs/settings.md"
    assert sorted(set(told) - {*laptop, *aws}) == []
    for name in {*laptop, *aws} - WORKED_OUT:
        here, there = shown(laptop, name), shown(aws, name)
        assert told[name] == (here if here == there else f"{here}, in AWS {there}"), name


def test_secrets_are_named_and_have_no_default(tmp_path: Path) -> None:
    laptop = read(tmp_path)
    secrets = re.findall(r"`(\w+)`", PAGE.read_text().partition("Secrets come")[2].partition("\n\n")[0])
    assert {name for name in laptop if re.search("PASSWORD|_KEY$|SECRET", name)} - {"COUNTERSIGN_CUSTOMER_KEY"} <= set(
        secrets
    )
    assert all(not laptop[name] for name in secrets if name != "DATABASE_URL")

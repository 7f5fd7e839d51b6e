"""The image's file and the services that run it: what can be held without building or running them."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from django.conf import settings

from tests.config import parsed
from workflows.operations.processes import PROCESSES

ROOT = Path(settings.BASE_DIR)
FILE = (ROOT / "Dockerfile").read_text()
SERVICES = ROOT / "config/deploy/services.yaml"


@pytest.fixture(scope="module")
def lock():
    return (ROOT / "runtime.lock").read_text()


def pinned(text):
    return set(re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE))


def test_an_image_installs_what_runs_and_no_tool_of_development(lock):
    assert pinned(lock) >= {"django", "boto3", "celery", "gunicorn", "pycurl", "psycopg-binary", "rapidocr", "numpy"}
    assert not pinned(lock) & {"pytest", "mypy", "ruff", "playwright", "cfn-lint", "hypothesis", "coverage"}


def test_every_dependency_of_the_project_is_installed(lock):
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    names = {re.match(r"[\w-]+", one)[0].lower() for one in wanted}
    assert names <= pinned(lock), "make locks"


def test_every_entry_is_the_locks_own_with_its_hashes(lock):
    whole = (ROOT / "requirements.lock").read_text()
    for entry in re.split(r"\n(?=\S)", lock.rstrip("\n")):
        assert entry in whole
        assert "--hash=sha256:" in entry


def test_it_runs_as_nobody_in_particular_and_says_whether_it_is_well():
    assert re.findall(r"^USER (\S+)", FILE, re.MULTILINE) == ["10001:10001"]
    assert "HEALTHCHECK" in FILE
    assert "--require-hashes" in FILE
    assert not re.search(r"^(ENV|ARG) .*SECRET_KEY", FILE, re.MULTILINE)


def test_everything_that_the_image_needs_is_let_in_and_nothing_else():
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert (ROOT / ".dockerignore").read_text().startswith("*\n")
    assert [name for name in kept if not (ROOT / name).exists()] == []
    assert {"config", "projects", "workflows", "review", "templates", "static"} <= kept
    assert not {"tests", ".git", ".countersign"} & kept


@pytest.mark.wide
def test_the_services_template_passes_cfn_lint():
    cfn_lint = Path(sys.executable).with_name("cfn-lint")
    lint = subprocess.run([cfn_lint, SERVICES], capture_output=True, text=True, check=False)
    assert lint.returncode == 0, lint.stdout


def test_each_process_of_the_desk_is_a_service_with_the_role_that_is_for_it():
    processes = yaml.load(SERVICES.read_text(), parsed.Loader)["Mappings"]["Process"]
    assert {one["Command"] for one in processes.values()} == set(PROCESSES)
    assert {one["Command"]: one["Role"] for one in processes.values() if one["Role"] != "worker"} == {"web": "web"}
    roles = {role["RoleName"]["Sub"] for role in parsed.resources("IAM::Role").values()}
    assert {"${AWS::StackName}-web", "${AWS::StackName}-worker"} <= roles

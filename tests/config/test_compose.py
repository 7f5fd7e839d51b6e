"""compose.yaml against what there is: processes, settings, who reaches whom; by Compose itself if it is there."""

import os
import re
import shutil
import subprocess

import pytest
import yaml
from django.conf import settings

from workflows.operations.processes import PROCESSES

FILE = settings.BASE_DIR / "compose.yaml"
SERVICES = yaml.safe_load(FILE.read_text())["services"]
OURS = {name: one for name, one in SERVICES.items() if one["image"] == "countersign:local"}


def test_each_process_of_the_desk_is_a_service_under_its_name():
    started = {name: one["command"] for name, one in OURS.items() if one["command"][0] == "start"}
    assert started == {name: ["start", name] for name in PROCESSES}


def test_every_variable_is_one_that_the_settings_read():
    known = set(re.findall(r"^\| `(\w+)` \|", (settings.BASE_DIR / "docs/settings.md").read_text(), re.MULTILINE))
    for one in OURS.values():
        assert set(one["environment"]) <= known
    assert "postgres://" in SERVICES["web"]["environment"]["DATABASE_URL"]
    assert SERVICES["web"]["environment"]["COUNTERSIGN_BROKER_URL"] == "redis://redis:6379/0"


def test_only_this_machine_reaches_the_web_server_and_no_one_the_embedded_aws():
    published = [port for one in SERVICES.values() for port in one.get("ports", ())]
    assert published == ["127.0.0.1:${PORT:-8000}:8000"]
    assert {one.get("network_mode") for name, one in OURS.items() if name != "aws"} == {"service:aws"}


def test_the_processes_wait_for_what_is_set_up_and_that_for_what_answers():
    for name in PROCESSES:
        assert SERVICES[name]["depends_on"]["setup"]["condition"] == "service_completed_successfully"
    for name, waits in SERVICES["setup"]["depends_on"].items():
        assert waits["condition"] == "service_healthy"
        assert SERVICES[name]["healthcheck"]["test"]
    ordered = re.findall(r"manage\.py (\w+)", SERVICES["setup"]["command"][0])
    assert ordered == ["bootstrap", "migrate", "collectstatic"]


def test_no_secret_is_in_it_and_everything_that_is_kept_has_a_volume():
    assert SERVICES["web"]["environment"]["SECRET_KEY"].startswith("${SECRET_KEY:?")
    kept = {mount.split(":")[0] for one in SERVICES.values() for mount in one.get("volumes", ())}
    assert kept == set(yaml.safe_load(FILE.read_text())["volumes"])
    assert {"--appendonly", "noeviction"} <= set(SERVICES["redis"]["command"])


def test_compose_takes_it():
    docker = shutil.which("docker")
    if not docker or subprocess.run([docker, "compose", "version"], capture_output=True, check=False).returncode:
        pytest.skip("Docker Compose is not installed.")
    done = subprocess.run(
        [docker, "compose", "--file", FILE, "config", "--quiet"],
        env={**os.environ, "SECRET_KEY": "x"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr

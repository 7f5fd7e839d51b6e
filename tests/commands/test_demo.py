import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from projects.sites.demo_users import ensure_logins
from projects.sites.permissions import ADMINS, REVIEWERS, VIEWERS
from tests.commands import desk


def wait_for(text: str, log: Path, seconds: float = 60) -> str:
    deadline = time.monotonic() + seconds
    while text not in log.read_text() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert text in log.read_text()
    return log.read_text()


def answers(port: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(port))) == 0


@pytest.mark.slow
@pytest.mark.processes
def test_the_demo_comes_up_prints_logins_and_stops_in_order(tmp_path: Path) -> None:
    env = desk.environment(tmp_path)
    log = tmp_path / "said"
    with log.open("w") as output:
        demo = subprocess.Popen(desk.command("demo", "--no-samples"), env=env, stdout=output, stderr=subprocess.STDOUT)
    try:
        said = wait_for("Press Ctrl-C to stop", log)
        assert f"http://127.0.0.1:{env['COUNTERSIGN_PORT']}/" in said
        logins = tmp_path / "state/logins.json"
        assert stat.S_IMODE(logins.stat().st_mode) == 0o600
        assert all(password in said for password in json.loads(logins.read_text()).values())
        second = desk.run(env, "demo")
        assert second.returncode == 1
        where = f"open http://127.0.0.1:{env['COUNTERSIGN_PORT']}/ or stop it (process {demo.pid})."
        assert f"The demo is already running: {where}" in second.stderr
        third = desk.run(env | {"COUNTERSIGN_STATE_DIR": str(tmp_path / "third")}, "demo")
        assert third.returncode == 1
        assert f"Port {env['COUNTERSIGN_PORT']} is in use." in third.stderr
        demo.send_signal(signal.SIGTERM)
        assert demo.wait(60) == 0
    finally:
        demo.kill()
        demo.wait()
    assert "State is kept" in log.read_text()
    assert not answers(env["COUNTERSIGN_PORT"])
    assert not answers(env["COUNTERSIGN_EMULATOR_PORT"])


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends the children of a process that was killed")
def test_the_demo_revives_what_was_killed_and_leaves_nothing_behind_when_it_is_killed_itself(tmp_path: Path) -> None:
    env = desk.environment(tmp_path)
    log = tmp_path / "said"
    with log.open("w") as output:
        demo = subprocess.Popen(desk.command("demo", "--no-samples"), env=env, stdout=output, stderr=subprocess.STDOUT)
    try:
        wait_for("Press Ctrl-C to stop", log)
        holder = json.loads((tmp_path / "state/emulator/emulator.lock").read_text())
        os.kill(holder["pid"], signal.SIGKILL)
        wait_for("The embedded AWS exited with code -9; restarting. Changes of the last 30", log)
        wait_until(lambda: answers(env["COUNTERSIGN_EMULATOR_PORT"]))
        children = processes_under(demo.pid)
        assert len(children) >= 5
    finally:
        demo.kill()
        demo.wait()
    wait_until(lambda: not any(is_alive(pid) for pid in children))
    assert not answers(env["COUNTERSIGN_PORT"])
    assert not answers(env["COUNTERSIGN_EMULATOR_PORT"])


@pytest.mark.slow
@pytest.mark.processes
def test_two_that_start_at_once_are_one_demo_and_one_sentence(tmp_path: Path) -> None:
    env = desk.environment(tmp_path)
    arguments = desk.command("demo", "--no-samples", "--once")
    both = [
        subprocess.Popen(arguments, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=90) for process in both]
    assert sorted(process.returncode for process in both) == [0, 1]
    (sentence,) = [errors for _, errors in said if errors]
    assert sentence.startswith("CommandError: The demo is already running")


def processes_under(pid: int) -> list[int]:
    """All descendants, as the kernel tells them."""
    found = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return found + [further for child in found for further in processes_under(child)]


def is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def wait_until(holds: Callable[[], bool], seconds: float = 25) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.django_db
def test_the_demos_people_have_their_roles_and_keep_their_passwords(tmp_path: Path) -> None:
    path = tmp_path / "logins.json"
    first = ensure_logins(path)
    users = {name: _user(name) for name in ("admin", "rosa", "milo", "vera")}
    assert [user.groups.get().name for user in users.values()] == [ADMINS, REVIEWERS, REVIEWERS, VIEWERS]
    assert all(users[login.username].check_password(login.password) for login in first)
    assert len({login.password for login in first}) == 4
    assert ensure_logins(path) == first


@pytest.mark.django_db
def test_a_password_is_written_down_before_its_account_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as killed:
        killed.setattr(User, "save", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ensure_logins(tmp_path / "logins.json")
    logins = ensure_logins(tmp_path / "logins.json")
    assert all(_user(login.username).check_password(login.password) for login in logins)


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.django_db
def test_a_password_that_somebody_changed_is_not_reset(tmp_path: Path) -> None:
    ensure_logins(tmp_path / "logins.json")
    rosa = _user("rosa")
    rosa.set_password("a word for tests only")
    rosa.save()
    ensure_logins(tmp_path / "logins.json")
    assert _user("rosa").check_password("a word for tests only")


def _user(name: str) -> User:
    return User.objects.get(username=name)

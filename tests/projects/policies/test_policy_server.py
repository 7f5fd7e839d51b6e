"""Decisions of an Open Policy Agent server: what it is sent, what is done if it forgets, refuses or is silent."""

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.conf import settings as django_settings

from projects.policies import rego_process, server
from projects.policies.decision import Case, Decision, Subject, decide
from projects.policies.language import read_policy
from tests.projects.policies.writing import DEPARTMENTS
from tests.serving import serving

LEGAL = {"id": "d", "attributes": {"department": ["legal"]}}


class Agent(ThreadingHTTPServer):
    """Answers as OPA does, by regopy: policies by path, and the data of a package for an input."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.policies: dict[str, str] = {}
        self.asked: list[str] = []
        self.broken: tuple[int, bytes] | None = None


class Answer(BaseHTTPRequestHandler):
    server: Agent

    def _say(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _body(self) -> bytes:
        self.server.asked.append(f"{self.command} {self.path}")
        return self.rfile.read(int(self.headers["Content-Length"]))

    def do_PUT(self) -> None:
        text = self._body().decode()
        if self.server.broken:
            self._say(*self.server.broken)
            return
        self.server.policies[self.path.removeprefix("/v1/policies/")] = text
        self._say(200, b"{}")

    def do_POST(self) -> None:
        body = json.loads(self._body())
        path = self.path.removeprefix("/v1/data/").partition("?")[0]
        if self.server.broken:
            self._say(*self.server.broken)
        elif path not in self.server.policies:
            self._say(200, b"{}")
        else:
            package = re.search(r"package (\S+)", self.server.policies[path])
            assert package
            asked = {"source": self.server.policies[path], "package": package[1], "inputs": [body["input"]]}
            (found,) = rego_process.answer(asked)["results"]
            result = {rule: values[0] for rule, values in found.items() if values}
            self._say(200, json.dumps({"result": result}).encode())

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[Agent]:
    monkeypatch.setattr(server, "_silent_until", 0.0)
    with serving(made := Agent()):
        settings.OPA_URL = f"http://127.0.0.1:{made.server_port}"
        yield made
        server._pool.clear()


def ask(*groups: str, version: int = 3) -> Decision:
    case = Case(Subject("1", "rosa", groups), "READ", LEGAL)
    return decide("acme-x", read_policy(DEPARTMENTS), version, [case])[0]


def test_a_version_is_given_to_the_server_once_and_again_if_it_forgot_it(agent: Agent) -> None:
    assert ask("legal") == Decision(3, allowed=True)
    assert ask("hr") == Decision(3, allowed=False, reasons=("For the group legal.",))
    assert [one.split()[0] for one in agent.asked] == ["POST", "PUT", "POST", "POST"]
    (name, text) = agent.policies.popitem()
    assert name == "countersign/acme-x/v3"
    assert text.startswith('package countersign["acme-x"].v3\n')
    assert ask("legal").allowed
    assert name in agent.policies


def test_a_trial_is_given_each_time(agent: Agent) -> None:
    assert [ask("legal", version=0).allowed for _ in range(2)] == [True, True]
    assert [one.split()[0] for one in agent.asked] == ["PUT", "POST"] * 2


def test_what_the_server_refuses_is_said(agent: Agent) -> None:
    errors = [{"message": "var foo is unsafe", "location": {"row": 4}}]
    for told, words in (
        ({"errors": errors}, "Line 4: var foo is unsafe."),
        ({"errors": [{"message": "no"}]}, "no."),
        ({"message": "internal"}, "internal"),
        ([], "does not answer"),
    ):
        agent.broken = (400, json.dumps(told).encode())
        assert words in ask("legal").failed
    agent.broken = (200, b"{}")
    assert "does not keep" in ask("legal").failed


def test_without_an_answer_everything_is_denied_and_no_one_waits_for_it(agent: Agent) -> None:
    agent.broken = (200, b"no JSON")
    assert not ask("legal").allowed
    asked = len(agent.asked)
    assert "does not answer" in ask("legal").failed
    assert len(agent.asked) == asked


def test_no_server_is_asked_by_itself() -> None:
    assert django_settings.OPA_URL == ""

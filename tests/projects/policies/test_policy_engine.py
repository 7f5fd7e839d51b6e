"""Decisions of regopy in its own process: the examples, odd answers, failures, and policies that never end."""

import datetime as dt
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from projects.policies import engine, rego_process
from projects.policies.decision import Case, Decision, Subject, decide
from projects.policies.examples import load_example
from projects.policies.language import read_policy
from tests.each import each

HEAD = "package countersign\n"
MORNING = dt.datetime(2026, 11, 26, 8, tzinfo=dt.UTC)  # a Thursday


def ask(source: str, *, at: dt.datetime = MORNING, action: str = "READ", groups: Any = (), **document: Any) -> Decision:
    case = Case(Subject("1", "rosa", groups), action, {"id": "d", **document})
    return decide("acme", read_policy(source), 7, [case], at=at)[0]


def test_the_example_by_attribute() -> None:
    source = load_example("by_attribute")
    assert ask(source, attributes={"department": ["hr"]}, groups=["hr"]) == Decision(7, allowed=True)
    assert ask(source, attributes={"department": ["hr"]}, groups=["legal"]).reasons == (
        "This document is for the group hr.",
    )
    assert ask(source, attributes={}).allowed


def test_the_example_by_project() -> None:
    source = load_example("by_project")
    assert ask(source, project="Receipts").allowed
    assert ask(source, project="Contracts", groups=["legal"]).allowed
    assert ask(source, project="Contracts", groups=["hr"]) == Decision(7, allowed=False)


@each(
    "at, action, allowed",
    [
        (MORNING, "WRITE", True),
        (MORNING.replace(hour=5), "WRITE", False),  # six o'clock in Berlin
        (MORNING.replace(hour=6), "WRITE", True),
        (MORNING.replace(hour=18), "WRITE", False),
        (MORNING.replace(hour=18), "READ", True),
        (MORNING + dt.timedelta(days=2), "WRITE", False),
    ],
)
def test_the_example_by_hour(at: dt.datetime, action: str, allowed: bool) -> None:
    assert ask(load_example("by_hour"), at=at, action=action).allowed is allowed


@each(
    "rules, allowed, reasons",
    [
        ("allow := true", True, ()),
        ("allow if false", False, ()),
        ("default allow := false", False, ()),
        ('allow := true\ndeny contains "no" if true', False, ("no",)),
        ('deny contains "no" if false', True, ()),
        ("deny := true", False, ()),
        ("deny := false", True, ()),
        ('import future.keywords.if\ndeny[msg] { msg := "older" }', False, ("older",)),
        ('deny contains "b" if true\ndeny contains "a" if true', False, ("a", "b")),
    ],
)
def test_a_policy_denies_and_never_permits_by_silence(rules: str, allowed: bool, reasons: tuple[str, ...]) -> None:
    assert ask(HEAD + rules) == Decision(7, allowed, reasons)


@each(
    "rules, words",
    [
        ("allow if {", "Line 2: this is unclosed"),
        ("allow := 1 if true\nallow := 2 if true", "two values"),
        ("allow if nothing_known(1)", "not known"),
        ('allow if http.send({"url": "http://127.0.0.1"})', "not known"),
        ("allow if startswith(1, 2)", "cannot take"),
        ("deny contains 7 if true", "not text"),
        ("deny := 7", "neither sentences"),
        ('allow := "yes"', "neither true nor false"),
    ],
)
def test_a_policy_that_fails_denies_and_says_why(rules: str, words: str) -> None:
    answer = ask(HEAD + rules)
    assert not answer.allowed
    assert words in answer.failed
    assert ask(f"{HEAD}allow := true").allowed  # the next one is answered again


@pytest.mark.wide
def test_a_policy_that_does_not_end_or_takes_all_memory_is_ended() -> None:
    endless = f"{HEAD}allow if {{ some i in numbers.range(1, 9000); some j in numbers.range(1, 9000); i * j == -1 }}"
    large = f"{HEAD}allow if count(numbers.range(1, 900000000)) == 1"
    for source, seconds, words in ((endless, 0.3, "longer"), (large, 20, "crashed the engine")):
        with pytest.raises(engine.PolicyFailed, match=words):
            engine._process.ask({"source": source, "package": "countersign", "inputs": [{}]}, seconds)
    assert ask(f"{HEAD}allow := true").allowed


@pytest.mark.wide
def test_a_policy_that_takes_too_long_holds_up_others_once_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = f"{HEAD}allow if {{ some i in numbers.range(1, 9000); some j in numbers.range(1, 9000); i * j == -2 }}"
    assert ask(f"{HEAD}allow := true").allowed
    began = time.monotonic()
    with ThreadPoolExecutor(5) as threads:
        answers = list(threads.map(ask, [endless] * 4))
        other = ask(f"{HEAD}allow := true")
    assert all("longer than 2 seconds" in one.failed for one in answers)
    assert other.allowed
    assert time.monotonic() - began < 3 * engine.SECONDS  # one of the four was asked
    later = time.monotonic() + engine.SECONDS
    monkeypatch.setattr(engine.time, "monotonic", lambda: later)
    engine._process._check_not_paused(endless)  # then it is asked again


@pytest.mark.wide
def test_the_start_of_the_engine_is_not_the_policys_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    slow = tmp_path / "python"
    slow.write_text(f'#!/bin/sh\nsleep {engine.SECONDS + 1}\nexec {sys.executable} "$@"\n')
    slow.chmod(0o700)
    engine.stop()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "executable", str(slow))
        assert ask(f"{HEAD}allow := true").allowed
        engine.stop()
        patched.setattr(sys, "executable", "/bin/false")
        assert "did not start" in ask(f"{HEAD}allow := true").failed
    assert ask(f"{HEAD}allow := true").allowed


@pytest.mark.wide
def test_a_process_with_a_large_model_in_memory_asks_as_any_other() -> None:
    """What the system tells as the engine's peak begins at the peak of the process that started it."""
    engine.stop()
    model = b"x" * (rego_process.MOST_MEMORY + (64 << 20))
    assert ask(f"{HEAD}allow := true").allowed
    del model


def test_many_are_decided_in_one_question_and_time_is_told_in_utc() -> None:
    source = read_policy(f"{HEAD}allow if {{ input.time.weekday == input.document.name; input.time.hour == 8 }}")
    cases = [Case(Subject(), "READ", {"id": name, "name": name}) for name in ("Thursday", "Friday")]
    assert [one.allowed for one in decide("acme", source, 1, cases, at=MORNING)] == [True, False]
    assert decide("acme", source, 1, []) == []


def test_after_a_fork_a_process_starts_an_engine_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(f"{HEAD}allow := true").allowed
    mine = engine._process._process
    with monkeypatch.context() as patched:
        patched.setattr(os, "getpid", lambda: -1)
        assert ask(f"{HEAD}allow := true").allowed
        assert engine._process._process is not mine
        engine.stop()
    assert mine is not None
    assert mine.poll() is None
    engine._process._process, engine._process._parent = mine, os.getpid()
    engine.stop()
    assert mine.poll() is not None
    engine.stop()  # again is harmless


def test_the_program_answers_what_it_is_asked_and_describes_what_is_wrong() -> None:
    asked = {"source": f"{HEAD}allow if input.a == 1", "package": "countersign", "inputs": [{"a": 1}, {"a": 2}]}
    assert rego_process.answer(asked)["results"] == [{"allow": [True], "deny": []}, {"allow": [], "deny": []}]
    assert rego_process.answer({**asked, "source": f"{HEAD}allow if ["})["error"].startswith("Line 2")
    assert "two values" in rego_process.answer({**asked, "source": f"{HEAD}allow := 1\nallow := 2"})["error"]
    assert "not known" in rego_process.answer({**asked, "source": f"{HEAD}allow if none(1)"})["error"]
    assert rego_process._describe("", "something else") == rego_process._GENERAL

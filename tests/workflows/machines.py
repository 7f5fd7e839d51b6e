"""What is held against a state machine: AWS's own schema through cfn-lint, JSONata's grammar, and where states lead."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonata

ROLE = "arn:aws:iam::123456789012:role/machines"


def broken_rules(machines: Mapping[str, Mapping[str, Any]], folder: Path) -> list[str]:
    """cfn-lint's errors and warnings about machines, each with the machine's name.

    AWS takes JSONata for ``TimeoutSeconds`` (Amazon States Language: "Task"), which its schema for cfn-lint does not
    know yet; the grammar is held against JSONata's own elsewhere.
    """
    template = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Resources": {
            name: {
                "Type": "AWS::StepFunctions::StateMachine",
                "Properties": {"RoleArn": ROLE, "Definition": _numbered(machine)},
            }
            for name, machine in machines.items()
        },
    }
    file = folder / "machines.json"
    file.write_text(json.dumps(template))
    cfn_lint = Path(sys.executable).with_name("cfn-lint")  # as a process: imported, it breaks on warnings as errors
    done = subprocess.run([cfn_lint, "--format", "json", str(file)], capture_output=True, text=True, check=False)
    return [
        f"{'/'.join(map(str, one['Location']['Path'][1:2]))}: {one['Message']}"
        for one in json.loads(done.stdout or "[]")
        if one["Level"] != "Informational"
    ]


def _numbered(machine: Mapping[str, Any]) -> dict[str, Any]:
    copy = deepcopy(dict(machine))
    for state in copy["States"].values():
        if isinstance(state.get("TimeoutSeconds"), str):
            state["TimeoutSeconds"] = 1
    return copy


def targets(state: Mapping[str, Any]) -> Iterator[str]:
    """Every state that a state may lead to."""
    for part in (state, *state.get("Catch", ()), *state.get("Choices", ())):
        if "Next" in part:
            yield part["Next"]
    if "Default" in state:
        yield state["Default"]


def loose_ends(machine: Mapping[str, Any]) -> list[str]:
    """States that are not there, that nothing leads to, or from which no end can be reached."""
    states: Mapping[str, Any] = machine["States"]
    found = [f"{name} → {to}" for name, state in states.items() for to in targets(state) if to not in states]
    seen, left = set(), [machine["StartAt"]]
    while left:
        here = left.pop()
        if here in states and here not in seen:
            seen.add(here)
            left += targets(states[here])
    found += [f"nothing leads to {name}" for name in states if name not in seen]
    ends = {name for name, state in states.items() if state["Type"] in ("Succeed", "Fail") or state.get("End")}
    while more := {name for name in set(states) - ends if ends & set(targets(states[name]))}:
        ends |= more
    return found + [f"no end behind {name}" for name in states if name not in ends]


def wrong_expressions(part: Any) -> list[str]:
    """Texts between ``{%`` and ``%}`` that are no JSONata."""
    if isinstance(part, Mapping):
        return [one for value in part.values() for one in wrong_expressions(value)]
    if isinstance(part, list):
        return [one for value in part for one in wrong_expressions(value)]
    if not isinstance(part, str) or not part.startswith("{%"):
        return []
    try:
        jsonata.Jsonata(part.removeprefix("{%").removesuffix("%}"))
    except Exception as error:  # noqa: BLE001 - whatever it says, it is no JSONata
        return [f"{part}: {error}"]
    return []

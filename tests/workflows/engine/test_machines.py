"""Every machine that we publish is held against a validator, and the validator against machines that are broken."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from tests.workflows.machines import broken_rules, loose_ends, wrong_expressions
from workflows.definitions import asl
from workflows.definitions.blueprint import DOCUMENT_APPROVAL, SHIPPED
from workflows.engine.machines import batch, desk_intake, ingress

OURS: dict[str, dict[str, Any]] = {
    **{one.id: json.loads(asl.compile_definition(one)) for one in SHIPPED.values()},
    "intake": json.loads(desk_intake.compile_machine()),
    "incoming": json.loads(ingress.compile_machine()),
    "batch": json.loads(batch.compile_machine()),
}


def machine() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(asl.compile_definition(DOCUMENT_APPROVAL))
    return found


@pytest.mark.wide
def test_every_machine_follows_the_schema_of_the_states_language(tmp_path: Path) -> None:
    named = {"".join(filter(str.isalnum, name)): one for name, one in OURS.items()}
    assert broken_rules(named, tmp_path) == []


@each("name", OURS)
def test_every_state_is_reached_and_reaches_an_end(name: str) -> None:
    assert loose_ends(OURS[name]) == []


@each("name", OURS)
def test_every_expression_is_jsonata(name: str) -> None:
    assert wrong_expressions(OURS[name]) == []


@pytest.mark.wide
def test_the_schema_finds_what_is_misspelt_or_of_the_wrong_kind(tmp_path: Path) -> None:
    misspelt, mixed, empty, retried = machine(), machine(), machine(), machine()
    misspelt["States"]["assess"]["TimeoutSecond"] = 5
    mixed["States"]["assess"]["Parameters"] = {}  # JSONPath's word in a machine of JSONata
    del empty["States"]["begin"]["Choices"]
    retried["States"]["tell_accepted"]["Retry"][0]["MaxAttempts"] = "thrice"
    found = broken_rules({"Misspelt": misspelt, "Mixed": mixed, "Empty": empty, "Retried": retried}, tmp_path)
    assert {one.partition(":")[0] for one in found} == {"Misspelt", "Mixed", "Empty", "Retried"}


def _lost(states: dict[str, Any]) -> None:
    states["assess"]["Next"] = "nowhere"


def _cut_off(states: dict[str, Any]) -> None:
    states["alone"] = {"Type": "Succeed"}


def _circle(states: dict[str, Any]) -> None:
    states["done"] = {"Type": "Pass", "Next": "done"}


@pytest.mark.parametrize(
    ("change", "told"),
    [(_lost, "assess → nowhere"), (_cut_off, "nothing leads to alone"), (_circle, "no end behind done")],
)
def test_a_way_that_leads_nowhere_is_found(change: Callable[[dict[str, Any]], None], told: str) -> None:
    broken = machine()
    change(broken["States"])
    assert told in loose_ends(broken)


def test_an_expression_that_is_no_jsonata_is_found() -> None:
    assert wrong_expressions({"Output": ["{% $merge([$states.input, {'error': }]) %}"]})

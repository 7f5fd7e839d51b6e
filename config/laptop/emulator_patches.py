"""What ministack does otherwise than AWS and matters here, patched in the emulator's process before it serves."""

import functools
import re
from typing import Any

import jsonata
from ministack.services import dynamodb, stepfunctions

EXPRESSION_MILLISECONDS = 60_000
_PLACEHOLDER = re.compile(r"#\w+")


def evaluate_task_timeouts() -> None:
    """Patch ministack to evaluate JSONata in a task's TimeoutSeconds, as AWS does.

    ministack passes the expression to ``Event.wait`` as text and the execution fails. A review's deadline differs by
    run, so it cannot be a constant of the state machine.
    """
    execute = stepfunctions._execute_task

    def with_number(state: dict[str, Any], raw_input: Any, execution: Any, context: dict[str, Any]) -> Any:
        if isinstance(state.get("TimeoutSeconds"), str):
            seconds = stepfunctions._jsonata_state_field(state, "TimeoutSeconds", "number", raw_input, context)
            state = state | {"TimeoutSeconds": seconds}
        return execute(state, raw_input, execution, context)

    stepfunctions._execute_task = with_number


def give_expressions_time() -> None:
    """Patch ministack to let a JSONata expression take a minute, not the second of clock time that AWS allows.

    On a busy machine an expression of a few milliseconds was now and then overtaken by everything else for longer than
    that: its execution failed, or went the way of an error, with nothing wrong in the document or in the machine.
    """
    parse = jsonata.Jsonata.jsonata

    def parse_with_time(expression: str, **limits: int) -> Any:
        return parse(expression, **limits | {"timeout": EXPRESSION_MILLISECONDS})

    jsonata.Jsonata.jsonata = parse_with_time


@functools.lru_cache(maxsize=1024)
def _list_whole_attributes(expression: str, names: tuple[tuple[str, str], ...]) -> tuple[str, ...] | None:
    """Return the attributes of a projection that names whole attributes only, once each; None otherwise."""
    placeholders, known = [one.strip() for one in expression.split(",")], dict(names)
    attributes = tuple(known[one] for one in placeholders if one in known)
    distinct = len(set(attributes)) == len(placeholders)
    return attributes if distinct and all(map(_PLACEHOLDER.fullmatch, placeholders)) else None


def project_whole_attributes() -> None:
    """Patch ministack's projection, which compares every pair of attributes twice for each item.

    With a review's 65 attributes, a read took four times as long as without a projection.
    """
    project, find_overlap = dynamodb._project_item, dynamodb._projection_overlap_error

    def project_item(item: dict[str, Any], expression: str, names: dict[str, str] | None) -> Any:
        whole = _list_whole_attributes(expression or "", tuple((names or {}).items()))
        if whole is None:
            return project(item, expression, names)
        return {name: item[name] for name in whole if name in item}

    def find_overlap_error(expression: str, names: dict[str, str] | None) -> Any:
        whole = _list_whole_attributes(expression, tuple((names or {}).items()))
        return find_overlap(expression, names) if whole is None else None

    dynamodb._project_item, dynamodb._projection_overlap_error = project_item, find_overlap_error

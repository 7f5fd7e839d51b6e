"""Who does which step."""

from workflows.definitions.blueprint import SHIPPED
from workflows.engine.steps import AT_ONCE
from workflows.stages.registry import STAGES


def test_every_step_that_a_worker_does_is_a_stage_or_has_a_type_that_is_done_at_once():
    steps = [step for definition in SHIPPED.values() for step in definition.steps if step.type != "approval"]
    assert {step.name for step in steps if step.type == "stage"} <= set(STAGES)
    assert {step.type for step in steps} - {"stage"} <= set(AT_ONCE)

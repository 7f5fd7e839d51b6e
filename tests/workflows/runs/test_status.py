from workflows.definitions.blueprint import SHIPPED
from workflows.runs.items import END, RUN_ENDS, Outcome, RunStatus, StepStatus
from workflows.runs.views import state_labels


def test_every_outcome_ends_a_run() -> None:
    assert set(RUN_ENDS) == set(Outcome)
    assert set(RUN_ENDS.values()) == set(RunStatus) - {RunStatus.RUNNING}


def test_every_state_of_a_step_has_its_mark() -> None:
    assert set(StepStatus) <= set(state_labels.STEPS)


def test_every_step_of_a_definition_leads_to_a_step_or_to_the_end_and_is_led_to() -> None:
    for definition in SHIPPED.values():
        orders = {step.order for step in definition.steps}
        led_to = {order for step in definition.steps for order in step.next.values()}
        assert led_to <= orders | {END}
        assert orders - led_to == {definition.steps[0].order}
        assert all("" in step.next for step in definition.steps)

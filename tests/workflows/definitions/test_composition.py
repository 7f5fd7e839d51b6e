"""Plans become steps that can be run, whatever is composed, and what is doubtful goes to a person all the same."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from workflows.definitions.blueprint import END, REVIEW_REQUIRED, Definition, step_config, step_from
from workflows.definitions.checks import definition_problems
from workflows.definitions.composition import (
    APPROVAL,
    KINDS,
    MOST_APPROVERS,
    MOST_BLOCKS,
    OPPOSITES,
    Block,
    Plan,
    compose_definition,
    read_plan,
)
from workflows.rules.routing import Condition, Facts, Operator, Source, condition_sentences

ABOVE = Condition(Source.FIELD, Operator.GT, "1000", "total")
HIGH = Condition(Source.FIELD, Operator.GT, "10000", "total")
FINANCE = Block(APPROVAL, "Finance", (ABOVE,), approvers=2, queue="Finance", hours=48)
HEAD = Block(APPROVAL, "Head of finance", (HIGH,), queue="Heads")
RULE = Plan("Two of finance above 1,000; the head above 10,000", (FINANCE, HEAD))

conditions = st.builds(
    Condition, st.just(Source.FIELD), st.sampled_from(sorted(OPPOSITES)), st.just("5"), st.just("total")
)
blocks = st.builds(
    Block,
    st.sampled_from(sorted(KINDS)),
    st.just("A step"),
    st.lists(conditions, max_size=2).map(tuple),
    st.integers(1, MOST_APPROVERS),
)
plans = st.builds(
    Plan,
    st.just(""),
    st.lists(blocks, max_size=MOST_BLOCKS).map(tuple),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)


@given(plans)
def test_every_plan_can_be_run_and_comes_back_from_its_rows(plan: Plan) -> None:
    definition = compose_definition("a-plan", 1, plan)
    assert definition_problems(definition) == []
    assert read_plan(plan.to_json()) == plan
    rows = [(one.order, one.label, one.type, one.minutes, step_config(one)) for one in definition.steps]
    assert tuple(step_from(*row) for row in rows) == definition.steps  # type: ignore[arg-type]


def path(definition: Definition, total: str | None, *, unsure: bool = False) -> list[str]:
    """The approvals that are asked for, if each is given."""
    facts = Facts("application/pdf", fields={"total": [total]} if total else {})
    asked, step = [], definition.named("assess")
    outcome = REVIEW_REQUIRED if unsure else ""
    while (order := step.after(outcome)) != END:
        step, outcome = definition.step(order), ""
        if step.type == "approval":
            asked.append(step.queue or step.name)
            outcome = "approve"
        for case in step.cases:
            if condition_sentences(case.conditions, facts) is not None:
                outcome = case.outcome
                break
    return asked


def test_two_of_finance_above_a_thousand_and_the_head_above_ten_thousand() -> None:
    definition = compose_definition("invoice-approval", 1, RULE)
    assert path(definition, "1000") == []
    assert path(definition, "1000", unsure=True) == ["human_review"]
    assert path(definition, "1000.01") == ["Finance", "Finance"]
    assert path(definition, "10000.01") == ["Finance", "Finance", "Heads"]
    assert path(definition, None) == ["Finance", "Finance", "Heads"]
    approvals = [step for step in definition.steps if step.queue]
    assert [step.another for step in approvals] == [True] * 3
    assert [step.minutes for step in approvals] == [48 * 60, 48 * 60, 0]


def test_an_action_is_left_out_unless_its_conditions_are_known_to_hold() -> None:
    tag = Block("tag", "Mark", (ABOVE, HIGH), parameters={"key": "big", "value": "yes"})
    definition = compose_definition("tags", 1, Plan("", (tag,)))
    choice = definition.named("choice_11")
    assert choice.next == {"applies": 12, "": 13}
    assert definition.step(12).parameters == (("key", "big"), ("value", "yes"))


def test_a_definition_that_lets_a_doubtful_value_pass_is_refused() -> None:
    definition = compose_definition("a-plan", 1, RULE)
    steps = [replace(one, next={"": 11}) if one.name == "assess" else one for one in definition.steps]
    told = definition_problems(replace(definition, steps=tuple(steps)))
    assert "What needs a review must lead to an approval." in told


def test_the_opposite_of_a_condition_holds_if_and_only_if_it_does_not() -> None:
    for operator, opposite in OPPOSITES.items():
        for value in ("999", "1000", "1000.01", "12000"):
            facts = Facts("", fields={"total": [value]})
            one, other = (
                condition_sentences([replace(ABOVE, operator=each)], facts) is not None for each in (operator, opposite)
            )
            assert one != other, (operator, value)

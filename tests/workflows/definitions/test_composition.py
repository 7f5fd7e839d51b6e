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
    PART,
    WAIT,
    Block,
    Plan,
    compose_definition,
    read_plan,
)
from workflows.definitions.diagram import draw_definition
from workflows.definitions.rules import Condition, Facts, Operator, Source, condition_sentences
from workflows.engine.steps import choose_case

ABOVE = Condition(Source.FIELD, Operator.GT, "1000", "total")
HIGH = Condition(Source.FIELD, Operator.GT, "10000", "total")
FINANCE = Block(APPROVAL, "Finance", (ABOVE,), approvers=2, queue="Finance", hours=48)
HEAD = Block(APPROVAL, "Head of finance", (HIGH,), queue="Heads")
RULE = Plan("Two of finance above 1,000; the head above 10,000", (FINANCE, HEAD))

conditions = st.builds(
    Condition, st.just(Source.FIELD), st.sampled_from(sorted(OPPOSITES)), st.just("5"), st.just("total")
)
asked_blocks = st.builds(
    Block,
    st.sampled_from(sorted(set(KINDS) - {WAIT, PART})),
    st.just("A step"),
    st.lists(conditions, max_size=2).map(tuple),
    st.integers(1, MOST_APPROVERS),
    corrects=st.sampled_from([(), ("contract.salary", "name")]),
)
waits = st.builds(
    Block,
    st.just(WAIT),
    st.just("A wait"),
    st.lists(conditions, max_size=2).map(tuple),
    parameters=st.sampled_from([{"hours": "48"}, {"field": "due_date"}]),
)
blocks = asked_blocks | waits
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


def test_a_drawing_says_in_words_when_a_step_is_skipped() -> None:
    both = replace(FINANCE, approvers=1, conditions=(ABOVE, replace(ABOVE, key="net")))
    tag = Block("tag", "Mark it", (HIGH,))
    told = {box.title: box.words for box in draw_definition(compose_definition("a", 1, Plan("", (both, tag)))).boxes}
    assert told["11  Finance?"] == "does not apply → 13, applies → 12"
    assert told["13  Mark it?"] == "applies → 14, does not apply → 15"


def test_why_a_person_is_asked_is_said_without_a_double_negative() -> None:
    step = compose_definition("a", 1, RULE).steps[10]
    assert step.type == "choice"
    known, unknown = Facts("", fields={"total": ["5000"]}), Facts("")
    assert choose_case(step, known) == ("", "Field total is greater than “1000”")
    assert choose_case(step, unknown) == ("", "Not so: Field total is at most “1000”")
    assert choose_case(step, Facts("", fields={"total": ["500"]})) == ("not_1", "Field total is at most “1000”")


def test_an_action_is_left_out_unless_its_conditions_are_known_to_hold() -> None:
    tag = Block("tag", "Mark", (ABOVE, HIGH), parameters={"key": "big", "value": "yes"})
    definition = compose_definition("tags", 1, Plan("", (tag,)))
    choice = definition.named("choice_11")
    assert choice.next == {"applies": 12, "": 13}
    assert definition.step(12).parameters == (("key", "big"), ("value", "yes"))


def test_a_wait_says_how_long() -> None:
    definition = compose_definition("waits", 1, Plan("", (Block(WAIT, "Cool off"),)))
    assert definition_problems(definition) == ["Cool off: enter the hours to wait, or the date field to wait for."]


def test_another_workflow_s_steps_are_laid_out_as_its_own() -> None:
    part = compose_definition("finance", 3, RULE)
    tag = Block("tag", "Mark", parameters={"key": "seen", "value": "yes"})
    taken = Block(PART, "Finance check", (replace(ABOVE, value="500"),), parameters={"definition": part.id})
    plan = Plan("", (tag, taken, tag), tell_rejected=True)
    assert plan.parts == {"finance.v3"}
    definition = compose_definition("invoices", 1, plan, {part.id: part})
    assert definition_problems(definition) == []
    own = [one for one in definition.steps if one.part]
    assert {one.part for one in own} == {"Finance check · finance.v3"}
    assert [one.name for one in own] == ["choice_13", "approval_14", "approval_15", "choice_16", "approval_17"]
    assert own[1].label == "Finance check: Finance"
    assert own[1].asks.startswith("Finance check: Finance: Field total")
    last = definition.named("approval_17")
    assert definition.step(last.after("approve")).name == "tag_18"
    assert definition.step(last.after("reject")).name == "tell_rejected"
    assert path(definition, "10000.01") == ["Finance", "Finance", "Heads"]
    assert path(definition, "400") == []
    assert path(definition, None) == ["Finance", "Finance", "Heads"]
    rows = [(one.order, one.label, one.type, one.minutes, step_config(one)) for one in definition.steps]
    assert tuple(step_from(*row) for row in rows) == definition.steps  # type: ignore[arg-type]
    (group,) = draw_definition(definition).groups
    assert (group.title, group.words) == ("Finance check · finance.v3", "Finance check · f…")
    assert "13  Finance?" in [box.title for box in draw_definition(definition).boxes]
    outer = compose_definition("outer", 1, replace(plan, blocks=(replace(taken, label="All"),)), {part.id: definition})
    assert definition_problems(outer) == []
    assert {one.part for one in outer.steps} == {"", "All · finance.v3"}


def test_another_workflow_without_documents_ends_where_the_next_block_begins() -> None:
    part = compose_definition("salary", 1, Plan("", (FINANCE,), documents=False))
    taken = Block(PART, "Salary", parameters={"definition": part.id})
    definition = compose_definition("hire", 1, Plan("", (taken, taken), documents=False), {part.id: part})
    assert definition_problems(definition) == []
    assert [one.type for one in definition.steps] == ["choice", "approval", "approval"] * 2 + ["finish"]
    empty = compose_definition("none", 1, Plan("", (), documents=False))
    nothing = Plan("", (replace(taken, parameters={"definition": empty.id}),), documents=False)
    assert [one.type for one in compose_definition("x", 1, nothing, {empty.id: empty}).steps] == ["finish"]


def test_more_steps_than_one_transaction_publishes_are_refused() -> None:
    part = compose_definition("finance", 1, Plan("", (FINANCE,) * 10, documents=False))
    taken = Block(PART, "Finance", parameters={"definition": part.id})
    definition = compose_definition("all", 1, Plan("", (taken,) * 4, documents=False), {part.id: part})
    (told,) = definition_problems(definition)
    assert told == "The workflow has 121 steps, with those of the workflows in it. Use at most 90."


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

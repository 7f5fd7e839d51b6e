"""A workflow that needs no document, published and active, and executions of it."""

from config.errors import NotFound
from projects.audit.events import Actor
from tests.factories import SITE
from workflows.definitions import actions as definition_actions
from workflows.definitions import versions
from workflows.definitions.blueprint import Definition
from workflows.definitions.composition import APPROVAL, Block, Plan
from workflows.definitions.rules import Condition, Operator, Source
from workflows.executions import actions, data
from workflows.executions.actions import Wish
from workflows.executions.items import InputExecution

BY = Actor("1", "Alice Novak")
NAME = "onboarding"
HIGH = Condition(Source.FIELD, Operator.GT, "5000", "contract.salary")
PLAN = Plan(
    "A manager approves, of a high salary the head too; then accounts are asked for",
    (
        Block(APPROVAL, "Manager"),
        Block(APPROVAL, "High salary", (HIGH,), queue="Heads"),
        Block("event", "Provision accounts", parameters={"type": "onboarding.approved"}),
    ),
    documents=False,
)


def onboarding() -> Definition:
    """Active on every site; made the first time that a test asks."""
    try:
        versions.get_composed(NAME)
    except NotFound:
        definition_actions.create_composed(NAME, PLAN, by=BY)
        definition = definition_actions.publish_plan(NAME, revision=1, by=BY)
        definition_actions.mark_deployed(definition.id)
        definition_actions.activate_definition(definition.id, instead_of=0, by=BY)
    return versions.active_definition(NAME)


def make_execution(
    title: str = "Onboarding of Jane", *, site: str = SITE, by: Actor = BY, execution_id: str = "", key: str = ""
) -> InputExecution:
    """As it is before any engine has begun."""
    text = data.write_input({"name": title, "contract": {"salary": 9000}})
    wish = Wish(onboarding(), title, text, key)
    return actions.create_execution(site, wish, by=by, execution_id=execution_id)[0]

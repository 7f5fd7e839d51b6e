"""An execution of a workflow that runs the steps of another one among its own, whichever engine drives it."""

import pytest

from config.errors import Conflict
from projects.queues.actions import create_queue
from review.identity import Person
from review.status import Decision
from tests.factories import MARTA, ROSA, SITE
from tests.flow.test_executions import asked, decide, ended, now, results
from tests.flow.test_waits import publish
from tests.pump import Pump
from tests.workflows.executions.onboarding import BY, onboarding
from workflows.definitions.composition import APPROVAL, PART, Block, Plan
from workflows.executions import data, starting
from workflows.executions.actions import Wish

pytestmark = pytest.mark.django_db
HEAD = Person("9", "Hedda Head")


@pytest.mark.wide
@pytest.mark.every_engine
def test_the_steps_of_another_workflow_are_run_in_their_place(pump: Pump) -> None:
    create_queue(SITE, "Heads", ["heads"], by=BY, queue_id="01K000000000000000000000Q1")
    blocks = (
        Block(PART, "Onboarding", parameters={"definition": onboarding().id}),
        Block(APPROVAL, "Equipment"),
    )
    definition = publish("hiring", Plan(blocks=blocks, documents=False))
    wish = Wish(definition, "Jane", data.write_input({"contract": {"salary": 9000}}))
    execution = starting.start_execution(SITE, wish, by=BY)[0]
    decide(asked(execution, pump, "Onboarding: Manager"), Decision.APPROVE, by=ROSA)
    decide(asked(execution, pump, "Onboarding: High salary"), Decision.APPROVE, by=MARTA)
    ref = asked(execution, pump, "Equipment")
    with pytest.raises(Conflict):
        decide(ref, Decision.REJECT, by=ROSA)  # who approved in the part is barred from the rest
    decide(ref, Decision.REJECT, by=HEAD)
    pump.run(ended(execution))
    assert now(execution).outcome == "rejected"
    assert results(execution) == ["approved", "otherwise", "approved", "completed", "rejected"]

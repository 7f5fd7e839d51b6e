"""Approvers of an execution correct the entries that its workflow names; what follows goes by the corrected data."""

import json

import pytest

from review.status import Decision
from tests.factories import MARTA, ROSA, SITE
from tests.flow.test_executions import asked, decide, ended, now, results
from tests.flow.test_waits import publish
from tests.html import one_line
from tests.people import alice, signed_in
from tests.pump import Pump
from tests.workflows.executions.onboarding import BY, HIGH
from workflows.definitions.composition import APPROVAL, Block, Plan
from workflows.executions import data, queries, starting
from workflows.executions.actions import Wish
from workflows.executions.items import InputExecution

pytestmark = pytest.mark.django_db
BLOCKS = (
    Block(APPROVAL, "Manager", corrects=("contract.salary", "contract.grade", "name.first")),
    Block(APPROVAL, "High salary", (HIGH,)),
)


def start() -> InputExecution:
    definition = publish("contracts", Plan(blocks=BLOCKS, documents=False))
    wish = Wish(definition, "Jane", data.write_input({"name": "Jane", "contract": {"salary": 9000}}))
    return starting.start_execution(SITE, wish, by=BY)[0]


@pytest.mark.wide
@pytest.mark.every_engine
def test_what_an_approver_corrects_decides_what_follows(pump: Pump) -> None:
    execution = start()
    ref = asked(execution, pump, "Manager")
    page = one_line(signed_in(alice()).get(f"/review/{ref.document_id}/{ref.review_id}/").content)
    assert "contract.grade" in page
    assert "name.first" not in page  # its name is a text: it has no first
    decide(ref, Decision.APPROVE, by=ROSA, entry_1="4500", entry_2="B", entry_9="x")
    pump.run(ended(execution))
    assert now(execution).outcome == "completed"
    assert results(execution) == ["approved", "not_1", "completed"]  # no one is asked about a high salary any more
    given = json.loads(queries.get_input(SITE, execution.executionId))
    assert given == {"name": "Jane", "contract": {"salary": 4500, "grade": "B"}}
    left = queries.list_transitions(SITE, execution.executionId)[0].data.as_dict()
    assert left["corrections"] == [
        {"entry": "contract.salary", "before": "9000", "after": "4500"},
        {"entry": "contract.grade", "before": "", "after": "B"},
    ]
    shown = one_line(signed_in(alice()).get(f"/executions/{execution.executionId}/").content)
    assert "contract.salary changed from 9000 to 4500." in shown
    pump.redeliver(next(one for one in pump.seen if one.task.endswith("apply_approval")))
    assert json.loads(queries.get_input(SITE, execution.executionId)) == given


def test_what_is_rejected_corrects_nothing(pump: Pump) -> None:
    execution = start()
    decide(asked(execution, pump, "Manager"), Decision.REJECT, by=MARTA, entry_1="1")
    pump.run(ended(execution))
    assert now(execution).outcome == "rejected"
    assert json.loads(queries.get_input(SITE, execution.executionId))["contract"] == {"salary": 9000}


@pytest.mark.parametrize(
    ("before", "typed", "after"),
    [
        (9000, "4500.50", 4500.5),
        (9000, "much", "much"),
        (9000, "true", "true"),
        (True, "false", False),
        (True, "1", "1"),
        ("7", "8", "8"),
        (None, "8", "8"),
        (9000, None, None),
    ],
)
def test_a_value_keeps_its_kind(before: object, typed: str | None, after: object) -> None:
    text = data.write_input({"a": {"b": before}})
    assert json.loads(data.correct_entries(text, {"a.b": typed})) == {"a": {"b": after}}


def test_an_entry_is_one_value() -> None:
    text = data.write_input({"a": {"b": [1, 2], "c": 1}, "d": 1})
    answers = {path: data.may_correct(text, path) for path in ("a", "a.b", "a.c", "a.x.y", "d.e")}
    assert answers == {"a": False, "a.b": False, "a.c": True, "a.x.y": True, "d.e": False}
    assert json.loads(data.correct_entries(text, {"a.x.y": "1"}))["a"]["x"] == {"y": "1"}

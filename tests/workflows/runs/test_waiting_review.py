import pytest

from config.errors import CountersignError
from tests.factories import decided_run, start_run, waiting_run
from tests.pump import Pump
from workflows.runs import queries, waiting_review
from workflows.runs.waiting_review import find_waiting_review


def test_a_run_that_waits_for_nobody_has_no_review(machines: None, table: str) -> None:
    run = start_run()
    assert find_waiting_review(run, queries.execution(run)) is None


def test_an_undecided_review_has_a_deadline_and_no_decision(pump: Pump) -> None:
    run, _ = waiting_run(pump)
    found = find_waiting_review(run, queries.execution(run))
    assert found is not None
    assert found.deadline
    assert found.decision is None


def test_a_decided_review_says_what_the_machine_goes_on_with(pump: Pump) -> None:
    run, ref, decided = decided_run(pump)
    found = find_waiting_review(run, queries.execution(run))
    assert found is not None
    assert found.decision is not None
    assert (found.decision["review_id"], found.decision["decision_id"]) == (ref.review_id, decided.decision_id)


def test_without_a_finder_no_run_is_taken_for_one_that_waits_for_nobody(
    machines: None, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start_run()
    monkeypatch.setattr(waiting_review, "_finders", [])
    with pytest.raises(CountersignError, match="review is found"):
        find_waiting_review(run, queries.execution(run))

"""A run waits until enough reviewers agree who do not see each other's answers, and goes on with what they agree on."""

import pytest

from config.item import Item
from review.decide import quorum
from review.decide.tasks import enqueue_redeem
from review.identity import Person
from review.quality import actions as checks
from tests.factories import MARTA, PROJECT, ROSA, ref_of, review_of, start_run
from tests.pump import Pump
from tests.review.quality.checks import decide
from workflows.runs import queries

PAUL = Person("3", "Paul Schmidt")


@pytest.mark.every_engine("slow")
def test_a_run_goes_on_once_two_of_three_agree(pump: Pump) -> None:
    policy = {"default_threshold": 1.0, "quorum": "2/3", "check_share": 1.0}
    run = start_run(project={**PROJECT, "review_policy": policy})
    pump.run(lambda: pump.ran("open_review") > 0)
    ref = ref_of(run)
    assert (review_of(ref).quorum, review_of(ref).check_share) == ("2/3", None)
    for one, total in ((ROSA, "38.90"), (MARTA, "1.00")):
        before = len(review_of(ref).votes or ())
        enqueue_redeem(ref, decide(run, ref, one, total=total), delay=0)
        pump.run(lambda before=before: len(review_of(ref).votes or ()) > before)  # type: ignore[misc]
        assert queries.execution(run).status == "running"
    enqueue_redeem(ref, decide(run, ref, PAUL, total="38.90"), delay=0)
    pump.run(lambda: queries.execution(run).status == "completed")
    assert queries.execution(run).decision_id == review_of(ref).decision_id
    assert Item.load_many([checks.check_key(ref)]) == []  # no second review on top


@pytest.mark.every_engine("slow")
def test_a_run_goes_on_with_what_a_person_decides_where_they_differ(pump: Pump) -> None:
    run = start_run(project={**PROJECT, "review_policy": {"default_threshold": 1.0, "quorum": "2/2"}})
    pump.run(lambda: pump.ran("open_review") > 0)
    ref = ref_of(run)
    quorum.count_vote(ref, decide(run, ref, ROSA, total="38.90"))
    quorum.count_vote(ref, decide(run, ref, MARTA, total="39.90"))
    decided = decide(run, ref, PAUL, total="39.90")
    enqueue_redeem(ref, decided, delay=0)
    pump.run(lambda: queries.execution(run).status == "completed")
    assert queries.execution(run).decision_id == decided

"""A third person says what is true where two reviews differ; what learns of decisions learns that."""

import pytest

from config.errors import Conflict
from review.identity import Person
from review.items.reviews import Review
from review.quality import actions, adjudication
from review.quality import queries as quality
from review.quality.adjudication import Choice, Outcome
from review.quality.comparison import compare_decisions
from review.status import CheckStatus, Decision
from tests.factories import MARTA, ROSA
from tests.review.quality.checks import check_of, disputed, loaded, open_check, settle
from tests.review.quality.test_checks import events_of, figures_of
from workflows.learning import reviewed
from workflows.runs import queries as run_queries
from workflows.testsets import actions as testset_reviews

pytestmark = pytest.mark.usefixtures("desk")
JUDGE = Person("9", "Ines Roth")


def choose(ref, value=None, *, side="", by=JUDGE, decision=Decision.APPROVE):
    row, found, decided = loaded(ref)
    choices = [Choice(one, getattr(one, side) if side else value) for one in found.differences]
    adjudication.adjudicate(ref, row, found, decided, Outcome(decision, choices), by=by)


def truth_of(run, ref):
    [decided] = list(reviewed.list_decided_runs(ref.site, run.project_id))
    return {one["name"]: decided.correct(one) for one in decided.seen_fields}


def test_the_first_value_confirms_the_first_reviewer_and_overturns_the_second():
    run, ref = disputed()
    choose(ref, side="first")
    row = check_of(ref)
    assert (row.status, row.outcome, row.judge_name, row.wrong or []) == (
        CheckStatus.ADJUDICATED, "approve", "Ines Roth", [],
    )  # fmt: skip
    assert figures_of(ROSA, ref)["corrections|confirmed"] == 1
    assert figures_of(MARTA, ref)["corrections|overturned"] == 1
    assert truth_of(run, ref)["total"] == "38.90"
    assert quality.list_disputes(ref.site).rows == []
    assert "CHECK_ADJUDICATED" in events_of(ref)


def test_the_second_value_is_what_is_learned_and_what_was_published_is_named_and_stays():
    run, ref = disputed()
    before = run_queries.execution(run)
    choose(ref, side="second")
    after = run_queries.execution(run)
    assert list(check_of(ref).wrong) == ["Total"]
    assert (after.decision_id, after.decision_sha256, after.outcome) == (
        before.decision_id, before.decision_sha256, before.outcome,
    )  # fmt: skip
    assert truth_of(run, ref)["total"] == "39.90"
    [(_, answers)] = testset_reviews.list_reviewed_answers(ref.site, run.project_id, most=5)
    assert answers.get("total").value == "39.90"


def test_a_third_value_overturns_both_and_no_value_is_an_answer():
    run, ref = disputed()
    choose(ref, "40.00")
    assert truth_of(run, ref)["total"] == "40.00"
    assert figures_of(ROSA, ref)["corrections|overturned"] == 1
    assert figures_of(MARTA, ref)["corrections|overturned"] == 1
    run, ref = disputed(project_id="proj_other")
    choose(ref, None)
    assert truth_of(run, ref)["total"] is None


def test_a_value_left_as_it_was_read_is_an_error_missed():
    run, ref = open_check()
    settle(run, ref, total="39.90")
    choose(ref, side="second")
    assert figures_of(ROSA, ref)["values|missed"] == 1
    assert figures_of(MARTA, ref)["corrections|confirmed"] == 1


def test_a_published_document_that_should_have_been_rejected_teaches_nothing():
    run, ref = open_check()
    settle(run, ref, decision=Decision.REJECT)
    row, found, decided = loaded(ref)
    adjudication.adjudicate(ref, row, found, decided, Outcome(Decision.REJECT), by=JUDGE)
    assert list(check_of(ref).wrong) == ["Decision"]
    assert list(reviewed.list_decided_runs(ref.site, run.project_id)) == []
    assert figures_of(ROSA, ref)["decisions|overturned"] == 1
    assert figures_of(MARTA, ref)["decisions|confirmed"] == 1


def test_neither_of_the_two_nor_who_is_barred_resolves_it():
    _, ref = disputed()
    for one in (ROSA, MARTA):
        with pytest.raises(Conflict):
            choose(ref, side="first", by=one)
    assert check_of(ref).status == CheckStatus.DISPUTED


def test_of_two_who_resolve_it_one_wins_and_is_counted_once():
    run, ref = disputed()
    row, found, decided = loaded(ref)
    first, second = (
        Outcome(Decision.APPROVE, [Choice(one, getattr(one, side)) for one in found.differences])
        for side in ("first", "second")
    )
    adjudication.adjudicate(ref, row, found, decided, first, by=JUDGE)
    with pytest.raises(Conflict) as lost:
        adjudication.adjudicate(ref, row, found, decided, second, by=Person("8", "Tom Weiss"))
    assert "check" in lost.value.failed
    assert truth_of(run, ref)["total"] == "38.90"
    assert figures_of(ROSA, ref)["corrections|confirmed"] == 1


def test_a_deleted_documents_differences_are_not_resolved():
    _, ref = disputed()
    Review.change(ref.check.key, [Review.hidden.set({})], Review.PK.exists())
    row, found, decided = check_of(ref), *_decided(ref)
    with pytest.raises(Conflict):
        adjudication.adjudicate(ref, row, found, decided, Outcome(Decision.APPROVE), by=JUDGE)


def _decided(ref):
    row = check_of(ref)
    decided = tuple(
        actions.read_object(ref, row.project_id, uri, sha)
        for uri, sha in ((row.first_uri, row.first_sha256), (row.second_uri, row.second_sha256))
    )
    second = Review.load(ref.check.key)
    return compare_decisions(actions.read_result(ref, second), *decided), decided

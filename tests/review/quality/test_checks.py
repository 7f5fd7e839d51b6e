"""A share of decided reviews is reviewed again by another person, who has not seen the first one's answers."""

import pytest

from config import clock, table
from config.errors import Conflict, NotFound
from config.item import Item
from projects.documents.counting import EVERYTHING
from projects.documents.queries import count_waiting_by_queue
from review import queries
from review.decide import claims, decisions, due
from review.decide.tasks import enqueue_redeem
from review.identity import ReviewRef
from review.quality import actions, sampling
from review.quality import queries as quality
from review.quality.items import QualityFigures
from review.status import CheckStatus, Decision, ReviewStatus
from tests.aws_faults import count_calls
from tests.factories import MARTA, PROJECT, ROSA, ref_of, start_run, verdict
from tests.review.quality.checks import check_of, decide, end_run, open_check, pass_deadline, settle
from tests.review.reviews import open_review
from workflows.runs import queries as run_queries
from workflows.runs.items import Outcome

pytestmark = pytest.mark.usefixtures("desk")
CHECKS = "checks.review"


def events_of(ref):
    return [event.type for event in run_queries.lineage(ref.site, ref.document_id).rows]


def figures_of(person, ref, kind="site", counted=EVERYTHING):
    month = f"{clock.now():%Y-%m}"
    key = table.QUALITY_FIGURES.key(ref.site, kind=kind, counted=counted, month=month, user_id=person.id)
    return QualityFigures.load(key).numbers


def test_the_sample_is_the_share_and_the_same_at_each_asking():
    names = [f"{number:026d}" for number in range(2000)]
    found = [one for one in names if sampling.is_sampled(one, 0.1)]
    assert 150 < len(found) < 250
    assert found == [one for one in names if sampling.is_sampled(one, 0.1)]
    assert not any(sampling.is_sampled(one, 0.0) for one in names)
    assert all(sampling.is_sampled(one, 1.0) for one in names)


def test_a_share_of_zero_writes_no_more_and_a_sampled_decision_no_call_more():
    for share in (0.0, 1.0):
        run, ref = open_review(check_share=share)
        claims.claim_review(ref, run, by=ROSA)
        chosen = verdict(ref)
        chosen = chosen.__class__(**{**vars(chosen), "check_share": share})
        with count_calls() as calls:
            decisions.decide_review(ref, run, chosen, by=ROSA)
        assert calls.names() == ["s3.PutObject", "dynamodb.TransactWriteItems"]
        assert bool(Item.load_many([actions.check_key(ref)])) == bool(share)


def test_it_opens_once_the_run_has_ended_and_only_then():
    run, ref = open_review(check_share=1.0)
    decide(run, ref, total="38.90")
    row = check_of(ref)
    actions.open_check(ref.site, row)
    assert check_of(ref).status == CheckStatus.WAITING
    assert check_of(ref).GSI2SK != row.GSI2SK
    end_run(run, ref)
    row = check_of(ref)
    actions.open_check(ref.site, row)
    assert check_of(ref).status == CheckStatus.OPEN
    assert not check_of(ref).is_scheduled
    second = queries.get_review(ref.check)
    assert (second.status, second.queue, second.holder) == (ReviewStatus.PENDING, CHECKS, None)
    assert [queries.row_ref(ref.site, one) for one in queries.list_queue(ref.site, CHECKS).rows] == [ref.check]
    assert queries.list_queue(ref.site).rows == []
    assert count_waiting_by_queue(ref.site)[CHECKS] == 1
    with pytest.raises(Conflict):  # a second sweeper
        actions.open_check(ref.site, row)
    assert count_waiting_by_queue(ref.site)[CHECKS] == 1
    assert events_of(ref).count("CHECK_OPENED") == 1


def test_an_undone_decision_is_not_reviewed_twice_and_the_next_one_is():
    run, ref = open_review(check_share=1.0)
    claims.claim_review(ref, run, by=ROSA)
    chosen = verdict(ref)
    chosen = chosen.__class__(**{**vars(chosen), "check_share": 1.0})
    decisions.decide_review(ref, run, chosen, by=ROSA)
    decisions.undo_decision(ref, run, decision_id=chosen.decision_id, by=ROSA)
    stale = check_of(ref)
    actions.open_check(ref.site, stale)
    with pytest.raises(NotFound):
        check_of(ref)
    second = decide(run, ref, total="38.90")
    with pytest.raises(Conflict):  # a sweeper that had read the undone one
        actions.open_check(ref.site, stale)
    assert check_of(ref).first_decision_id == second


def test_a_run_that_failed_after_all_has_nothing_to_check():
    run, ref = open_review(check_share=1.0)
    decide(run, ref)
    end_run(run, ref, Outcome.FAILED)
    actions.open_check(ref.site, check_of(ref))
    with pytest.raises(NotFound):
        check_of(ref)


def test_the_first_reviewer_cannot_take_it_and_another_is_not_shown_the_first_answers():
    run, ref = open_check(first={"total": "38.90"})
    with pytest.raises(Conflict):
        claims.claim_review(ref.check, run, by=ROSA)
    assert claims.claim_next(ref.site, CHECKS, by=ROSA) is None
    assert claims.claim_next(ref.site, CHECKS, by=MARTA) == ref.check
    review = queries.get_review(ref.check)
    assert (review.before_uri, review.decision_uri, review.reviewer) == (None, None, None)


def test_two_who_agree_are_counted_once_however_often_the_message_comes():
    run, ref = open_check(first={"total": "38.90"})
    decision_id = decide(run, ref.check, MARTA, total="38.90")
    actions.settle_check(ref.check, decision_id)
    with pytest.raises(Conflict):
        actions.settle_check(ref.check, decision_id)
    assert check_of(ref).status == CheckStatus.AGREED
    assert queries.get_review(ref.check).status == ReviewStatus.APPLIED
    for person in (ROSA, MARTA):
        for scope in (("site", EVERYTHING), ("project", run.project_id)):
            numbers = figures_of(person, ref, *scope)
            assert (numbers["documents|agreed"], numbers["corrections|confirmed"]) == (1, 1)
            assert numbers["field|Total|agreed"] == 1
    assert CHECKS not in {key for key, number in count_waiting_by_queue(ref.site).items() if number}
    assert quality.list_disputes(ref.site).rows == []
    assert "CHECK_AGREED" in events_of(ref)


def test_two_who_differ_stand_in_their_own_list_and_nothing_published_moves():
    run, ref = open_check(first={"total": "38.90"})
    before = run_queries.execution(run).attribute_values
    row = settle(run, ref, total="39.90", company="Grossmarkt")
    assert row.status == CheckStatus.DISPUTED
    assert list(row.reasons) == ["Company", "Total"]
    [listed] = quality.list_disputes(ref.site).rows
    assert quality.dispute_ref(ref.site, listed) == ref
    assert quality.count_disputes(ref.site, "", most=100) == 1
    assert run_queries.execution(run).attribute_values == before
    assert figures_of(ROSA, ref)["field|Total|differed"] == 1
    assert figures_of(ROSA, ref).get("corrections|confirmed", 0) == 0


def test_a_letters_case_is_no_difference():
    run, ref = open_check(first={"company": "GROSSMARKT RUHR"})
    assert settle(run, ref, company="Grossmarkt Ruhr").status == CheckStatus.AGREED


def test_an_approval_and_a_rejection_differ_as_a_whole():
    run, ref = open_check()
    row = settle(run, ref, decision=Decision.REJECT)
    assert (row.status, list(row.reasons)) == (CheckStatus.DISPUTED, ["Decision"])


def test_two_rejections_agree():
    run, ref = open_check(decision=Decision.REJECT)
    assert settle(run, ref, decision=Decision.REJECT).status == CheckStatus.AGREED


def test_a_second_decision_is_settled_after_its_undo_window_and_can_be_undone_before():
    run, ref = open_check()
    claims.claim_review(ref.check, run, by=MARTA)
    chosen = verdict(ref.check)
    decisions.decide_review(ref.check, run, chosen, by=MARTA)
    with pytest.raises(Conflict):
        actions.settle_check(ref.check, chosen.decision_id)
    decisions.undo_decision(ref.check, run, decision_id=chosen.decision_id, by=MARTA)
    assert check_of(ref).status == CheckStatus.OPEN
    assert queries.get_review(ref.check).status == ReviewStatus.CLAIMED
    assert count_waiting_by_queue(ref.site)[CHECKS] == 1
    assert {"CHECK_DECIDED", "CHECK_UNDONE"} <= set(events_of(ref))
    assert "HUMAN_REVIEW_UNDONE" not in events_of(ref)


def test_the_sweeper_settles_what_the_message_did_not():
    run, ref = open_check()
    decide(run, ref.check, MARTA)
    due.drive_review(ref.site, queries.get_review(ref.check))
    assert check_of(ref).status == CheckStatus.AGREED


def test_one_that_no_one_makes_ends_and_the_loser_of_the_race_changes_nothing():
    run, ref = open_check()
    before = queries.get_review(ref.check)
    due.drive_review(ref.site, before)  # not yet
    assert check_of(ref).status == CheckStatus.OPEN
    pass_deadline(ref.check)
    late = queries.get_review(ref.check)
    due.drive_review(ref.site, late)
    assert check_of(ref).status == CheckStatus.EXPIRED
    assert queries.get_review(ref.check).status == ReviewStatus.EXPIRED
    assert count_waiting_by_queue(ref.site).get(CHECKS, 0) == 0
    with pytest.raises(Conflict):
        actions.drive_check(ref.check, run, late)
    assert count_waiting_by_queue(ref.site).get(CHECKS, 0) == 0


@pytest.mark.wide
def test_a_real_run_is_reviewed_twice(pump):
    project = {**PROJECT, "review_policy": {"default_threshold": 1.0, "check_share": 1.0}}
    run = start_run(project=project)
    pump.run(lambda: pump.ran("open_review") > 0)
    ref = ref_of(run)
    assert float(queries.get_review(ref).check_share) == 1.0
    decide(run, ref)
    enqueue_redeem(ref, queries.get_review(ref).decision_id, delay=0)
    pump.run(lambda: run_queries.execution(run).status == "completed")
    actions.open_check(ref.site, check_of(ref))
    decision_id = decide(run, ref.check, MARTA, total="1.00")
    enqueue_redeem(ref.check, decision_id, delay=0)
    pump.run(lambda: check_of(ref).status != CheckStatus.OPEN)
    assert check_of(ref).status == CheckStatus.DISPUTED


def test_a_check_on_one_site_is_not_on_another():
    _, ref = open_check(site="acme")
    assert queries.list_queue("default", CHECKS).rows == []
    assert len(queries.list_queue("acme", CHECKS).rows) == 1
    with pytest.raises(NotFound):
        quality.get_pair(ReviewRef("default", ref.document_id, ref.review_id))

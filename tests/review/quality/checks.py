"""Reviews that a second person makes too, without the machine's minutes: rows as the engine leaves them."""

from config import clock
from review import queries
from review.decide import claims, decisions
from review.items.reviews import Review
from review.quality import actions
from review.quality import queries as check_queries
from review.quality.comparison import compare_decisions
from review.quality.items import ReviewCheck
from review.status import Decision, ReviewStatus
from tests.factories import MARTA, ROSA, verdict
from tests.review.reviews import open_review
from tests.workflows.advancing import failed
from workflows.runs.actions import advance
from workflows.runs.items import Execution, Outcome


def decide(run, ref, by=ROSA, decision=Decision.APPROVE, **corrections):
    """Claim and decide it at once, without an undo window; returns the decision's id."""
    claims.claim_review(ref, run, by=by)
    chosen = verdict(ref, decision, **corrections)
    review = queries.get_review(ref)
    froze = {"check_share": float(review.check_share or 0.0), "is_blind": bool(review.quorum)}
    chosen = chosen.__class__(**{**vars(chosen), **froze, "name": "receipt.pdf"})
    decisions.decide_review(ref, run, chosen, by=by, undo_seconds=0)
    return chosen.decision_id


def end_run(run, ref, outcome=Outcome.PUBLISHED):
    """The decision is applied and its run has ended."""
    review = queries.get_review(ref)
    Review.change(ref.key, [Review.status.set(ReviewStatus.APPLIED)], Review.PK.exists())
    failed(run)
    ended = [
        Execution.outcome.set(outcome.value),
        Execution.decision_id.set(review.decision_id),
        Execution.decision_sha256.set(review.decision_sha256),
    ]
    Execution.change(advance.execution_key(run), ended, Execution.PK.exists())


def check_of(ref) -> ReviewCheck:
    return ReviewCheck.load(actions.check_key(ref))


def open_check(*, first=None, decision=Decision.APPROVE, **kwargs):
    """``first``: Rosa's corrections. Her run, her review, and the second review that waits for a person."""
    run, ref = open_review(check_share=1.0, **kwargs)
    decide(run, ref, decision=decision, **(first or {}))
    end_run(run, ref, Outcome.PUBLISHED if decision == Decision.APPROVE else Outcome.REJECTED)
    actions.open_check(ref.site, check_of(ref))
    return run, ref


def settle(run, ref, *, by=MARTA, decision=Decision.APPROVE, **second):
    """``second``: the other person's corrections."""
    actions.settle_check(ref.check, decide(run, ref.check, by, decision, **second))
    return check_of(ref)


def disputed(first=None, second=None, **kwargs):
    run, ref = open_check(first=first or {"total": "38.90"}, **kwargs)
    settle(run, ref, **(second or {"total": "39.90"}))
    return run, ref


def loaded(ref):
    """The row, the comparison and both decisions, as the page of a difference has them."""
    pair = check_queries.get_pair(ref)
    row = pair.check
    decided = (
        actions.read_object(ref, row.project_id, row.first_uri, row.first_sha256),
        actions.read_object(ref, row.project_id, row.second_uri, row.second_sha256),
    )
    result = actions.read_result(ref, pair.second)
    return row, compare_decisions(result, *decided), decided


def pass_deadline(ref):
    Review.change(ref.key, [Review.deadline.set(clock.iso(clock.in_seconds(-60)))], Review.PK.exists())

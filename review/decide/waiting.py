"""The review that a run waits for, behind an interface of the engine, which does not import reviews."""

from config import table
from config.errors import NotFound
from review.decide.redemption import decision_output
from review.identity import ReviewRef, review_id
from review.items.reviews import READABLE, Review
from review.status import DECIDED
from workflows.runs.items import Execution, Run
from workflows.runs.waiting_review import WaitingReview, review_finder


@review_finder
def find_review(run: Run, execution: Execution) -> WaitingReview | None:
    if not execution.result_sha256:
        return None
    name = review_id(run.workflow_id, int(execution.currentStep), execution.result_sha256)
    try:
        review = Review.load(ReviewRef(run.site, run.document_id, name).key, only=READABLE)
    except NotFound:
        return None
    return to_waiting_review(review)


def to_waiting_review(review: Review) -> WaitingReview:
    decision = decision_output(review) if review.status in DECIDED and not review.quorum else None
    return WaitingReview(review.SK.removeprefix(table.REVIEW.sort_prefix()), review.deadline, decision)

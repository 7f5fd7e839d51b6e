"""A document that was really read, decided and published comes back as a seeded check beside the next review."""

import pytest

from projects.audit.events import Actor
from review import queries
from review.decide import claims, decisions
from review.decide.tasks import redeem
from review.identity import ReviewRef
from review.status import ReviewStatus
from tests.factories import MARTA, SITE, decided_run, verdict, waiting_run
from tests.flow.protocol import sweep_until_ended
from tests.pump import Pump
from tests.review.quality.test_checks import figures_of
from workflows.runs import queries as run_queries
from workflows.testsets import actions
from workflows.testsets.actions import Source

ANNA = Actor("9", "Anna Berg")


@pytest.mark.wide
def test_what_a_run_has_read_is_asked_again_and_its_run_stays_as_it_ended(pump: Pump) -> None:
    known, _, _ = decided_run(pump)
    sweep_until_ended(known, pump)
    ended = run_queries.execution(known)
    testset = actions.create_test_set(SITE, known.project_id, "Known", by=ANNA)
    actions.build_test_set(testset, Source(), by=ANNA)
    actions.seed_reviews(testset, 1.0, by=ANNA)
    _, beside = waiting_run(pump)
    rows = queries.list_queue(SITE).rows
    refs = {queries.row_ref(SITE, row): row for row in rows}
    (seed,) = [ref for ref in refs if ref.is_seed]
    assert set(refs) == {seed, beside}
    assert seed.document_id == known.document_id
    shown, usual = refs[seed], refs[beside]
    assert shown.reasons == usual.reasons[1:]  # the other is the same file again
    assert str(shown.triage).endswith("|low_confidence|510.24|GBP|6|1")
    answer(seed, known)
    assert queries.get_review(seed).status == ReviewStatus.APPLIED
    assert figures_of(MARTA, seed)["known|agreed"] == 1
    after = run_queries.execution(known)
    assert (after.outcome, after.last_transition) == (ended.outcome, ended.last_transition)


def answer(seed: ReviewRef, known: object) -> None:
    run = queries.run_of(seed, queries.get_review(seed))
    assert run == known
    claims.claim_review(seed, run, by=MARTA)
    chosen = verdict(seed, total="12.34")
    decisions.decide_review(seed, run, chosen, by=MARTA, undo_seconds=0)
    redeem(site=SITE, document_id=seed.document_id, review_id=seed.review_id, decision_id=chosen.decision_id)

"""Documents with known answers wait among the others: what is asked, who may answer, and what is judged."""

import datetime as dt
import uuid

import pytest

from config import clock
from config.errors import Conflict
from projects.audit.events import Actor
from projects.documents.queries import count_waiting_by_queue
from review import queries
from review.decide import claims, decisions, due
from review.decide.tasks import redeem
from review.identity import ReviewRef, seed_id
from review.items.reviews import Review
from review.quality import seeds
from review.status import Decision, ReviewStatus
from tests.factories import MARTA, ROSA, verdict
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.projects.projects import make_project
from tests.review.quality.checks import decide, end_run
from tests.review.quality.test_checks import events_of, figures_of
from tests.review.reviews import open_review, person, url
from workflows.runs import queries as run_queries
from workflows.runs.actions import advance
from workflows.runs.items import Execution
from workflows.storage import files
from workflows.storage.objects import DocumentFiles
from workflows.testsets import actions
from workflows.testsets.cases import KnownAnswers, KnownField

pytestmark = pytest.mark.usefixtures("desk")
ANNA = Actor("9", "Anna Berg")
KNOWN = KnownAnswers(
    (KnownField("total", "Total", "amount", "38.90"), KnownField("company", "Company", "text", "Grossmarkt Ruhr"))
)


def known_document(project_id):
    """Published, decided by Rosa, in a test set that every review brings along."""
    run, ref = open_review("known.pdf", project_id=project_id)
    decide(run, ref, total="38.90")
    end_run(run, ref)
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    store.write(files.assessment(run.workflow_id), b'{"reasons": []}', "application/json")
    row = run_queries.project_document(run.site, project_id, run.document_id)
    type(row).change(row.key, [type(row).outcome.set("published")], type(row).PK.exists())
    testset = actions.create_test_set(run.site, project_id, "Known", by=ANNA)
    case = actions.keep_answers(run.site, project_id, run.document_id, KNOWN)
    actions.add_cases(testset, [case], note="", by=ANNA)
    actions.seed_reviews(testset, 1.0, by=ANNA)
    return run, testset


@pytest.fixture
def seeded():
    """The known document's run, and the check that an ordinary review brought along."""
    project_id = make_project().id
    known, _ = known_document(project_id)
    run, ref = open_review("fresh.pdf", project_id=project_id)
    deadline = clock.parse(queries.get_review(ref).deadline)
    (seed,) = seeds.plant_seeds(ref, run, queue="review", deadline=deadline)
    assert seeds.plant_seeds(ref, run, queue="review", deadline=deadline) == []  # the task again
    return known, seed


def test_beside_a_blind_review_it_is_one_too():
    project_id = make_project().id
    known, _ = known_document(project_id)
    run, ref = open_review("fresh.pdf", project_id=project_id, quorum="2/3")
    beside = queries.get_review(ref)
    deadline = clock.parse(beside.deadline)
    (seed,) = seeds.plant_seeds(ref, run, queue="review", deadline=deadline, quorum="2/3")
    like = queries.get_review(seed)
    assert (like.quorum, like.reasons[0]) == (beside.quorum, beside.reasons[0])
    seeds.settle_seed(seed, decide(known, seed, MARTA, total="38.90"))
    assert queries.get_review(seed).status == ReviewStatus.APPLIED


def test_it_waits_among_the_others_and_nothing_tells_it_apart(seeded):
    known, seed = seeded
    assert (seed.is_seed, seed.document_id, len(seed.review_id)) == (True, known.document_id, 26)
    rows = {row.name: row for row in queries.list_queue(seed.site).rows}
    assert set(rows) == {"known.pdf", "fresh.pdf"}
    assert rows["known.pdf"].deadline == rows["fresh.pdf"].deadline
    assert count_waiting_by_queue(seed.site)["review"] == 2
    browser = signed_in(bob())
    browser.post(url("claim", seed))
    page = one_line(browser.get(url("show-review", seed)).content).lower()
    assert "approve and next" in page
    assert all(word not in page for word in ("seed", "second review", "known answer"))
    assert not ReviewRef("default", known.document_id, uuid.uuid4().hex[:26]).is_seed


@pytest.mark.parametrize(
    ("total", "wrong"), [("38.90", {}), ("33.90", {"known field|Total|differed": 1, "known|differed": 1})]
)
def test_an_answer_is_judged_once_and_publishes_nothing(seeded, total, wrong):
    known, seed = seeded
    before = run_queries.execution(known)
    decision_id = decide(known, seed, MARTA, total=total)
    ids = {"site": seed.site, "document_id": seed.document_id, "review_id": seed.review_id}
    for _ in range(2):
        redeem(**ids, decision_id=decision_id)
    numbers = figures_of(MARTA, seed)
    assert numbers == {
        "known field|Company|agreed": 1,
        **(wrong or {"known field|Total|agreed": 1, "known|agreed": 1}),
    }
    assert queries.get_review(seed).status == ReviewStatus.APPLIED
    after = run_queries.execution(known)
    assert (after.decision_id, after.outcome, after.status) == (before.decision_id, before.outcome, before.status)
    assert not any("SEED" in one or "CHECK" in one for one in events_of(seed))


def test_a_rejection_differs_and_undo_takes_it_back(seeded):
    known, seed = seeded
    claims.claim_review(seed, known, by=MARTA)
    chosen = verdict(seed, Decision.REJECT)
    decisions.decide_review(seed, known, chosen, by=MARTA, undo_seconds=60)
    with pytest.raises(Conflict):
        seeds.settle_seed(seed, chosen.decision_id)
    decisions.undo_decision(seed, known, decision_id=chosen.decision_id, by=MARTA)
    decide(known, seed, MARTA, Decision.REJECT)
    due.drive_review(seed.site, queries.get_review(seed))
    assert figures_of(MARTA, seed) == {"known|differed": 1}


def test_whoever_knows_the_document_may_not_answer(seeded):
    known, seed = seeded
    with pytest.raises(Conflict):
        claims.claim_review(seed, known, by=ROSA)


def test_without_an_answer_in_time_it_ends_and_counts_nothing(seeded):
    _, seed = seeded
    Review.change(seed.key, [Review.deadline.set(clock.iso(clock.in_seconds(-1)))], Review.PK.exists())
    due.drive_review(seed.site, queries.get_review(seed))
    assert queries.get_review(seed).status == ReviewStatus.EXPIRED
    assert count_waiting_by_queue(seed.site)["review"] == 1


def test_no_share_and_a_run_under_way_bring_nothing_along():
    project_id = make_project().id
    known, testset = known_document(project_id)
    run, ref = open_review("fresh.pdf", project_id=project_id)
    later = clock.now() + dt.timedelta(days=1)
    actions.seed_reviews(testset, 0.0, by=ANNA)
    assert seeds.plant_seeds(ref, run, queue="review", deadline=later) == []
    actions.seed_reviews(testset, 1.0, by=ANNA)
    Execution.change(advance.execution_key(known), [Execution.result_sha256.remove()], Execution.PK.exists())
    seeds.plant_quietly(ref, run, queue="review", deadline=later)
    assert [row.name for row in queries.list_queue(run.site).rows] == ["fresh.pdf"]


def test_the_share_is_set_at_the_test_set_and_the_figures_are_the_admins(seeded):
    known, seed = seeded
    me = person(bob())
    decision_id = decide(known, seed, me, total="33.90")
    seeds.settle_seed(seed, decision_id)
    admin = signed_in(alice())
    page = one_line(admin.get("/review/quality/").content)
    assert "Months are in UTC." in page
    assert "Seeded checks" in page
    assert 'Bob Ito</th><td data-label="Field">Total</td>' in page
    own = one_line(signed_in(bob()).get("/review/quality/").content)
    assert ("Seeded checks" in own, "No second reviews in this period" in own) == (False, True)
    (testset,) = seeds.list_test_sets(seed.site, known.project_id).rows
    address = f"/workflows/projects/{known.project_id}/test-sets/{testset.testset_id}/seeding/"
    assert admin.post(address, {"percent": "120"}).status_code == 422
    assert admin.post(address, {"percent": "2.5"}).status_code == 302
    assert float(seeds.list_test_sets(seed.site, known.project_id).rows[0].seed_share) == 0.025


def test_an_id_holds_when_the_secret_is_rotated(settings):
    found = seed_id("a")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", [settings.SECRET_KEY]
    assert ReviewRef("default", "d", found[:13] + found[13:]).is_seed

import pytest
from django.urls import reverse

from config.transaction import EXISTS
from tests.factories import start_run
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import joins
from workflows.runs import queries
from workflows.runs.actions import advance, segments
from workflows.runs.actions.advance import Advance
from workflows.runs.items import END, Execution, Outcome, WorkflowSteps
from workflows.stages.base import SliceResult

pytestmark = pytest.mark.django_db


def url(name, run):
    return reverse(f"workflows:{name}", args=[run.document_id, run.workflow_id])


def page(browser, run):
    return one_line(browser.get(url("show-run", run)).content)


@pytest.fixture
def partial(table):
    """As a run of three pages ends whose second failed."""
    run = start_run()
    Execution.change(
        advance.execution_key(run),
        [Execution.currentStep.set(DOCUMENT_ANALYSIS.named("assess").order), Execution.failed.set({1})],
        EXISTS,
    )
    segments.write_some(run, range(3), {1: "The page is torn."})
    move = Advance(
        DOCUMENT_ANALYSIS.named("assess"), END, 1, result="partial", reason="1 of 3 pages failed: page 2.",
        outcome=Outcome.PARTIAL,
    )  # fmt: skip
    advance.advance(run, DOCUMENT_ANALYSIS, move, last=None)
    return run


def test_a_partial_run_says_what_failed_and_offers_both_ways(partial):
    shown = page(signed_in(bob()), partial)
    assert "Partial" in shown
    assert "1 of 3 pages failed: page 2." in shown
    assert 'class="failed" aria-label="Page 2, failed"' in shown
    assert 'value="retry"' in shown
    assert 'value="accept"' in shown
    assert "Cancel" not in shown
    assert 'name="way"' not in page(signed_in(charlie()), partial)  # who may only look


def test_the_failed_pages_are_read_again_on_a_post(partial):
    browser = signed_in(bob())
    answer = browser.post(url("resume-run", partial), {"way": "retry"}, follow=True)
    assert "Retrying the failed pages." in one_line(answer.content)
    execution = queries.execution(partial)
    assert (execution.status, execution.only, int(execution.currentStep)) == ("running", {1}, 1)
    again = browser.post(url("resume-run", partial), {"way": "retry"})
    assert again.status_code == 422  # it goes on already


def test_a_run_is_cancelled_on_a_post_and_says_so_on_every_list(table):
    run, browser = start_run(), signed_in(alice())
    assert 'action="/workflows/' in page(browser, run)
    browser.post(url("cancel-run", run))
    shown = page(browser, run)
    assert "Cancelled by" in shown
    assert ">Cancelled<" in shown
    assert ">Failed<" not in shown
    assert 'value="again"' in shown
    assert "Cancelled" in one_line(browser.get("/workflows/").content)
    listed = one_line(browser.get(f"/workflows/projects/{run.project_id}/documents/").content)
    assert "Cancelled" in listed
    assert run.workflow_id not in browser.get("/").content.decode()  # nothing of it is under way


def test_cancelling_is_a_post_of_who_may_write(table):
    run = start_run()
    assert signed_in(charlie()).post(url("cancel-run", run)).status_code == 403
    assert signed_in(alice()).get(url("cancel-run", run)).status_code == 405


def test_how_far_the_slices_are_is_shown_and_polled(table):
    run, browser = start_run(), signed_in(bob())
    board = [WorkflowSteps.page_count.set(3000)]
    WorkflowSteps.change(advance.board_key(run), board, EXISTS)
    joins.begin(run, "segment_prep", step=1, attempt=1, slices=60, planned=3000, slots=8, token=None)
    shown = page(browser, run)
    assert "0 of 60 parts" in shown
    poll = shown.partition('hx-get="')[2].partition('"')[0].replace("&amp;", "&")
    assert browser.get(poll).status_code == 204
    joins.count(joins.Join.load(joins.join_key(run, "segment_prep", 1)), 7, 7, SliceResult(), slots=8)
    assert "1 of 60 parts" in one_line(browser.get(poll).content)

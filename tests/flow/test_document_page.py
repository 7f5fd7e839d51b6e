"""The page of a document: what was read beside its first page, and the way to its review."""

import pytest

from review.decide import claims, decisions
from tests.aws_faults import count_calls
from tests.factories import ROSA, verdict, waiting_run
from tests.flow.protocol import sweep_until_ended
from tests.html import one_line
from tests.people import bob, charlie, signed_in
from tests.pump import Pump

pytestmark = pytest.mark.django_db


def test_while_it_waits_its_fields_stand_beside_its_page_and_reviewers_are_led_to_the_review(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    leads = f"/workflows/{run.document_id}/{run.workflow_id}/review/"
    reviewer = signed_in(bob(), htmx=True)
    reviewer.get(f"/documents/{run.document_id}/work/")  # which names are personal is remembered for seconds
    with count_calls() as calls:
        page = one_line(reviewer.get(f"/documents/{run.document_id}/work/").content)
    with count_calls() as before:
        signed_in(bob()).get(f"/documents/{run.document_id}/")
    assert len(before.of_page()) == 3
    assert len(calls.of_page()) == 3
    assert f'href="{leads}"' in page
    assert "Needs review" in page
    assert f'src="/workflows/{run.project_id}/{run.document_id}/pages/0.png"' in page
    assert "Total" in page
    assert reviewer.get(leads)["Location"] == f"/review/{run.document_id}/{ref.review_id}/"
    viewer = one_line(signed_in(charlie(), htmx=True).get(f"/documents/{run.document_id}/work/").content)
    assert leads not in viewer
    assert f'href="/workflows/{run.document_id}/{run.workflow_id}/"' in viewer


@pytest.mark.wide
def test_after_the_decision_the_correction_is_shown_and_no_review_is_left(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim_review(ref, run, by=ROSA)
    decisions.decide_review(ref, run, verdict(ref, total="12.34"), by=ROSA)
    leads = f"/workflows/{run.document_id}/{run.workflow_id}/review/"
    assert signed_in(bob()).get(leads)["Location"] == f"/workflows/{run.document_id}/{run.workflow_id}/"
    sweep_until_ended(run, pump)
    browser = signed_in(bob(), htmx=True)
    page = one_line(browser.get(f"/documents/{run.document_id}/work/").content)
    assert "12.34" in page
    assert "corrected" in page
    assert "Published" in page
    answer = signed_in(bob()).get(leads, follow=True)
    assert "no longer waits for a review" in one_line(answer.content)


def test_without_a_script_the_same_is_a_page_of_its_own(pump: Pump) -> None:
    run, _ = waiting_run(pump)
    page = one_line(signed_in(charlie()).get(f"/documents/{run.document_id}/work/").content)
    assert "<h1>Result and runs</h1>" in page

"""The page of a run: each thing once, in one request of at most six calls."""

import re
from dataclasses import replace

import pytest
from django.urls import reverse

from config.transaction import EXISTS
from projects.settings.values import BY_MODEL, EXTRACT, QUORUMS
from tests.aws_faults import Calls, count_calls, fail
from tests.factories import PROJECT, ended_run, start_run
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.workflows.advancing import waiting
from tests.workflows.repeated import analysed_again, field, published_run
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import interventions, joins
from workflows.runs import queries, run_settings
from workflows.runs.actions import advance
from workflows.runs.events import SYSTEM
from workflows.runs.items import DocumentWorkflow, ResumeWay, Run, WorkflowSteps
from workflows.runs.views import run_page

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def url(run: Run, name: str = "show-run") -> str:
    return reverse(f"workflows:{name}", args=[run.document_id, run.workflow_id])


def opened(run: Run, who=bob) -> tuple[str, Calls]:
    browser = signed_in(who())
    browser.get(url(run))  # what is personal in the project is remembered for seconds
    with count_calls() as calls:
        page = one_line(browser.get(url(run)).content)
    return page, calls


@pytest.mark.parametrize(
    ("make", "most"),
    [
        (start_run, 3),
        (lambda: waiting(start_run()), 4),
        (ended_run, 4),
        (lambda: published_run(field("total", "4.00")), 4),
        (lambda: analysed_again(published_run(field("total", "4.00")), run_settings.freeze(PROJECT)), 4),
    ],
    ids=["running", "waiting", "failed", "published", "beside another"],
)
def test_a_run_is_one_request_of_few_calls(make, most):
    page, calls = opened(make())
    assert len(calls.of_page()) <= most, calls.names()
    assert 'hx-trigger="load"' not in page


def test_each_step_stands_once_with_its_state_its_lines_and_its_bar():
    run = published_run(field("total", "4.00"))
    page, _ = opened(run)
    assert "definition-drawing" not in page
    for step in DOCUMENT_ANALYSIS.steps:
        assert page.count(f"</span> {step.label} <") + page.count(f"</span> {step.label}<") == 1, step.label
        assert f"{step.label} completed" not in page
        assert page.count(f'id="step-{step.name}"') == 1
    assert page.count('class="rails"') == len(DOCUMENT_ANALYSIS.steps) + 1
    assert '<tr id="step-segment_analyzer" class="done">' in page
    assert '<tr id="step-webcrawler" class="skipped">' in page


def test_an_error_stands_once_in_the_row_of_its_step():
    page, _ = opened(ended_run())
    assert page.count("Not readable.") == 1
    row = re.search(r'<tr id="step-segment_prep" class="bad">.*?</tr>', page)
    assert row is not None
    assert "Not readable." in row[0]
    assert ">Failed<" in row[0]
    assert '<h2><a href="#step-segment_prep">Segment Prep failed</a></h2>' in page
    assert "Failed at Segment Prep" in page  # in the timeline, with no word of why


def test_why_a_step_was_not_needed_can_be_read_in_full():
    page, _ = opened(start_run())
    assert re.search(r'id="step-webcrawler".*?<small>Only web page requests are crawled.</small>', page)


def test_attempts_of_a_step_are_counted_in_its_row():
    run = ended_run()
    assert "attempts" not in opened(run)[0]
    interventions.resume(run, ResumeWay.AGAIN, by=SYSTEM)
    row = re.search(r'<tr id="step-segment_prep".*?</tr>', opened(run)[0])
    assert row is not None
    assert "2 attempts" in row[0]


def test_slices_of_a_stage_are_drawn_below_its_bar():
    run = start_run()
    WorkflowSteps.change(advance.board_key(run), [WorkflowSteps.page_count.set(3000)], EXISTS)
    joins.begin(run, "segment_prep", step=1, attempt=1, slices=60, planned=3000, slots=8, token=None)
    page, calls = opened(run)
    assert len(calls.of_page()) <= 4
    assert "0 of 60 parts of 3,000 pages" in page
    assert [page.count(f'<rect class="{tone}"') for tone in ("done", "now", "todo")] == [0, 8, 52]


def test_pages_are_a_grid_by_state():
    page, _ = opened(published_run(field("total", "4.00", confidence=0.3)))
    assert 'class="unsure" aria-label="Page 1, below threshold"' in page
    assert "1 with a value below its threshold" in page
    assert "1 read" in opened(published_run(field("total", "4.00")))[0]


def test_inputs_settings_and_outputs_are_links_without_bare_addresses():
    run = published_run(field("total", "4.00"))
    page, _ = opened(run, alice)
    for name in ("show-about", "show-follow-up", "show-history", "show-reruns"):
        assert f'href="{url(run, name)}"' in page
    assert f'href="/documents/{run.document_id}/"' in page
    assert "document-analysis, version" in page
    assert "s3://" not in page


def test_settings_name_prompt_and_policy_together():
    pinned = run_settings.freeze(
        {
            "fields": [{"name": "total", "label": "Total", "required": True}, {"name": "date", "label": "Date"}],
            "review_policy": {"default_threshold": 0.85, "most_wrong": 0.005, "audit_share": 0.1, "quorum": "2/3"},
        }
    )
    told = {one.label: one.words for one in run_page.list_policy(pinned)}
    assert told == {
        "Review threshold": "85 %",
        "Error limit": "0.5 %",
        "Required": "Total",
        "Audit sample": "10 %",
        "Blind agreement": QUORUMS["2/3"],
    }
    page, _ = opened(published_run(field("total", "4.00")), alice)
    assert "Not used: no language model" in page


@pytest.mark.parametrize(("model", "name"), [("embedded", "SmolLM2 135M (embedded)"), ("our-own", "our-own")])
def test_a_language_model_is_named_as_in_the_settings(model: str, name: str):
    pinned = replace(run_settings.freeze(PROJECT), analyzer=BY_MODEL, models={EXTRACT: model})
    page, _ = opened(analysed_again(published_run(field("total", "4.00")), pinned), alice)
    assert f"<dt>Field extraction</dt><dd>{name}</dd>" in page


def test_cost_has_failed_attempts_too():
    run = published_run(field("total", "4.00"))
    link = queries.document_workflow(run.site, run.document_id, run.workflow_id)  # the board has what ended last
    link.update(actions=[DocumentWorkflow.micros.set(1_500_000)])
    assert "Cost so far: $1.50" in opened(run)[0]


def test_a_step_is_done_again_from_where_it_stands():
    run = published_run(field("total", "4.00"))
    again = f"{url(run, 'show-reruns')}?step=segment_analyzer"
    assert again in opened(run)[0]
    assert again not in opened(run, charlie)[0]
    assert '<option value="segment_analyzer" selected>' in one_line(signed_in(bob()).get(again).content)


def test_without_s3_the_page_stands_and_says_what_is_missing():
    run = published_run(field("total", "4.00"))
    with fail("s3", "GetObject"):
        page = one_line(signed_in(bob()).get(url(run)).content)
    assert "Steps" in page
    assert 'role="alert"' in page


def test_another_documents_run_and_none_are_not_found():
    first, second = start_run(), start_run()
    browser = signed_in(charlie())
    for ids in ((first.document_id, second.workflow_id), (first.document_id, "none"), ("no#thing", first.workflow_id)):
        assert browser.get(reverse("workflows:show-run", args=ids)).status_code == 404

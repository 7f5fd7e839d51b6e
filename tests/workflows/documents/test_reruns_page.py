import json
import re

import pytest
from django.urls import reverse

from projects.documents import queries as documents_queries
from projects.schemas.defaults import ensure_default_schemas
from projects.settings import actions as project_actions
from projects.settings.values import ProjectSettings
from tests.factories import PROJECT, SITE, start_run
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.workflows.decided import pin_learned
from tests.workflows.repeated import BY, analysed_again, field, published_run, run_to_repeat
from workflows.engine import interventions
from workflows.runs import queries, run_settings
from workflows.runs.actions import advance
from workflows.runs.items import Execution, Run
from workflows.runs.run_files import files_of
from workflows.storage import files

pytestmark = pytest.mark.django_db
PINNED = run_settings.freeze(PROJECT)


def url(name, run):
    return reverse(f"workflows:{name}", args=[run.document_id, run.workflow_id])


def compare(run, **query):
    return reverse("workflows:compare-runs", args=[run.document_id], query=query)


def test_the_page_of_an_ended_run_leads_to_its_forms(table):
    run, browser = run_to_repeat(), signed_in(bob())
    assert url("show-reruns", run) in one_line(browser.get(url("show-run", run)).content)
    shown = one_line(browser.get(url("show-reruns", run)).content)
    assert "this run continues" in shown
    assert '<option value="paddleocr_processor">' in shown
    assert '<option value="assess">' in shown
    assert '<option value="graph_builder">' not in shown  # it never came there
    assert "built-in rules ignore it." in shown
    assert url("show-reruns", run) not in one_line(signed_in(charlie()).get(url("show-run", run)).content)
    assert signed_in(charlie()).get(url("show-reruns", run)).status_code == 403


def test_a_stage_is_run_again_on_a_post(table):
    run, browser = run_to_repeat(), signed_in(bob())
    answer = browser.post(url("run-again", run), {"step": "segment_analyzer"}, follow=True)
    assert "The run continues from there." in one_line(answer.content)
    assert queries.board(run.site, run.workflow_id).current_step == "segment_builder"
    again = browser.post(url("run-again", run), {"step": "segment_analyzer"})
    assert again.status_code == 422
    assert "has not ended" in again.content.decode()
    assert browser.get(url("run-again", run)).status_code == 405


def test_the_page_says_which_calibration_and_extractor_judge_the_new_run(table):
    project_actions.create_project(SITE, ProjectSettings(name="Bills"), by=BY, project_id="proj_test")
    run, browser = published_run(field("total", "4.00")), signed_in(alice())
    same = "Values are judged and read as in this run, with no calibration and no learned extractor."
    assert same in one_line(browser.get(url("show-reruns", run)).content)
    pin_learned(run.project_id, paused_at="2026-11-20T09:00:00+00:00")
    shown = one_line(browser.get(url("show-reruns", run)).content)
    assert (
        "A new run from Segment Analysis or an earlier step uses what is active now: "
        "calibration version 3 (paused) and extractor version 2."
    ) in shown
    assert "From later steps this run’s are kept: no calibration and no learned extractor." in shown


def test_a_stage_that_is_none_is_answered_with_a_sentence(table):
    run = run_to_repeat()
    answer = signed_in(bob()).post(url("run-again", run), {"step": "publish"})
    assert answer.status_code == 422
    assert "Select a stage that this run reached." in one_line(answer.content)


def test_an_analysis_with_other_settings_begins_beside_the_result(table):
    run, browser = published_run(field("total", "4.00")), signed_in(alice())
    shown = one_line(browser.get(url("show-reruns", run)).content)
    assert "Starts a new run." in shown
    assert "for its 1 page are reused" in shown
    refused = browser.post(url("analyse-again", run), {"instruction": "Look twice"})
    assert refused.status_code == 422
    assert "Built-in rules ignore instructions" in one_line(refused.content)
    assert "Look twice" in refused.content.decode()  # what was typed stays
    assert browser.post(url("analyse-again", run), {"threshold": "500"}).status_code == 422
    answer = browser.post(url("analyse-again", run), {"threshold": "50"}, follow=True)
    assert "New run started." in one_line(answer.content)
    assert f"Copied from run …{run.workflow_id[-6:]}." in one_line(answer.content)
    newest = queries.project_document(run.site, run.project_id, run.document_id).workflow_id
    assert newest != run.workflow_id
    assert browser.post(url("analyse-again", run), {"threshold": "60"}).status_code == 422  # it is under way


def test_two_results_stand_side_by_side(table):
    run = published_run(field("company", "ACME", 0.914), field("total", "4.00"), field("date", None))
    other = analysed_again(run, PINNED, field("company", "Acme GmbH", 0.5), field("total", "4.00"), field("iban", "X"))
    shown = one_line(signed_in(charlie()).get(compare(run)).content)
    found = ("ACME", "91 %", "Acme GmbH", "50 %", "differs", "the same", "left only", "right only", "not extracted")
    for words in found:
        assert words in shown
    assert "3 of 4 differ" in shown
    assert f"/workflows/{run.document_id}/{run.workflow_id}/segments/0/" in shown
    assert f"/workflows/{run.document_id}/{other.workflow_id}/segments/0/" in shown
    assert "Both runs used the same settings." in shown
    assert "Use this result" not in shown  # who may only look
    assert "Compare runs" in signed_in(charlie()).get(
        reverse("workflows:list-document-runs", args=[run.document_id])
    ).content.decode()  # fmt: skip


def test_which_result_counts_is_chosen_on_a_post(table):
    run = published_run(field("total", "4.00"))
    other = analysed_again(run, PINNED, field("total", "5.00"))
    browser = signed_in(bob())
    assert "Use this result" in one_line(browser.get(compare(run)).content)
    assert "This result is now in use." in one_line(browser.post(url("choose-result", run), follow=True).content)
    row = queries.project_document(run.site, run.project_id, run.document_id)
    assert (row.workflow_id, row.outcome, row.runs) == (
        run.workflow_id, "published", {run.workflow_id, other.workflow_id},
    )  # fmt: skip
    told = [event for event in queries.lineage(run.site, run.document_id).rows if event.type == "RESULT_CHOSEN"]
    assert [(one.by, one.bus_type, one.facts["before"]) for one in told] == [
        ("Bob Ito", "document.processed", other.workflow_id)
    ]
    again = browser.post(url("choose-result", run))
    assert again.status_code == 422
    assert signed_in(charlie()).post(url("choose-result", other)).status_code == 403


def test_the_type_of_the_chosen_result_is_the_documents(table):
    ensure_default_schemas(SITE, by=BY)
    run = published_run(field("total", "4.00"))
    other = analysed_again(run, PINNED, field("total", "5.00"))
    for one, name in ((run, "invoice"), (other, "receipt")):
        kind = {"id": name, "name": name.capitalize(), "version": 1, "confidence": 0.9, "source": "rules"}
        body = json.dumps({"document_type": name, "type": kind, "fields": []}).encode()
        files_of(one).write(files.output(one.workflow_id), body, "application/json")
    browser = signed_in(bob())
    for one, name in ((run, "invoice"), (other, "receipt")):
        browser.post(url("choose-result", one))
        assert documents_queries.get_document(run.site, run.document_id).classification_id == name


def test_the_two_runs_of_the_address_stay_chosen(table):
    run = published_run(field("total", "4.00"))
    other = analysed_again(run, PINNED, field("total", "5.00"))
    shown = signed_in(charlie()).get(compare(run, left=run.workflow_id, right=other.workflow_id)).content
    assert len(re.findall(r"\sselected", shown.decode())) == 2
    page = signed_in(charlie()).get(compare(run, left=run.workflow_id, right="0" * 26))
    assert page.status_code == 404


def test_a_result_that_was_not_published_does_not_count(table):
    run = published_run(field("total", "4.00"))
    browser = signed_in(bob())
    browser.post(url("analyse-again", run), {"threshold": "50"})
    newest = queries.project_document(run.site, run.project_id, run.document_id).workflow_id
    assert browser.post(url("choose-result", run)).status_code == 422  # one is under way
    other = Run(run.site, run.project_id, run.document_id, newest)
    interventions.cancel(other, by=BY)
    assert browser.post(url("choose-result", run)).status_code == 302
    assert browser.post(url("choose-result", other)).status_code == 422
    assert Execution.load(advance.execution_key(run)).outcome == "published"


def test_one_run_alone_has_nothing_beside_it(table):
    run = start_run()
    browser = signed_in(charlie())
    shown = one_line(browser.get(compare(run)).content)
    assert "Nothing to compare yet" in shown
    assert "This document has one run." in shown
    assert browser.get(compare(run, left=run.workflow_id, right="none")).status_code == 404
    other = start_run()
    assert browser.get(compare(run, left=run.workflow_id, right=other.workflow_id)).status_code == 404

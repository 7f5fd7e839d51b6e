"""Beside the editor: a sample and a model are chosen, the cost is told, then draft and production are compared."""

import re
from typing import Any

import pytest

from tests.flow.test_models import said
from tests.html import one_line
from tests.outside import answering
from tests.people import alice, bob, signed_in
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.workflows.trials.reading import read_run
from workflows.providers import actions as provider_actions
from workflows.runs.run import Run

pytestmark = [pytest.mark.usefixtures("table"), pytest.mark.django_db]
TYPED = {"instructions": "Mine <b>.", "message": "{{page_text}}\nRecord it."}


@pytest.fixture(autouse=True)
def forgotten() -> None:
    provider_actions.forget_provider_state()


def at(run: Run, rest: str = "", purpose: str = "extract") -> str:
    return f"/projects/{run.project_id}/prompts/{purpose}/try/{rest}"


def typed(run: Run, **changes: str) -> dict[str, str]:
    return {**TYPED, "document": run.document_id, "model": "bedrock", **changes}


def test_the_editor_offers_it_with_and_without_a_script(pump: Pump) -> None:
    run = read_run(pump)
    page = signed_in(alice()).get(f"/projects/{run.project_id}/prompts/extract/").content.decode()
    assert f'formaction="{at(run)}"' in page
    assert f'hx-post="{at(run)}"' in page


def test_a_sample_and_a_model_are_chosen_and_the_cost_is_told_before(pump: Pump) -> None:
    run = read_run(pump)
    admin = signed_in(alice())
    page = one_line(admin.post(at(run), typed(run)).content)
    assert re.search(r"About 2 requests, [\d,]+ tokens in and [\d,]+ out: \$0\.00\d\d", page)
    assert 'name="instructions" value="Mine &lt;b&gt;.' in page  # the draft goes on with a form of its own
    assert run.document_id in page
    fragment = one_line(signed_in(alice(), htmx=True).post(at(run), typed(run)).content)
    assert 'name="instructions"' not in fragment  # the editor's own fields are sent
    assert "About 2 requests" in fragment
    assert "No documents match" in one_line(admin.post(at(run), typed(run, find="nothing of this name")).content)
    newest = one_line(admin.get(at(run)).content)
    assert "You read one page of a document" in newest
    problem = one_line(admin.post(at(run), typed(run, instructions="{{total}}")).content)
    assert "is not a placeholder" in problem
    assert "The estimate appears once" in problem


def test_the_model_that_a_run_would_ask_is_chosen(pump: Pump) -> None:
    project = make_project(models={"extract": "embedded"})
    run = read_run(pump, project_id=project.id)
    page = one_line(signed_in(alice()).get(at(run)).content)
    assert '<option value="embedded" selected>' in page


def test_both_answers_are_compared_field_by_field(pump: Pump) -> None:
    run = read_run(pump)
    admin = signed_in(alice())
    started = admin.post(at(run, "start/"), typed(run))
    assert started.status_code == 302
    address = started["Location"]
    waiting = one_line(admin.get(address).content)
    assert "Waiting for the model" in waiting
    assert 'hx-trigger="every 2s"' in waiting
    assert "<noscript>" in waiting
    totals = iter(["99.00", "510.24"])

    def answer(_: Any) -> Any:
        return said(0.95, total=next(totals))

    with answering("bedrock-runtime", Converse=answer):
        pump.run(lambda: pump.ran("try_prompt") > 0)
    page = one_line(admin.get(address).content)
    assert "every 2s" not in page
    row = re.search(r'<tr id="trial-field-total" class="differs">(.*?)</tr>', page)
    assert row
    assert "differs" in row[1]
    assert "99.00" in row[1]
    assert "510.24" in row[1]
    assert "Total 50 %, needs 80 %" in row[1]
    assert '<tr id="trial-field-company">' in page
    assert f"/workflows/{run.project_id}/{run.document_id}/pages/0.png" in page
    assert page.count('class="field-box done"') >= 2
    assert "Mine &lt;b&gt;." in page
    assert "1,000,000 in, 100,000 out" in page
    assert "$0.08" in page
    assert admin.get(f"{address}?page=1").status_code == 200
    assert admin.get(address.replace("/extract/", "/classify/")).status_code == 404
    assert signed_in(bob()).get(address).status_code == 403


def test_a_fragment_is_answered_in_its_place(pump: Pump) -> None:
    run = read_run(pump)
    admin = signed_in(alice(), htmx=True)
    shown = admin.post(at(run, "start/"), typed(run))
    assert shown.status_code == 200
    assert 'id="trial"' in shown.content.decode()
    refused = admin.post(at(run, "start/"), typed(run, instructions="{{total}}"))
    assert refused.status_code == 422
    assert "is not a placeholder" in refused.content.decode()
    assert "<form" not in refused.content.decode()
    # What is no longer offered is the first that is.
    assert admin.post(at(run, "start/"), typed(run, model="gone")).status_code == 200


def test_a_question_is_asked_for_where_the_purpose_needs_one(pump: Pump) -> None:
    run = read_run(pump)
    admin = signed_in(alice())
    draft = typed(run, message="{{page_text}} {{question}}")
    assert "Question about the first page" in admin.post(at(run, purpose="answer"), draft).content.decode()
    refused = admin.post(at(run, "start/", "answer"), draft)
    assert refused.status_code == 422
    assert "Enter a question" in refused.content.decode()
    assert admin.post(at(run, "start/", "answer"), {**draft, "question": "What is due?"}).status_code == 302

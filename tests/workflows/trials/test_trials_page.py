"""Beside the editor: a sample and a model are chosen, the cost is told, then draft and production are compared."""

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from config import aws
from config.environment import ModelEndpoint
from config.errors import StageFailed
from config.laptop import embedded_model
from projects.sites.permissions import Permission
from tests import factories
from tests.factories import PROJECT, start_run
from tests.flow.test_models import said
from tests.html import one_line
from tests.outside import answering
from tests.people import alice, bob, person, signed_in
from tests.projects.make_sites import grant
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.workflows.trials.reading import is_read, read_run
from workflows.providers import actions as provider_actions
from workflows.providers.language_models.language_model import CUT_OFF
from workflows.runs import queries as run_queries
from workflows.runs.items import Run
from workflows.trials import queries
from workflows.trials.queries import TrialRef

pytestmark = [pytest.mark.usefixtures("table"), pytest.mark.django_db]
TYPED = {"instructions": "Mine <b>.", "message": "{{page_text}}\nRecord it."}


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    provider_actions.forget_provider_state()
    monkeypatch.setattr(aws, "provider_credentials", lambda: True)


def at(run: Run, rest: str = "", purpose: str = "extract") -> str:
    return f"/projects/{run.project_id}/prompts/{purpose}/try/{rest}"


def sample() -> SimpleUploadedFile:
    return SimpleUploadedFile("clean.pdf", factories.sample_files()[0].read_bytes())


def typed(run: Run, **changes: str) -> dict[str, str]:
    return {**TYPED, "document": run.document_id, "model": "bedrock", **changes}


@pytest.mark.wide
def test_the_editor_offers_it_with_and_without_a_script(pump: Pump) -> None:
    run = read_run(pump)
    page = signed_in(alice()).get(f"/projects/{run.project_id}/prompts/extract/").content.decode()
    assert f'formaction="{at(run)}"' in page
    assert f'hx-post="{at(run)}"' in page


@pytest.mark.wide
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


@pytest.mark.wide
def test_the_model_that_a_run_would_ask_is_chosen(pump: Pump) -> None:
    project = make_project(models={"extract": "embedded"})
    run = read_run(pump, project_id=project.id)
    page = one_line(signed_in(alice()).get(at(run)).content)
    assert '<option value="embedded" selected>' in page


def test_a_model_that_cannot_answer_here_is_listed_and_not_chosen(pump: Pump, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aws, "provider_credentials", lambda: False)
    monkeypatch.setattr(embedded_model, "is_installed", lambda: True)
    run = read_run(pump)
    admin = signed_in(alice())
    for answer in (admin.get(at(run)), admin.post(at(run), typed(run, model="bedrock"))):
        page = one_line(answer.content)
        assert '<option value="embedded" selected>' in page
        assert '<option value="bedrock" disabled>Bedrock · credentials missing</option>' in page
        assert "Ask the operator to set AWS_PROFILE to an account with access to Amazon Bedrock and restart." in page


def test_without_any_model_the_page_says_so_first(pump: Pump, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.MODEL_ENDPOINTS = {}
    monkeypatch.setattr(aws, "provider_credentials", lambda: False)
    monkeypatch.setattr(embedded_model, "is_installed", lambda: False)
    run = read_run(pump)
    admin = signed_in(alice())
    page = one_line(admin.get(at(run)).content)
    assert "No language model can answer here yet" in page
    assert "Ask the operator to stop the demo and run make demo-model." in page
    assert "Ask the operator to set COUNTERSIGN_MODEL_ENDPOINTS" in page
    settings.MODEL_ENDPOINTS = {"local": ModelEndpoint("http://127.0.0.1:1/v1", "")}
    page = one_line(admin.get(at(run)).content)
    assert "Add a model and select the endpoint that serves it. Set up: local." in page
    assert 'href="/settings/models/new/"' in page
    assert "COUNTERSIGN_MODEL_ENDPOINTS" not in page
    assert at(run, "start/") not in page  # there is no button to press in vain
    refused = admin.post(at(run, "start/"), typed(run))
    assert (refused.status_code, "Choose a model." in one_line(refused.content)) == (422, True)


@pytest.mark.wide
def test_both_answers_are_compared_field_by_field(pump: Pump) -> None:
    run = read_run(pump)
    admin = signed_in(alice())
    started = admin.post(at(run, "start/"), typed(run))
    assert started.status_code == 302
    address = started["Location"]
    waiting = one_line(admin.get(address).content)
    assert "Waiting for a worker" in waiting
    assert re.search(r"Started [\d.]+ s ago. Runs and trials started earlier go first.", waiting)
    assert 'hx-trigger="every 2s"' in waiting
    assert f'<noscript><a class="button small" href="{address}">' in waiting
    totals = iter(["99.00", "510.24"])

    def answer(_: Any) -> Any:
        return said(0.95, total=next(totals))

    with answering("bedrock-runtime", Converse=answer):
        pump.run(lambda: pump.ran("try_prompt") > 0)
    page = one_line(admin.get(address).content)
    assert not re.search("every 2s|<noscript>", page)
    row = re.search(r'<tr id="trial-field-total" class="differs">(.*?)</tr>', page)
    assert row
    assert "differs" in row[1]
    assert "99.00" in row[1]
    assert "510.24" in row[1]
    assert "Total 0 %, needs 80 %" in row[1]
    assert '<tr id="trial-field-company">' in page
    assert f"/workflows/{run.project_id}/{run.document_id}/pages/0.png" in page
    assert page.count('class="field-box done"') >= 2
    assert "Mine &lt;b&gt;." in page
    assert "1,000,000 in, 100,000 out" in page
    assert "$0.08" in page
    assert admin.get(f"{address}?page=1").status_code == 200
    assert admin.get(address.replace("/extract/", "/classify/")).status_code == 404
    assert signed_in(bob()).get(address).status_code == 403


@pytest.mark.wide
def test_a_trial_under_way_says_how_long_and_what_is_still_to_come(pump: Pump) -> None:
    run = read_run(pump)
    admin = signed_in(alice())
    address = admin.post(at(run, "start/"), typed(run))["Location"]
    ref = TrialRef("default", run.project_id, address.rstrip("/").rpartition("/")[2])
    seen = ""

    def answer(_: Any) -> Any:
        nonlocal seen
        if queries.get_trial(ref).draft_answer:
            seen = one_line(admin.get(address).content)
        return said(0.95, total="99.00")

    with answering("bedrock-runtime", Converse=answer):
        pump.run(lambda: pump.ran("try_prompt") > 0)
    assert re.search(r"Started [\d.]+ s ago. A request may take up to 50 s, the whole trial up to 15 min.", seen)
    row = re.search(r'<tr id="trial-field-total">(.*?)</tr>', seen)
    assert row
    assert "99.00" in row[1]
    assert ("Waiting" in row[1], "–" in row[1]) == (True, False)


def test_a_side_that_failed_differs_in_nothing_and_leads_to_the_models(pump: Pump) -> None:
    run = read_run(pump)
    admin = signed_in(alice())
    address = admin.post(at(run, "start/"), typed(run))["Location"]
    asked: list[Any] = []

    def answer(request: Any) -> Any:
        asked.append(request)
        if len(asked) > 1:
            raise StageFailed(str(CUT_OFF))
        return said(0.95, total="99.00")

    with answering("bedrock-runtime", Converse=answer):
        pump.run(lambda: pump.ran("try_prompt") > 0)
    page = one_line(admin.get(address).content)
    assert "The answer was cut off" in page
    assert '<a href="/settings/models/">Models</a>' in page.partition("<tfoot>")[2]
    assert '<tr id="trial-field-total">' in page
    assert 'class="differs"' not in page


@pytest.mark.wide
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


@pytest.mark.wide
def test_a_sample_is_uploaded_and_the_draft_comes_back_with_it_chosen(pump: Pump) -> None:
    project = make_project()
    here = f"/projects/{project.id}/prompts/extract/try/"
    admin, script = signed_in(alice()), signed_in(alice(), htmx=True)
    empty = one_line(admin.post(here, TYPED).content)
    assert "No documents processed yet" in empty
    assert f'action="{here}upload/"' in empty
    none = admin.post(f"{here}upload/", TYPED)
    assert (none.status_code, "Choose a file to upload." in one_line(none.content)) == (422, True)
    assert "Mine &lt;b&gt;." in one_line(none.content)
    wrong = admin.post(f"{here}upload/", {**TYPED, "files": SimpleUploadedFile("x.exe", b"MZ\x00")})
    assert (wrong.status_code, 'class="message bad"' in one_line(wrong.content)) == (422, True)
    sent = admin.post(f"{here}upload/", {**TYPED, "model": "bedrock", "files": sample()})
    page = one_line(sent.content)
    assert sent.status_code == 200
    assert 'name="instructions" value="Mine &lt;b&gt;.' in page
    chosen = re.search(r'<option value="([^"]+)" selected>[^<]*\.pdf', page)
    assert chosen
    assert "is being processed. You can try it once its pages are ready." in page
    assert "Refresh</button></noscript>" in page
    typed_now = {**TYPED, "document": chosen[1], "model": "bedrock"}
    early = admin.post(f"{here}start/", typed_now)
    assert (early.status_code, "not read yet" in one_line(early.content)) == (422, True)
    fragment = one_line(script.post(here, typed_now).content)
    assert 'hx-trigger="load delay:2s"' in fragment
    assert 'name="instructions"' not in fragment
    run = run_queries.document_workflows("default", chosen[1]).rows[0]
    pump.run(lambda: is_read(Run("default", project.id, chosen[1], str(run.SK).rpartition("#")[2])))
    after = one_line(script.post(here, typed_now).content)
    assert "load delay:2s" not in after
    assert "About 2 requests" in after
    assert admin.post(f"{here}start/", typed_now).status_code == 302


def test_documents_that_are_still_being_processed_are_named(pump: Pump) -> None:
    run = start_run(project=PROJECT, project_id=make_project().id)
    admin = signed_in(alice(), htmx=True)
    page = one_line(admin.post(at(run), TYPED).content)
    assert "is being processed. You can try it once its pages are ready." in page
    assert 'hx-trigger="load delay:2s"' in page
    assert "No documents processed yet" not in page
    assert "The estimate appears" not in page
    asked = one_line(admin.post(at(run), {**TYPED, "document": run.document_id}).content)
    assert asked.count(f'<option value="{run.document_id}"') == 1
    assert "No documents match" in one_line(admin.post(at(run), {**TYPED, "find": "elsewhere"}).content)
    models = one_line(admin.get(f"/projects/{run.project_id}/read-page/").content)
    assert "Documents are being processed" in models
    pump.run(lambda: is_read(run))
    assert "is being processed" not in one_line(admin.post(at(run), TYPED).content)
    assert "being processed" not in one_line(admin.get(f"/projects/{run.project_id}/read-page/").content)


def test_who_may_configure_but_not_upload_is_offered_no_upload(pump: Pump) -> None:
    project = make_project()
    here = f"/projects/{project.id}/prompts/extract/try/"
    grant("default", "writers", Permission.READ, Permission.ADMIN)
    writer = signed_in(person("wim", "Bos", "writers"))
    assert "upload/" not in writer.get(here).content.decode().partition("trial-desk")[2]
    assert writer.post(f"{here}upload/", {**TYPED, "files": sample()}).status_code == 403
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice())
    assert strict.post(f"{here}upload/", {**TYPED, "files": sample()}).status_code == 403


@pytest.mark.wide
def test_a_question_is_asked_for_where_the_purpose_needs_one(pump: Pump) -> None:
    run = read_run(pump)
    admin = signed_in(alice())
    draft = typed(run, message="{{page_text}} {{question}}")
    assert "Question about the first page" in admin.post(at(run, purpose="answer"), draft).content.decode()
    refused = admin.post(at(run, "start/", "answer"), draft)
    assert refused.status_code == 422
    assert "Enter a question" in refused.content.decode()
    assert admin.post(at(run, "start/", "answer"), {**draft, "question": "What is due?"}).status_code == 302

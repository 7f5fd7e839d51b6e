"""A prompt tried on a document, and a page read by OCR models, by API: as their pages do, and for whom."""

import json
from typing import Any

import pytest
from django.test import Client

from config import aws
from projects.sites.permissions import Permission
from tests.flow.test_models import said
from tests.outside import answering
from tests.projects.make_sites import make_site
from tests.pump import Pump
from tests.workflows.test_api import API, problem, program
from tests.workflows.trials.reading import read_run
from tests.workflows.trials.test_reading_page import add_fine
from workflows.providers import actions as provider_actions
from workflows.runs.items import Run

pytestmark = [pytest.mark.usefixtures("table"), pytest.mark.django_db]
ADMIN = (Permission.READ, Permission.ADMIN, Permission.PERSONAL)
TYPED = {"instructions": "Mine.", "message": "{{page_text}}\nRecord it.", "model_id": "bedrock"}


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    provider_actions.forget_provider_state()
    monkeypatch.setattr(aws, "provider_credentials", lambda: True)


def post(client: Client, run: Run, path: str, **body: Any) -> Any:
    address = f"{API}/projects/{run.project_id}/{path}"
    return client.post(address, json.dumps({"document_id": run.document_id} | body), content_type="application/json")


@pytest.mark.wide
def test_a_draft_is_tried_beside_what_is_in_production(pump: Pump) -> None:
    run, client = read_run(pump), program(*ADMIN)
    started = post(client, run, "prompts/extract/trials", **TYPED)
    assert (started.status_code, started.json()["status"], started.json()["draft"]) == (202, "asked", None)
    totals = iter(["99.00", "510.24"])
    with answering("bedrock-runtime", Converse=lambda _: said(0.95, total=next(totals))):
        pump.run(lambda: pump.ran("try_prompt") > 0)
    url = f"{API}/projects/{run.project_id}/prompts/extract/trials/{started.json()['id']}"
    found = client.get(url).json()
    assert (found["status"], found["production"], found["error"]) == ("done", 1, None)
    told = {one["name"]: one["value"] for one in found["draft"]["fields"]}
    assert told["total"] == "99.00"
    assert {one["name"]: one["value"] for one in found["in_production"]["fields"]}["total"] == "510.24"
    assert found["draft"]["usd"] > 0
    problem(client.get(url.replace("extract", "summarize")), 404)
    problem(client.get(f"{url}0"), 404)


def test_what_cannot_be_tried_is_refused(pump: Pump) -> None:
    run, client = read_run(pump), program(*ADMIN)
    problem(post(client, run, "prompts/extract/trials", **TYPED | {"message": "{{total}}"}), 422)
    problem(post(client, run, "prompts/extract/trials", **TYPED | {"model_id": "none"}), 404)
    problem(post(client, run, "prompts/extract/trials", **TYPED | {"document_id": "none"}), 404)
    problem(post(client, run, "prompts/answer/trials", **TYPED | {"question": " "}), 422)
    problem(post(program(Permission.READ, Permission.WRITE), run, "prompts/extract/trials", **TYPED), 403)
    make_site("acme")
    problem(post(program(*ADMIN, site="acme"), run, "prompts/extract/trials", **TYPED), 404)


def test_a_model_that_is_not_set_up_is_refused_before_a_trial_starts(
    pump: Pump, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aws, "provider_credentials", lambda: False)
    run, client = read_run(pump), program(*ADMIN)
    told = problem(post(client, run, "prompts/extract/trials", **TYPED), 422)
    assert told["detail"] == (
        "Bedrock cannot be used here: credentials missing. Ask the operator to set AWS_PROFILE to an account "
        "with access to Amazon Bedrock and restart."
    )
    assert told["errors"][0]["where"] == "model_id"


@pytest.mark.wide
def test_a_page_is_read_by_several_models(pump: Pump) -> None:
    run, client = read_run(pump), program(*ADMIN)
    add_fine()
    wish = {"page": 0, "models": ["pp-ocrv5", "fine"]}
    started = post(client, run, "readings", **wish).json()
    assert [(one["model_id"], one["lines"]) for one in started["models"]] == [("pp-ocrv5", None), ("fine", None)]
    for wrong, status in (
        ({"page": 99}, 422),
        ({"models": ["pp-ocrv5", "none"]}, 422),
        ({"models": ["fine", "fine"]}, 422),
        ({"models": ["fine"]}, 422),
        ({"document_id": "none"}, 404),
    ):
        problem(post(client, run, "readings", **wish | wrong), status)
    pump.run(lambda: pump.ran("try_prompt") > 0)
    url = f"{API}/projects/{run.project_id}/readings/{started['id']}"
    found = client.get(url).json()
    assert found["status"] == "done"
    assert all("Quill" in " ".join(one["lines"]) for one in found["models"])
    problem(program(Permission.READ).get(url), 403)
    problem(client.get(f"{API}/projects/{run.project_id}/prompts/extract/trials/{started['id']}"), 404)

"""A server that is not ours, in a process of its own: bound as an endpoint, added as a model, tested, tried, used.

It is xllamacpp's own, with its own settings. Its answers need not be good.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from config.environment import ModelEndpoint
from projects.models import queries as model_queries
from projects.settings.values import FieldSetting
from tests.embedded import needs_model, run_foreign_server
from tests.factories import SITE, start_run
from tests.html import one_line
from tests.people import alice, signed_in
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.tools.paper import Sheet, save
from tests.workflows.trials.reading import is_read, read_run
from workflows.providers import actions as provider_actions
from workflows.runs import queries

pytestmark = [pytest.mark.usefixtures("table"), pytest.mark.django_db]

_FIELDS = (FieldSetting("total", "Total", "amount", description="The amount due"),)
_MODEL = {
    "id": "llama", "name": "Llama server", "provider": "openai", "endpoint": "own", "model": "smollm2",
    "json_schema": "on", "context": "2048", "most_tokens": "600", "temperature": "0", "seconds": "90", "retries": "1",
    "at_a_time": "1", "price_in": "1", "price_out": "2", "takeover_below": "70",
}  # fmt: skip


@pytest.fixture
def admin(settings: Any) -> Iterator[Client]:
    provider_actions.forget_provider_state()
    with run_foreign_server() as url:
        settings.MODEL_ENDPOINTS = {"own": ModelEndpoint(url, "a-key")}  # as COUNTERSIGN_MODEL_ENDPOINTS binds it
        yield signed_in(alice())


def draw_receipt(folder: Path) -> Path:
    sheet = Sheet(300, 200)
    sheet.text(20, 40, "CAFE LUNA", size=14)
    sheet.text(20, 80, "Total 12.50 EUR", size=14)
    return save([sheet], folder / "receipt.pdf")


@needs_model
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_server_of_others_is_tested_tried_and_asked_in_a_run(admin: Client, pump: Pump, tmp_path: Path) -> None:
    pump.sends_again = True
    assert admin.post("/settings/models/new/", _MODEL).status_code == 302
    admin.post("/settings/models/llama/test/")
    pump.run(lambda: pump.ran("test_model") > 0, seconds=120)
    test = model_queries.get_test(SITE, "llama")
    assert test is not None
    assert (test.status, test.message or "") == ("worked", "")
    tokens = int(test.tokens_in), int(test.tokens_out)
    assert int(test.micros) == tokens[0] + 2 * tokens[1] > 50
    page = one_line(admin.get("/settings/models/").content)
    assert "Llama server" in page
    assert "Never tested" in page  # the built-in ones

    project = make_project("Receipts", fields=_FIELDS, models={"extract": "llama"})
    receipt = draw_receipt(tmp_path)
    read = read_run(pump, project_id=project.id, file=receipt)
    typed = {
        "instructions": "Record the total.\n{{fields}}", "message": "{{page_text}}\nRecord it.",
        "document": read.document_id, "model": "llama",
    }  # fmt: skip
    started = admin.post(f"/projects/{project.id}/prompts/extract/try/start/", typed)
    pump.run(lambda: pump.ran("try_prompt") > 0, seconds=240)
    trial = one_line(admin.get(started["Location"]).content)
    assert "Answers of Llama server" in trial
    assert trial.count("Record the total.\n- total: Total (amount). The amount due.</pre>") == 1
    assert len(re.findall(r"[1-9][\d,]* in, [1-9][\d,]* out", trial)) == 2

    stored = [{"name": one.name, "label": one.label, "type": one.type} for one in _FIELDS]
    by_model = {"name": "Receipts", "fields": stored, "analyzer": "model", "models": {"extract": "llama"}}
    run = start_run(receipt, project=by_model, project_id=project.id)
    pump.run(lambda: is_read(run), seconds=240)
    board = queries.board(SITE, run.workflow_id)
    assert board.outcome in {None, "published"}
    (used,) = [one for one in board.data["segment_analyzer"]["used"] if one["service"] == "openai-own"]
    assert (used["model"], used["tokens_in"] > 50, used["micros"] > 50) == ("smollm2", True, True)
    calls = one_line(admin.get(f"/workflows/{run.document_id}/{run.workflow_id}/models/").content)
    assert "CAFE LUNA\nTotal 12.50 EUR" in calls
    assert "Llama server:" in calls
    assert re.search(r"[1-9][\d,]* tokens in, [1-9][\d,]* out, \$0\.00\d\d, \d+\.\d s", calls)

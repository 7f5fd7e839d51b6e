"""A pipeline saves a prompt, measures it and promotes it over the API; a terminal runs an experiment from a file."""

import json
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client

from projects.sites import actions as api_key_actions
from projects.sites import api_keys
from projects.sites import queries as site_queries
from projects.sites.permissions import Permission
from tests.projects.make_schemas import make_attributes, make_classification
from tests.projects.models.catalogue import add_model
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.workflows.decided import project
from tests.workflows.experiments.counting_server import CAREFUL, RIGHT, CountingServer
from tests.workflows.experiments.made import BY, SITE, copy_document, make_set, save_prompt
from tests.workflows.test_api import API
from tests.workflows.trials.reading import read_run
from workflows.experiments import lanes
from workflows.providers import actions as provider_actions
from workflows.testsets import actions

pytestmark = [pytest.mark.usefixtures("table"), pytest.mark.django_db]


MAY = (Permission.ADMIN, Permission.PROMOTE)


class Pipeline:
    """A program whose key may configure and promote, unless said otherwise."""

    def __init__(self, project_id: str, *permissions: Permission) -> None:
        _, key = api_keys.create_api_key(SITE, "Pipeline", permissions or MAY, by=BY)
        self.client, self.at = Client(headers={"Authorization": f"Bearer {key}"}), f"{API}/projects/{project_id}"

    def send(self, method: str, path: str, status: int = 200, **body: Any) -> Any:
        answer = self.client.generic(method, f"{self.at}{path}", json.dumps(body), "application/json")
        assert answer.status_code == status, answer.content
        return answer.json()


def test_a_program_sets_the_share_of_seeded_checks() -> None:
    project_id = make_project().id
    testset = actions.create_test_set(SITE, project_id, "Known", by=BY)
    desk, at = Pipeline(project_id), f"/test-sets/{testset.testset_id}"
    assert desk.send("GET", at)["seed_share"] == 0
    assert desk.send("PATCH", at, seed_share=0.025)["seed_share"] == 0.025
    assert desk.send("GET", at)["seed_share"] == 0.025
    for wrong in ({"seed_share": 2}, {"seed_share": "much"}, {}, {"seed_share": 0.1, "name": "X"}):
        assert "errors" in desk.send("PATCH", at, 422, **wrong)
    desk.send("PATCH", "/test-sets/none", 404, seed_share=0.1)
    Pipeline(project_id, Permission.READ).send("PATCH", at, 403, seed_share=0.1)


@pytest.mark.wide
def test_a_pipeline_measures_a_prompt_and_promotes_it(server: CountingServer, pump: Pump) -> None:
    run = read_run(pump)
    documents = [run.document_id, *(copy_document(run, number) for number in range(3))]
    desk = Pipeline(run.project_id)
    add_model("local")
    saved = desk.send(
        "POST", "/prompts/extract/versions", 201, instructions=CAREFUL, message="{{page_text}}", based_on=1
    )
    assert saved == {"version": 2, "since": []}
    assert desk.send("GET", "/prompts/extract/versions/2")["instructions"] == f"{CAREFUL}\n"
    assert [one["version"] for one in desk.send("GET", "/prompts/extract/versions")["items"]] == [2, 1]
    known = [{"document": one, "fields": RIGHT} for one in documents]
    testset = desk.send("POST", "/test-sets", 201, name="Receipts", documents=known)
    pump.hold = lambda message: not message.task.endswith(("experiments.tasks.work", "testsets.tasks.build"))
    pump.run(lambda: desk.send("GET", f"/test-sets/{testset['id']}")["status"] == "ready")
    made = desk.send(
        "POST", "/experiments", 201, name="Nightly", test_set=testset["id"], prompts=[1, 2], models=["local"]
    )
    pump.run(lambda: desk.send("GET", f"/experiments/{made['id']}")["status"] == "done")
    shown = desk.send("GET", f"/experiments/{made['id']}/results")
    half = "tuning" if shown["variants"][0]["tuning"]["documents"] else "held_back"
    first, second = (one[half] for one in shown["variants"])
    assert (first["exact"]["share"], second["exact"]["share"], second["f1"]["share"]) == (0.0, 1.0, 1.0)
    assert {one["name"] for one in second["fields"]} == set(RIGHT)
    promotion = {"variant": 2, "expected": 1, "reason": "Nightly run"}
    if half == "tuning":  # one seller: all of it fell into this half, so nothing is held back
        told = desk.send("POST", f"/experiments/{made['id']}/promote", 422, **promotion)
        assert "not measured on the held-back half" in told["detail"]
    done = desk.send("POST", f"/experiments/{made['id']}/promote", **promotion, despite="Measured while tuning")
    assert done == {"version": 2}
    assert desk.send("GET", "/prompts/extract")["production"] == 2
    desk.send("POST", f"/experiments/{made['id']}/promote", 409, **promotion, despite="Again")
    for word in ("pause", "stop"):
        desk.send("POST", f"/experiments/{made['id']}/{word}", 409)
    desk.send("POST", f"/experiments/{made['id']}/resume", 409, limit=9)
    moved = desk.send("PUT", "/prompts/extract/production", version=1, expected=2, reason="Back")
    assert moved["production"] == 1
    assert desk.send("PUT", "/prompts/extract/candidate", version=2, percent=20, reason="Try")["share"] == 0.2


def test_a_pipeline_saves_and_labels_the_prompt_of_a_document_type() -> None:
    make_attributes()
    made, desk = make_classification(), Pipeline(project())
    of = f"?classification_id={made}"
    first = {"instructions": "Invoices.", "message": "{{page_text}}"}
    assert desk.send("GET", f"/prompts/extract{of}")["production"] == 0
    assert desk.send("POST", f"/prompts/extract/versions{of}", 201, **first)["version"] == 1
    assert desk.send("GET", f"/prompts/extract/versions/1{of}")["instructions"] == "Invoices.\n"
    assert [one["version"] for one in desk.send("GET", f"/prompts/extract/versions{of}")["items"]] == [1]
    tried = desk.send("PUT", f"/prompts/extract/candidate{of}", version=1, percent=20, reason="Try")
    assert (tried["candidate"], tried["classification_id"]) == (1, made)
    moved = desk.send("PUT", f"/prompts/extract/production{of}", version=1, expected=0, reason="Better")
    assert (moved["production"], moved["candidate"]) == (1, 0)
    back = {"version": 0, "expected": 1, "reason": "Worse"}
    assert desk.send("PUT", f"/prompts/extract/production{of}", **back)["production"] == 0
    desk.send("PUT", f"/prompts/extract/production{of}", 409, **back)
    desk.send("PUT", "/prompts/extract/production", 404, **back)
    desk.send("PUT", f"/prompts/extract/production{of}", version=1, expected=0, reason="Again")
    listed = [
        (one["purpose"], one["classification_id"], one["production"]) for one in desk.send("GET", "/prompts")["items"]
    ]
    assert listed == [
        ("extract", "", 1), ("classify", "", 1), ("summarize", "", 1), ("answer", "", 1), ("extract", made, 1),
    ]  # fmt: skip
    for missing in (f"/prompts/classify{of}", "/prompts/extract?classification_id=none", f"/prompts/extract@{made}"):
        desk.send("GET", missing, 404)


def test_a_key_that_only_writes_configures_nothing_and_one_that_configures_promotes_nothing() -> None:
    here = project()
    writes = Pipeline(here, Permission.READ, Permission.WRITE, Permission.DELETE)
    for path in ("/prompts", "/test-sets", "/experiments"):
        writes.send("GET", path, 403)
    configures = Pipeline(here, Permission.ADMIN)
    wish = {"version": 1, "expected": 1, "reason": "Back"}
    configures.send("PUT", "/prompts/extract/production", 403, **wish)
    configures.send("POST", "/experiments/none/promote", 403, variant=1, expected=1, reason="Best")
    promotes = Pipeline(here, Permission.PROMOTE)
    assert promotes.send("PUT", "/prompts/extract/production", **wish)["production"] == 1
    promotes.send("POST", "/prompts/extract/versions", 403, instructions="x", message="{{page_text}}")


def test_a_key_promotes_nothing_where_two_persons_decide() -> None:
    desk = Pipeline(project())
    api_key_actions.set_second_person(SITE, True, version=site_queries.get_site(SITE).version, by=BY)
    told = desk.send("PUT", "/prompts/extract/production", 422, version=1, expected=1, reason="Back")
    assert "Two persons" in told["detail"]


@pytest.mark.wide
def test_a_file_runs_from_a_terminal_and_fails_below_what_it_asks(
    server: CountingServer, pump: Pump, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = read_run(pump)
    make_set(run.project_id, [run.document_id, copy_document(run, 1)])
    save_prompt(run.project_id, CAREFUL)
    add_model("local")
    file = tmp_path / "nightly.yaml"
    text = f"project: {run.project_id}\ntest_set: Receipts\nmodels: local\n"
    file.write_text(f"{text}prompts: [production, newest]\nat_least: {{f1: 0.99, exact: 1}}\n")
    call_command("experiment", str(file))
    out = capsys.readouterr().out
    assert "Best on the held-back half: Prompt 2 · Local model" in out or "Prompt 2 · Model local" in out
    assert "4 requests" in out
    file.write_text(f"{text}prompts: production\nat_least: {{f1: 0.99}}\n")
    with pytest.raises(CommandError, match=r"f1 is 0\.\d+, below 0\.990") as below:
        call_command("experiment", str(file))
    assert below.value.returncode == 1
    for wrong, words in (
        ("project: x", "lacks models, prompts, test_set"),
        (f"{text}prompts: candidate", "has no candidate"),
        (f"{text}prompts: 1\nspeed: 9", "not known: speed"),
        (f"{text}prompts: first", "must be a number"),
        (f"{text}prompts: 1\nat_least: {{speed: 1}}", "at_least accepts f1 and exact"),
        ("{", "not valid YAML"),
        ("", "no entries"),
    ):
        file.write_text(wrong)
        with pytest.raises(CommandError, match=words) as unreadable:
            call_command("experiment", str(file))
        assert unreadable.value.returncode == 2


@pytest.mark.wide
def test_a_terminal_waits_for_a_model_that_pauses(
    server: CountingServer, pump: Pump, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = read_run(pump)
    make_set(run.project_id, [run.document_id])
    add_model("local")
    file = tmp_path / "nightly.yaml"
    file.write_text(f"project: {run.project_id}\ntest_set: Receipts\nmodels: local\nprompts: production\n")
    inner, failures = lanes.work_lane, ["503"]

    def pauses_now(*args: Any, **options: Any) -> bool:
        """As late as can be: on a busy machine the pause would be over before anybody asks."""
        if failures:
            provider_actions.record_failure("openai-local", failures.pop())
        return inner(*args, **options)

    with (
        mock.patch.multiple(settings, PROVIDER_FAILURES=1, PROVIDER_PAUSE_SECONDS=1),
        mock.patch.object(lanes, "work_lane", pauses_now),
    ):
        call_command("experiment", str(file))
    told = capsys.readouterr()
    assert ("paused before the next retry. Waiting." in told.err, "1 requests" in told.out) == (True, True)

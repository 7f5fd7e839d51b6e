"""Runs are run again, documents analysed otherwise, and results chosen by programs too."""

import pytest

from projects.settings import actions as project_actions
from projects.settings.values import ProjectSettings
from projects.sites.permissions import Permission
from tests.workflows.decided import pin_learned, pinned_learned
from tests.workflows.repeated import BY, field, publish, published_run, run_to_repeat
from tests.workflows.test_api import API, problem, program
from workflows.runs import queries
from workflows.runs.items import Run

pytestmark = pytest.mark.django_db


def at(run: Run, what: str) -> str:
    return f"{API}/documents/{run.document_id}/runs/{run.workflow_id}/{what}"


def send(client, address: str, **body: object):
    return client.post(address, body, content_type="application/json")


def test_a_run_without_a_result_goes_on_itself(table: str) -> None:
    run, client = run_to_repeat(), program()
    answer = send(client, at(run, "again"), step="assess")
    assert (answer.status_code, answer.json()["run_id"]) == (201, run.workflow_id)
    assert "has not ended" in problem(send(client, at(run, "again"), step="assess"), 422)["detail"]


def test_a_document_is_analysed_otherwise_and_a_result_chosen(table: str) -> None:
    run, client = published_run(field("total", "4.00")), program()
    assert "ignore instructions" in problem(send(client, at(run, "analysis"), instruction="Look twice"), 422)["detail"]
    assert problem(send(client, at(run, "analysis"), threshold=7), 422)["errors"]
    answer = send(client, at(run, "analysis"), threshold=0.5)
    assert answer.status_code == 201
    new = Run(run.site, run.project_id, run.document_id, answer.json()["run_id"])
    assert new.workflow_id != run.workflow_id
    publish(new, field("total", "5.00"))
    assert send(client, at(run, "choose")).status_code == 200
    assert queries.project_document(run.site, run.project_id, run.document_id).workflow_id == run.workflow_id
    assert "already in use" in problem(send(client, at(run, "choose")), 422)["detail"]


@pytest.mark.parametrize(
    ("step", "learned"), [("segment_analyzer", (3, 2)), ("paddleocr_processor", (3, 2)), ("assess", (0, 0))]
)
def test_what_is_analyzed_again_is_judged_by_what_is_active_now(
    table: str, step: str, learned: tuple[int, int]
) -> None:
    project_actions.create_project("default", ProjectSettings(name="Bills"), by=BY, project_id="proj_test")
    run, client = published_run(field("total", "4.00")), program()
    pin_learned(run.project_id)
    answer = send(client, at(run, "again"), step=step)
    assert answer.status_code == 201, answer.json()
    assert pinned_learned(run.site, run.document_id) == learned


def test_an_entry_that_nothing_reads_is_refused_by_name_and_starts_nothing(table: str) -> None:
    run, client = published_run(field("total", "4.00")), program()
    for what, wish in (("analysis", {"treshold": 0.5}), ("again", {"step": "assess", "force": True})):
        told = problem(send(client, at(run, what), **wish), 422)
        name = list(wish)[-1]
        assert f"Unknown entries: “{name}”." in str(told["detail"])
        assert [one["where"] for one in told["errors"]] == [name]
    assert len(queries.document_workflows(run.site, run.document_id).rows) == 1


def test_who_may_only_read_changes_nothing(table: str) -> None:
    run, client = published_run(field("total", "4.00")), program(Permission.READ)
    problem(send(client, at(run, "again"), step="assess"), 403)
    problem(send(client, at(run, "analysis"), threshold=0.5), 403)
    problem(send(client, at(run, "choose")), 403)
    other = Run(run.site, run.project_id, "none", run.workflow_id)
    problem(send(program(), at(other, "again"), step="assess"), 404)

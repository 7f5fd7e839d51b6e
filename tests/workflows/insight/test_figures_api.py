"""Figures by API: the sums of the page, its days and steps; money only for those who set projects up."""

import pytest

from config.due import sweeper
from projects.sites.permissions import Permission
from tests.aws_faults import count_calls
from tests.factories import ROSA, start_run
from tests.projects.make_sites import make_site
from tests.workflows.advancing import failed, published
from tests.workflows.insight.test_pages import OTHER, PROJECT, desk
from tests.workflows.test_api import API, problem, program
from workflows.engine import interventions
from workflows.runs.items import Run

pytestmark = pytest.mark.django_db
__all__ = ["desk"]
URL = f"{API}/figures"


def test_figures_of_a_site_a_project_and_a_period(desk: list[Run]) -> None:
    client = program(Permission.READ, Permission.ADMIN)
    found = client.get(URL).json()
    assert (found["now"]["received"], found["now"]["published"], found["now"]["failed"]) == (4, 2, 1)
    assert found["before"]["received"] == 0
    assert len(found["days"]) == 30
    assert found["days"][-1]["received"] == 4
    assert found["now"]["usd"] is not None
    assert {one["step"] for one in found["steps"]}
    (cause,) = found["failures"]
    assert (cause["runs"], cause["before"]) == (1, 0)
    own = client.get(URL, {"project_id": PROJECT, "period": "today"}).json()
    assert (own["now"]["received"], len(own["days"])) == (3, 1)
    assert client.get(URL, {"project_id": OTHER, "document_type": "none"}).json()["now"]["received"] == 0
    problem(client.get(URL, {"project_id": "none"}), 404)
    problem(client.get(URL, {"period": "year"}), 422)
    with count_calls() as calls:
        client.get(URL)
    assert calls.names().count("dynamodb.Query") <= 3


def test_money_is_not_for_everyone_and_no_site_sees_another(desk: list[Run]) -> None:
    assert program(Permission.READ).get(URL).json()["now"]["usd"] is None
    make_site("acme")
    elsewhere = program(Permission.READ, Permission.ADMIN, site="acme")
    assert elsewhere.get(URL).json()["now"]["received"] == 0
    problem(elsewhere.get(URL, {"project_id": PROJECT}), 404)
    problem(program(Permission.WRITE).get(URL), 403)


def test_the_runs_of_a_cause_are_listed_as_the_figures_name_it(desk: list[Run]) -> None:
    client = program(Permission.READ)
    (cause,) = client.get(URL).json()["failures"]
    asked = {"step": cause["step"], "error": cause["error"]}
    (found,) = client.get(f"{URL}/failures", asked).json()["items"]
    assert (found["document_id"], found["run_id"]) in {(one.document_id, one.workflow_id) for one in desk}
    assert found["failed_at"].endswith("+00:00")
    assert client.get(f"{URL}/failures", {**asked, "error": "Other"}).json() == {"items": [], "next": None}
    problem(client.get(f"{URL}/failures", {"step": cause["step"]}), 422)
    problem(program(Permission.WRITE).get(f"{URL}/failures", asked), 403)
    make_site("acme")
    assert program(Permission.READ, site="acme").get(f"{URL}/failures", asked).json()["items"] == []


@pytest.mark.usefixtures("table")
def test_a_run_that_was_tried_again_and_succeeded_is_no_longer_listed() -> None:
    client, run = program(Permission.READ), failed(start_run())
    sweeper.sweep()
    asked = {"step": "segment_prep", "error": "E"}
    assert [one["run_id"] for one in client.get(f"{URL}/failures", asked).json()["items"]] == [run.workflow_id]
    interventions.resume(run, interventions.ResumeWay.AGAIN, by=ROSA)
    published(run)
    sweeper.sweep()
    assert client.get(f"{URL}/failures", asked).json() == {"items": [], "next": None}
    assert client.get(URL).json()["failures"] == []

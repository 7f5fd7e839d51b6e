"""Costs, services outside and how the desk stands, by API: what their pages show, for whom they show it."""

import pytest

from config import clock
from config.brokers import queues
from config.due.repairs import RUN, record_repair
from projects.sites.permissions import Permission
from tests.aws_faults import count_calls
from tests.projects.make_sites import make_site
from tests.projects.projects import make_project
from tests.workflows.operations.test_costs import spent, this_month
from tests.workflows.test_api import API, problem, program
from workflows.operations.workers import Pulse, record_stall, record_storage
from workflows.providers import actions as provider_actions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
ADMIN = (Permission.READ, Permission.ADMIN)


def test_a_month_is_told_by_project_service_and_model() -> None:
    project, other = make_project("Leases"), make_project("Receipts")
    spent(project)
    client = program(*ADMIN)
    with count_calls() as calls:
        found = client.get(f"{API}/costs/{this_month()}").json()
    assert calls.names().count("dynamodb.Query") == 1
    assert {one["project_id"] for one in found["items"]} == {project.id}
    assert found["usd"] == pytest.approx(sum(one["usd"] for one in found["items"]))
    assert found["partial"] is False
    assert client.get(f"{API}/costs/{this_month()}?project_id={project.id}").json() == found
    assert client.get(f"{API}/costs/{this_month()}?project_id={other.id}").json()["items"] == []
    problem(client.get(f"{API}/costs/{this_month()}?project_id=none"), 404)
    problem(client.get(f"{API}/costs/soon"), 404)
    make_site("acme")
    assert program(*ADMIN, site="acme").get(f"{API}/costs/{this_month()}").json()["items"] == []


def test_a_service_that_fails_is_told_of() -> None:
    client = program(*ADMIN)
    before = {one["id"]: one for one in client.get(f"{API}/services").json()}
    assert before["textract"]["failures"] == 0
    provider_actions.record_failure("textract", "ThrottlingException")
    after = {one["id"]: one for one in client.get(f"{API}/services").json()}
    assert (after["textract"]["failures"], after["textract"]["error"]) == (1, "ThrottlingException")
    assert after["textract"]["failed_at"] is not None


def test_queues_workers_repairs_and_storage_are_told_of() -> None:
    queues.enqueue("any.task", "countersign-search", {})
    Pulse("w1", ["countersign-search"], 2).beat(taken=3, waited=1.5, busy=1)
    record_stall({"countersign-search": 4})
    record_repair(RUN, "default", document_id="d", workflow_id="w")
    record_storage()
    found = program(*ADMIN).get(f"{API}/operations").json()
    (queue,) = [one for one in found["queues"] if one["name"] == "countersign-search"]
    assert (queue["waiting"], queue["workers"], queue["stalls"]) == (1, 1, 1)
    (worker,) = found["workers"]
    assert (worker["name"], worker["alive"], worker["busy"], worker["slots"]) == ("w1", True, 1, 2)
    (repair,) = found["repairs"]
    assert (repair["kind"], repair["repairs"], repair["run_id"]) == (RUN, 1, "w")
    assert found["storage"]["measured_at"] <= clock.iso(clock.now())
    assert found["overdue"] == []


def test_they_are_for_admins_and_the_desk_for_those_of_the_main_site() -> None:
    make_site("acme")
    problem(program(*ADMIN, site="acme").get(f"{API}/operations"), 404)
    reader = program(Permission.READ, Permission.WRITE)
    for path in (f"costs/{this_month()}", "services", "operations"):
        problem(reader.get(f"{API}/{path}"), 403)

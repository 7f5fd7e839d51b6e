"""The API of composing: a plan is checked, saved, published and activated as on its page."""

import hashlib
from typing import Any

import pytest
from django.test import Client

from projects.queues.actions import create_queue
from projects.schemas.actions import create_definition
from projects.schemas.governing import AttributeDefinition
from projects.sites import directory
from projects.sites.permissions import Permission
from tests.factories import SITE
from tests.projects.make_sites import make_site
from tests.workflows.executions.onboarding import BY
from tests.workflows.repeated import field, published_run
from tests.workflows.test_api import API, program
from workflows.definitions import versions
from workflows.definitions.tasks import deploy_definition
from workflows.runs import queries
from workflows.runs.items import Execution
from workflows.runs.run_files import files_of
from workflows.storage import files

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("machines", "table")]
URL = f"{API}/workflows"
JSON = "application/json"
ABOVE = {"field": "total", "operator": "GT", "value": "1,000"}
HIGH = {"field": "total", "operator": "GT", "value": "10000"}
PLAN: dict[str, Any] = {
    "description": "Two of finance above 1,000; above 10,000 also the head",
    "steps": [
        {"kind": "approval", "name": "Finance", "conditions": [ABOVE], "approvers": 2, "queue": "Finance"},
        {"kind": "approval", "name": "Head of finance", "conditions": [HIGH]},
    ],
}


@pytest.fixture
def client() -> Client:
    create_queue(SITE, "Finance", ["reviewers"], by=BY, queue_id="01K000000000000000000000Q0")
    return program(Permission.READ, Permission.ADMIN)


def test_an_approval_rule_is_composed_published_and_activated(client: Client) -> None:
    made = client.post(URL, {"name": "large-invoices", "plan": PLAN}, content_type=JSON)
    assert (made.status_code, made.json()["version"]) == (201, 0)
    assert client.post(URL, {"name": "large-invoices", "plan": PLAN}, content_type=JSON).status_code == 409
    draft = client.get(f"{URL}/large-invoices/draft")
    assert draft.json()["plan"]["steps"][0] == {
        **PLAN["steps"][0],
        "conditions": [{**ABOVE, "value": "1000"}],
        "hours": 0,
        "target": "",
        "value": "",
        "corrects": [],
    }
    changed = {**PLAN, "summary": False}
    saved = client.put(f"{URL}/large-invoices/draft", changed, content_type=JSON, headers={"If-Match": draft["ETag"]})
    assert saved.json()["plan"]["summary"] is False
    late = client.put(f"{URL}/large-invoices/draft", PLAN, content_type=JSON, headers={"If-Match": draft["ETag"]})
    assert late.status_code == 412
    published = client.post(f"{URL}/large-invoices/versions")
    assert published.status_code == 201
    assert [one["name"] for one in published.json()["steps"] if one["type"] == "approval"] == [
        "human_review", "approval_12", "approval_13", "approval_15",
    ]  # fmt: skip
    label = f"{URL}/large-invoices/labels/active"
    assert client.put(label, {"version": 1}, content_type=JSON).status_code == 422  # not deployed yet
    deploy_definition(definition_id="large-invoices.v1")
    assert client.put(label, {"version": 2}, content_type=JSON).status_code == 404
    assert client.put(label, {"version": 1}, content_type=JSON).json()["active"] == 1
    assert client.put(label, {"version": 1}, content_type=JSON).status_code == 422
    assert versions.active_definition("large-invoices").id == "large-invoices.v1"
    assert client.post(f"{URL}/large-invoices.v1/archive").json()["active"] == 0


def test_waits_come_back_as_they_were_sent(client: Client) -> None:
    waits = [
        {"kind": "wait", "name": "Cool off", "hours": 48},
        {"kind": "wait", "name": "Until it is due", "target": "due_date"},
    ]
    made = client.post(URL, {"name": "late-payment", "plan": {"steps": waits}}, content_type=JSON)
    assert made.status_code == 201, made.content
    told = [{name: one[name] for name in ("kind", "hours", "target")} for one in made.json()["plan"]["steps"]]
    assert told == [
        {"kind": "wait", "hours": 48, "target": ""},
        {"kind": "wait", "hours": 0, "target": "due_date"},
    ]
    steps = client.post(f"{URL}/late-payment/versions").json()["steps"]
    assert [(one["name"], one["type"]) for one in steps if one["type"] == "wait"] == [
        ("wait_11", "wait"), ("wait_12", "wait"),
    ]  # fmt: skip


def test_a_workflow_takes_the_steps_of_a_version_and_keeps_them(client: Client) -> None:
    client.post(URL, {"name": "finance", "plan": PLAN}, content_type=JSON)
    taken = {"kind": "workflow", "name": "Finance check", "target": "finance.v1"}
    early = client.post(f"{URL}/plans/check", {"steps": [taken]}, content_type=JSON)
    assert (early.status_code, "Step 1, part:" in early.json()["detail"]) == (422, True)
    client.post(f"{URL}/finance/versions")
    own = client.put(f"{URL}/finance/draft", {"steps": [taken]}, content_type=JSON)
    assert own.status_code == 422  # no workflow is a part of itself
    client.put(f"{URL}/finance/draft", {"steps": PLAN["steps"][:1]}, content_type=JSON)
    client.post(f"{URL}/finance/versions")
    made = client.post(URL, {"name": "invoices", "plan": {"steps": [taken]}}, content_type=JSON)
    assert made.json()["plan"]["steps"][0]["target"] == "finance.v1"
    steps = client.post(f"{URL}/invoices/versions").json()["steps"]
    assert [one["label"] for one in steps if one["part_of"] == "finance.v1" and one["type"] == "approval"] == [
        "Finance check: Finance", "Finance check: Finance, again", "Finance check: Head of finance",
    ]  # fmt: skip
    data = client.post(f"{URL}/plans/check", {"runs_on": "data", "steps": [taken]}, content_type=JSON)
    assert data.status_code == 422
    deploy_definition(definition_id="finance.v1")
    assert client.post(f"{URL}/finance.v1/archive").status_code == 200
    assert client.post(f"{URL}/plans/check", {"steps": [taken]}, content_type=JSON).status_code == 422


def test_what_a_workflow_runs_on_stays(client: Client) -> None:
    client.post(URL, {"name": "orders", "plan": {"runs_on": "data"}}, content_type=JSON)
    assert client.put(f"{URL}/orders/draft", PLAN, content_type=JSON).status_code == 422


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ({"kind": "mail", "name": "Tell"}, "Step 1, target:"),
        ({"kind": "none", "name": "Tell"}, "Step 1, kind:"),
        ({"kind": "approval", "name": "Finance", "queue": "Nobody"}, "Step 1, queue:"),
        ({"kind": "approval", "name": "A", "conditions": [{**ABOVE, "value": "much"}]}, "Step 1, value_1:"),
        ({"kind": "approval", "name": "A", "corrects": ["total"]}, "Step 1, corrects: Approvers of a document"),
        ({"kind": "wait", "name": "Cool off"}, "Step 1, wait_hours:"),
        ({"kind": "wait", "name": "Cool off", "hours": 2, "target": "due_date"}, "Step 1, wait_hours:"),
        ({"kind": "wait", "name": "Cool off", "target": "Due date"}, "Step 1, wait_field:"),
    ],
)
def test_a_plan_is_checked_as_on_the_page(client: Client, step: dict[str, Any], told: str) -> None:
    answer = client.post(f"{URL}/plans/check", {"steps": [step]}, content_type=JSON)
    assert answer.status_code == 422
    assert told in answer.json()["detail"]


def test_what_needs_a_document_is_named_and_nothing_is_stored(client: Client) -> None:
    plan = {"runs_on": "data", "steps": [{"kind": "tag", "name": "Mark", "target": "state", "value": "new"}]}
    assert "Step 1, kind:" in client.post(f"{URL}/plans/check", plan, content_type=JSON).json()["detail"]
    fine = client.post(f"{URL}/plans/check", PLAN, content_type=JSON).json()
    assert fine["problems"] == []
    assert "approval_12" in [one["name"] for one in fine["steps"]]
    assert versions.list_composed() == []


def test_only_an_admin_of_the_main_site_composes() -> None:
    make_site("acme")
    tenant = program(Permission.READ, Permission.ADMIN, site="acme")
    assert tenant.post(URL, {"name": "orders", "plan": {}}, content_type=JSON).status_code == 404
    reader = program(Permission.READ)
    assert reader.post(URL, {"name": "orders", "plan": {}}, content_type=JSON).status_code == 403
    assert reader.post(f"{URL}/plans/check", {}, content_type=JSON).status_code == 403
    for other in (tenant, reader):
        assert other.post(f"{URL}/plans/try", {"plan": PLAN}, content_type=JSON).status_code in (403, 404)


def analyzed(total: str) -> str:
    run = published_run(field("total", total))
    execution = queries.execution(run)
    body = files_of(run).read(files.result(run.workflow_id))
    execution.update(actions=[Execution.result_sha256.set(hashlib.sha256(body).hexdigest())])
    return run.document_id


def told(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.json()
    return [one["told"] for one in answer.json()["steps"]]


def test_a_plan_is_tried_on_a_document_and_nothing_is_started(client: Client) -> None:
    wish: dict[str, Any] = {"plan": PLAN, "document_id": analyzed("1200.00")}
    found = client.post(f"{URL}/plans/try", wish, content_type=JSON)
    assert found.json()["problems"] == []
    assert "Asks for approval in Finance." in told(found)
    wish["plan"] = {"steps": [{**PLAN["steps"][0], "conditions": [HIGH]}]}
    assert "Asks for approval in Finance." not in told(client.post(f"{URL}/plans/try", wish, content_type=JSON))
    for document_id in ("", "none", "a#b", "00000000-0000-4000-8000-000000000000"):
        missing = client.post(f"{URL}/plans/try", {**wish, "document_id": document_id}, content_type=JSON)
        assert missing.status_code == 404, document_id
    assert versions.list_composed() == []


def test_a_plan_on_data_is_tried_on_an_input(client: Client) -> None:
    rule = {**ABOVE, "field": "order.total"}
    plan = {"runs_on": "data", "steps": [{"kind": "approval", "name": "Large", "conditions": [rule]}]}
    large, small = ({"plan": plan, "input": {"order": {"total": total}}} for total in (1200, 12))
    assert told(client.post(f"{URL}/plans/try", large, content_type=JSON))[-1] == "Asks for approval."
    assert "Asks for approval." not in told(client.post(f"{URL}/plans/try", small, content_type=JSON))


def test_no_trial_tells_of_values_that_are_hidden_from_who_tries(client: Client) -> None:
    wish = {"plan": PLAN, "document_id": analyzed("1200.00")}
    create_definition(SITE, AttributeDefinition("total", "Total", "text", personal=True), by=BY)
    directory.forget()
    assert client.post(f"{URL}/plans/try", wish, content_type=JSON).status_code == 403
    sees = program(Permission.READ, Permission.ADMIN, Permission.PERSONAL)
    assert "Asks for approval in Finance." in told(sees.post(f"{URL}/plans/try", wish, content_type=JSON))
    assert program(Permission.ADMIN).post(f"{URL}/plans/try", wish, content_type=JSON).status_code == 403

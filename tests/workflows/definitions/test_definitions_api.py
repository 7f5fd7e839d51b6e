"""The API of composing: a plan is checked, saved, published and activated as on its page."""

from typing import Any

import pytest
from django.test import Client

from projects.queues.actions import create_queue
from projects.sites.permissions import Permission
from tests.factories import SITE
from tests.projects.make_sites import make_site
from tests.workflows.executions.onboarding import BY
from tests.workflows.test_api import API, program
from workflows.definitions import versions
from workflows.definitions.tasks import deploy_definition

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
    made = client.post(URL, {"name": "invoice-approval", "plan": PLAN}, content_type=JSON)
    assert (made.status_code, made.json()["version"]) == (201, 0)
    assert client.post(URL, {"name": "invoice-approval", "plan": PLAN}, content_type=JSON).status_code == 409
    draft = client.get(f"{URL}/invoice-approval/draft")
    assert draft.json()["plan"]["steps"][0] == {
        **PLAN["steps"][0], "conditions": [{**ABOVE, "value": "1000"}], "hours": 0, "target": "", "value": "",
    }  # fmt: skip
    changed = {**PLAN, "summary": False}
    saved = client.put(f"{URL}/invoice-approval/draft", changed, content_type=JSON, headers={"If-Match": draft["ETag"]})
    assert saved.json()["plan"]["summary"] is False
    late = client.put(f"{URL}/invoice-approval/draft", PLAN, content_type=JSON, headers={"If-Match": draft["ETag"]})
    assert late.status_code == 412
    published = client.post(f"{URL}/invoice-approval/versions")
    assert published.status_code == 201
    assert [one["name"] for one in published.json()["steps"] if one["type"] == "approval"] == [
        "human_review", "approval_12", "approval_13", "approval_15",
    ]  # fmt: skip
    label = f"{URL}/invoice-approval/labels/active"
    assert client.put(label, {"version": 1}, content_type=JSON).status_code == 422  # not deployed yet
    deploy_definition(definition_id="invoice-approval.v1")
    assert client.put(label, {"version": 2}, content_type=JSON).status_code == 404
    assert client.put(label, {"version": 1}, content_type=JSON).json()["active"] == 1
    assert client.put(label, {"version": 1}, content_type=JSON).status_code == 422
    assert versions.active_definition("invoice-approval").id == "invoice-approval.v1"
    assert client.post(f"{URL}/invoice-approval.v1/archive").json()["active"] == 0


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

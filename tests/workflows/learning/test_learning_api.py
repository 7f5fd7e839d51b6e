"""Calibrations, the threshold simulator and extractors by API: what their pages show and do."""

import json
from typing import Any
from unittest import mock

import pytest
from django.test import Client

from config.brokers import queues
from projects.audit.events import Actor
from projects.settings import queries as project_queries
from projects.sites.permissions import Permission
from tests.projects.make_sites import make_site
from tests.pump import Pump
from tests.workflows.decided import project, reviewed_project
from tests.workflows.learning.extractors.reviewed_orders import SITE, project_of_orders
from tests.workflows.test_api import API, problem, program
from workflows.learning import actions, history, versions
from workflows.learning.calibrations import CALIBRATIONS
from workflows.learning.extractors import actions as extractor_actions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
ADMIN = (Permission.READ, Permission.ADMIN)
ANNA = Actor("9", "Anna Berg")


def get(client: Client, project_id: str, path: str) -> Any:
    return client.get(f"{API}/projects/{project_id}/{path}").json()


def activate(client: Client, project_id: str, kind: str, **wish: Any) -> Any:
    body = json.dumps(wish)
    return client.put(f"{API}/projects/{project_id}/{kind}/active", body, content_type="application/json")


@pytest.mark.wide
def test_a_calibration_is_told_of_and_activated_by_who_saw_the_active_one() -> None:
    project_id, client = reviewed_project(), program(*ADMIN)
    actions.propose_calibration(SITE, project_id, by=ANNA)
    found = get(client, project_id, "calibrations")
    (one,) = found["items"]
    assert (found["active"], one["version"], one["created_by"], one["activated_at"]) == (0, 1, "Anna Berg", None)
    assert one["auc"] > 0.5
    assert one["levels"][0].keys() == {"threshold", "documents", "asked", "precision"}
    assert [(event["type"], event["by"], event["version"]) for event in found["events"]] == [
        ("proposed", "Anna Berg", 1)
    ]
    assert activate(client, project_id, "calibrations", version=1, expected=0).json()["active"] == 1
    problem(activate(client, project_id, "calibrations", version=0, expected=0), 409)
    problem(activate(client, project_id, "calibrations", version=7, expected=1), 404)
    stored = project_queries.get_project(SITE, project_id)
    assert versions.active_version(CALIBRATIONS, stored) == 1


def test_too_few_reviews_are_said_in_an_event(pump: Pump) -> None:
    project_id, client = project(), program(*ADMIN)
    assert client.post(f"{API}/projects/{project_id}/calibrations").status_code == 202
    pump.run()
    (event,) = get(client, project_id, "calibrations")["events"]
    assert event["type"] == "refused"
    assert "too few" in event["reason"]


@pytest.mark.wide
def test_an_extractor_is_told_of_and_activated_with_a_reason() -> None:
    project_id, client = project_of_orders(12), program(*ADMIN)
    extractor_actions.train_extractor(SITE, project_id, by=ANNA)
    found = get(client, project_id, "extractors")
    (one,) = found["items"]
    assert one["gain_low"] <= one["gain"] <= one["gain_high"]
    assert any(field["kept"] and field["after"] > field["before"] for field in one["fields"])
    problem(activate(client, project_id, "extractors", version=1, expected=0, reason=" "), 422)
    wish = {"version": 1, "expected": 0, "reason": "Reads sponsors"}
    assert activate(client, project_id, "extractors", **wish).json()["active"] == 1
    assert get(client, project_id, "extractors")["events"][0]["reason"] == "Reads sponsors"


def test_an_extractor_is_ordered() -> None:
    project_id = project()
    with mock.patch.object(queues, "enqueue") as enqueue:
        assert program(*ADMIN).post(f"{API}/projects/{project_id}/extractors").status_code == 202
    assert enqueue.call_args.args[2]["project_id"] == project_id


@pytest.mark.wide
def test_a_threshold_is_tried_on_what_was_reviewed() -> None:
    project_id, client = reviewed_project(), program(*ADMIN)
    before = get(client, project_id, "thresholds")
    assert (before["collecting"], before["collected_at"], before["simulation"]) == (False, None, None)
    with mock.patch.object(queues, "enqueue"):
        assert client.post(f"{API}/projects/{project_id}/thresholds/collect").status_code == 202
    assert get(client, project_id, "thresholds")["collecting"] is True
    history.collect_history(SITE, project_id)
    all_asked = get(client, project_id, "thresholds?threshold=1")["simulation"]
    none_asked = get(client, project_id, "thresholds?threshold=0")["simulation"]
    assert all_asked["reviewed"] == all_asked["documents"] == 24
    assert none_asked["reviewed"] == none_asked["always"]
    assert all_asked["passing_errors"] < none_asked["passing_errors"] <= none_asked["errors"]


def test_they_are_for_admins_of_the_site() -> None:
    project_id = project()
    make_site("acme")
    reader, elsewhere = program(Permission.READ, Permission.WRITE), program(*ADMIN, site="acme")
    for path in ("calibrations", "extractors", "thresholds"):
        problem(reader.get(f"{API}/projects/{project_id}/{path}"), 403)
        problem(elsewhere.get(f"{API}/projects/{project_id}/{path}"), 404)

"""Runs by API: what happened since a program asked last, the executions of a workflow, and how a run went."""

import datetime as dt

import pytest

from config import clock
from config.transaction import EXISTS, transact
from projects.sites.permissions import Permission
from tests.aws_faults import count_calls
from tests.factories import start_run
from tests.projects.make_sites import make_site
from tests.workflows.repeated import field, published_run, run_to_repeat
from tests.workflows.test_api import API, problem, program
from workflows.engine import joins
from workflows.runs import events, queries
from workflows.runs.actions import advance
from workflows.runs.items import Run, WorkflowSteps

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
EVENTS = f"{API}/events"


def tell(number: int) -> Run:
    run = Run("default", "proj_test", f"doc-{number}", clock.new_ulid())
    detail = {"outcome": "published", "uri": "s3://bucket/output.json"}
    transact([], events.lineage(run, "PUBLISHED", bus_type=events.PROCESSED, bus_detail=detail))
    return run


@pytest.fixture
def runs() -> list[Run]:
    return [tell(number) for number in range(3)]


def test_events_go_on_where_the_program_left_off(runs: list[Run], monkeypatch: pytest.MonkeyPatch) -> None:
    client, kinds = program(Permission.READ), {"document.processed"}
    first = client.get(EVENTS).json()
    mine = [one for one in first["items"] if one["type"] in kinds]
    assert [one["run_id"] for one in mine] == [run.workflow_id for run in runs]
    assert {one["detail"]["outcome"] for one in mine} == {"published"}
    assert "s3://" not in client.get(EVENTS).content.decode()
    nothing = client.get(EVENTS, {"after": first["next"]}).json()
    assert nothing["items"] == []
    later = tell(4)
    after = client.get(EVENTS, {"after": nothing["next"]}).json()
    assert {one["run_id"] for one in after["items"]} == {later.workflow_id}
    monkeypatch.setattr("workflows.runs.api._MOST_EVENTS", 2)
    place, seen = {"since": clock.iso(clock.now() - dt.timedelta(days=3))}, []
    while found := client.get(EVENTS, place).json()["items"]:
        seen += [one["id"] for one in found]
        place = {"after": client.get(EVENTS, place).json()["next"]}
    assert seen == [one["id"] for one in (*first["items"], *after["items"])]
    with count_calls() as count:
        client.get(EVENTS)
    assert count.names() == ["dynamodb.GetItem", "dynamodb.Query", "dynamodb.Query", "dynamodb.BatchGetItem"]


def test_events_of_other_sites_and_forged_places_are_not_told(runs: list[Run]) -> None:
    make_site("acme")
    assert program(Permission.READ, site="acme").get(EVENTS).json()["items"] == []
    problem(program(Permission.READ).get(EVENTS, {"after": "forged"}), 404)
    problem(program(Permission.WRITE).get(EVENTS), 403)


def test_an_event_is_told_only_once_no_earlier_one_can_come(runs: list[Run], settings) -> None:
    settings.EVENT_SETTLE_SECONDS = 60
    client = program(Permission.READ)
    waiting = client.get(EVENTS).json()
    assert waiting["items"] == []
    settings.EVENT_SETTLE_SECONDS = 0
    assert client.get(EVENTS, {"after": waiting["next"]}).json()["items"]


def test_a_workflow_has_executions_and_a_run_transitions() -> None:
    run, client = run_to_repeat(), program(Permission.READ)
    published_run(field("total", "4.00"))
    listed = client.get(f"{API}/executions").json()["items"]
    assert listed[1]["run_id"] == run.workflow_id
    assert {one["status"] for one in listed} <= {"failed", "published", "running", "cancelled"}
    problem(client.get(f"{API}/executions", {"workflow": "nothing"}), 404)
    at = f"{API}/documents/{run.document_id}/runs/{run.workflow_id}/transitions"
    steps = client.get(at).json()["items"]
    assert len(steps) == len(queries.transitions(run.site, run.workflow_id).rows)


def test_admins_programs_see_the_definitions() -> None:
    client = program(Permission.ADMIN)
    found = client.get(f"{API}/workflows").json()["items"]
    known = client.get(f"{API}/workflows/{found[0]['versions'][0]['id']}").json()
    assert known["steps"][-1]["next"] in ({"": ""}, {})
    problem(client.get(f"{API}/workflows/none.v1"), 404)
    problem(program(Permission.READ).get(f"{API}/workflows"), 403)


def test_pages_are_listed_and_their_text_is_read() -> None:
    run, client = published_run(field("total", "4.00")), program(Permission.READ)
    url = f"{API}/documents/{run.document_id}/runs/{run.workflow_id}/pages"
    assert client.get(url).json() == {"items": [{"index": 0, "failed": False}], "next": None}
    page = client.get(f"{url}/0").json()
    assert (page["index"], page["kind"]) == (0, "Page")
    assert all(one["source"] for one in page["texts"])
    problem(client.get(f"{url}/7"), 404)
    problem(client.get(f"{url}/-1"), 404)
    make_site("acme")
    problem(program(Permission.READ, site="acme").get(f"{url}/0"), 404)
    problem(program(Permission.WRITE).get(url), 403)


def test_how_far_the_parts_of_a_long_document_are_is_told() -> None:
    run, client = start_run(), program(Permission.READ)
    url = f"{API}/documents/{run.document_id}/runs/{run.workflow_id}"
    with count_calls() as before:
        assert {one["progress"] for one in client.get(url).json()["steps"]} == {None}
    WorkflowSteps.change(advance.board_key(run), [WorkflowSteps.page_count.set(3000)], EXISTS)
    joins.begin(run, "segment_prep", step=1, attempt=1, slices=60, planned=3000, slots=8, token=None)
    with count_calls() as after:
        steps = {one["name"]: one["progress"] for one in client.get(url).json()["steps"]}
    assert steps.pop("segment_prep") == {"parts": 60, "done": 0, "pages": 3000, "failed": 0}
    assert set(steps.values()) == {None}
    assert after.names() == [*before.names(), "dynamodb.Query"]

"""Calls of the API that ask for changes are noted by what they are about, until they go by TimeToLive."""

import pytest

from config import clock
from projects.audit import api_calls
from projects.audit.events import API_CALLS_KEPT_DAYS
from projects.audit.items import AuditLine
from projects.sites.permissions import Permission
from tests.aws_faults import fail
from tests.factories import SITE, start_run
from tests.html import one_line
from tests.people import alice, signed_in
from tests.projects.make_sites import make_site
from tests.workflows.test_api import API, problem, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def test_a_change_is_noted_whatever_came_of_it_and_reading_is_not() -> None:
    run, client = start_run(), program(Permission.READ, Permission.WRITE)
    url = f"{API}/documents/{run.document_id}"
    client.get(url)
    client.patch(url, {"tags": {"secret-word": ["1"]}}, content_type="application/json")
    client.patch(url, {"attributes": {"unknown": ["1"]}}, content_type="application/json")
    second, first = api_calls.list_api_calls(SITE, run.document_id).rows
    assert [one.payload.as_dict()["status"] for one in (first, second)] == [200, 422]
    assert (first.type, first.payload.as_dict()["path"]) == ("HTTP_PATCH", "/documents/{document_id}")
    assert "secret-word" not in str(first.attribute_values)
    left = int(first.TimeToLive) - clock.now().timestamp()
    assert API_CALLS_KEPT_DAYS * 86_400 - 60 < left <= API_CALLS_KEPT_DAYS * 86_400
    lines = AuditLine.page(api_calls.table.AUDIT_LINE.partition_key(SITE)).rows
    assert "api_call" not in {one.entityType for one in lines}


def test_who_is_not_known_leaves_nothing() -> None:
    run, client = start_run(), program()
    client.patch(f"{API}/documents/{run.document_id}", headers={"Authorization": "Bearer cs_wrong"})
    assert api_calls.list_api_calls(SITE, run.document_id).rows == []


def test_the_answer_goes_out_if_it_cannot_be_noted() -> None:
    client = program(Permission.READ)
    with fail("dynamodb", "TransactWriteItems", error_code="connection", times=9):
        problem(client.post(f"{API}/projects", {"name": "Bills"}, content_type="application/json"), 403)
    assert api_calls.list_api_calls(SITE, "projects").rows == []
    problem(client.post(f"{API}/projects", {"name": "Bills"}, content_type="application/json"), 403)
    assert len(api_calls.list_api_calls(SITE, "projects").rows) == 1


def test_admins_list_them_by_api_and_see_a_keys_on_the_page_of_the_audit() -> None:
    run, client = start_run(), program(Permission.READ, Permission.WRITE, Permission.ADMIN)
    client.patch(f"{API}/documents/{run.document_id}", {"metadata": {"box": "17"}}, content_type="application/json")
    (one,) = client.get(f"{API}/api-calls/{run.document_id}").json()["items"]
    assert (one["method"], one["path"], one["status"]) == ("PATCH", "/documents/{document_id}", 200)
    assert one["ids"] == {"document_id": run.document_id}
    page = one_line(signed_in(alice()).get("/settings/audit/", {"user": one["by_id"]}).content)
    assert "API call HTTP PATCH" in page
    make_site("acme")
    elsewhere = program(Permission.READ, Permission.ADMIN, site="acme")
    assert elsewhere.get(f"{API}/api-calls/{run.document_id}").json()["items"] == []
    problem(program(Permission.READ).get(f"{API}/api-calls/{run.document_id}"), 403)

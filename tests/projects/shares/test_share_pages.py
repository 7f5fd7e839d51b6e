"""Shares in the browser and by API: who is let into what is restricted, by which page, and until when."""

import pytest
from django.conf import settings

from config import aws
from projects.documents.queries import get_document
from projects.folders import actions as folder_actions
from projects.queues import actions as queue_actions
from projects.shares import queries
from projects.sites.permissions import Permission
from tests.factories import SITE, start_run
from tests.html import one_line
from tests.people import alice, bob, charlie, dora, signed_in
from tests.workflows.removing import ROSA
from tests.workflows.test_api import API, problem, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
SHARES = "/documents/shares/"


def restricted(path: str) -> tuple[str, str]:
    """A folder for admins only, and the id of a document in it."""
    folder = folder_actions.create_path(SITE, path, by=ROSA)
    folder_actions.restrict_folder(SITE, folder, ["admins"], version=1, by=ROSA)
    run = start_run(folder_id=folder)
    return folder, run.document_id


def revoke(browser, document_id: str) -> None:
    for share in queries.list_shares_of(SITE, document_id):
        assert browser.post(f"{SHARES}{share.share_id}/revoke/").status_code == 302


def test_a_person_and_a_group_are_let_in_until_it_is_revoked() -> None:
    ada, rosa, cara = signed_in(alice()), signed_in(bob()), signed_in(charlie())
    folder, document_id = restricted("Staff")
    own, form = f"/documents/{document_id}/", f"{SHARES}of/{document_id}/"
    assert [one.get(own).status_code for one in (ada, rosa, cara)] == [200, 404, 404]
    assert rosa.get(form).status_code == 404
    assert cara.get(form).status_code == 403
    assert "viewers" in one_line(ada.get(form).content)
    assert ada.post(form, {"with": f"user:{bob().pk}"})["Location"] == form
    assert ada.post(form, {"with": f"user:{bob().pk}"}).status_code == 409
    assert ada.post(form, {"with": "group:viewers"}).status_code == 302
    for wrong in ("", "user:", f"user:{dora().pk}", "group:none", "link:x"):
        assert ada.post(form, {"with": wrong}).status_code == 422, wrong
    assert [one.get(own).status_code for one in (ada, rosa, cara)] == [200, 200, 200]
    assert "Bob Ito" in one_line(rosa.get(own).content)
    name = get_document(SITE, document_id).path
    mine = one_line(rosa.get(f"{SHARES}mine/").content)
    assert name in mine
    assert "Alice Novak," in mine
    assert name in one_line(cara.get(SHARES).content)
    assert name in one_line(cara.get(SHARES, {"with": "viewers"}).content)
    assert "Nothing is shared with nobody" in one_line(cara.get(SHARES, {"with": "nobody"}).content)
    assert rosa.get(f"/documents/folders/{folder}/").status_code == 404  # the document alone
    share = queries.list_shares_of(SITE, document_id)[0]
    assert cara.post(f"{SHARES}{share.share_id}/revoke/").status_code == 403
    revoke(ada, document_id)
    assert ada.post(f"{SHARES}{share.share_id}/revoke/").status_code == 404
    assert [one.get(own).status_code for one in (ada, rosa, cara)] == [200, 404, 404]
    assert name not in one_line(rosa.get(f"{SHARES}mine/").content)
    assert "Nothing is shared yet" in one_line(rosa.get(SHARES).content)


def test_a_shared_folder_lets_in_as_far_as_no_folder_and_no_queue_in_it_is_closed() -> None:
    ada, rosa = signed_in(alice()), signed_in(bob())
    folder, document_id = restricted("Staff")
    board, secret = restricted("Staff/Board")
    form = f"{SHARES}folders/{folder}/"
    assert rosa.get(form).status_code == 404
    assert ada.post(form, {"with": "group:reviewers"}).status_code == 302
    for path, status in (
        (f"/documents/folders/{folder}/", 200),
        (f"/documents/{document_id}/", 200),
        (f"/documents/folders/{board}/", 404),
        (f"/documents/{secret}/", 404),
    ):
        assert rosa.get(path).status_code == status, path
    assert "reviewers" in one_line(ada.get(f"/documents/folders/{folder}/").content)
    assert "Staff" in one_line(rosa.get(f"{SHARES}mine/").content)
    queue_actions.create_queue(SITE, "Board", ["admins"], by=ROSA, queue_id="board")
    table = aws.dynamodb_client()
    key = {"PK": {"S": f"docs#{document_id}"}, "SK": {"S": "document"}}
    table.update_item(
        TableName=settings.TABLE_NAME,
        Key=key,
        UpdateExpression="SET queue = :q",
        ExpressionAttributeValues={":q": {"S": "board"}},
    )
    assert rosa.get(f"/documents/{document_id}/").status_code == 404
    revoke(ada, folder)
    assert rosa.get(f"/documents/folders/{folder}/").status_code == 404


def test_a_link_is_made_shown_once_and_revoked_on_the_page() -> None:
    rosa, run = signed_in(bob()), start_run()
    form = f"{SHARES}of/{run.document_id}/"
    made = rosa.post(form, {"name": "Auditors", "days": "7", "openings": "2", "password": "a long word"})
    url = made.context["made_url"]
    assert url in one_line(made.content)
    assert url.startswith(f"{settings.PUBLIC_URL}/shared/")
    page = one_line(rosa.get(form).content)
    assert ("Auditors" in page, url in page, "password</span>" in page) == (True, False, True)
    assert rosa.post(form, {"name": "", "days": "7"}).status_code == 422
    refused = rosa.post(form, {"name": "Bank", "days": "7", "password": "short"})
    assert (refused.status_code, 'value="Bank"' in one_line(refused.content)) == (422, True)
    assert "short" not in refused.content.decode().replace("shortest", "")
    revoke(rosa, run.document_id)
    rosa.get(form)  # says that it is revoked
    assert "Auditors" not in one_line(rosa.get(form).content)


def test_programs_share_list_and_revoke() -> None:
    client, run = program(), start_run()
    at = f"{API}/documents/{run.document_id}/shares"
    made = client.post(at, {"link": {"name": "Auditors"}}, content_type="application/json")
    assert made.status_code == 201
    assert made.json()["url"].startswith(settings.PUBLIC_URL)
    client.get("/api/v1/projects")
    alice(), bob()
    for body in (
        {},
        {"user_id": "1", "group": "x"},
        {"group": "none"},
        {"link": {"name": "x", "days": 0}},
        {"link": {"name": "x", "max_openings": False}},
    ):
        problem(client.post(at, body, content_type="application/json"), 422)
    shared = client.post(at, {"user_id": str(bob().pk)}, content_type="application/json").json()
    assert (shared["shared_with"], shared["name"], shared["url"]) == ("user", "Bob Ito", None)
    problem(client.post(at, {"user_id": str(bob().pk)}, content_type="application/json"), 409)
    listed = client.get(at).json()["items"]
    assert [one["name"] for one in listed] == ["Auditors", "Bob Ito"]
    assert [one["name"] for one in client.get(f"{API}/shares").json()["items"]] == ["Bob Ito", "Auditors"]
    folder = folder_actions.create_path(SITE, "Inbox", by=ROSA)
    made = client.post(f"{API}/folders/{folder}/shares", {"group": "reviewers"}, content_type="application/json")
    assert made.json()["path"] == "Inbox"
    problem(program(Permission.READ).post(at, {"group": "reviewers"}, content_type="application/json"), 403)
    problem(program(Permission.READ).delete(f"{API}/shares/{shared['id']}"), 403)
    assert client.delete(f"{API}/shares/{shared['id']}").status_code == 204
    problem(client.delete(f"{API}/shares/{shared['id']}"), 404)
    problem(client.get(f"{API}/documents/none/shares"), 404)

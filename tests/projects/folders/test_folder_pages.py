"""Folders in the browser and by API: filed, moved, restricted, and nothing of them for who is not let in."""

import uuid

import pytest

from projects.documents.queries import get_document
from projects.folders import actions, queries
from projects.folders.queries import ROOT
from tests.factories import SITE, sample_files, start_run
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.projects.projects import make_project
from tests.workflows.removing import ROSA
from tests.workflows.test_api import API, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
FOLDERS = "/documents/folders/"


def at(path: str) -> str:
    return f"{FOLDERS}{queries.find_path(SITE, path)}/"


def test_folders_are_made_filled_renamed_and_deleted_by_forms() -> None:
    rosa, run = signed_in(bob()), start_run()
    name, value = get_document(SITE, run.document_id).name, f"document:{run.document_id}"
    assert "No folders yet" in one_line(rosa.get(FOLDERS).content)
    assert rosa.post(f"{FOLDERS}create/", {"name": "Invoices"})["Location"] == FOLDERS
    assert rosa.post(f"{FOLDERS}create/", {"name": "invoices"}).status_code == 409
    assert rosa.post(f"{FOLDERS}create/", {"name": "a/b"}).status_code == 422
    assert rosa.post(f"{FOLDERS}move/", {"item": value, "path": "Invoices/2026"})["Location"] == FOLDERS
    page = one_line(rosa.get(at("Invoices/2026")).content)
    assert name in page
    assert f'value="{value}"' in page
    assert f'href="{at("Invoices")}"' in page
    of_document = one_line(rosa.get(f"/documents/{run.document_id}/").content)
    assert at("Invoices/2026") in of_document
    assert rosa.post(f"{at('Invoices')}delete/").status_code == 422
    assert rosa.post(f"{FOLDERS}move/", {"from": queries.find_path(SITE, "Invoices")}).status_code == 422
    inner = queries.find_path(SITE, "Invoices/2026")
    moved = {"item": f"folder:{inner}", "to": ROOT, "from": queries.find_path(SITE, "Invoices")}
    assert rosa.post(f"{FOLDERS}move/", moved).status_code == 302
    taken = rosa.post(f"{at('Invoices')}edit/", {"name": "2026"})
    assert taken.status_code == 409
    assert "There is already a folder “2026” here." in one_line(taken.content)
    assert "Changed by another user" not in one_line(taken.content)
    assert rosa.post(f"{at('Invoices')}delete/")["Location"] == FOLDERS
    own = f"{FOLDERS}documents/{run.document_id}/"
    assert 'value="2026"' in one_line(rosa.get(own).content)
    assert rosa.post(own, {"name": "Bill.pdf", "path": ""}).status_code == 302
    assert get_document(SITE, run.document_id).path == "Bill.pdf"
    assert rosa.post(own, {"name": "a/b", "path": ""}).status_code == 422
    assert "Create</button>" not in one_line(signed_in(charlie()).get(FOLDERS).content)


def test_what_is_in_a_restricted_folder_is_not_there_for_others() -> None:
    ada, rosa, run = signed_in(alice()), signed_in(bob()), start_run()
    inner = actions.create_path(SITE, "Staff/Payroll", by=ROSA)
    actions.move_document(SITE, run.document_id, inner, by=ROSA)
    outer, own = queries.find_path(SITE, "Staff"), f"/documents/{run.document_id}/"
    edit = f"{at('Staff')}edit/"
    assert "groups" not in rosa.get(edit).content.decode()
    form = {"name": "Staff", "groups": ["admins"], "version": "1"}
    assert ada.post(edit, form)["Location"] == FOLDERS
    assert ada.post(edit, form | {"groups": []}).status_code == 409
    for path in (f"{FOLDERS}{inner}/", f"{FOLDERS}{outer}/", own, edit, f"{FOLDERS}documents/{run.document_id}/"):
        assert (ada.get(path).status_code, rosa.get(path).status_code) == (200, 404), path
    assert "Staff" not in rosa.get(FOLDERS).content.decode()
    assert get_document(SITE, run.document_id).name not in rosa.get("/documents/").content.decode()
    other = start_run()
    into = {"item": f"document:{other.document_id}"}
    assert rosa.post(f"{FOLDERS}move/", into | {"to": inner}).status_code == 422
    assert rosa.post(f"{FOLDERS}move/", into | {"path": "Staff/Payroll/Mine"}).status_code == 422
    assert rosa.post(f"{FOLDERS}move/", {"item": f"document:{run.document_id}", "to": ROOT}).status_code == 422
    assert get_document(SITE, other.document_id).folder_id is None
    client = program()
    assert client.get(f"{API}/folders", {"path": "Staff"}).status_code == 404
    assert client.get(f"{API}/folders").json()["items"] == []
    assert ada.post(edit, form | {"groups": [], "version": "2"}).status_code == 302
    assert rosa.get(own).status_code == 200


@pytest.mark.wide
def test_an_upload_takes_a_path_by_form_and_by_program() -> None:
    rosa, project = signed_in(bob()), make_project()
    page = f"/workflows/projects/{project.id}/upload/"
    assert 'value="Inbox/New"' in one_line(rosa.get(page, {"folder": "Inbox/New"}).content)
    assert rosa.get("/documents/upload/", {"folder": "Inbox/New"}).status_code in {302, 404}
    with sample_files()[0].open("rb") as file:
        answer = rosa.post(page, {"files": file, "folder": "Inbox/New"})
    assert answer.status_code == 302
    inbox = queries.find_path(SITE, "Inbox/New")
    assert len(queries.list_entries(SITE, inbox).rows) == 1
    with sample_files()[0].open("rb") as file:
        assert rosa.post(page, {"files": file, "folder": "x" * 200}).status_code == 422
    client = program()
    with sample_files()[0].open("rb") as file:
        made = client.post(f"{API}/projects/{project.id}/documents", {"file": file, "folder": "Inbox"})
    assert made.status_code == 201
    assert get_document(SITE, made.json()["document_id"]).path == f"Inbox/{sample_files()[0].name}"


def test_programs_make_list_move_and_delete() -> None:
    client, run = program(), start_run()
    made = client.post(f"{API}/folders", {"path": "A/B"}, content_type="application/json")
    assert (made.status_code, made.json()["path"]) == (201, "A/B")
    again = client.post(f"{API}/folders", {"path": "a/b"}, content_type="application/json")
    assert (again.status_code, again.json()["id"]) == (200, made.json()["id"])
    assert client.post(f"{API}/folders", {"path": "/"}, content_type="application/json").status_code == 422
    own = f"{API}/documents/{run.document_id}/path"
    put = client.put(own, {"folder": "A/B", "name": "C.pdf"}, content_type="application/json")
    assert put.json() == {"document_id": run.document_id, "name": "C.pdf", "path": "A/B/C.pdf"}
    listed = client.get(f"{API}/folders", {"path": "A/B"}).json()
    assert [(one["type"], one["name"]) for one in listed["items"]] == [("document", "C.pdf")]
    folder = f"{API}/folders/{made.json()['id']}"
    assert client.put(folder, {"path": "D"}, content_type="application/json").json()["path"] == "D"
    assert client.delete(folder).status_code == 422
    client.put(own, {"folder": ""}, content_type="application/json")
    assert client.delete(folder).status_code == 204
    assert client.put(folder, {"path": "E"}, content_type="application/json").status_code == 404
    missing = f"{API}/documents/{uuid.uuid4()}/path"
    assert client.put(missing, {"name": "x"}, content_type="application/json").status_code == 404

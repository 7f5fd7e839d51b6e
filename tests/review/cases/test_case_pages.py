"""A case in the browser and by API, from its opening to its end; documents of others' queues are not in it."""

import datetime as dt

import pytest

from config import clock
from config.transaction import transact
from projects.folders import actions as folder_actions
from projects.folders import queries as folder_queries
from review.cases import actions, queries
from review.cases.actions import CaseText
from review.cases.items import CaseStatus
from review.identity import ReviewRef
from tests.factories import SITE, start_run
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.workflows.removing import ROSA
from tests.workflows.test_api import API, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


@pytest.mark.wide
def test_a_case_from_its_opening_to_its_end() -> None:
    rosa, run = signed_in(bob()), start_run()
    choose = f"/cases/of/{run.document_id}/"
    assert choose in one_line(rosa.get(f"/documents/{run.document_id}/").content)
    assert 'href="/cases/"' not in one_line(rosa.get(choose).content)
    own = rosa.post("/cases/new/", {"name": "Mill claim", "document": run.document_id})["Location"]
    assert "in no case" not in one_line(rosa.get(choose).content)
    assert rosa.post(f"{own}task/", {"name": "", "due_on": ""}).status_code == 422
    assert rosa.post(f"{own}task/", {"name": "Call", "owner": "999"}).status_code == 422
    yesterday = (clock.now() - dt.timedelta(days=1)).date().isoformat()
    task = {"name": "Call them", "owner": str(bob().pk), "due_on": yesterday}
    assert rosa.post(f"{own}task/", task)["Location"] == own
    assert rosa.post(f"{own}nigo/", {"name": "ID card <missing>"})["Location"] == own
    page = one_line(rosa.get(own).content)
    assert "ID card &lt;missing&gt;" in page
    assert "Overdue" in page
    mine = one_line(rosa.get("/cases/tasks/").content)
    assert "Call them" in mine
    assert "Overdue since" in mine
    assert "Call them" not in one_line(signed_in(alice()).get("/cases/tasks/").content)
    assert rosa.post(f"{own}settle/", {"op": "close"}).status_code == 422
    rows = queries.get_case_rows(SITE, own.split("/")[2])
    for kind, item in (("task", rows.tasks[0]), ("nigo", rows.nigos[0])):
        assert rosa.post(f"{own}{kind}/{item.item_id}/", {"op": "close", "answer": "Done"}).status_code == 302
    assert rosa.post(f"{own}task/{rows.tasks[0].item_id}/", {"op": "close"}).status_code == 409
    assert "No open cases" in one_line(rosa.get("/cases/").content)
    assert "Mill claim" in one_line(rosa.get("/cases/", {"status": "closed"}).content)
    assert rosa.post(f"{own}settle/", {"op": "reopen"})["Location"] == own
    form = {"name": "Mill", "number": "C-7", "version": str(queries.get_case(SITE, own.split("/")[2]).version)}
    assert rosa.post(f"{own}edit/", form)["Location"] == own
    assert rosa.post(f"{own}edit/", form).status_code == 409
    gone = {"document": run.document_id, "op": "remove"}
    assert rosa.post(f"{own}documents/", gone).status_code == 302
    assert rosa.post(f"{own}documents/", {"document": "none"}).status_code == 422
    address = f"https://desk.example/documents/{run.document_id}/"
    assert rosa.post(f"{own}documents/", {"document": address}).status_code == 302
    assert 'href="/cases/"' in one_line(signed_in(charlie()).get(own).content)
    assert "Complete" not in one_line(signed_in(charlie()).get(own).content)


def test_documents_that_a_person_is_not_let_into_are_not_in_the_case() -> None:
    run = start_run(folder_id=folder_actions.create_path(SITE, "Staff", by=ROSA))
    case = actions.create_case(SITE, CaseText("Mill"), by=ROSA, document_ids=[run.document_id])
    staff = folder_queries.find_path(SITE, "Staff")
    folder_actions.restrict_folder(SITE, staff, ["admins"], version=1, by=ROSA)
    own = f"/cases/{case.case_id}/"
    assert run.document_id in signed_in(alice()).get(own).content.decode()
    rosa = signed_in(bob())
    assert run.document_id not in rosa.get(own).content.decode()
    assert rosa.get(f"/cases/of/{run.document_id}/").status_code == 404
    assert rosa.post(f"{own}documents/", {"document": run.document_id}).status_code == 422
    assert program().get(f"{API}/cases/{case.case_id}").json()["documents"] == []


def test_why_a_review_was_rejected_is_told_to_who_may_see_its_document() -> None:
    run = start_run(folder_id=folder_actions.create_path(SITE, "Staff", by=ROSA))
    case = actions.create_case(SITE, CaseText("Mill"), by=ROSA, document_ids=[run.document_id])
    ref, why = ReviewRef(SITE, run.document_id, "r1"), "Not his IBAN: DE89"
    transact(actions.plan_rejection(ref, decision_id=clock.new_ulid(), listed="Wrong", reason=why, by_name="Rosa"))
    own, staff = f"/cases/{case.case_id}/", folder_queries.find_path(SITE, "Staff")
    page = one_line(signed_in(bob()).get(own).content)
    assert all(one in page for one in ("Review rejected: Wrong", why, f"/review/{run.document_id}/r1/"))
    assert program().get(f"{API}{own}".rstrip("/")).json()["nigos"][0]["description"] == why
    folder_actions.restrict_folder(SITE, staff, ["admins"], version=1, by=ROSA)
    page = one_line(signed_in(bob()).get(own).content)
    assert why not in page
    assert run.document_id not in page
    assert program().get(f"{API}{own}".rstrip("/")).json()["nigos"][0]["description"] == "•••"


def test_programs_open_fill_and_close_cases() -> None:
    client, run, person = program(), start_run(), bob()
    made = client.post(f"{API}/cases", {"name": "Mill"}, content_type="application/json")
    assert made.status_code == 201
    own = f"{API}/cases/{made.json()['id']}"
    task = {"name": "Call", "owner_id": str(person.pk), "due_on": "2026-12-31"}
    task_id = client.post(f"{own}/tasks", task, content_type="application/json").json()["id"]
    nigo_id = client.post(f"{own}/nigos", {"name": "ID"}, content_type="application/json").json()["id"]
    attached = client.put(f"{own}/documents/{run.document_id}?nigo={nigo_id}", content_type="application/json").json()
    assert attached["nigos"][0]["documents"] == [run.document_id]
    assert (attached["tasks"][0]["owner"], attached["open_items"]) == ("Bob Ito", 2)
    closed = {"status": "CLOSED"}
    assert client.put(f"{own}/status", closed, content_type="application/json").status_code == 422
    for kind, item in (("tasks", task_id), ("nigos", nigo_id)):
        answer = client.put(f"{own}/{kind}/{item}/status", closed, content_type="application/json")
    assert answer.json()["status"] == CaseStatus.CLOSED
    assert client.put(f"{own}/status", {"status": "OPEN"}, content_type="application/json").json()["status"] == "OPEN"
    assert client.put(f"{own}/status", {"status": "x"}, content_type="application/json").status_code == 422
    assert client.delete(f"{own}/documents/{run.document_id}?nigo={nigo_id}").status_code == 204
    assert client.delete(f"{own}/documents/{run.document_id}").status_code == 404
    assert [one["id"] for one in client.get(f"{API}/cases").json()["items"]] == [made.json()["id"]]
    assert client.get(f"{API}/cases", {"status": "CLOSED"}).json()["items"] == []

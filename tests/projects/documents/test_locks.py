"""Checkout: who has a document changes it, others are told until it is checked in, ends or is broken."""

import datetime as dt

import pytest

from config import clock
from config.errors import Conflict, NotAllowed, Refused
from projects.audit.events import Actor
from projects.documents import queries
from projects.documents.actions import hold, locks, properties
from projects.documents.queries import get_document
from projects.folders import actions as folder_actions
from projects.sites.permissions import Permission
from tests.each import each
from tests.factories import SITE, ended_run
from tests.html import one_line
from tests.people import alice, bob, charlie, person, signed_in
from tests.workflows.intake.test_new_version_actions import added
from tests.workflows.removing import ROSA
from tests.workflows.test_api import API, problem, program
from workflows.documents.actions import removals

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
MARTA = Actor("2", "Marta Kowalczyk")


def test_others_change_nothing_of_it_and_its_owner_does() -> None:
    run = ended_run()
    document_id = run.document_id
    folder = folder_actions.create_path(SITE, "Inbox", by=ROSA)
    locks.check_out(SITE, document_id, 8, by=ROSA)
    for change in (
        lambda: properties.add_tag(SITE, document_id, "k", "v", by=MARTA),
        lambda: properties.set_metadata(SITE, document_id, "k", "v", by=MARTA),
        lambda: folder_actions.move_document(SITE, document_id, folder, by=MARTA),
        lambda: locks.check_out(SITE, document_id, 8, by=MARTA),
    ):
        with pytest.raises(Conflict, match="Rosa Marin has checked out this document until"):
            change()
    with pytest.raises(Refused, match="Rosa Marin has checked out"):
        removals.delete_document(SITE, document_id, by=MARTA)
    properties.add_tag(SITE, document_id, "k", "v", by=ROSA)
    properties.add_tag(SITE, document_id, "by", "mapping", by=Actor("system", "Mapping invoices"))
    hold.place_hold(SITE, document_id, "Alder", by=MARTA)
    hold.release_hold(SITE, document_id, since=str(get_document(SITE, document_id).hold_at), by=MARTA)
    assert {one.tag_key for one in queries.list_tags(SITE, document_id)} == {"k", "by"}
    removals.delete_document(SITE, document_id, by=ROSA)


def test_a_new_version_waits_too() -> None:
    run = ended_run()
    locks.check_out(SITE, run.document_id, 8, by=MARTA)
    with pytest.raises(Refused, match="Marta Kowalczyk has checked out"):
        added(run)


def test_it_ends_by_itself_and_of_two_who_want_it_one_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    document_id = ended_run().document_id
    locks.check_out(SITE, document_id, 1, by=ROSA)
    locks.check_out(SITE, document_id, 2, by=ROSA)  # one's own is extended
    since = str(get_document(SITE, document_id).lock_at)
    with pytest.raises(Conflict):
        locks.check_out(SITE, document_id, 1, by=MARTA)
    late = clock.now() + dt.timedelta(hours=2, seconds=1)
    monkeypatch.setattr(clock, "now", lambda: late)
    with pytest.raises(Conflict, match="has ended"):
        locks.check_in(SITE, document_id, since=since, by=ROSA)
    locks.check_out(SITE, document_id, 1, by=MARTA)
    with pytest.raises(Conflict, match="changed by another user"):
        locks.check_in(SITE, document_id, since=since, by=ROSA, admin=True)
    with pytest.raises(NotAllowed, match="Only Marta Kowalczyk or an admin"):
        locks.check_in(SITE, document_id, since=str(get_document(SITE, document_id).lock_at), by=ROSA)


@each("hours", [0, 73])
def test_no_one_keeps_it_for_so_long(hours: int) -> None:
    with pytest.raises(Refused):
        locks.check_out(SITE, "d", hours, by=ROSA)


def test_it_is_checked_out_checked_in_and_broken_on_its_page() -> None:
    document_id = ended_run().document_id
    rosa, rita, ada = signed_in(bob()), signed_in(person("rita", "Ray", "reviewers")), signed_in(alice())
    own, form = f"/documents/{document_id}/", f"/documents/{document_id}/checkout/"
    assert signed_in(charlie()).get(form).status_code == 403
    assert rosa.post(form, {"hours": ""}).status_code == 422
    assert rosa.post(form, {"hours": "8"})["Location"] == own
    assert "Checked out</b> by Bob Ito" in one_line(rita.get(own).content)
    assert "Ask Bob Ito to check it in" in one_line(rita.get(form).content)
    assert rita.post(form, {"hours": "8"}).status_code == 409
    assert "Extend" in one_line(rosa.get(form).content)
    since = {"op": "check-in", "since": str(get_document(SITE, document_id).lock_at)}
    assert rita.post(form, since).status_code == 403
    assert "Break checkout" in one_line(ada.get(form).content)
    assert ada.post(form, since).status_code == 302
    assert ada.post(form, since).status_code == 409
    assert "Checked out</b>" not in one_line(rita.get(own).content)


def test_programs_check_out_and_in_and_read_who_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    document_id, client = ended_run().document_id, program()
    at = f"{API}/documents/{document_id}/checkout"
    made = client.put(at, {"hours": 2}, content_type="application/json")
    assert made.json()["checked_out_by"] == "API key Scanner"
    assert client.get(f"{API}/documents/{document_id}").json()["checkout"] == made.json()
    other = program()
    assert "has checked out" in str(problem(other.put(at, {}, content_type="application/json"), 409)["detail"])
    problem(other.delete(at), 403)
    assert program(Permission.READ, Permission.WRITE, Permission.ADMIN).delete(at).status_code == 204
    problem(client.delete(at), 409)
    assert client.get(f"{API}/documents/{document_id}").json()["checkout"] is None
    client.put(at, {"hours": 2}, content_type="application/json")
    late = clock.now() + dt.timedelta(hours=2, seconds=1)
    with monkeypatch.context() as later:
        later.setattr(clock, "now", lambda: late)  # for the other: a key that was used then has no requests left now
        assert other.get(f"{API}/documents/{document_id}").json()["checkout"] is None
    for hours in (99, True, "8"):
        problem(client.put(at, {"hours": hours}, content_type="application/json"), 422)

"""The active policy where documents are opened and listed: for everyone, on every way, and what is recorded of it."""

import collections
import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from config.errors import Conflict, NotFound, Refused
from projects.documents import queries as document_queries
from projects.documents import view_log
from projects.documents.actions import properties
from projects.documents.items import DocumentActivity
from projects.documents.tasks import record_looks
from projects.folders import actions as folder_actions
from projects.folders.items import EntryType
from projects.policies import actions, gate, queries
from projects.policies.decision import Subject
from projects.schemas import actions as definitions
from projects.schemas.governing import AttributeDefinition
from projects.shares.queries import get_share
from projects.sites import actions as site_actions
from projects.sites import directory
from projects.sites.permissions import Permission
from tests.factories import SITE, sample_files, start_run
from tests.html import one_line
from tests.people import alice, bob, charlie, person, signed_in
from tests.projects.policies.writing import BROKEN, BY, CLOSED, DEPARTMENTS, READ_ONLY, activate
from tests.projects.projects import make_project
from tests.review.reviews import open_review
from tests.workflows.links.test_links import link_to, opened, published
from tests.workflows.test_api import API, problem, program
from workflows.documents.actions import removals
from workflows.links import actions as publication_actions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


@pytest.fixture(autouse=True)
def recorded_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sent to be recorded comes at once, and comes again."""

    def deliver(_task: str, _queue: str, kwargs: dict[str, Any]) -> None:
        for _ in range(2):
            record_looks(**kwargs)

    monkeypatch.setattr(view_log.queues, "enqueue", deliver)
    monkeypatch.setattr(view_log, "_sent", collections.OrderedDict())


def document(department: str = "", name: str = "scan.pdf", **more: Any) -> str:
    with tempfile.TemporaryDirectory() as folder:
        file = shutil.copy(sample_files()[0], Path(folder) / name)
        document_id = start_run(Path(file), **more).document_id
    if department:
        with contextlib.suppress(Conflict):
            definitions.create_definition(SITE, AttributeDefinition("department", "Department", "text"), by=BY)
        properties.set_attribute(SITE, document_id, "department", [department], by=BY)
    return document_id


def root() -> Client:
    user = person("root", "Root")
    user.is_superuser = True
    user.save()
    return signed_in(user)


def activity(document_id: str) -> list[DocumentActivity]:
    return [one for one in document_queries.list_activities(SITE, document_id).rows if one.type in {"VIEW", "DENY"}]


def told(document_id: str) -> list[str]:
    return [one.changes[0]["after"] for one in activity(document_id) if one.changes]


@pytest.mark.wide
def test_a_policy_hides_a_document_from_everyone_it_denies_admins_and_superusers_too() -> None:
    hr, admins = document("hr"), document("admins")
    everyone = [signed_in(alice()), signed_in(bob()), root()]
    assert [one.get(f"/documents/{hr}/").status_code for one in everyone] == [200, 200, 200]
    activate(DEPARTMENTS)
    assert [one.get(f"/documents/{hr}/").status_code for one in everyone] == [404, 404, 404]
    assert [one.get(f"/documents/{admins}/").status_code for one in everyone] == [200, 404, 404]
    assert everyone[0].get("/documents/00000000-0000-4000-8000-000000000000/").status_code == 404
    actions.deactivate_policy(SITE, active=1, by=BY)
    assert [one.get(f"/documents/{hr}/").status_code for one in everyone] == [200, 200, 200]


def test_lists_leave_out_what_it_hides() -> None:
    document("hr", "secret.pdf"), document("admins", "ours.pdf"), document("", "open.pdf")
    ada, rosa = signed_in(alice()), signed_in(bob())
    activate(DEPARTMENTS)
    for path in ("/documents/", "/workflows/"):
        mine, others = one_line(ada.get(path).content), one_line(rosa.get(path).content)
        assert [name in mine for name in ("secret.pdf", "ours.pdf", "open.pdf")] == [False, True, True], path
        assert [name in others for name in ("secret.pdf", "ours.pdf", "open.pdf")] == [False, False, True], path
    project = make_project().id
    for department in ("hr", ""):
        document(department, f"{department}.pdf", project_id=project)
    rows = program(Permission.READ).get(f"{API}/projects/{project}/documents").json()
    assert [one["name"] for one in rows["items"]] == [".pdf"]


def test_what_may_be_seen_and_not_changed_is_refused_with_the_reason() -> None:
    one = document()
    ada = signed_in(alice())
    activate(READ_ONLY)
    assert ada.get(f"/documents/{one}/").status_code == 200
    response = ada.post(f"/documents/{one}/tags/", {"op": "add", "key": "a", "value": "b"})
    assert response.status_code == 403
    assert "Nothing is changed." in one_line(response.content)
    assert not document_queries.list_tags(SITE, one)
    writer = program(Permission.READ, Permission.WRITE, Permission.DELETE)
    assert writer.get(f"{API}/documents/{one}").status_code == 200
    assert problem(writer.delete(f"{API}/documents/{one}"), 403)["detail"] == "Nothing is changed."


def test_views_and_denials_name_the_version_that_decided() -> None:
    hr = document("hr")
    cara = signed_in(charlie())
    cara.get(f"/documents/{hr}/")
    assert [one.changes for one in activity(hr)] == [None]
    activate(DEPARTMENTS)
    hr = document("hr")
    for _ in range(2):
        assert cara.get(f"/documents/{hr}/").status_code == 404
    assert told(hr) == ["denied by version 1: READ: For the group hr."]
    viewers = document("viewers")
    assert cara.get(f"/documents/{viewers}/").status_code == 200
    assert told(viewers) == ["allowed by version 1"]
    page = one_line(cara.get(f"/documents/{viewers}/activity/").content)
    assert "allowed by version 1" in page
    assert "allowed by version 1</b> added" not in page


def test_a_policy_that_fails_closes_documents_and_says_so_and_can_be_mended() -> None:
    one = document("", "open.pdf")
    ada, rosa = signed_in(alice()), signed_in(bob())
    number = activate(BROKEN)
    page = ada.get(f"/documents/{one}/")
    assert page.status_code == 403
    assert "Repair or deactivate it" in one_line(page.content)
    page = rosa.get(f"/documents/{one}/")
    assert page.status_code == 403
    assert "Ask a site admin" in one_line(page.content)
    listed = ada.get("/documents/")
    assert listed.status_code == 200
    assert "open.pdf" not in one_line(listed.content)
    assert "version 1 of this site’s access policy failed" in one_line(listed.content)
    assert ada.get("/settings/").status_code == 200
    assert ada.get("/settings/policies/").status_code == 200
    assert ada.get(f"/settings/policies/{number}/").status_code == 200
    assert ada.post("/settings/policies/deactivate/", {"version": number}).status_code == 302
    assert ada.get(f"/documents/{one}/").status_code == 200


def test_a_version_that_is_gone_or_no_policy_any_more_closes_documents() -> None:
    one = document()
    ada = signed_in(alice())
    number = activate(READ_ONLY)
    row = queries.get_version(SITE, number)
    row.policy = "nothing"
    row.save()
    directory.forget()
    assert ada.get(f"/documents/{one}/").status_code == 403
    row.delete()
    directory.forget()
    assert ada.get(f"/documents/{one}/").status_code == 403


def test_nothing_is_asked_of_what_is_no_document_and_a_deleted_one_is_what_it_was() -> None:
    activate(CLOSED)
    found = queries.describe_documents(SITE, ["desk-1", "a#b", "unknown"])
    assert found == {"unknown": {"id": "unknown"}}
    one = published().document_id
    removals.delete_document(SITE, one, by=BY)
    found = queries.describe_documents(SITE, [one])
    assert found[one]["name"] == sample_files()[0].name
    assert found[one]["attributes"] == {}


def test_a_link_and_a_public_page_open_nothing_that_the_policy_hides() -> None:
    run = published()
    made = link_to(EntryType.FILE, run.document_id)
    publication_actions.publish_document(SITE, run.document_id, by=BY)
    browser, at, public = opened(made), f"/shared/{made.share.share_id}/", f"/published/{run.document_id}/"
    assert [browser.get(path).status_code for path in (at, public)] == [200, 200]
    number = activate('package countersign\n\ndeny contains "no" if input.user.kind == "link"\n')
    assert [browser.get(path).status_code for path in (at, public)] == [404, 404]
    assert signed_in(charlie()).get(public).status_code == 200
    assert told(run.document_id)[0].startswith("denied by version 1")
    actions.deactivate_policy(SITE, active=number, by=BY)
    activate(BROKEN)
    page = browser.get(public)
    assert page.status_code == 403
    assert "Ask a site admin" in one_line(page.content)


def test_an_opening_is_not_counted_while_the_policy_hides_the_document() -> None:
    run = published()
    made = link_to(EntryType.FILE, run.document_id)
    form = f"/shared/{made.share.share_id}/open/{made.secret}/"
    for source, status in ((CLOSED, 404), (BROKEN, 403)):
        number = activate(source)
        assert Client().post(form).status_code == status
        actions.deactivate_policy(SITE, active=number, by=BY)
    assert get_share(SITE, made.share.share_id).openings == 0
    opened(made)
    assert get_share(SITE, made.share.share_id).openings == 1


def test_a_folder_s_link_lists_no_document_that_the_policy_hides() -> None:
    folder = folder_actions.create_path(SITE, "Box", by=BY)
    published(folder_id=folder)
    browser = opened(made := link_to(EntryType.FOLDER, folder))
    at = f"/shared/{made.share.share_id}/"
    name = sample_files()[0].name
    assert name in one_line(browser.get(at).content)
    activate(CLOSED)
    page = browser.get(at)
    assert page.status_code == 200
    assert name not in one_line(page.content)


def test_reviews_of_hidden_documents_are_in_no_queue_and_the_next_one_is_another() -> None:
    _, ref = open_review("Secret.pdf")
    _, other = open_review("Open.pdf")
    rosa = signed_in(bob())
    page = one_line(rosa.get("/review/").content)
    assert "Secret.pdf" in page
    source = f'package countersign\n\ndeny contains "no" if input.document.id == "{ref.document_id}"\n'
    activate(source)
    page = one_line(rosa.get("/review/").content)
    assert "Secret.pdf" not in page
    assert "Open.pdf" in page
    assert rosa.get(f"/review/{ref.document_id}/{ref.review_id}/").status_code == 404
    assert rosa.get("/review/ahead/").json()["name"] != "Secret.pdf"
    for _ in range(2):
        assert ref.review_id not in rosa.post("/review/next/")["Location"]
    chosen = {"chosen": [ref.path, other.path], "act": "postpone", "queue": ""}
    page = one_line(rosa.post("/review/selected/", chosen).content)
    assert "Secret.pdf" not in page
    waiting = program(Permission.READ).get(f"{API}/reviews").json()
    assert [one["name"] for one in waiting["items"]] == ["Open.pdf"]


def test_a_denied_decision_leaves_a_review_to_be_read() -> None:
    _, ref = open_review("Bill.pdf")
    rosa = signed_in(bob())
    activate(READ_ONLY)
    at = f"/review/{ref.document_id}/{ref.review_id}/"
    assert rosa.get(at).status_code == 200
    assert rosa.post(f"{at}claim/").status_code == 403
    assert rosa.post("/review/next/")["Location"] == "/review/"


def test_an_export_has_no_document_that_is_denied_to_who_ordered_it(monkeypatch: pytest.MonkeyPatch) -> None:
    who = Subject(str(bob().pk), "bob", ["reviewers"])
    one, two = document("hr"), document("reviewers")
    ids = [one, two]
    assert gate.find_denied_to(SITE, who, Permission.EXPORT, ids) == frozenset()
    activate(DEPARTMENTS)
    assert gate.stored_subject(str(bob().pk), ["reviewers"]) == who
    assert gate.stored_subject("key:abc", []) == Subject("key:abc", kind="key")
    assert gate.find_denied_to(SITE, who, Permission.EXPORT, ids) == {one}
    actions.deactivate_policy(SITE, active=1, by=BY)
    activate(BROKEN)
    with pytest.raises(Refused):
        gate.find_denied_to(SITE, who, Permission.EXPORT, ids)


def test_other_sites_have_policies_of_their_own() -> None:
    one = document()
    site_actions.create_site("acme", "Acme", by=BY)
    activate(CLOSED, site="acme")
    assert (queries.active_number("acme"), queries.active_number(SITE)) == (1, 0)
    assert signed_in(alice()).get(f"/documents/{one}/").status_code == 200
    with pytest.raises(NotFound):
        queries.get_version(SITE, 1)

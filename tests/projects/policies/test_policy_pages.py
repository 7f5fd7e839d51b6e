"""The page and the API of the access policy: for admins, and never under the policy itself."""

import pytest
from django.test import Client

from projects.audit.events import actor_of
from projects.folders import actions as folder_actions
from projects.policies import actions, queries
from projects.schemas import actions as definitions
from projects.schemas.governing import AttributeDefinition
from projects.sites import directory
from projects.sites.actions import Grant, save_grants
from projects.sites.api_keys import create_api_key
from projects.sites.permissions import NOTHING, Permission
from tests.factories import SITE, start_run
from tests.html import one_line
from tests.people import alice, bob, person, signed_in
from tests.projects.policies.writing import BY, CLOSED, DEPARTMENTS, READ_ONLY, activate, save
from tests.workflows.test_api import API, problem, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
PAGE = "/settings/policies/"


def test_an_admin_begins_with_an_example_saves_tries_and_activates_it() -> None:
    ada = signed_in(alice())
    assert "Access policy" in one_line(ada.get("/settings/").content)
    assert "No versions yet" in one_line(ada.get(PAGE).content)
    page = one_line(ada.get(PAGE, {"example": "by_attribute"}).content)
    assert "input.document.attributes.department" in page
    saved = ada.post(PAGE, {"policy": DEPARTMENTS.replace("\n", "\r\n"), "note": "First", "newest": 0})
    assert saved["Location"] == f"{PAGE}1/"
    page = one_line(ada.get(f"{PAGE}1/").content)
    assert "Not tried" in page
    assert "Activate" not in page
    assert ada.post(f"{PAGE}1/activate/", {"version": 0}).status_code == 422
    form = {
        "kind": "person", "action": "READ", "groups": "admins, hr", "attributes": "department: legal",
        "facts": "project: Contracts", "tags": "customer: Juniper Mill", "at": "2026-11-26T08:00",
    }  # fmt: skip
    page = one_line(ada.post(f"{PAGE}1/try/", form).content)
    assert "Denied" in page
    assert "For the group legal." in page
    assert "Juniper Mill" in page
    page = one_line(ada.post(f"{PAGE}1/try/", {**form, "groups": "legal"}).content)
    assert "No rule denies this." in page
    assert ada.post(f"{PAGE}1/activate/", {"version": 0})["Location"] == f"{PAGE}1/"
    assert ada.post(f"{PAGE}1/activate/", {"version": 0}).status_code == 409
    page = one_line(ada.get(PAGE).content)
    assert "Version 1 is active" in page
    assert "First" in page
    assert ada.post(f"{PAGE}deactivate/", {"version": 7})["Location"] == PAGE
    assert queries.active_number(SITE) == 1
    assert ada.post(f"{PAGE}deactivate/", {"version": 1})["Location"] == PAGE
    assert queries.active_number(SITE) == 0
    audit = one_line(ada.get("/settings/audit/").content)
    assert "Access policy version activated" in audit


def test_what_was_typed_stays_if_it_cannot_be_saved() -> None:
    ada = signed_in(alice())
    for source in ("", "nothing", "package countersign\nallow if {"):
        page = ada.post(PAGE, {"policy": source, "newest": 0})
        assert page.status_code == 422, source
        assert source.splitlines()[-1:] == [] or source.splitlines()[-1].replace("{", "") in one_line(page.content)
    save(READ_ONLY)
    page = ada.post(PAGE, {"policy": CLOSED, "newest": 0})
    assert page.status_code == 409
    assert "deny := true" in one_line(page.content)
    assert 'name="newest" value="1"' in one_line(page.content)
    assert "deny contains" in one_line(ada.get(PAGE, {"version": 1}).content)
    assert ada.get(PAGE, {"version": 7}).status_code == 404
    assert ada.get(f"{PAGE}7/").status_code == 404


def test_an_example_is_a_document_of_the_site_or_what_is_typed_by_the_types_of_its_attributes() -> None:
    ada = signed_in(alice())
    document_id = start_run().document_id
    for key, kind in (("total", "amount"), ("paid", "boolean")):
        definitions.create_definition(SITE, AttributeDefinition(key, key, kind), by=BY)
    save('package countersign\n\ndeny contains "large" if input.document.attributes.total[_] > 10\n')
    form = {"kind": "person", "action": "WRITE"}
    typed = {**form, "attributes": "total: 12.50\npaid: yes"}
    assert "large" in one_line(ada.post(f"{PAGE}1/try/", typed).content)
    assert "is not a number" in one_line(ada.post(f"{PAGE}1/try/", {**form, "attributes": "total: many"}).content)
    assert ada.post(f"{PAGE}1/try/", {**form, "document_id": "none"}).status_code == 422
    assert ada.post(f"{PAGE}1/try/", {**form, "facts": "colour: red"}).status_code == 422
    page = ada.post(f"{PAGE}1/try/", {**form, "document_id": document_id})
    assert "No rule denies this." in one_line(page.content)
    save("package countersign\n\nallow := 1 if true\n\nallow := 2 if true\n")
    page = one_line(ada.post(f"{PAGE}2/try/", form).content)
    assert "The policy failed" in page
    save("package countersign\n\ndefault allow := false\n")
    assert "“allow” is not true" in one_line(ada.post(f"{PAGE}3/try/", form).content)


def test_no_trial_tells_of_a_document_what_is_closed_to_who_tries() -> None:
    save('package countersign\n\ndeny contains "x" if input.document.attributes.none\n')
    run = start_run()
    user = person("eve", "Stone", "configurers")
    save_grants(SITE, [Grant("configurers", NOTHING, frozenset({Permission.READ, Permission.ADMIN}), 0)], by=BY)
    eve, form = signed_in(user), {"kind": "person", "action": "READ", "document_id": run.document_id}
    assert eve.post(f"{PAGE}1/try/", form).status_code == 200
    definitions.create_definition(SITE, AttributeDefinition("iban", "IBAN", "text", personal=True), by=BY)
    directory.forget()
    assert eve.post(f"{PAGE}1/try/", form).status_code == 403
    assert signed_in(alice()).post(f"{PAGE}1/try/", form).status_code == 200
    folder = folder_actions.create_path(SITE, "Board", by=BY)
    folder_actions.restrict_folder(SITE, folder, ["board"], version=1, by=BY)
    folder_actions.move_document(SITE, run.document_id, folder, by=BY)
    directory.forget()
    assert "no document with this ID" in one_line(signed_in(alice()).post(f"{PAGE}1/try/", form).content)


def test_only_admins_see_the_policy() -> None:
    rosa = signed_in(bob())
    save(CLOSED)
    for path in ("", "1/"):
        assert rosa.get(PAGE + path).status_code == 403
    for path in ("", "deactivate/", "1/try/", "1/activate/"):
        assert rosa.post(PAGE + path).status_code == 403


def token() -> Client:
    _, key = create_api_key(SITE, "Script", Permission, by=actor_of(alice()), personal=True)
    return Client(headers={"Authorization": f"Bearer {key}"})


def test_the_api_saves_tries_activates_and_deactivates_for_a_person_s_own_token() -> None:
    ada, key = token(), program(Permission.READ, Permission.ADMIN)
    document_id = start_run().document_id
    wish = {"policy": READ_ONLY, "note": "First", "newest": 0}

    def post(client: Client, path: str, body: object, status: int) -> dict[str, object]:
        answer = client.post(f"{API}/policies{path}", body, content_type="application/json")
        assert answer.status_code == status, answer.content
        return answer.json()

    assert "Only people" in str(post(key, "", wish, 403)["detail"])
    assert post(ada, "", wish, 201)["number"] == 1
    post(ada, "", wish, 409)
    post(ada, "", {**wish, "policy": "nothing", "newest": 1}, 422)
    post(ada, "/1/activate", {}, 422)
    tried = {"document_id": document_id, "groups": ["admins"], "action": "WRITE", "at": "2026-11-26T08:00:00+01:00"}
    assert post(ada, "/1/try", tried, 200) == {"allowed": False, "reasons": ["Nothing is changed."], "failed": None}
    post(ada, "/1/try", {**tried, "document_id": "none"}, 422)
    assert post(ada, "/1/activate", {}, 200)["active"] is True
    found = key.get(f"{API}/policies").json()
    assert (found["active"], found["newest"], found["items"][0]["note"]) == (1, 1, "First")
    assert key.get(f"{API}/policies/1").json()["policy"] == READ_ONLY
    problem(key.get(f"{API}/policies/7"), 404)
    problem(key.delete(f"{API}/policies"), 403)
    problem(program(Permission.READ).get(f"{API}/policies"), 403)
    assert ada.delete(f"{API}/policies").status_code == 204
    assert queries.active_number(SITE) == 0


def test_the_page_is_never_under_the_policy() -> None:
    ada = signed_in(alice())
    number = activate(CLOSED)
    assert ada.get(PAGE).status_code == 200
    assert ada.post(f"{PAGE}{number}/try/", {"kind": "person", "action": "READ"}).status_code == 200
    assert ada.post(PAGE, {"policy": READ_ONLY, "newest": number}).status_code == 302
    actions.deactivate_policy(SITE, active=number, by=BY)

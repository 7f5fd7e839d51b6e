"""The audit by API: the lines of the page, with the page's filters, for those who set projects up."""

import pytest

from projects.audit.events import actor_of
from projects.documents.actions import properties
from projects.settings import actions as project_actions
from projects.settings.values import ProjectSettings
from projects.sites.permissions import Permission
from tests.people import alice, bob
from tests.projects.make_sites import BY, make_site
from tests.workflows.questions.made import read_run
from tests.workflows.test_api import API, problem, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
URL = f"{API}/audit"


def test_lines_are_listed_newest_first_and_by_person_record_day_and_kind() -> None:
    ids = [project_actions.new_project_id() for _ in range(2)]
    for who, name, project_id in zip((alice(), bob()), ("Hers", "His"), ids, strict=True):
        project_actions.create_project("default", ProjectSettings(name), by=actor_of(who), project_id=project_id)
    client = program(Permission.ADMIN)
    items = client.get(URL, {"kind": "settings"}).json()["items"]
    made = [one for one in items if one["record_type"] == "project"]
    assert [(one["what"], one["by"], one["action"]) for one in made] == [
        ("His", "Bob Ito", "Project created"),
        ("Hers", "Alice Novak", "Project created"),
    ]
    assert client.get(URL, {"kind": "document"}).json() == {"items": [], "next": None}
    assert client.get(URL, {"day": "2001-01-01"}).json()["items"] == []
    his = client.get(URL, {"user": str(bob().pk)}).json()["items"]
    assert {one["by"] for one in his} == {"Bob Ito"}
    of_record = client.get(URL, {"record_type": "project", "record": ids[0]}).json()["items"]
    assert {one["record_id"] for one in of_record} == {ids[0]}
    problem(client.get(URL, {"kind": "all"}), 422)
    problem(client.get(URL, {"after": "none"}), 404)
    problem(program(Permission.READ).get(URL), 403)


def test_a_documents_lines_have_what_changed() -> None:
    run = read_run()
    properties.set_metadata("default", run.document_id, "from", "Rosa", by=BY)
    (found, *_) = program(Permission.ADMIN).get(URL, {"document": run.document_id, "kind": "document"}).json()["items"]
    assert found["document_id"] == run.document_id
    assert [(one["what"], one["after"]) for one in found["changes"]] == [("metadata from", "Rosa")]
    make_site("acme")
    elsewhere = program(Permission.ADMIN, site="acme").get(URL, {"document": run.document_id})
    assert elsewhere.json()["items"] == []

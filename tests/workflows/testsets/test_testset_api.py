"""Versions of a test set by API."""

import pytest

from projects.sites.permissions import Permission
from tests.projects.make_sites import BY, make_site
from tests.workflows.decided import project
from tests.workflows.test_api import API, problem, program
from workflows.testsets import actions
from workflows.testsets.cases import Case

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def test_versions_are_listed_newest_first_with_what_they_hold() -> None:
    project_id = project()
    ref = actions.create_test_set("default", project_id, "Receipts", by=BY)
    for name in ("a", "b"):
        actions.add_cases(ref, [Case(name, "0" * 64, "tuning", 1)], note=f"Added {name}", by=BY)
    url = f"{API}/projects/{project_id}/test-sets/{ref.testset_id}/versions"
    found = program(Permission.ADMIN).get(url).json()
    assert [(one["version"], one["tuning"], one["note"]) for one in found["items"]] == [
        (2, 2, "Added b"),
        (1, 1, "Added a"),
    ]
    assert found["next"] is None
    problem(program(Permission.READ).get(url), 403)
    problem(program(Permission.ADMIN).get(url.replace(ref.testset_id, "none")), 404)
    make_site("acme")
    problem(program(Permission.ADMIN, site="acme").get(url), 404)

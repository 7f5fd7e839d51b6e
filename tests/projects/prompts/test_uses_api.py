"""Which runs were given a version of a prompt, by API: without those of queues that are closed to who asks."""

import pytest

from projects.prompts import actions
from projects.prompts.queries import PromptRef
from projects.sites.permissions import Permission
from tests.projects.projects import make_project
from tests.workflows.test_api import API, problem, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def test_runs_that_were_given_a_version_are_listed_newest_first() -> None:
    project = make_project()
    ref = PromptRef("default", project.id, "extract")
    for version, run in ((1, "01A"), (1, "01B"), (2, "01C"), (1, "01B")):
        actions.record_use(ref, version, "production", workflow_id=run, document_id=f"d{run}")
    client = program(Permission.READ, Permission.ADMIN)
    url = f"{API}/projects/{project.id}/prompts/extract/versions"
    found = client.get(f"{url}/1/runs").json()
    assert [(one["run_id"], one["document_id"], one["label"]) for one in found["items"]] == [
        ("01B", "d01B", "production"),
        ("01A", "d01A", "production"),
    ]
    assert found["next"] is None
    assert client.get(f"{url}/9/runs").json()["items"] == []
    problem(program(Permission.READ).get(f"{url}/1/runs"), 403)

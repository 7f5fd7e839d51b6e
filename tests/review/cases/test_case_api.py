"""A person's tasks by API."""

import pytest

from projects.sites.permissions import Permission
from review.cases import actions
from review.cases.actions import CaseText, TaskText
from tests.factories import SITE
from tests.people import alice, bob
from tests.projects.make_sites import BY
from tests.review.desk.test_desk_api import token
from tests.workflows.test_api import API, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def test_a_person_reads_their_open_tasks_and_a_program_has_none() -> None:
    case_id = actions.create_case(SITE, CaseText("Claim 17"), by=BY).case_id
    owner = str(bob().pk)
    task_id = actions.add_task(SITE, case_id, TaskText("Call", owner_id=owner, due_on="2026-12-01"), by=BY)
    address = f"{API}/cases/tasks"
    assert token(bob()).get(address).json() == {
        "items": [{"id": task_id, "case_id": case_id, "name": "Call", "due_on": "2026-12-01"}],
        "next": None,
    }
    assert token(alice()).get(address).json()["items"] == []
    assert program(Permission.READ).get(address).json()["items"] == []

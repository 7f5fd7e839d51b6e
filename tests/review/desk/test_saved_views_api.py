"""A person's saved views by API."""

import pytest
from django.test import Client

from config import table
from config.transaction import Put, transact
from projects.audit.events import actor_of
from projects.sites.api_keys import create_api_key
from projects.sites.permissions import Permission
from review.items.saved_views import SavedView
from tests.people import alice
from tests.workflows.test_api import API, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def test_a_person_reads_their_own_and_a_program_has_none() -> None:
    user = alice()
    key = table.SAVED_VIEW.key("default", user_id=str(user.pk), view_id="v1")
    view = SavedView(
        key.pk, key.sk, name="Mine", queue="", filters="status=overdue", created_at="2026-11-01T00:00:00+00:00"
    )
    transact([Put(view)])
    _, token = create_api_key("default", "Script", [Permission.READ], by=actor_of(user), personal=True)
    client = Client(headers={"Authorization": f"Bearer {token}"})
    (found,) = client.get(f"{API}/saved-views").json()["items"]
    assert (found["id"], found["name"], found["filters"]) == ("v1", "Mine", "status=overdue")
    assert program(Permission.READ).get(f"{API}/saved-views").json() == {"items": []}

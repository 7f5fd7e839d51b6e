"""A site's API keys by API: listed without what opens anything, and revoked."""

import pytest

from projects.sites.permissions import Permission
from tests.workflows.test_api import API, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def test_keys_are_listed_by_their_masks_and_revoked() -> None:
    other, admin = program(Permission.READ), program(Permission.READ, Permission.ADMIN)
    found = admin.get(f"{API}/api-keys").json()["items"]
    assert len(found) == 2
    assert "sha256" not in str(found)
    mask = next(one["mask"] for one in found if "ADMIN" not in str(one["permissions"]).upper())
    assert admin.delete(f"{API}/api-keys/{mask}").json()["mask"] == mask
    assert other.get(f"{API}/projects").status_code == 401
    assert admin.delete(f"{API}/api-keys/none").status_code == 404
    assert program(Permission.READ).get(f"{API}/api-keys").status_code == 403

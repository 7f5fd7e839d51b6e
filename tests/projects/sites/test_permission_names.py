"""What permissions are called on pages: in the viewer's language, whatever is stored."""

import pytest

from projects.sites.api_keys import create_api_key
from projects.sites.permissions import Permission
from tests.html import one_line
from tests.people import alice, signed_in
from tests.projects.make_sites import BY

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def test_groups_and_keys_name_permissions_in_the_language_of_the_page() -> None:
    create_api_key("default", "Scanner", frozenset({Permission.WRITE, Permission.READ}), by=BY)
    german = {"Accept-Language": "de"}
    ada = signed_in(alice())
    groups = one_line(ada.get("/settings/groups/", headers=german).content)
    for name in ("Lesen", "Bearbeiten", "Löschen", "Personenbezogen"):
        assert f">{name}</th>" in groups
        assert f"<dt>{name}</dt>" in groups
    assert 'value="WRITE"' in groups
    assert ">Write<" not in groups
    keys = one_line(ada.get("/settings/keys/", headers=german).content)
    assert "Lesen, Bearbeiten" in keys
    assert "Read, Write" in one_line(ada.get("/settings/keys/").content)

"""The permission to see personal data: who had reviewed before there was one holds it, until someone decides."""

import pytest

from projects.sites import directory
from projects.sites.actions import Grant, save_grants
from projects.sites.permissions import NOTHING, Permission
from tests.projects.make_sites import BY, grant

READ, REVIEW, PERSONAL = Permission.READ, Permission.REVIEW, Permission.PERSONAL


@pytest.mark.usefixtures("table")
def test_a_group_that_reviewed_before_holds_it_until_its_row_is_saved() -> None:
    grant("acme", "clerks", READ, REVIEW)  # as an earlier version left it
    grant("acme", "viewers", READ)
    held = directory.get_permissions("acme", ["clerks"])
    assert held == {READ, REVIEW, PERSONAL}
    assert directory.get_permissions("acme", ["viewers"]) == {READ}
    save_grants("acme", [Grant("clerks", held, frozenset({READ, REVIEW}), 1)], by=BY)
    assert directory.get_permissions("acme", ["clerks"]) == {READ, REVIEW}
    save_grants("acme", [Grant("new", NOTHING, frozenset({READ, REVIEW}), 0)], by=BY)
    assert PERSONAL not in directory.get_permissions("acme", ["new"])

"""Whatever a group or a key is called: it is stored, found by each way there is, and found by no other name."""

import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.errors import NotFound
from config.table import InvalidKey
from projects.sites import actions as api_key_actions
from projects.sites import api_keys, directory
from projects.sites import queries as api_key_queries
from projects.sites.actions import Grant
from projects.sites.permissions import NOTHING, Permission
from tests.examples import at_most
from tests.projects.make_sites import BY, make_site

pytestmark = pytest.mark.usefixtures("table")
READ = frozenset({Permission.READ})
# What keys are built with, what sorts oddly, what composes, and what takes many bytes.
NAMES = st.text(st.sampled_from("aZ0 #/%.\\\"'<é\u0301ü発🙂\u200b~"), min_size=1, max_size=150)
many = settings(max_examples=at_most(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@many
@given(name=NAMES, other=NAMES)
def test_a_group_is_found_by_its_own_name_only(name, other):
    try:
        api_key_queries.get_site("acme")
    except NotFound:  # the first example makes it
        make_site("acme")
    api_key_actions.save_grants("acme", [Grant(name, NOTHING, READ, 0)], by=BY)
    stored = api_key_queries.get_groups("acme", [name])
    assert [one.permissions for one in stored.values()] == [["READ"]]
    assert [one.siteId for one in api_key_queries.sites_of_group(name)] == ["acme"]
    assert [one.groupName for one in api_key_queries.groups_of_site("acme").rows] == [name]
    assert directory.get_permissions("acme", [name]) == READ
    if unicodedata.normalize("NFC", other) != unicodedata.normalize("NFC", name):
        assert directory.get_permissions("acme", [other]) == NOTHING
        assert directory.get_permissions("acme", [f"{name}#site#acme"]) == NOTHING
    api_key_actions.save_grants("acme", [Grant(name, READ, NOTHING, 1)], by=BY)
    assert directory.get_permissions("acme", [name]) == NOTHING


@many
@given(name=st.text(st.sampled_from("aZ0 #/%é\u0301発🙂\u200b~"), min_size=1, max_size=80))
def test_a_key_is_found_by_hash_by_mask_and_in_the_list_whatever_its_name(name):
    row, key = api_keys.create_api_key("acme", name, READ, by=BY)
    assert api_key_queries.by_hash(api_keys.sha256_of(key)).name == name
    assert api_key_queries.by_mask("acme", str(row.mask)).name == name
    assert name in {one.name for one in api_key_queries.list_keys("acme").rows}


def test_a_name_that_no_key_can_hold_is_refused_and_nothing_is_written():
    with pytest.raises(InvalidKey, match="too long"):
        api_key_actions.save_grants("acme", [Grant("\u200b" * 150, NOTHING, READ, 0)], by=BY)
    assert api_key_queries.groups_of_site("acme").rows == []

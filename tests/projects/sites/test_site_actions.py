from concurrent.futures import ThreadPoolExecutor

import pytest

from config.errors import Conflict, NotFound, Refused, Unavailable
from config.table import ENTITY_EVENT
from projects.audit.events import Actor
from projects.audit.items import EntityEvent
from projects.sites import actions as group_actions
from projects.sites import directory
from projects.sites import queries as site_queries
from projects.sites.actions import Grant
from projects.sites.permissions import EVERYTHING, NOTHING, Permission
from tests.aws_faults import Crash, count_calls, crash_before, fail
from tests.each import each
from tests.projects.make_sites import BY, make_site

pytestmark = pytest.mark.usefixtures("table")
BOB = Actor("2", "Bob Ito")
READ = frozenset({Permission.READ})


def events(site, kind, name):
    pk = ENTITY_EVENT.partition_key(site, entity_type=kind, entity_id=name)
    return list(EntityEvent.page(pk, consistent=True).rows)


def stored(site, group):
    return next((one for one in site_queries.sites_of_group(group) if one.siteId == site), None)


def test_a_site_is_made_with_the_group_that_runs_it():
    group_actions.create_site("acme", "Acme GmbH", by=BY, group="acme people")
    found = site_queries.get_site("acme")
    assert (found.siteId, found.title, found.status, found.version) == ("acme", "Acme GmbH", "ACTIVE", 1)
    assert directory.get_permissions("acme", ["acme people"]) == EVERYTHING
    assert [one.site_id for one in site_queries.active_sites(9).rows] == ["acme"]
    assert [one.payload.as_dict() for one in events("default", "site", "acme")] == [
        {"title": "Acme GmbH", "group": "acme people"}
    ]


@each("name", ["", "Acme", "-acme", "a" * 41, "a/b", "ac#me", "default", "projects", "..", "a\n"])
def test_an_id_that_keys_or_files_could_not_hold_is_refused(name):
    with pytest.raises(Refused):
        group_actions.create_site(name, "Title", by=BY)


def test_the_same_form_sent_twice_makes_one_site_and_another_form_loses():
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: group_actions.create_site("acme", "Acme", by=BY), range(4)))
    assert {one.title for one in made} == {"Acme"}
    with pytest.raises(Conflict, match="A site with the ID acme already exists"):
        group_actions.create_site("acme", "Other", by=BOB)
    assert len(events("default", "site", "acme")) == 1


def test_of_two_changes_of_one_page_the_second_loses_and_learns_who_was_first():
    made = make_site("acme")
    group_actions.rename_site("acme", "First", version=made.version, by=BOB)
    for late in (
        lambda: group_actions.rename_site("acme", "Second", version=made.version, by=BY),
        lambda: group_actions.close_site("acme", version=made.version, by=BY),
        lambda: group_actions.set_slots("acme", 3, version=made.version, by=BY),
    ):
        with pytest.raises(Conflict, match=r"^Bob Ito changed this site on .+ UTC\. Your change was not saved"):
            late()
    found = site_queries.get_site("acme")
    assert (found.title, found.status, found.name) == ("First", "ACTIVE", "First")
    assert [one.type for one in events("default", "site", "acme")] == ["created", "renamed"]


def test_the_main_site_can_be_renamed_and_never_closed():
    assert site_queries.get_site("default").title == "Main site"
    renamed = group_actions.rename_site("default", "Head office", version=0, by=BY)
    assert (renamed.title, renamed.status, renamed.version) == ("Head office", "ACTIVE", 1)
    with pytest.raises(Conflict):
        group_actions.rename_site("default", "Late", version=0, by=BOB)
    with pytest.raises(Refused, match="cannot be closed"):
        group_actions.close_site("default", version=1, by=BY)


def test_what_is_not_there_cannot_be_changed():
    for change in (group_actions.close_site, group_actions.reopen_site):
        with pytest.raises(NotFound):
            change("acme", version=0, by=BY)


def test_permissions_are_saved_together_or_not_at_all():
    make_site("acme")
    first = [Grant("a", NOTHING, READ, 0), Grant("b#/ü", NOTHING, EVERYTHING, 0)]
    group_actions.save_grants("acme", first, by=BY)
    assert (stored("acme", "a").permissions, stored("acme", "b#/ü").version) == (["READ"], 1)
    late = [Grant("a", READ, EVERYTHING, 1), Grant("b#/ü", NOTHING, READ, 0)]
    with pytest.raises(Conflict) as lost:
        group_actions.save_grants("acme", late, by=BOB)
    assert lost.value.failed == {"b#/ü"}
    assert stored("acme", "a").permissions == ["READ"]
    assert len(events("acme", "sitegroup", "a")) == 1
    assert not events("default", "sitegroup", "a")


def test_a_group_that_may_nothing_loses_its_row_where_no_default_would_come_back():
    make_site("acme")
    group_actions.save_grants("acme", [Grant("a", NOTHING, READ, 0)], by=BY)
    group_actions.save_grants("acme", [Grant("a", READ, NOTHING, 1)], by=BY)
    assert stored("acme", "a") is None
    group_actions.save_grants("default", [Grant("viewers", READ, READ, 0)], by=BY)
    group_actions.save_grants("default", [Grant("viewers", READ, NOTHING, 1)], by=BY)
    assert directory.get_permissions("default", ["viewers"]) == NOTHING
    with pytest.raises(Conflict):
        group_actions.save_grants("acme", [Grant("a", READ, NOTHING, 1)], by=BY)


@pytest.mark.parametrize(
    "change",
    [
        lambda: group_actions.create_site("new", "New", by=BY, group="a"),
        lambda: group_actions.rename_site("acme", "Lost", version=1, by=BY),
        lambda: group_actions.close_site("acme", version=1, by=BY),
        lambda: group_actions.save_grants("acme", [Grant("a", NOTHING, READ, 0)], by=BY),
    ],
)
def test_what_cannot_be_audited_is_not_done(change):
    make_site("acme")
    with fail("dynamodb", "TransactWriteItems", error_code="InternalServerError", times=9), pytest.raises(Unavailable):
        change()
    with crash_before("dynamodb", "TransactWriteItems"), pytest.raises(Crash):
        change()
    assert (site_queries.get_site("acme").title, site_queries.get_site("acme").status) == ("Acme", "ACTIVE")
    assert stored("acme", "a") is None
    with pytest.raises(NotFound):
        site_queries.get_site("new")


def test_a_change_is_seen_at_once_in_the_process_that_makes_it():
    make_site("acme")
    assert directory.get_permissions("acme", ["a"]) == NOTHING
    group_actions.save_grants("acme", [Grant("a", NOTHING, READ, 0)], by=BY)
    assert directory.get_permissions("acme", ["a"]) == READ


def test_what_no_site_can_be_called_is_neither_asked_for_nor_remembered():
    with count_calls() as seen:
        assert directory.get_site("No!" * 9) is None
    assert seen.names() == []
    with count_calls() as seen:
        assert directory.get_site("nowhere") is None
        assert directory.get_site("nowhere") is None
    assert seen.names() == ["dynamodb.GetItem"]


def test_another_process_asks_again_after_a_few_seconds(settings):
    settings.ACCESS_SECONDS = -1
    make_site("acme")
    assert directory.get_permissions("acme", ["a"]) == NOTHING
    remembered = directory._memory.get("group", "b", lambda: {"acme": READ})
    assert remembered == {"acme": READ}
    assert directory.get_permissions("acme", ["b"]) == NOTHING


def test_a_read_that_a_change_overtook_is_not_remembered():
    def read():
        directory.forget()  # the change, while we were reading what was before
        return {"acme": EVERYTHING}

    directory._memory.get("group", "slow", read)
    assert directory.get_permissions("acme", ["slow"]) == NOTHING


def test_places_are_the_open_sites_of_the_groups_in_one_order():
    for name in ("zeta", "acme", "shut"):
        group_actions.create_site(name, name.upper(), by=BY, group="a")
    group_actions.close_site("shut", version=1, by=BY)
    assert [one.title for one in directory.places_of(["a", "viewers"], 9)] == ["Main site", "ACME", "ZETA"]
    assert [one.site_id for one in directory.places_of(["a"], 9)] == ["acme", "zeta"]
    assert [one.site_id for one in directory.places_of(["viewers"], 9)] == ["default"]
    assert directory.places_of(["nobody"], 9) == []
    assert [one.site_id for one in directory.every_place(9)] == ["default", "acme", "zeta"]

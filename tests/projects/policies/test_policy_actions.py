"""Versions are saved, tried, activated, restored and deactivated: each with its event, the loser of a race told."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from config.errors import Conflict, NotFound, Refused
from config.table import DEFAULT_SITE, ENTITY_EVENT
from projects.audit.items import EntityEvent
from projects.policies import actions, queries
from projects.sites import actions as site_actions
from projects.sites import queries as site_queries
from tests.factories import SITE
from tests.projects.policies.writing import BROKEN, BY, CLOSED, EXAMPLE, READ_ONLY, activate, save

pytestmark = pytest.mark.usefixtures("table")


def events(number: int, site: str = SITE) -> list[tuple[str, dict[str, Any]]]:
    pk = ENTITY_EVENT.partition_key(site, entity_type="policy", entity_id=str(number))
    return [(one.type, one.payload.as_dict()) for one in EntityEvent.page(pk).rows]


def test_a_version_is_saved_tried_activated_and_restored_with_its_events() -> None:
    assert save(READ_ONLY) == 1
    assert queries.active_number(SITE) == 0
    with pytest.raises(Refused, match="Try this version"):
        actions.activate_version(SITE, 1, active=0, by=BY)
    assert actions.try_version(SITE, 1, [EXAMPLE], by=BY)[0].allowed
    actions.activate_version(SITE, 1, active=0, by=BY)
    assert queries.active_number(SITE) == 1
    assert activate(CLOSED) == 2
    actions.activate_version(SITE, 1, active=2, by=BY)
    head = queries.get_policy(SITE)
    assert (head.index, head.newest, head.policy, head.updated_by) == (1, 2, READ_ONLY, BY.name)
    actions.deactivate_policy(SITE, active=1, by=BY)
    actions.deactivate_policy(SITE, active=0, by=BY)  # none is active: nothing to do
    head = queries.get_policy(SITE)
    assert (head.index, head.policy, queries.active_number(SITE)) == (0, None, 0)
    assert [name for name, _ in events(1)] == ["saved", "tried", "activated", "activated", "deactivated"]
    assert events(1)[3][1] == {"version": {"before": 2, "after": 1}}
    assert [one.number for one in queries.list_versions(SITE).rows] == [2, 1]


def test_what_fails_for_an_example_is_kept_and_cannot_be_activated() -> None:
    number = save(BROKEN)
    assert actions.try_version(SITE, number, [EXAMPLE], by=BY)[0].failed
    with pytest.raises(Refused):
        actions.activate_version(SITE, number, active=0, by=BY)
    assert [name for name, _ in events(number)] == ["saved"]


def test_what_is_no_policy_is_not_saved() -> None:
    for source in ("package countersign\nallow if {", "nothing"):
        with pytest.raises(Refused):
            save(source)
    with pytest.raises(Refused):
        actions.save_version(SITE, CLOSED, "x" * 500, newest=0, by=BY)
    assert queries.list_versions(SITE).rows == []
    for number in (1, -1):
        with pytest.raises(NotFound):
            queries.get_version(SITE, number)


def test_of_two_who_save_or_activate_at_once_one_is_told() -> None:
    def begin(act: Any) -> str:
        try:
            act()
        except Conflict as error:
            return str(error)
        return ""

    def both(act: Any) -> list[bool]:
        with ThreadPoolExecutor(2) as pool:
            return sorted(bool(one) for one in pool.map(begin, [act, act]))

    assert both(lambda: actions.save_version(SITE, CLOSED, newest=0, by=BY)) == [False, True]
    actions.try_version(SITE, 1, [EXAMPLE], by=BY)
    assert both(lambda: actions.activate_version(SITE, 1, active=0, by=BY)) == [False, True]
    assert both(lambda: actions.deactivate_policy(SITE, active=1, by=BY)) == [False, True]


def test_the_number_is_on_the_site_s_row_and_stays_through_its_other_changes() -> None:
    activate(CLOSED)
    assert site_queries.get_site(DEFAULT_SITE).policy == 1
    assert site_queries.get_site(DEFAULT_SITE).title == "Main site"
    site_actions.rename_site(DEFAULT_SITE, "Head office", version=0, by=BY)
    assert (site_queries.get_site(DEFAULT_SITE).policy, queries.active_number(DEFAULT_SITE)) == (1, 1)
    actions.deactivate_policy(SITE, active=1, by=BY)
    assert site_queries.get_site(DEFAULT_SITE).title == "Head office"
    site_actions.create_site("acme", "Acme", by=BY)
    activate(READ_ONLY, site="acme")
    assert (queries.active_number("acme"), queries.active_number(SITE)) == (1, 0)
    assert [name for name, _ in events(1, "acme")] == ["saved", "tried", "activated"]

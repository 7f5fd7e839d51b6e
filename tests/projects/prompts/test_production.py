"""Production moves by one person, or by two where the site says so: who proposes does not confirm, one of two wins."""

import datetime as dt

import pytest

from config import clock
from config.errors import Conflict, Refused
from config.table import ENTITY_EVENT
from projects.audit.events import Actor
from projects.audit.items import EntityEvent
from projects.prompts import actions as prompt_actions
from projects.prompts import queries as prompt_queries
from projects.prompts.actions import PROPOSAL_DAYS, ProductionMove
from projects.prompts.prompt import Prompt
from projects.prompts.queries import PromptRef
from projects.sites import actions as site_actions
from projects.sites import queries as site_queries
from tests.aws_faults import before_each

ALICE, BOB, CARA = Actor("1", "Alice Novak"), Actor("2", "Bob Ito"), Actor("3", "Cara Diaz")
REF = PromptRef("default", "p1", "extract")
pytestmark = pytest.mark.usefixtures("table")


@pytest.fixture
def three_versions():
    for words in ("A", "B"):
        prompt_actions.save_version(
            REF, Prompt("extract", f"{words}\n", "{{page_text}}\n"), based_on=1, note="", by=ALICE
        )


@pytest.fixture
def two_people(three_versions):
    need_two()


def need_two(needed=True):
    site_actions.set_second_person("default", needed, version=site_queries.get_site("default").version, by=CARA)


def move(version=2, by=ALICE, expected=1):
    return prompt_actions.move_production(REF, version, expected=expected, reason="Better", by=by)


def confirm(proposal, by=BOB):
    return prompt_actions.confirm_production(REF, proposal.id, by=by)


def decline(proposal, by=BOB):
    return prompt_actions.decline_production(REF, proposal.id, reason="Too long", by=by)


def head():
    return prompt_queries.get_head(REF)


def proposed():
    found = head().open_proposal
    assert found
    return found


def events():
    pk = ENTITY_EVENT.partition_key("default", entity_type="prompt", entity_id=REF.entity_id)
    return [(one.type, one.name) for one in EntityEvent.page(pk, consistent=True).rows if one.type != "version_saved"]


def test_one_person_moves_production_where_the_site_does_not_say_otherwise(three_versions):
    assert move() is ProductionMove.MOVED
    assert move(expected=2) is ProductionMove.UNCHANGED
    assert head().open_proposal is None


def test_another_person_confirms(two_people):
    assert move() is ProductionMove.PROPOSED
    assert head().production == 1
    with pytest.raises(Refused, match="Another person has to confirm it"):
        confirm(proposed(), by=ALICE)
    assert confirm(proposed()) == 2
    assert (head().production, head().labelled_by, head().open_proposal) == (2, "Bob Ito", None)
    assert events() == [("production_proposed", "Alice Novak"), ("production_moved", "Bob Ito")]


def test_the_same_form_twice_proposes_once(two_people):
    move()
    first = proposed()
    assert move() is ProductionMove.PROPOSED
    assert proposed() == first
    assert events() == [("production_proposed", "Alice Novak")]


@pytest.mark.parametrize("who", [ALICE, BOB])
def test_a_proposal_is_declined_by_another_or_taken_back(two_people, who):
    move()
    first = proposed()
    assert decline(first, by=who) == 2
    assert (head().production, head().open_proposal) == (1, None)
    with pytest.raises(Conflict, match="no longer open"):
        confirm(first)
    move(3)
    with pytest.raises(Conflict, match="no longer open"):
        confirm(first)


def test_declining_needs_a_reason(two_people):
    move()
    with pytest.raises(Refused, match="Give a short reason"):
        prompt_actions.decline_production(REF, proposed().id, reason=" ", by=BOB)


def test_an_expired_proposal_binds_no_one(two_people, monkeypatch):
    move()
    first, later = proposed(), clock.now() + dt.timedelta(days=PROPOSAL_DAYS, seconds=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert head().open_proposal is None
    with pytest.raises(Conflict, match="no longer open"):
        confirm(first)
    move(3, by=BOB)
    assert proposed().version == 3


def test_of_two_who_propose_at_once_one_wins(two_people):
    with (
        before_each("dynamodb", "TransactWriteItems", lambda: move(3, by=BOB)),
        pytest.raises(Conflict, match="Bob Ito proposed version 3"),
    ):
        move(2)
    assert proposed().version == 3
    with pytest.raises(Conflict, match="Bob Ito proposed version 3"):
        move(3)


@pytest.mark.parametrize("late", [decline, confirm])
@pytest.mark.parametrize("first", [decline, confirm])
def test_of_two_who_decide_on_a_proposal_at_once_one_wins(two_people, first, late):
    move()
    shown = proposed()
    with (
        before_each("dynamodb", "TransactWriteItems", lambda: first(shown, by=BOB)),
        pytest.raises(Conflict, match=r"no longer open|put version 2 into production"),
    ):
        late(shown, by=CARA)
    assert head().production == (1 if first is decline else 2)
    assert len(events()) == 2


def test_a_rule_that_begins_at_the_moment_of_the_move_holds(three_versions):
    with before_each("dynamodb", "TransactWriteItems", need_two), pytest.raises(Conflict, match="Send it again"):
        move()
    assert head().production == 1
    assert move() is ProductionMove.PROPOSED


def test_a_rule_that_ended_lets_one_person_move_past_the_proposal(two_people):
    move()
    first = proposed()
    need_two(False)
    assert move(3, by=BOB) is ProductionMove.MOVED
    assert head().open_proposal is None
    with pytest.raises(Conflict, match="no longer open"):
        confirm(first)


def test_a_candidate_for_most_runs_is_no_way_around_the_second_person(two_people):
    def try_on(percent, **more):
        prompt_actions.set_candidate(REF, 2, expected=0, percent=percent, reason="Trial", by=ALICE, **more)

    with pytest.raises(Refused, match="up to 50 %"):
        try_on(51)
    need_two(False)
    with pytest.raises(Refused, match="up to 50 %"):
        try_on(51, may_promote=False)
    with before_each("dynamodb", "TransactWriteItems", need_two), pytest.raises(Conflict, match="Send it again"):
        try_on(51)
    try_on(50, may_promote=False)
    assert head().candidate == 2

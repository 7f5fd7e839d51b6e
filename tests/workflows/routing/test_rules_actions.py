"""Rulesets and rules are made and changed: both rows, the ruleset's version and the event together; one of two wins."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from config import clock
from config.errors import Conflict, NotFound, Refused, Unavailable
from config.table import ENTITY_EVENT, RULE_BY_STATUS
from projects.audit.items import EntityEvent
from tests.aws_faults import Crash, audit_refused, before_each, count_calls, crash_before
from tests.workflows.make_rules import ALICE, BOB, SITE, draft, is_pdf, make_rule, make_ruleset, says
from workflows.definitions.rules import Act, When
from workflows.routing import actions as routing_actions
from workflows.routing import pinned_rules
from workflows.routing.actions import RulesetDraft
from workflows.routing.items import StoredRule

pytestmark = pytest.mark.usefixtures("table")


def ruleset_of(one):
    return pinned_rules.get_ruleset(SITE, one.documentId)


def rule_of(one):
    return pinned_rules.get_rule(SITE, one.rulesetId, one.documentId)


def events(kind, one):
    pk = ENTITY_EVENT.partition_key(SITE, entity_type=kind, entity_id=one.documentId)
    return [(event.type, event.userId) for event in EntityEvent.page(pk, consistent=True).rows]


def copies():
    """The rows under their status: what an upload reads."""
    return [row.SK for row in StoredRule.page(RULE_BY_STATUS.partition_key(SITE), consistent=True).rows]


def test_rulesets_are_listed_in_their_order_those_that_are_on_first():
    for name, priority, on in (("Third", 100, True), ("Second", 9, True), ("Off", 1, False)):
        make_ruleset(name, priority=priority, on=on)
    with count_calls() as calls:
        found = pinned_rules.list_rulesets(SITE)
    assert [one.description for one in found] == ["Second", "Third", "Off"]
    assert calls.names() == ["dynamodb.Query"]
    assert pinned_rules.list_rulesets("acme") == []


def test_a_ruleset_moves_with_its_order_and_its_state():
    ruleset = make_ruleset(priority=10)
    for version, wanted in enumerate((RulesetDraft("Bills", 5, True), RulesetDraft("Bills", 5, False)), 1):
        routing_actions.update_ruleset(SITE, ruleset.documentId, wanted, version=version, by=BOB)
    (found,) = pinned_rules.list_rulesets(SITE)
    assert (found.description, int(found.priority), found.status, int(found.version)) == ("Bills", 5, "INACTIVE", 3)
    assert (found.created_by, found.updated_by) == ("1", "Bob Ito")
    assert events("ruleset", ruleset) == [("created", "1"), ("updated", "2"), ("updated", "2")]


def test_saving_a_ruleset_as_it_is_writes_nothing():
    ruleset = make_ruleset()
    routing_actions.update_ruleset(SITE, ruleset.documentId, RulesetDraft("Invoices", 10, True), version=1, by=BOB)
    assert int(ruleset_of(ruleset).version) == 1


@pytest.mark.parametrize("wanted", [RulesetDraft("Mine", 10, True), RulesetDraft("Mine", 11, True)])
def test_who_changes_a_ruleset_second_loses(wanted):
    ruleset = make_ruleset()
    routing_actions.update_ruleset(SITE, ruleset.documentId, RulesetDraft("First", 10, True), version=1, by=BOB)
    with pytest.raises(Conflict, match="Bob Ito changed this ruleset"):
        routing_actions.update_ruleset(SITE, ruleset.documentId, wanted, version=1, by=ALICE)
    assert ruleset_of(ruleset).description == "First"


def test_of_two_that_move_a_ruleset_at_once_one_does():
    ruleset = make_ruleset()

    def move(priority):
        try:
            routing_actions.update_ruleset(
                SITE, ruleset.documentId, RulesetDraft("Invoices", priority, True), version=1, by=ALICE
            )
        except Conflict:
            return 0
        return 1

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(move, range(20, 32))) == 1
    assert len(pinned_rules.list_rulesets(SITE)) == 1


def test_the_same_form_makes_one_ruleset_and_one_rule():
    ruleset_id, rule_id = clock.new_ulid(), clock.new_ulid()
    for _ in range(2):
        ruleset = make_ruleset(ruleset_id=ruleset_id)
        make_rule(ruleset, rule_id=rule_id)
    assert (len(pinned_rules.list_rulesets(SITE)), len(pinned_rules.list_rules(SITE, ruleset_id)), len(copies())) == (
        1,
        1,
        1,
    )
    with pytest.raises(Conflict):
        make_ruleset(ruleset_id=ruleset_id, by=BOB)
    with pytest.raises(Conflict):
        make_rule(ruleset, rule_id=rule_id, by=BOB)


def test_a_rule_is_read_back_as_it_was_made_and_bumps_its_ruleset():
    ruleset = make_ruleset()
    actions = (Act("QUEUE", {"queue": "q1"}), Act("WEBHOOK", {"url": "https://example.org/x?a=1"}))
    made = make_rule(ruleset, says("Überweisung #1"), is_pdf(), queue="q1", actions=actions)
    wanted = draft(says("Überweisung #1"), is_pdf(), queue="q1", actions=actions)
    assert routing_actions.rule_draft_of(rule_of(made)) == wanted
    assert int(ruleset_of(ruleset).version) == 2
    assert events("rule", made) == [("created", "1")]


def test_what_is_on_is_read_by_three_queries_with_its_ruleset():
    late, early = make_ruleset("Late", priority=20), make_ruleset("Early", priority=5)
    off = make_ruleset("Off", on=False)
    for ruleset, on in ((late, True), (early, True), (early, False), (off, True)):
        make_rule(ruleset, is_pdf(), on=on)
    with count_calls() as calls:
        found = pinned_rules.current_rules(SITE).rules
    assert sorted((one.ruleset, one.ruleset_priority) for one in found) == [("Early", 5), ("Late", 20)]
    assert calls.names() == ["dynamodb.Query"] * 3  # rulesets, rules, mappings


def test_a_site_without_rules_asks_twice():
    with count_calls() as calls:
        assert pinned_rules.current_rules(SITE) == pinned_rules.PinnedRules()
        assert pinned_rules.pin_rules(SITE, pinned_rules.PinnedRules()) == ""
    assert calls.names() == ["dynamodb.Query"] * 2


def test_rules_of_a_ruleset_stand_in_the_order_of_their_numbers():
    ruleset = make_ruleset()
    for priority in (100, 9, 20):
        make_rule(ruleset, priority=priority)
    assert [int(one.priority) for one in pinned_rules.list_rules(SITE, ruleset.documentId)] == [9, 20, 100]


def test_a_changed_rule_takes_the_place_of_what_it_was_in_both_rows():
    made = make_rule(make_ruleset(), is_pdf())
    changes = [
        draft(says("invoice"), priority=7),
        draft(says("invoice"), priority=7, on=False),
        draft(description="Renamed", priority=7, on=False),
    ]
    for version, wanted in enumerate(changes, 1):
        routing_actions.update_rule(SITE, made.rulesetId, made.documentId, wanted, version=version, by=BOB)
        assert routing_actions.rule_draft_of(rule_of(made)) == wanted
    assert copies() == [f"rule#INACTIVE#{made.rulesetId}#000007#{made.documentId}"]
    assert int(pinned_rules.get_ruleset(SITE, made.rulesetId).version) == 5
    assert events("rule", made) == [("created", "1")] + [("updated", "2")] * 3


def test_the_audit_tells_what_of_a_rule_changed_and_from_what():
    made = make_rule(make_ruleset(), is_pdf())
    wanted = draft(says("urgent"), queue="q1")
    routing_actions.update_rule(SITE, made.rulesetId, made.documentId, wanted, version=1, by=BOB)
    pk = ENTITY_EVENT.partition_key(SITE, entity_type="rule", entity_id=made.documentId)
    told = EntityEvent.page(pk, consistent=True).rows[-1].payload.as_dict()
    assert set(told) == {"name", "ruleset", "conditions", "effect"}
    assert told["conditions"] == {"before": "Type of file is “application/pdf”", "after": "Text contains “urgent”"}
    assert told["effect"] == {"before": {}, "after": {"queue": "q1"}}


def test_saving_a_rule_as_it_is_writes_nothing():
    made = make_rule(make_ruleset(), is_pdf())
    routing_actions.update_rule(SITE, made.rulesetId, made.documentId, draft(is_pdf()), version=1, by=BOB)
    assert (int(rule_of(made).version), len(events("rule", made))) == (1, 1)


def test_who_changes_a_rule_second_loses_and_learns_who_was_first():
    made = make_rule(make_ruleset(), is_pdf())
    where = (SITE, made.rulesetId, made.documentId)
    routing_actions.update_rule(*where, draft(description="First"), version=1, by=BOB)
    with pytest.raises(Conflict, match="Bob Ito changed this rule"):
        routing_actions.update_rule(*where, draft(description="Second", on=False), version=1, by=ALICE)
    assert rule_of(made).description == "First"
    assert len(copies()) == 1


def test_of_many_at_once_each_version_of_a_rule_has_one_winner():
    made = make_rule(make_ruleset())

    def save(number):
        try:
            wanted = draft(description=f"Number {number}", priority=number)
            routing_actions.update_rule(SITE, made.rulesetId, made.documentId, wanted, version=1, by=ALICE)
        except Conflict:
            return 0
        return 1

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(save, range(1, 13))) == 1
    assert (int(rule_of(made).version), len(copies()), len(events("rule", made))) == (2, 1, 2)


def test_a_rule_cannot_be_made_in_a_ruleset_that_moves_meanwhile():
    ruleset = make_ruleset()

    def move():
        routing_actions.update_ruleset(SITE, ruleset.documentId, RulesetDraft("Moved", 3, True), version=1, by=BOB)

    with before_each("dynamodb", "TransactWriteItems", move), pytest.raises(Conflict, match="Bob Ito"):
        make_rule(ruleset)
    assert copies() == []


def test_a_rule_asks_only_for_what_is_known_then():
    ruleset = make_ruleset()
    with pytest.raises(Refused, match="only available after analysis"):
        make_rule(ruleset, says("invoice"), when=When.UPLOAD)
    for effect in ({"definition": "document-analysis"}, {"language": "de"}, {"threshold": 0.0}):
        with pytest.raises(Refused, match="can only set queue and actions"):
            make_rule(ruleset, is_pdf(), **effect)
    made = make_rule(ruleset, is_pdf(), when=When.UPLOAD, definition="document-analysis", threshold=0.5)
    assert made.workflowId == "document-analysis"
    with pytest.raises(Refused):
        routing_actions.update_rule(
            SITE, made.rulesetId, made.documentId, draft(says("x"), when=When.UPLOAD), version=1, by=ALICE
        )


def test_there_are_only_as_many_as_an_upload_can_read(monkeypatch):
    monkeypatch.setattr(pinned_rules, "MOST_RULESETS", 1)
    monkeypatch.setattr(pinned_rules, "MOST_RULES", 1)
    ruleset = make_ruleset()
    make_rule(ruleset)
    with pytest.raises(Refused, match="up to 1 rules"):
        make_rule(ruleset)
    with pytest.raises(Refused, match="up to 1 rulesets"):
        make_ruleset("Second")


def test_what_is_not_there_is_not_found():
    for act in (
        lambda: pinned_rules.get_ruleset(SITE, "none"),
        lambda: pinned_rules.get_rule(SITE, "none", "none"),
        lambda: pinned_rules.get_rule(SITE, "a#b", "none"),
        lambda: pinned_rules.list_rules(SITE, "a#b"),
        lambda: routing_actions.update_ruleset(SITE, "none", RulesetDraft("x", 1, True), version=1, by=ALICE),
        lambda: routing_actions.create_rule(SITE, "none", draft(), by=ALICE, rule_id="r"),
        lambda: routing_actions.update_rule(SITE, "none", "none", draft(), version=1, by=ALICE),
    ):
        with pytest.raises(NotFound):
            act()


def test_without_its_event_no_change_is_kept():
    ruleset = make_ruleset()
    made = make_rule(ruleset)
    changed = replace(draft(), description="Other", priority=3)
    acts = [
        lambda: make_ruleset("Other"),
        lambda: routing_actions.update_ruleset(
            SITE, ruleset.documentId, RulesetDraft("Other", 1, True), version=2, by=ALICE
        ),
        lambda: make_rule(ruleset),
        lambda: routing_actions.update_rule(SITE, made.rulesetId, made.documentId, changed, version=1, by=ALICE),
    ]
    for act in acts:
        with audit_refused(), pytest.raises(Unavailable):
            act()
        with crash_before("dynamodb", "TransactWriteItems"), pytest.raises(Crash):
            act()
    assert [(one.description, int(one.version)) for one in pinned_rules.list_rulesets(SITE)] == [("Invoices", 2)]
    assert [routing_actions.rule_draft_of(one) for one in pinned_rules.list_rules(SITE, ruleset.documentId)] == [
        draft()
    ]
    assert len(copies()) == 1


def test_a_rule_that_is_deleted_is_in_no_list_and_told() -> None:
    ruleset = make_ruleset()
    made, other = make_rule(ruleset, is_pdf()), make_rule(ruleset, says("offer"))
    routing_actions.delete_rule(SITE, made.rulesetId, made.documentId, version=1, by=BOB)
    assert [one.documentId for one in pinned_rules.list_rules(SITE, ruleset.documentId)] == [other.documentId]
    assert len(copies()) == 1
    assert events("rule", made) == [("created", ALICE.id), ("deleted", BOB.id)]
    assert int(ruleset_of(ruleset).version) == 4
    with pytest.raises(NotFound):
        routing_actions.delete_rule(SITE, made.rulesetId, made.documentId, version=1, by=BOB)


def test_who_deletes_a_rule_that_was_changed_meanwhile_loses_and_learns_by_whom() -> None:
    made = make_rule(make_ruleset())
    routing_actions.update_rule(SITE, made.rulesetId, made.documentId, draft(description="Other"), version=1, by=BOB)
    with pytest.raises(Conflict, match=r"^Bob Ito changed this rule on .+ Your change was not saved"):
        routing_actions.delete_rule(SITE, made.rulesetId, made.documentId, version=1, by=ALICE)
    assert rule_of(made).description == "Other"
    assert len(copies()) == 1


def test_of_two_who_delete_a_rule_one_does() -> None:
    made = make_rule(make_ruleset())

    def remove(_: int) -> str:
        try:
            routing_actions.delete_rule(SITE, made.rulesetId, made.documentId, version=1, by=BOB)
        except (NotFound, Conflict) as error:
            return type(error).__name__
        return "done"

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(remove, range(4)))[-1] == "done"
    assert events("rule", made) == [("created", ALICE.id), ("deleted", BOB.id)]

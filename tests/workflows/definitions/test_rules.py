"""The evaluator of rules: which hold, which decides, what comes together, and why."""

from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from config.phrase import tell_sentence
from tests.each import each
from workflows.definitions import stored_rules
from workflows.definitions.rules import (
    UNROUTED,
    Act,
    Condition,
    Effect,
    Facts,
    Routing,
    Rule,
    Source,
    When,
    any_rule_reads,
    is_comparable,
    judge_rules,
    to_plain,
)
from workflows.definitions.rules import Operator as Op

FACTS = Facts(
    "application/pdf",
    pages=("INVOICE\n  from Alder & Quill", "Terms and conditions"),
    barcodes=("INV-0042", "4006381333931"),
    fields={"total": ["1007.50"], "date": ["2024-03-12"], "invoice_number": ["0012"], "company": ["Alder & Quill Ltd"]},
    attributes={"region": ["North", "West"], "weight": ["9.5"]},
)
C, S = Condition, Source


def rule(*conditions, name="r1", ruleset="s1", priority=0, ruleset_priority=0, when=When.ANALYSIS, **effect):
    return Rule(
        name, ruleset, f"Rule {name}", when, conditions, Effect(**effect), priority, f"Set {ruleset}", ruleset_priority
    )


def holds(condition, facts=FACTS):
    return bool(judge_rules([rule(condition)], facts, When.ANALYSIS).decisions)


@each(
    ("condition", "expected"),
    [
        (C(S.CONTENT_TYPE, Op.EQ, "application/pdf"), True),
        (C(S.CONTENT_TYPE, Op.EQ, "image/png"), False),
        (C(S.CONTENT_TYPE, Op.CONTAINS, "PDF"), True),
        (C(S.TEXT, Op.CONTAINS, "invoice from ALDER"), True),  # however it is spaced and written
        (C(S.TEXT, Op.CONTAINS, "quill terms"), False),  # not over the end of a page
        (C(S.TEXT, Op.EXISTS), True),
        (C(S.BARCODE, Op.EQ, "inv-0042"), True),
        (C(S.BARCODE, Op.CONTAINS, "38133"), True),
        (C(S.BARCODE, Op.EQ, "42"), False),
        (C(S.FIELD, Op.EQ, "1007.5", "total"), True),  # a number is a number
        (C(S.FIELD, Op.EQ, "12", "invoice_number"), False),  # a leading zero makes it an id
        (C(S.FIELD, Op.EQ, "0012", "invoice_number"), True),
        (C(S.FIELD, Op.GT, "999.99", "total"), True),
        (C(S.FIELD, Op.GT, "1007.50", "total"), False),
        (C(S.FIELD, Op.GE, "1007.50", "total"), True),
        (C(S.FIELD, Op.LT, "20000", "total"), True),
        (C(S.FIELD, Op.LE, "1007.49", "total"), False),
        (C(S.FIELD, Op.LT, "2024-04-01", "date"), True),
        (C(S.FIELD, Op.GE, "2024-04-01", "date"), False),
        (C(S.FIELD, Op.GT, "5", "company"), False),  # text has no order
        (C(S.FIELD, Op.GT, "5", "date"), False),  # nor has a day beside a number
        (C(S.FIELD, Op.EXISTS, key="total"), True),
        (C(S.FIELD, Op.EXISTS, key="none"), False),
        (C(S.FIELD, Op.EQ, "", "none"), False),
        (C(S.ATTRIBUTE, Op.EQ, "west", "region"), True),  # any of its values
        (C(S.ATTRIBUTE, Op.LT, "10", "weight"), True),  # as numbers, where text would say no
        (C(S.ATTRIBUTE, Op.CONTAINS, "or", "region"), True),
    ],
)
def test_a_condition_is_met_by_what_it_says(condition, expected):
    assert holds(condition) is expected


def test_all_conditions_have_to_be_met_and_none_at_all_is_met_by_everything():
    met, not_met = C(S.TEXT, Op.EXISTS), C(S.FIELD, Op.EXISTS, key="none")
    assert judge_rules([rule(met, met)], FACTS, When.ANALYSIS).decisions
    assert not judge_rules([rule(met, not_met)], FACTS, When.ANALYSIS).decisions
    assert judge_rules([rule()], FACTS, When.ANALYSIS).decisions[0].why == ("No conditions",)


def test_an_empty_value_is_not_there():
    assert not holds(C(S.FIELD, Op.EXISTS, key="total"), Facts("x", fields={"total": ["  "]}))
    assert not holds(C(S.TEXT, Op.EXISTS), Facts("x", pages=("", "\n")))


def test_a_rule_is_asked_at_its_own_time_only():
    at_upload = rule(C(S.CONTENT_TYPE, Op.EXISTS), when=When.UPLOAD)
    assert judge_rules([at_upload], FACTS, When.UPLOAD).decisions
    assert not judge_rules([at_upload], FACTS, When.ANALYSIS).decisions


def test_of_a_ruleset_the_first_rule_that_holds_decides_whatever_order_they_come_in():
    rules = [
        rule(name="r3", priority=30, queue="late"),
        rule(C(S.FIELD, Op.EXISTS, key="none"), name="r1", priority=10, queue="not met"),
        rule(name="r2", priority=20, queue="mine"),
    ]
    found = judge_rules(rules, FACTS, When.ANALYSIS)
    assert ([one.rule_id for one in found.decisions], found.effect.queue) == (["r2"], "mine")


def test_the_same_number_is_settled_by_the_id():
    assert judge_rules([rule(name="b"), rule(name="a")], FACTS, When.ANALYSIS).decisions[0].rule_id == "a"


def test_rulesets_come_together_the_first_word_counts_and_actions_follow_each_other():
    first = rule(ruleset="b", ruleset_priority=1, queue="first", actions=(Act("OCR"),))
    then = rule(name="r2", ruleset="a", ruleset_priority=2, queue="second", language="de", actions=(Act("PUBLISH"),))
    found = judge_rules([then, first], FACTS, When.ANALYSIS)
    assert found.effect == Effect(queue="first", language="de", actions=(Act("OCR"), Act("PUBLISH")))
    assert found.facts == {"rules": "Rule r1; Rule r2"}


def test_a_threshold_of_zero_is_a_word():
    rules = [rule(threshold=0.0), rule(ruleset="s2", name="r2", ruleset_priority=5, threshold=0.9)]
    assert judge_rules(rules, FACTS, When.ANALYSIS).effect.threshold == 0.0


def test_a_decision_says_because_of_what():
    conditions = (
        C(S.FIELD, Op.GE, "1000", "total"),
        C(S.CONTENT_TYPE, Op.EQ, "application/pdf"),
        C(S.TEXT, Op.CONTAINS, "invoice"),
        C(S.BARCODE, Op.EXISTS),
    )
    (decision,) = judge_rules([rule(*conditions)], FACTS, When.ANALYSIS).decisions
    assert decision.why == (
        "Field total is at least “1000”: it is “1007.50”",
        "Type of file is “application/pdf”",
        "Text contains “invoice”",
        "Barcode is there",
    )


def test_a_long_value_is_cut_in_the_explanation():
    (decision,) = judge_rules(
        [rule(C(S.FIELD, Op.CONTAINS, "x", "note"))], Facts("x", fields={"note": ["x" * 500]}), When.ANALYSIS
    ).decisions
    assert len(decision.why[0]) < 130


def test_nothing_is_looked_up_that_no_rule_asks_for():
    rules = [rule(C(S.CONTENT_TYPE, Op.EXISTS), when=When.UPLOAD), rule(C(S.FIELD, Op.EXISTS, key="total"))]
    assert [source for source in Source if any_rule_reads(rules, source)] == [Source.FIELD]


def test_only_numbers_and_days_can_be_compared_by_size():
    assert [one for one in ("1000", "-2.5", "2024-03-01", "0012", "1,000", "soon", "") if is_comparable(one)] == [
        "1000",
        "-2.5",
        "2024-03-01",
    ]


def test_what_a_run_freezes_comes_back_as_it_was():
    whole = rule(
        C(S.FIELD, Op.GE, "10", "total"), ruleset_priority=4, threshold=0.5, actions=(Act("WEBHOOK", {"url": "u"}),)
    )
    assert stored_rules.rule_from(to_plain(whole)) == whole
    frozen = Routing("sha", judge_rules([whole], FACTS, When.ANALYSIS))
    assert frozen.judgement.decisions
    assert stored_rules.read_routing(frozen.to_json()) == frozen
    assert (UNROUTED.to_json(), stored_rules.read_routing(None)) == (None, UNROUTED)


numbers = st.decimals(-(10**9), 10**9, allow_nan=False, places=3).map(lambda one: f"{one.normalize():f}")


@given(numbers, numbers)
def test_numbers_are_compared_as_numbers_and_one_of_three_holds(one, other):
    facts = Facts("x", fields={"n": [one]})
    met = [holds(C(S.FIELD, operator, other, "n"), facts) for operator in (Op.LT, Op.EQ, Op.GT)]
    assert met.count(True) == 1
    assert holds(C(S.FIELD, Op.LE, other, "n"), facts) is (met[0] or met[1])
    assert holds(C(S.FIELD, Op.GE, other, "n"), facts) is (met[2] or met[1])


@given(st.text(), st.text())
def test_no_text_breaks_a_condition(value, wanted):
    for source in Source:
        for operator in Op:
            facts = Facts(value, (value,), (value,), {"k": [value]}, {"k": [value]})
            holds(C(source, operator, wanted, "k"), facts)


def test_a_stored_condition_reads_in_another_language() -> None:
    asked = Condition(Source.FIELD, Op.GT, "1000", "total"), Condition(Source.TEXT, Op.CONTAINS, "Eil")
    stored = [str(one.words) for one in asked]
    assert stored == ["Field total is greater than “1000”", "Text contains “Eil”"]
    with translation.override("de"):
        assert [tell_sentence(one).translated() for one in stored] == [
            "Feld total ist größer als „1000“",
            "Text enthält „Eil“",
        ]
    with translation.override("ja"):
        assert tell_sentence(stored[0]).translated() == "フィールド totalが「1000」より大きい"

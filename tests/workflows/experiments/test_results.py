"""What answers come to: scores with their intervals, review rates, and whether a prompt may be promoted."""

from decimal import Decimal

from workflows.experiments import results
from workflows.experiments.actions import list_shortfalls
from workflows.experiments.results import DONE, FAILED, REMOVED, Cell, HalfResult, Judged
from workflows.testsets.cases import HALVES


def judged(name: str, confidence: float, found: str) -> Judged:
    """``found``: right, wrong, missing, invented or absent, as compared with the document."""
    return Judged(
        name,
        confidence,
        expected=found in {"right", "wrong", "missing"},
        answered=found in {"right", "wrong", "invented"},
        right=found == "right",
        required=name == "total",
    )


def half_of(*cells: tuple[Judged, ...], threshold: float = 0.8) -> HalfResult:
    made = [
        Cell(str(number), "tuning", 1, DONE, one, 100, 10, 7, 1000 * (number + 1)) for number, one in enumerate(cells)
    ]
    return results.judge_half(made, threshold)


def test_wrong_values_cost_precision_and_recall_and_invented_ones_precision() -> None:
    found = half_of(
        (judged("total", 0.9, "right"), judged("date", 0.9, "absent")),
        (judged("total", 0.9, "wrong"), judged("date", 0.9, "invented")),
        (judged("total", 0.0, "missing"), judged("date", 0.9, "right")),
    )
    total = next(one for one in found.fields if one.name == "total")
    assert (total.expected, total.precision and total.precision.share, total.recall) == (
        3,
        0.5,
        results.estimate_share(1, 3),
    )
    date = next(one for one in found.fields if one.name == "date")
    assert (date.expected, date.precision and date.precision.share, date.recall and date.recall.share) == (1, 0.5, 1.0)
    assert found.exact
    assert found.exact.share == 1 / 3
    assert found.f1
    assert round(found.f1.share, 4) == round(2 * 2 / (4 + 4), 4)
    assert found.f1.low <= found.f1.share <= found.f1.high
    assert (found.tokens_in, found.micros, found.p50, found.p95) == (300, 21, 2.0, 3.0)


def test_review_rate_precision_and_the_safe_threshold_go_by_confidence() -> None:
    cells = [(judged("total", 0.5 + number / 25, "right" if number > 2 else "wrong"),) for number in range(10)]
    found = half_of(*cells, threshold=0.7)
    assert (found.review_rate, found.accepted) == (0.5, 1.0)
    assert found.auc == 1.0
    assert round(found.safe_threshold or 0, 2) == 0.62
    assert found.safe_review_rate == 0.3
    missing = half_of((judged("total", 0.0, "missing"),), (judged("total", 0.9, "right"),))
    assert missing.review_rate == 0.5  # a required field is missing: a person looks
    assert half_of((judged("total", 0.9, "wrong"),)).safe_threshold is None


def test_nothing_to_measure_is_none_and_not_nothing() -> None:
    empty = results.judge_half([Cell("a", "tuning", 1, FAILED), Cell("b", "tuning", 1, REMOVED)], 0.8)
    assert (empty.documents, empty.failed, empty.removed) == (0, 1, 1)
    assert {empty.f1, empty.exact, empty.auc, empty.review_rate, empty.accepted, empty.p50} == {None}


def test_results_come_back_as_they_were_stored_and_tell_variants_apart() -> None:
    right, wrong = (judged("total", 0.9, "right"),), (judged("total", 0.9, "wrong"),)
    cells = [
        Cell("a", "tuning", 1, DONE, right),
        Cell("a", "tuning", 2, DONE, wrong),
        Cell("b", "held_back", 1, DONE, wrong),
        Cell("b", "held_back", 2, FAILED),
        Cell("c", "tuning", 1, DONE, wrong),
        Cell("c", "tuning", 2, DONE, wrong),
        Cell("d", "tuning", 1, DONE, wrong),  # the other has not come so far
    ]
    found = results.judge_cells(cells, {1: 0.8, 2: 0.8}, HALVES)
    assert results.results_from(found.to_bytes()) == found
    assert [one.document_id for one in results.list_differences(found, 1, 2)] == ["a", "b"]
    assert found.halves[2]["held_back"].failed == 1


def test_an_interval_is_never_narrower_than_the_documents_allow() -> None:
    few = half_of(*[(judged("total", 0.9, "right"),)] * 2).f1
    many = half_of(*[(judged("total", 0.9, "right"),)] * 100).f1
    mixed = half_of(*[(judged("total", 0.9, "right" if number % 4 else "wrong"),) for number in range(100)]).f1
    assert few
    assert many
    assert mixed
    assert (few.share, round(few.low, 2), few.high) == (1.0, 0.34, 1.0)
    assert (many.share, round(many.low, 2), many.high) == (1.0, 0.96, 1.0)
    assert (mixed.share, 0.6 < mixed.low < 0.7, 0.8 < mixed.high < 0.9) == (0.75, True, True)


def test_a_worse_prompt_is_not_safe_to_promote() -> None:
    good = half_of(*[(judged("total", 0.9, "right"),)] * 10)
    worse = half_of(*[(judged("total", 0.9, "right" if number else "wrong"),) for number in range(10)])
    nothing = half_of()
    for candidate, production, safe in (
        (good, worse, True),
        (good, good, True),
        (worse, good, False),
        (good, None, False),
        (nothing, good, False),
    ):
        told = results.compare_with_production(candidate, production, version=3, allowed=Decimal(1))
        assert told.is_safe is safe
        assert told.sentence
    told = results.compare_with_production(worse, good, version=3, allowed=Decimal(1))
    assert told.sentence == "F1 on the held-back half is 90.0 %, in production 100.0 %."
    assert results.compare_with_production(worse, good, version=3, allowed=Decimal(10)).is_safe


def test_a_prompt_whose_answers_fail_is_neither_best_nor_safe() -> None:
    cells = [Cell(str(number), "tuning", 1, DONE, (judged("total", 0.9, "right"),)) for number in range(9)]
    whole = results.judge_half([*cells, Cell("9", "tuning", 1, DONE, (judged("total", 0.9, "wrong"),))], 0.8)
    failed = results.judge_half([*cells, Cell("9", "tuning", 1, FAILED)], 0.8)
    told = results.compare_with_production(failed, whole, version=3, allowed=Decimal(1))
    assert not told.is_safe
    assert told.sentence.endswith("1 of its answers failed, in production 0.")
    assert results.compare_with_production(failed, failed, version=3, allowed=Decimal(1)).is_safe
    assert whole.merit
    assert failed.merit
    assert whole.merit > failed.merit
    assert list_shortfalls(failed, {"f1": 0.5}) == ["Failed answers on the held-back half: 1."]
    assert list_shortfalls(failed, {}) == []

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflows.learning import reliability, scores
from workflows.learning.reliability import Judgement, Level


def judgement(confidence: float, right: bool, document: str = "d") -> Judgement:
    return Judgement(document, "total", confidence, right)


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.5, 0.7, 0.9]), st.booleans()), max_size=20))
def test_auc_is_the_share_of_pairs_in_their_order(pairs: list[tuple[float, bool]]) -> None:
    right = [confidence for confidence, is_right in pairs if is_right]
    wrong = [confidence for confidence, is_right in pairs if not is_right]
    found = reliability.area_under_curve(judgement(*pair) for pair in pairs)
    if not right or not wrong:
        assert found is None
        return
    order = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a in right for b in wrong)
    assert found == pytest.approx(order / (len(right) * len(wrong)))


def test_a_level_says_who_has_to_look_and_what_is_left_wrong() -> None:
    found = [
        judgement(0.95, True, "a"),
        judgement(0.6, False, "a"),
        judgement(0.9, False, "b"),
        judgement(0.99, True, "b"),
    ]
    assert reliability.reliability_table(found, [0.8]) == [Level(0.8, documents=0.5, asked=0.25, precision=2 / 3)]


def test_where_everything_is_asked_nothing_is_accepted() -> None:
    assert reliability.reliability_table([judgement(0.5, True)], [0.9]) == [Level(0.9, 1.0, 1.0, None)]


def test_without_values_there_is_no_table() -> None:
    assert reliability.reliability_table([]) == []


def test_a_limit_is_the_lowest_confidence_that_keeps_the_promise() -> None:
    """One per cent takes 189 right values; the next one, wrong, is below the limit."""
    right = [judgement(0.99 - n / 1000, True) for n in range(189)]
    assert reliability.find_limits([*right, judgement(0.5, False)]) == {"0.01": 0.802, "0.02": 0.5, "0.05": 0.5}
    assert reliability.find_limits(right[:188]) == {"0.02": 0.803, "0.05": 0.803}
    assert reliability.fewest_right(0.01) == 189


def test_so_few_values_that_chance_explains_them_keep_no_limit() -> None:
    """Of 99 right ones up to 3.7 % may be wrong, at 95 %."""
    right = [judgement(0.9, True)] * 99
    assert reliability.find_limits(right) == {"0.02": 0.9, "0.05": 0.9}
    assert reliability.find_limits(right, sure=False) == {"0.01": 0.9, "0.02": 0.9, "0.05": 0.9}


def test_values_of_one_confidence_stand_on_one_side_of_a_limit() -> None:
    alike = [judgement(0.9, number > 0) for number in range(60)]
    assert reliability.find_limits(alike) == {"0.05": 0.9}
    assert reliability.find_limits(alike[:20]) == {}


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=60))
def test_what_is_above_a_limit_keeps_the_promise(pairs: list[tuple[float, bool]]) -> None:
    found = [judgement(round(confidence, 3), right) for confidence, right in pairs]
    for share, limit in reliability.find_limits(found).items():
        accepted = [one.right for one in found if one.confidence >= limit]
        assert accepted.count(False) / len(accepted) <= float(share)
        assert scores.share_interval(accepted.count(True), len(accepted))[0] >= 1 - 2 * float(share)


def test_an_interval_holds_the_share_and_narrows() -> None:
    few, many = scores.share_interval(9, 10), reliability.share_interval(900, 1000)
    assert few[0] < many[0] < 0.9 < many[1] < few[1]
    assert scores.share_interval(0, 0) == (0.0, 1.0)

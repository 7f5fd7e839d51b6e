import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflows.learning import reliability
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

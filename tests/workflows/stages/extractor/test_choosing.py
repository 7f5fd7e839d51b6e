"""What was learned of other documents finds the value in the next one."""

import json

import numpy as np
import pytest

from tests.workflows.stages.extractor.drawn import FEE, SPONSOR, document, field, known_order, line, order
from workflows.learning.extractors import fitting
from workflows.stages.extractor.choosing import Hint, choose_values, confidence_of
from workflows.stages.extractor.learned import Extractor, LearnedField, extractor_from, to_content
from workflows.stages.extractor.words import Words
from workflows.stages.field_spec import FieldSpec


def learned(spec: FieldSpec, count: int = 24) -> LearnedField:
    found = fitting.fit_field([known_order(number, spec) for number in range(count)])
    assert found is not None
    return found


@pytest.mark.parametrize(("spec", "truth"), [(SPONSOR, "Friends of Otto Quimby"), (FEE, "141.00")])
def test_a_value_without_a_label_is_found_by_what_stands_around_it(spec: FieldSpec, truth: str) -> None:
    first = choose_values(Words(order(41)), spec, [], learned(spec))[0]
    assert first.value == truth
    assert first.share > 0.5
    assert first.box is not None


def test_shares_add_up_to_one_and_nothing_found_is_one_of_them() -> None:
    found = choose_values(Words(order(41)), FEE, [], learned(FEE))
    assert sum(one.share for one in found) == pytest.approx(1)
    assert "" in [one.value for one in found]


def test_a_page_without_words_and_an_empty_document_have_nothing() -> None:
    for pages in ([], [[]]):
        assert [one.value for one in choose_values(Words(document(*pages)), SPONSOR, [], learned(SPONSOR))] == [""]


def test_what_reviews_taught_to_be_absent_is_not_invented() -> None:
    absent = [fitting.Known(f"a{n}", f"g{n}", Words(order(n)), SPONSOR, (), None) for n in range(20)]
    model = fitting.fit_field(absent)
    assert model is not None
    assert choose_values(Words(order(30)), SPONSOR, [], model)[0].value == ""


def test_a_rule_that_is_always_right_is_believed_and_one_that_never_is_is_not() -> None:
    def two(number: int) -> Words:
        first, second = (110 + number, 120 + number) if number % 3 else (120 + number, 110 + number)
        return Words(document([line(0.1, 0.1, f"Paid {first}.00 and"), line(0.1, 0.12, f"Paid {second}.00 and")]))

    def hints(number: int) -> list[Hint]:
        return [Hint(f"{110 + number}.00", "", 0, None, 0.4)]

    for least, value in ((110, "140.00"), (120, "150.00")):  # the second: the rule always names the other one
        taught = [fitting.Known(f"d{n}", f"g{n}", two(n), FEE, hints(n), f"{least + n}.00") for n in range(24)]
        model = fitting.fit_field(taught)
        assert model is not None
        assert choose_values(two(30), FEE, hints(30), model)[0].value == value


def test_a_corrected_slip_of_ocr_is_found_where_it_stands() -> None:
    held = Words(document([line(0.1, 0.1, "Sold by"), line(0.1, 0.12, "MR D.T.Y. (JOH0R) SDN BHD")]))
    (numbers,) = fitting.locate_truth(held, "MR D.I.Y. (JOHOR) SDN BHD")
    assert [held.tokens[number].text for number in numbers] == ["MR", "D.T.Y.", "(JOH0R)", "SDN", "BHD"]
    assert fitting.locate_truth(held, "Somewhere else entirely") == []


def test_what_is_stored_finds_the_same_and_holds_no_word() -> None:
    model = learned(SPONSOR)
    stored = json.dumps(to_content(Extractor(3, {"": {"sponsor": model}}, ("ab",))))
    again = extractor_from(json.loads(stored), 3)
    before, after = (choose_values(Words(order(41)), SPONSOR, [], one) for one in (model, again.types[""]["sponsor"]))
    assert [(one.value, round(one.share, 3)) for one in before] == [(one.value, round(one.share, 3)) for one in after]
    assert not [word for word in ("friends", "castell", "behalf") if word in stored.casefold()]


def test_a_feature_of_one_group_alone_is_not_kept() -> None:
    """A name that one seller's papers show is neither stored nor learned."""
    mixed = [known_order(number) for number in range(3)]
    several = fitting.fit_field(mixed)
    assert several is not None
    first, *others = (set(np.concatenate([np.unique(part.ids) for part in one.choices]).tolist()) for one in mixed)
    own = first.difference(*others)
    assert own
    assert not own & set(several.buckets.tolist())


def test_damaged_content_is_no_extractor() -> None:
    good = to_content(Extractor(1, {"": {"fee": LearnedField(np.array([1, 5]), np.array([0.5, 1.0]))}}))
    for buckets, weights in (([5, 1], [1, 1]), ([1], [1, 1]), ([1, 2], [1, float("nan")])):
        good["types"][""]["fee"] |= {"buckets": buckets, "weights": weights}
        with pytest.raises(ValueError, match="do not belong together"):
            extractor_from(good, 1)


def test_confidence_follows_the_share() -> None:
    model = LearnedField(np.array([], dtype=np.int64), np.array([]), slope=2.0, shift=1.0)
    assert confidence_of(0.0, model) < 0.01 < confidence_of(0.5, model) < confidence_of(1.0, model) <= 1.0


def test_a_list_of_values_is_chosen_from() -> None:
    spec = field("state", allowed=("Texas", "Ohio"))
    texts = [("Filed in Ohio", "laws of Texas"), ("Filed in Texas", "laws of Ohio")]
    held = [Words(document([line(0.1, 0.1, one), line(0.1, 0.2, two)])) for one, two in texts]
    taught = [fitting.Known(f"d{n}", f"g{n}", held[n % 2], spec, (), ("Texas", "Ohio")[n % 2]) for n in range(8)]
    model = fitting.fit_field(taught)
    assert model is not None
    assert choose_values(held[0], spec, [], model)[0].value == "Texas"


def test_one_group_alone_teaches_nothing() -> None:
    assert fitting.fit_field([known_order(number) for number in (1, 9, 17)]) is None

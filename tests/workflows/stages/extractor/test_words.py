"""What stands around a word, as features."""

import pytest

from tests.workflows.stages.extractor.drawn import document, line, order
from workflows.stages.extractor import words
from workflows.stages.extractor.words import Words, hash_word, mix, mix_one, shape_of


def test_digits_and_case_do_not_count() -> None:
    assert hash_word("Contract:") == hash_word("CONTRACT")
    assert hash_word("05/27/20") == hash_word("06/28/21")
    assert hash_word("—") != hash_word("")


def test_a_shape_tells_the_kinds_of_characters() -> None:
    assert [shape_of(one) for one in ("Total:", "$1,007.50", "EVNS")] == ["Xxx:", "$0,00.00", "XX"]


def test_single_values_fall_into_the_same_bucket_as_rows_of_them() -> None:
    found = Words(order(1)).hashes
    assert mix("w", found, found).tolist() == [mix_one("w", int(one), int(one)) for one in found]


def test_every_word_has_as_many_features_none_of_them_nothing() -> None:
    held = Words(order(1))
    assert held.start_features.shape[0] == held.end_features.shape[0] == len(held)
    assert held.start_features.min() > words.NOTHING
    assert held.start_features.max() < words.BUCKETS


def test_a_label_that_sticks_to_its_value_is_parted_from_it() -> None:
    held = Words(document([line(0.1, 0.1, "No:12345 at 10:30 see https://x.example")]))
    assert [one.text for one in held.tokens] == ["No:", "12345", "at", "10:30", "see", "https://x.example"]


def test_a_line_goes_on_below_in_its_own_column() -> None:
    held = Words(document([line(0.1, 0.1, "left one"), line(0.7, 0.1, "right one"), line(0.1, 0.115, "left two")]))
    assert held.below == [2, None, None]


@pytest.mark.parametrize("texts", [[], ["   "], ["-"], ["\u0000\u202e" * 500], ["💥" * 2000]])
def test_empty_and_hostile_pages_have_features_of_what_is_there(texts: list[str]) -> None:
    held = Words(document([line(0.1, 0.1 + 0.02 * place, text) for place, text in enumerate(texts) if text.split()]))
    assert len(held.start_features) == len(held)


def test_thousands_of_words_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "MOST_WORDS", 50)
    monkeypatch.setattr(words, "_MOST_OF_PAGE", 30)
    pages = [[line(0.0, 0.1 + 0.02 * row, "word " * 20, page=page) for row in range(20)] for page in range(4)]
    held = Words(document(*pages))
    assert len(held) == 50
    assert sum(held.pages == 0) == 30

"""Two texts, word by word."""

import time

import pytest

from projects.prompts.comparison import compare_words


def test_what_was_added_and_removed_makes_both_texts():
    before, after = "Read the page.\nNever invent.", "Read one page.\nNever guess or invent."
    pieces = compare_words(before, after)
    assert "".join(one.text for one in pieces if one.kind != "added") == before
    assert "".join(one.text for one in pieces if one.kind != "removed") == after
    assert [one.text for one in pieces if one.kind == "removed"] == ["the"]


def test_the_same_text_differs_nowhere():
    assert [one.kind for one in compare_words("a b", "a b")] == ["same"]


@pytest.mark.parametrize(
    ("before", "after"),
    [("a " * 9_000, "a " * 9_001), ("a b " * 4_000, "b a c " * 3_000), ("a\nb\n" * 4_000, "b\na\nc\n" * 3_000)],
)
def test_texts_that_repeat_themselves_are_compared_at_once(before, after):
    begun = time.process_time()
    pieces = compare_words(before, after)
    assert time.process_time() - begun < 10
    assert "".join(one.text for one in pieces if one.kind != "added") == before
    assert "".join(one.text for one in pieces if one.kind != "removed") == after
    assert [one.kind for one in compare_words(before, before)] == ["same"]


def test_a_line_that_changed_in_a_long_text_is_compared_by_words():
    lines = [f"Field {number} is the number {number} of the page.\n" for number in range(400)]
    after = [*lines[:200], lines[200].replace("page", "form"), *lines[201:]]
    pieces = compare_words("".join(lines), "".join(after))
    assert [(one.kind, one.text) for one in pieces if one.kind != "same"] == [("removed", "page"), ("added", "form")]

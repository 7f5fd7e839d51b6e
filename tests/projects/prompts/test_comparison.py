"""Two texts, word by word."""

from projects.prompts.comparison import compare_words


def test_what_was_added_and_removed_makes_both_texts():
    before, after = "Read the page.\nNever invent.", "Read one page.\nNever guess or invent."
    pieces = compare_words(before, after)
    assert "".join(one.text for one in pieces if one.kind != "added") == before
    assert "".join(one.text for one in pieces if one.kind != "removed") == after
    assert [one.text for one in pieces if one.kind == "removed"] == ["the"]


def test_the_same_text_differs_nowhere():
    assert [one.kind for one in compare_words("a b", "a b")] == ["same"]

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.errors import Refused
from tests.each import each
from workflows.search.words import QUERY_LENGTH, Term, clean_text, parse_terms, split_words


def folded(text: str) -> list[str]:
    return [word.folded for word in split_words(clean_text(text))]


@each(
    ("text", "expected"),
    [
        ("INV-2024/001", ["inv", "2024", "001"]),
        ("Mu\u0308ller", ["muller"]),  # composed first, as PDFs often are not
        ("ŁÓDŹ Ærø ﬁne", ["łodz", "ærø", "fine"]),
        ("電子発票", ["電", "子", "発", "票"]),
        ("がか", ["が", "か"]),
        ("½", ["1", "2"]),
        ("a_b 🎉 c", ["a", "b", "c"]),
        ("、〈名〉・\U0002ebe1", ["名"]),  # signs of these scripts that are no words
        ("", []),
    ],
)
def test_words_are_cut_and_folded(text: str, expected: list[str]) -> None:
    assert folded(text) == expected


def test_a_word_says_where_it_stands() -> None:
    text = clean_text("  Größe: 12")
    assert [text[word.start : word.end] for word in split_words(text)] == ["Größe", "12"]


@each(
    ("text", "expected"),
    [
        ("acme", [Term(("acme",), begins=True)]),
        ("acme acme ACME", [Term(("acme",), begins=True)]),
        ("12,50", [Term(("12", "50"), begins=True)]),
        ('"Due date" x', [Term(("due", "date"), begins=False), Term(("x",), begins=False)]),
        ("acme AND gmbh*", [Term(("acme",), begins=True), Term(("gmbh",), begins=True)]),
        ('foo"bar', [Term(("foo",), begins=True), Term(("bar",), begins=True)]),
        ("発票", [Term(("発", "票"), begins=True)]),
        ("票", [Term(("票",), begins=True)]),
    ],
)
def test_what_somebody_typed_is_read(text: str, expected: list[Term]) -> None:
    assert list(parse_terms(text)) == expected


@each("text", ["", "a", "*", '"', '""', "AND", "🎉", "\x00", "- + ( )", "a b", "_"])
def test_what_says_too_little_is_refused_with_what_to_do(text: str) -> None:
    with pytest.raises(Refused, match="at least two"):
        parse_terms(text)


def test_what_says_too_much_is_refused_with_what_to_do() -> None:
    with pytest.raises(Refused, match="at most 200 characters"):
        parse_terms("x" * (QUERY_LENGTH + 1))
    with pytest.raises(Refused, match="at most 8 words"):
        parse_terms("one two three four five six seven eight nine")


@given(st.text(max_size=QUERY_LENGTH))
def test_whatever_is_typed_is_read_or_refused(text: str) -> None:
    try:
        terms = parse_terms(text)
    except Refused:
        return
    assert all(word.isalnum() for term in terms for word in term.words)


@given(st.text(max_size=60))
def test_what_stands_in_a_text_is_looked_for_by_the_same_words(text: str) -> None:
    assert folded(f'"{text}"') == folded(text)

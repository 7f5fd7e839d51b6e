"""The table of the smoke test itself: nothing that is missing, late, unknown or without a word passes it."""

from tests.each import each
from tests.smoke.ledger import Ledger


def problem(kind: str, ended: str, sentence: str = "", *, limit: float = 60) -> str:
    ledger = Ledger()
    ledger.hand_in("page", kind, "a", limit=limit)
    ledger.settle("a", ended, sentence)
    return "".join(ledger.problems())


@each(
    ("kind", "ended", "sentence", "words"),
    [
        ("pdf", "", "", "was never seen to end"),
        ("pdf", "completed", "", "which is no end"),
        ("webreq", "failed", "", "failed without a sentence"),
        ("none", "refused", "RuntimeError", "refused without a sentence"),
        ("pdf", "failed", "The page could not be read by anybody.", "not published or in_review"),
        ("zip", "published", "", "not unpacked"),
        ("webreq", "published", "", "not failed"),
    ],
)
def test_what_did_not_end_as_it_should_is_named(kind: str, ended: str, sentence: str, words: str) -> None:
    assert words in problem(kind, ended, sentence)


def test_what_ended_as_it_should_is_not() -> None:
    assert problem("pdf", "published") == problem("jpg", "in_review") == problem("zip", "unpacked") == ""
    assert problem("none", "refused", "This is a program. Upload a document.") == ""


def test_what_ended_too_late_is_named() -> None:
    assert "took 0 s of -1" in problem("pdf", "published", limit=-1)


def test_a_decided_review_has_to_end_once_more() -> None:
    ledger = Ledger()
    ledger.hand_in("page", "jpg", "a", limit=60)
    ledger.settle("a", "in_review")
    ledger.decide("a")
    ledger.settle("a", "in_review")
    assert [entry.name for entry in ledger.open()] == ["a"]
    ledger.settle("a", "published")
    assert ledger.problems() == []
    assert "published 0" in ledger.table("One file")


def test_the_table_shows_what_is_missing_and_which_way_is_absent() -> None:
    ledger = Ledger()
    ledger.hand_in("page", "jpg", "a", limit=60)
    ledger.absent["bucket"] = "not on this engine"
    table = ledger.table("Two ways")
    assert "MISSING" in table
    assert "bucket: not on this engine" in table

"""Which runs of words may be a value."""

from tests.workflows.stages.extractor.drawn import document, field, line
from workflows.stages.extractor import spans
from workflows.stages.extractor.words import Words


def values_in(kind: str, *texts: str, allowed: tuple[str, ...] = ()) -> list[str]:
    held = Words(document([line(0.1, 0.1 + 0.015 * place, text) for place, text in enumerate(texts)]))
    return [one.value for one in spans.list_hits(held, field("one", kind, allowed=allowed))]


def test_hits_of_each_type() -> None:
    assert values_in("amount", "Total $1,007.50 or 33.90") == ["1007.50", "33.90"]
    assert values_in("number", "Qty: 12") == ["12"]
    assert values_in("currency", "EUR 5 and $7") == ["EUR", "USD"]
    assert values_in("boolean", "Renewal: yes") == ["true"]
    assert values_in("text", "the State of new york", allowed=("New York", "Texas")) == ["New York"]


def test_a_date_that_may_be_read_both_ways_is_two() -> None:
    assert set(values_in("date", "from 03/04/2024")) == {"2024-04-03", "2024-03-04"}
    assert values_in("date", "from 13/04/2024") == ["2024-04-13"]


def test_a_date_that_a_line_begins_and_the_next_ends_is_one() -> None:
    assert "2010-05-17" in values_in(
        "date", "This agreement is made between the two parties as of May", "17, 2010 in town"
    )


def test_a_text_ends_in_its_line_or_below() -> None:
    held = Words(document([line(0.1, 0.1, "12 Mill Lane,"), line(0.1, 0.115, "Oxford OX1"), line(0.1, 0.13, "Tel 5")]))
    found = [one.value for one in spans.list_ends(held, 0)]
    assert found[:3] == ["12", "12 Mill", "12 Mill Lane"]
    assert "12 Mill Lane, Oxford OX1" in found
    assert "12 Mill Lane, Oxford OX1 Tel 5" in found


def test_marks_of_the_sentence_are_no_part_of_a_text() -> None:
    cleaned = [spans.clean_text(one) for one in ("“Acme Inc.”,", "(the Buyer", "Table Talk (135110)", "--", "Acme)")]
    assert cleaned == ["Acme Inc.", "the Buyer", "Table Talk (135110)", "", "Acme"]


def test_a_page_of_amounts_is_cut_and_a_long_line_too() -> None:
    rows = [line(0.1, 0.001 * place, "1.50 2.50 3.50") for place in range(400)]
    assert len(spans.list_hits(Words(document(rows)), field("one", "amount"))) == 600
    assert values_in("amount", "x " * 500 + "5.00") == []

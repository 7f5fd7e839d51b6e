import itertools

from hypothesis import given
from hypothesis import strategies as st

from workflows.stages.formats.blocks import LONGEST, OVERLAP, Block, cut_chunks, table_blocks
from workflows.stages.pages.layout import TURNING


def test_short_text_is_one_segment() -> None:
    found = list(cut_chunks([Block("one"), Block("two")]))
    assert [(one.title, one.text) for one in found] == [("", "one\ntwo")]


def test_a_section_begins_a_segment_with_its_title() -> None:
    found = list(cut_chunks([Block("a", "First", starts=True), Block("b"), Block("c", "Second", starts=True)]))
    assert [(one.title, one.text) for one in found] == [("First", "a\nb"), ("Second", "c")]


def test_a_long_text_goes_on_with_the_end_of_the_segment_before() -> None:
    lines = [f"line {number} " + "x" * 60 for number in range(600)]
    found = list(cut_chunks(Block(line) for line in lines))
    assert len(found) == 3
    for before, after in itertools.pairwise(found):
        first = after.text.split("\n")[0]
        assert first in before.text[-OVERLAP:]
    assert all(any(line in one.text.split("\n") for one in found) for line in lines)


def test_every_segment_of_a_table_has_its_first_row() -> None:
    found = list(cut_chunks(table_blocks(["| Name | Sum |", *(f"| item {number} | 1 |" for number in range(2_000))])))
    assert len(found) > 1
    assert all(one.text.startswith("| Name | Sum |\n| --- | --- |") for one in found)
    assert sum(one.text.count("| item ") for one in found) == 2_000


kept = st.characters(exclude_characters={"\r", "\n", *TURNING})  # what turns the order of reading is left out


@given(st.lists(st.text(kept, max_size=400).map(lambda text: text * 60), max_size=8))
def test_no_segment_is_too_long_and_nothing_is_lost(texts: list[str]) -> None:
    found = list(cut_chunks(Block(text) for text in texts))
    assert all(len(one.text) <= LONGEST for one in found)
    together = "".join(one.text for one in found)
    assert all(text[:100] in together and text[-100:].strip() in together for text in texts)

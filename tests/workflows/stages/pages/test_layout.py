from tests.workflows.stages.memory import page
from workflows.stages.pages import layout
from workflows.stages.pages.layout import Line, Page, Word


def line(text: str, x: float, y: float) -> Line:
    return Line(0, (Word(text, (x, y, x + 0.1, y + 0.02)),))


def test_lines_beside_each_other_make_a_row_left_to_right() -> None:
    found = layout.rows([line("9.50", 0.8, 0.1), line("Total", 0.1, 0.102), line("Tax", 0.1, 0.13)])
    assert [row.text for row in found] == ["Total 9.50", "Tax"]


def test_rows_follow_the_slope_of_the_paper() -> None:
    lines = (line("Total", 0.1, 0.10), line("9.50", 0.8, 0.128), line("Tax", 0.1, 0.13))
    tilted = Page(0, 1000, 1000, "ocr", lines, slope=0.04)
    assert [row.text for row in tilted.rows] == ["Total 9.50", "Tax"]


def test_words_survive_storing() -> None:
    lines = page("Total | 9.50", "Tax | 1.00").lines
    assert [found.text for found in layout.lines_of(layout.words_to_store(lines), 0)] == [
        "Total",
        "9.50",
        "Tax",
        "1.00",
    ]


def test_a_part_of_a_line_has_the_boxes_of_its_words() -> None:
    whole = page("Date: 12 March 2024").lines[0]
    box, _ = whole.part(6, 19)
    assert box[0] == whole.words[1].box[0]
    assert box[2] == whole.words[3].box[2]

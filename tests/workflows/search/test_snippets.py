from workflows.search.snippets import LENGTH, cut_snippet
from workflows.search.words import clean_text, parse_terms


def shown(text: str, asked: str) -> str:
    return "".join(
        f"[{one.text}]" if one.found else one.text for one in cut_snippet(clean_text(text), parse_terms(asked))
    )


def test_it_marks_what_was_found_as_it_is_written() -> None:
    assert shown("Rechnung der Müller GmbH", "muller") == "Rechnung der [Müller] GmbH"
    assert shown("Invoices and an invoice", "invo") == "[Invoices] and an [invoice]"
    assert shown("Due: 12,50 EUR", '"12,50"') == "Due: [12,50] EUR"
    assert shown("電子発票番号", "発票") == "電子[発票]番号"


def test_it_is_one_line_around_the_first_place() -> None:
    text = "before " * 40 + "the\n\nneedle\tis here " + "after " * 60
    found = shown(text, "needle")
    assert found.startswith("… ")
    assert found.endswith(" …")
    assert "the [needle] is here" in found
    assert len(found) < LENGTH + 20


def test_words_that_touch_are_each_marked_once() -> None:
    assert shown("acme acme", "acme ac") == "[acme] [acme]"


def test_without_a_place_it_is_the_beginning() -> None:
    assert shown("something else", "needle") == "something else"
    assert cut_snippet("", parse_terms("needle")) == ()

"""Types of documents by rules: several languages, types that only the site knows, and papers of none."""

from dataclasses import replace

import pytest

from tests.each import each
from tests.workflows.stages.memory import document
from tests.workflows.stages.papers import PAPERS, default_types, type_spec
from workflows.stages.document_types.classifier import concept_of, rank_types
from workflows.stages.document_types.types import TypeRanking
from workflows.stages.fields.candidates import Document

TYPES = default_types().types


@each(("kind", "rows"), [(kind, rows) for kind, papers in PAPERS.items() for rows in papers])
def test_a_paper_is_what_it_calls_itself(kind: str, rows: tuple[str, ...]) -> None:
    best = rank_types(document(*rows), TYPES).best
    assert (best.id if best else "") == kind


def test_the_shares_of_all_types_and_of_none_come_to_one() -> None:
    for rows in PAPERS["invoice"]:
        found = rank_types(document(*rows), TYPES)
        assert sum(one.confidence for one in found.candidates) + found.none == pytest.approx(1, abs=0.001)
        assert [one.confidence for one in found.candidates] == sorted(
            (one.confidence for one in found.candidates), reverse=True
        )


def test_clear_papers_are_sure_and_one_that_is_both_is_not() -> None:
    best = rank_types(document(*PAPERS["invoice"][0]), TYPES).best
    assert best is not None
    assert best.confidence > 0.9
    both = rank_types(document("Invoice / Receipt", "Total 9.00"), TYPES)
    first, second = both.candidates[:2]
    assert {first.id, second.id} == {"invoice", "receipt"}
    assert first.confidence < 0.8
    assert first.confidence - second.confidence < 0.15


def test_a_tax_invoice_on_the_narrow_paper_of_a_till_is_a_receipt() -> None:
    sheet = document("Corner Shop", "TAX INVOICE", "Milk 1.20", "Total 1.20", "Cash 2.00")
    slip = Document((replace(sheet.pages[0], width=400, height=1200),))
    types = [found.best.id for found in (rank_types(one, TYPES) for one in (sheet, slip)) if found.best]
    assert types[-1] == "receipt"


def test_a_file_that_carries_an_invoice_as_xml_is_one_whatever_it_says() -> None:
    found = rank_types(document("Thank you", "9.00"), TYPES, is_invoice=True)
    assert found.best is not None
    assert found.best.id == "invoice"


def test_a_type_that_only_the_site_knows_is_found_by_its_name_and_its_labels() -> None:
    form = type_spec("Ad buy form", ("advertiser", "Advertiser", "text"), ("gross", "Gross amount", "amount"))
    rows = ("AD BUY FORM", "Advertiser: Brook", "Gross amount 1,200.00")
    found = rank_types(document(*rows), [*TYPES, form])
    assert found.best is not None
    assert found.best.id == form.id
    assert rank_types(document(*PAPERS["invoice"][0]), [*TYPES, form]).best.id == "invoice"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "concept"),
    [("Supplier invoice", "invoice"), ("Lieferantenrechnung", "invoice"), ("Purchase order", "order"), ("Badge", "")],
)
def test_the_name_of_a_type_says_which_words_belong_to_it(name: str, concept: str) -> None:
    assert concept_of(type_spec(name)) == concept


def test_without_types_there_is_nothing_to_find() -> None:
    found = rank_types(document("Invoice"), ())
    assert (found.best, found.candidates) == (None, ())


def test_what_was_found_is_read_back_as_it_was() -> None:
    found = rank_types(document(*PAPERS["receipt"][0]), TYPES)
    assert TypeRanking.from_stored(found.to_json()) == found

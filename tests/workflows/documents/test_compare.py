"""Two results side by side: the same, different, or read by one of them only."""

from tests.workflows.repeated import field
from workflows.documents import compare
from workflows.documents.compare import Cell, Verdict


def test_each_field_has_its_verdict_in_the_order_of_the_left_one() -> None:
    left = [field("company", "ACME", 0.918), field("total", "4.00", type="amount"), field("date", None, 0.0)]
    right = [field("iban", "X"), field("total", "4.0", type="amount"), field("company", "Acme GmbH")]
    rows = compare.compare_fields(left, right)
    assert [(one.name, one.verdict) for one in rows] == [
        ("company", Verdict.CHANGED),
        ("total", Verdict.SAME),
        ("date", Verdict.LEFT),
        ("iban", Verdict.RIGHT),
    ]
    assert rows[0].left == Cell("ACME", "91 %", 0)
    assert rows[2].left == Cell("", "", None)
    assert (rows[2].right, rows[3].left) == (None, None)


def test_a_type_that_was_found_stands_before_the_fields() -> None:
    kind = {"id": "invoice", "name": "Invoice", "confidence": 0.917, "source": "rules"}
    left = compare.fields_of({"type": kind, "fields": [field("total", "4")]})
    other = {"id": "", "name": "None of these", "confidence": 1.0, "source": "reviewer"}
    right = compare.fields_of({"type": other, "fields": [field("total", "4")]})
    rows = compare.compare_fields(left, right)
    assert [(one.label, one.verdict) for one in rows] == [("Document type", Verdict.CHANGED), ("Total", Verdict.SAME)]
    assert (rows[0].left, rows[0].right) == (Cell("Invoice", "91 %", None), Cell("None of these", "reviewer", None))
    assert len(compare.fields_of({"fields": [field("total", "4")]})) == 1


def test_whose_word_stands_behind_a_value_is_told_in_place_of_a_confidence() -> None:
    (row,) = compare.compare_fields(
        [field("total", "4", source="reviewer")], [field("total", "4", source="embedded_xml")]
    )
    assert row.left
    assert row.right
    assert (row.left.sure, row.right.sure) == ("reviewer", "embedded XML")
    assert compare.compare_fields([], []) == []

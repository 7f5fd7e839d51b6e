"""What an invoice is recognised by."""

from tests.each import each
from workflows.stages.document_copy import digest_invoice


def fields(company: str = "Grossmarkt Ruhr GmbH", number: str = "RE-2024/17", total: str = "33.90", name="company"):
    named = {name: company, "invoice_number": number, "total": total}
    return [{"name": key, "value": value or None} for key, value in named.items()]


@each(
    "other",
    [
        fields(company="GROSSMARKT RUHR, GmbH"),
        fields(number="re 2024 17"),
        fields(total="33.9"),
        fields(name="seller"),
    ],
)
def test_spelling_does_not_count(other) -> None:
    assert digest_invoice(other) == digest_invoice(fields())


@each("other", [fields(company="Grossmarkt Rhein"), fields(number="RE-2024/18"), fields(total="33.91")])
def test_another_supplier_number_or_total_is_another_invoice(other) -> None:
    assert digest_invoice(other) != digest_invoice(fields())


@each("lacking", [fields(company=""), fields(number=""), fields(total=""), fields(total="none"), fields(company="–")])
def test_without_one_of_them_there_is_nothing_to_recognise(lacking) -> None:
    assert digest_invoice(lacking) is None

from tests.each import each
from workflows.stages.document_types.document_type import document_type


@each(
    ("text", "kind"),
    [
        ("TAX INVOICE\nCASHIER 4\nTOTAL 12.00\nCASH 20.00\nCHANGE 8.00\nTHANK YOU", "receipt"),
        ("Invoice no. 7\nBill to: X\nDue date 1 May 2024\nTotal due 12.00", "invoice"),
        ("Rechnung Nr. 7\nIBAN DE00\nGesamtbetrag 12,00 €", "invoice"),
        ("Cash Sale\nTotal 12.00", "receipt"),
        ("This agreement is made between the parties. Fees of 12.00 apply.", "other"),
        ("Dear Sir, your invoice and receipt are attached.", "other"),
        ("", "other"),
    ],
)
def test_the_words_of_a_paper_say_what_it_is(text: str, kind: str) -> None:
    assert document_type(text) == kind

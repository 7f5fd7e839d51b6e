"""A total that says net is before tax where a larger total stands beside it, in any order and language."""

import itertools

from tests.each import each
from tests.workflows.stages.memory import FIELDS, document
from workflows.stages import fields
from workflows.stages.fields import nets
from workflows.stages.fields.candidates import Candidate

TOTAL = next(spec for spec in FIELDS if spec.name == "total")
WORDS = {
    "en": (
        ("Net total", "Nett total", "Total net", "Subtotal", "Net amount", "Total ex VAT", "Total before VAT"),
        ("Total", "Amount due", "Grand total", "Total incl. VAT", "Balance due"),
        "VAT 20 %",
    ),
    "de": (("Gesamt netto", "Summe ohne MwSt."), ("Gesamtsumme", "Summe", "Rechnungsbetrag"), "MwSt. 20 %"),
    "fr": (("Total HT", "Total hors taxes", "Total net H.T."), ("Total TTC", "Total", "Net à payer"), "TVA 20 %"),
    "it": (("Totale netto", "Imponibile", "Totale merce"), ("Totale", "Netto a pagare", "Netto da pagare"), "IVA 20 %"),
    "es": (("Total neto", "Base imponible"), ("Total", "Total factura"), "IVA 20 %"),
    "pt": (("Total líquido", "Total sem IVA"), ("Total", "Valor total"), "IVA 20 %"),
    "nl": (("Totaal netto", "Totaal excl. btw"), ("Totaal", "Factuurbedrag"), "btw 20 %"),
    "sv": (("Summa exkl. moms", "Netto"), ("Summa", "Att betala"), "Moms 20 %"),
    "tr": (("Net Toplam", "Ara Toplam"), ("Toplam", "Genel Toplam"), "KDV 20 %"),
}  # fmt: skip


def best(*rows: str) -> Candidate:
    return fields.find_candidates(document("Aldgate Partners Ltd", "Invoice 4411", *rows), TOTAL)[0]


@each("language", sorted(WORDS))
@each("total", ["120.00", "125.00"])
def test_the_total_is_never_the_sum_before_tax(language: str, total: str) -> None:
    net_words, total_words, tax = WORDS[language]
    for net, gross in itertools.product(net_words, total_words):
        rows = (f"{net} | 100.00", f"{tax} | 20.00", f"{gross} | {total}")
        for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2), (2, 0)):
            assert best(*(rows[one] for one in order)).value == total, (net, gross, order)


@each(
    "rows",
    [
        ("Net total | 100", "VAT | 20", "Total | 125"),
        ("Net total 100 / VAT 20 / Total 125",),
        ("Total | 125", "VAT | 20", "Net total | 100"),
        ("Net total: 100.00 VAT: 20.00 Total: 125.00",),
    ],
)
def test_sums_without_decimals_and_side_by_side_are_told_apart(rows: tuple[str, ...]) -> None:
    assert best(*rows).value == "125.00"


@each(
    "rows",
    [
        ("Total | 105.00", "Discount | -5.00", "Nett total | 100.00"),
        ("Total | 105.00", "Less 5 % | 5.10", "Net total | 100.00"),  # misread
        ("Total | 100.02", "Nett total | 100.00"),
        ("Subtotal | 95.00", "GST | 5.00", "Nett total | 100.00"),
        ("Nett total | 100.00",),
    ],
)
def test_what_is_left_to_pay_may_say_net(rows: tuple[str, ...]) -> None:
    assert best(*rows).value == "100.00"


def test_a_total_that_says_net_and_does_not_add_up_is_doubted() -> None:
    doubted, proven, plain = (
        best("Net total | 100.00"),
        best("Subtotal | 95.00", "GST | 5.00", "Net total | 100.00"),
        best("Grand total | 100.00"),
    )
    assert (doubted.evidence["net"], proven.evidence["net"], plain.evidence["net"]) == (1.0, 0.0, 0.0)
    assert doubted.confidence < 0.5 < plain.confidence < proven.confidence


@each(("label", "net"), [("Net total", True), ("Netto a pagare", False), ("Network total", False), ("Net due", False)])
def test_labels_of_nets(label: str, net: bool) -> None:
    assert nets.is_net(label) is net


@each("label", ["Subtotal", "Total ex tax", "Summe ohne MwSt."])
def test_a_sum_before_tax_that_stands_for_a_missing_total_is_doubted(label: str) -> None:
    alone = best(f"{label} | 100.00")
    assert alone.value == "100.00"
    assert alone.evidence["net"] == 1.0
    assert best("Total | 100.00").evidence["net"] == 0.0

"""Vocabulary of common document types in several languages, for the classifier."""

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Concept:
    """A common type of document. ``names``: patterns of its names; ``words``: other vocabulary.

    ``money``: whether it has amounts and a total; ``long``: whether it is running text.
    """

    names: tuple[str, ...]
    words: tuple[str, ...]
    money: bool = False
    long: bool = False


CONCEPTS: Mapping[str, Concept] = {
    "invoice": Concept(
        (
            r"(tax |pro ?forma )?invoice", r"\w*rechnung", "factur[ae]", "fattura", "fatura", "factuur", "faktura",
            "lasku", "счет-фактура", "請求書", "发票", "發票", "세금계산서", "청구서",
        ),
        (
            "invoice (no|number|date|#)", "bill to", "billed to", "ship to", "due date", "payment terms", "amount due",
            "balance due", "purchase order", "iban", "remit", "net 30", "unit price", "rechnungsnummer",
            "rechnungsdatum", "zahlbar", "zahlbetrag", "kundennummer", "lieferdatum", "ust-?id\\w*", "échéance",
            "n° de facture", "à payer", "numéro de facture", "fecha de vencimiento", "scadenza", "partita iva",
            "vencimento", "factuurnummer", "btw", "vervaldatum", "numer faktury", "termin płatności", "facture n[°º]",
            "date de facture", "facturé à", "prix unitaire", "factura n[°º.]", "datos bancarios", "precio unitario",
            "prezzo unitario", "bonifico", "eenheidsprijs", "betaaltermijn", "einzelpreis", "nettobetrag",
        ),
        money=True,
    ),
    "receipt": Concept(
        (
            "receipt", "(cash|tax|sales) receipt", "cash bill", "quittung", "kassenbon", "kassenbeleg", "bon", "beleg",
            "re[çc]u", "ticket de caisse", "recibo", "ricevuta", "scontrino", "kassabon", "paragon", "kvitto",
            "kvittering", "kuitti", "領収書", "收据", "收據", "영수증",
        ),
        (
            "cash", "cashier", "change", "tender(ed)?", "rounding( adj\\w*)?", "visa", "mastercard", "debit card",
            "thank you", "served by", "counter", "till", "reg:", "refund", "exchange", "goods sold", "parking", "pos",
            "gst summary", "sub ?total", "qty", "txn", "transaction id", "payment method", "cash payment",
            "rückgeld", "wechselgeld", "gegeben", "bar", "summe", "monnaie rendue", "espèces", "cambio", "efectivo",
            "contanti", "resto", "gracias por su compra", "wisselgeld", "gotówka", "troco",
        ),
        money=True,
    ),
    "contract": Concept(
        (
            "contract", r"(\w+ )?agreement", r"\w*vertrag", r"\w*vereinbarung", "contrat", "convention", "contrato",
            "acuerdo", "contratto", "accordo", "overeenkomst", "umowa", "sopimus", "avtal", "契約書", "合同", "계약서",
        ),
        (
            "this agreement", "the part(y|ies)", "hereby", "hereinafter", "whereas", "shall", "governing law",
            "in witness whereof", "effective date", "termination", "confidential information", "obligations",
            "indemnif\\w+", "jurisdiction", "undersigned", "entire agreement", "vertragspartner\\w*",
            "vertragsparteien", "kündigung", "gerichtsstand", "laufzeit", "les parties", "résiliation", "ci-après",
            "las partes", "cláusula", "le parti", "clausola", "de partijen", "strony umowy", "as partes",
        ),
        long=True,
    ),
    "credit_note": Concept(
        ("credit (note|memo)", "gutschrift", "avoir", "nota de crédito", "nota di credito", "creditnota"),
        ("credited", "original invoice", "gutgeschrieben", "refund"), money=True,
    ),
    "order": Concept(
        ("(purchase|sales) order", "order confirmation", "bestellung", "auftragsbestätigung", "bon de commande",
         "orden de compra", "ordine d.acquisto", "inkooporder", "zamówienie", "発注書"),
        ("order (no|number|date)", "deliver(y| to)", "ordered by", "bestellnummer", "liefertermin", "quantity"),
        money=True,
    ),
    "delivery": Concept(
        ("delivery note", "packing (slip|list)", "lieferschein", "bon de livraison", "albarán", "bolla", "pakbon"),
        ("shipped", "delivered", "carrier", "tracking", "liefernummer", "quantity", "received by"),
    ),
    "quote": Concept(
        ("quotation", "quote", "estimate", "angebot", "kostenvoranschlag", "devis", "presupuesto", "preventivo",
         "offerte", "oferta", "見積書"),
        ("valid until", "gültig bis", "valable jusqu", "prices are", "we offer"), money=True,
    ),
    "statement": Concept(
        ("(bank|account) statement", "statement of account", "kontoauszug", "relevé de compte", "extracto",
         "estratto conto", "rekeningoverzicht"),
        ("opening balance", "closing balance", "withdrawal", "deposit", "saldo", "iban", "transactions"), money=True,
    ),
    "resume": Concept(
        ("curriculum vitae", "resum[eé]", "cv", "lebenslauf"),
        ("education", "experience", "skills", "references", "employment history", "ausbildung", "berufserfahrung"),
    ),
    "letter": Concept(
        ("letter", "brief", "schreiben", "lettre", "carta", "lettera"),
        ("dear", "yours (sincerely|faithfully|truly)", "sincerely", "sehr geehrte", "mit freundlichen grüßen",
         "madame, monsieur", "cordialement", "estimad[oa]", "atentamente"),
    ),
    "report": Concept(
        ("report", "bericht", "rapport", "informe", "relazione", "rapporto"),
        ("summary", "introduction", "findings", "conclusions?", "results", "appendix", "table of contents"), long=True,
    ),
}  # fmt: skip


def whole_word_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Match whole words; in scripts without word separators, match anywhere."""
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(words)})(?![^\W_])|{_join_unspaced(words)}", re.IGNORECASE)


def _join_unspaced(words: tuple[str, ...]) -> str:
    found = [word for word in words if any(ord(letter) > 0x3000 for letter in word)]
    return "|".join(found) or r"(?!)"

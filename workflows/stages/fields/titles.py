"""What a paper calls itself over or under its sender, neither a name nor an address: TAX INVOICE, Guest Check."""

import re

_KIND = (
    "receipts?|invoices?|memo|bill|check|copy|slip|beleg|kassenbon|quittung|rechnung|facture|ticket|factura|recibo|"
    "reçu|recu|fattura|scontrino|kopie|copie|proofofpurchase"
)
_OF = (
    "tax|sales?|retail|vat|gst|cash|credit|simplified|official|original|duplicate|customers?|merchants?|guests?|store|"
    "office|payment|dining|bar|de|kunden|händler|kassen|caisse|client|simplificada|fiscal"
)
_TITLE = re.compile(rf"(?:{_OF}){{0,3}}(?:{_KIND})(?:{_OF}|{_KIND}){{0,3}}")
_BETWEEN = re.compile(r"[\W_]+")


def is_title(text: str) -> bool:
    """Whether the line is such words and nothing else, also where OCR lost the spaces between them."""
    return len(text) < 40 and _TITLE.fullmatch(_BETWEEN.sub("", text).casefold()) is not None

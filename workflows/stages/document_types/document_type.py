"""Receipt, invoice or other, by vocabulary."""

import re

RECEIPT = re.compile(
    r"\b(receipt|cash(ier)?|change|tendered?|visa|mastercard|thank you|served by|"
    r"quittung|kassenbon|bon|rückgeld|wechselgeld|"
    r"counter|till|reg:|refund|exchange|parking)\b",
    re.IGNORECASE,
)
INVOICE = re.compile(
    r"\b(invoice|rechnung|\w*rechnung|facture|factura|fattura|bill to|ship to|due date|payment terms|purchase order|"
    r"iban|amount due|balance due|zahlbetrag|net 30|remit|gutschrift|kundennummer)\b",
    re.IGNORECASE,
)


def document_type(text: str) -> str:
    """Return receipt, invoice or other. Distinct words count, not their frequency: long tables must not decide."""
    receipt = len({match[0].casefold() for match in RECEIPT.finditer(text)})
    invoice = len({match[0].casefold() for match in INVOICE.finditer(text)})
    # Without amounts it is a letter about an invoice; a single word needs a sum beside it, or it is a contract.
    amounts = len(re.findall(r"\d[.,]\d{2}\b", text))
    summed = re.search(r"\b(total|cash|summe|gesamt\w*)\b", text, re.IGNORECASE) and len(text) < 4_000
    if amounts == 0 or max(receipt, invoice) < (1 if summed else 2):
        return "other"
    return "receipt" if receipt > invoice else "invoice"
